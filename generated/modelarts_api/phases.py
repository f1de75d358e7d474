# Generated from overlays/modelarts_runtime/phases.py by scripts/generate.py; do not edit.
"""The stages of jobs: phases of version 2, status numbers of version 1."""

from modelarts_runtime.phases import (
    ABNORMAL,
    COMPLETED,
    CREATING,
    FAILED,
    PENDING,
    RUNNING,
    STATUS_NAMES,
    TERMINAL_PHASES,
    TERMINAL_STATUSES,
    TERMINATED,
    TERMINATING,
    Phase,
)

__all__ = [
    "ABNORMAL",
    "COMPLETED",
    "CREATING",
    "FAILED",
    "PENDING",
    "RUNNING",
    "STATUS_NAMES",
    "TERMINAL_PHASES",
    "TERMINAL_STATUSES",
    "TERMINATED",
    "TERMINATING",
    "Phase",
]
