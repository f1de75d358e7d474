# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from typing import Literal

ListVisualizationJobsSortBy = Literal[
    "create_time",
    "job_desc",
    "job_id",
    "job_name",
    "status",
]
