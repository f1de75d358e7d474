# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from typing import Literal

ResourceRequirementRequestKey = Literal[
    "device_distributed_mode",
    "flavor_type",
    "host_distributed_mode",
]
