# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from typing import Literal

ListTrainingJobsSortBy = Literal[
    "create_time",
    "duration",
    "job_desc",
    "job_name",
    "status",
    "version_count",
]
