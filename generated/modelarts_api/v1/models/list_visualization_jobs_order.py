# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from typing import Literal

ListVisualizationJobsOrder = Literal[
    "asc",
    "desc",
]
