# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from typing import Literal

ListBuiltInAlgorithmsSortBy = Literal[
    "create_time",
    "engine",
    "model_name",
    "model_precision",
    "model_size",
    "model_usage",
    "parameter",
]
