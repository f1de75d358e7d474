# Generated from openapi by scripts/generate.py; do not edit.
"""The codes on which programs act, by their names in `openapi/shared/error-codes.yaml`."""

from __future__ import annotations

from typing import Final

JOB_NAME_TAKEN: Final = "ModelArts.2751"
"""A training job of this name exists."""
JOB_NOT_FOUND: Final = "ModelArts.2775"
"""The training job does not exist."""
LOG_NOT_READY: Final = "ModelArts.2776"
"""The log is not available yet."""
LOG_NOT_WRITTEN: Final = "ModelArts.2818"
"""The log file has not been written."""
TOKEN_INVALID: Final = "ModelArts.2784"
"""The token is not valid."""
TOKEN_UNREADABLE: Final = "ModelArts.0203"
"""The token cannot be read."""
V1_NAME_TAKEN: Final = "ModelArts.0103"
"""The name is already in use."""
