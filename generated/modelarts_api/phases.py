# Generated from openapi by scripts/generate.py; do not edit.
"""The life of jobs: phases of version 2, and statuses of version 1, which are numbers."""

from modelarts_openapi.phases import (
    ABNORMAL,
    COMPLETED,
    CREATING,
    FAILED,
    PENDING,
    PHASES,
    PHASES_OF_STATUSES,
    RUNNING,
    SECONDARY_PHASES,
    STATUS_NAMES,
    STATUS_NUMBERS,
    STATUSES_OF_PHASES,
    TERMINAL_PHASES,
    TERMINAL_STATUSES,
    TERMINATED,
    TERMINATING,
    TRANSITIONS,
    Phase,
)

__all__ = [
    "ABNORMAL",
    "COMPLETED",
    "CREATING",
    "FAILED",
    "PENDING",
    "Phase",
    "PHASES",
    "PHASES_OF_STATUSES",
    "RUNNING",
    "SECONDARY_PHASES",
    "STATUS_NAMES",
    "STATUS_NUMBERS",
    "STATUSES_OF_PHASES",
    "TERMINAL_PHASES",
    "TERMINAL_STATUSES",
    "TERMINATED",
    "TERMINATING",
    "TRANSITIONS",
]
