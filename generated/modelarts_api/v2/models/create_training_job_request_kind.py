# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from typing import Literal

CreateTrainingJobRequestKind = Literal[
    "autosearch_job",
    "diag_job",
    "edge_job",
    "federated_pool_job",
    "hetero_job",
    "job",
    "mrs_job",
    "visualization_job",
]
