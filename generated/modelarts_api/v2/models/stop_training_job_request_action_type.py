# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from typing import Literal

StopTrainingJobRequestActionType = Literal[
    "restart",
    "terminate",
]
