# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from typing import Literal

QuotaRequestResource = Literal[
    "job-num",
    "job-num-quota-notify",
    "job-retention-enabled",
    "visual-job-num",
]
