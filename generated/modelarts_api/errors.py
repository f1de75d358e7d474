# Generated from overlays/modelarts_runtime/errors.py by scripts/generate.py; do not edit.
"""The errors of the service, as exceptions."""

from modelarts_runtime.errors import (
    ApiError,
    BadRequest,
    Conflict,
    Forbidden,
    IncompleteList,
    NotFound,
    ServiceFailure,
    ToolkitError,
    TooManyRequests,
    Unauthorized,
)

__all__ = [
    "ApiError",
    "BadRequest",
    "Conflict",
    "Forbidden",
    "IncompleteList",
    "NotFound",
    "ServiceFailure",
    "TooManyRequests",
    "ToolkitError",
    "Unauthorized",
]
