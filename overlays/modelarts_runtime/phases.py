"""The stages of jobs: phases of version 2, status numbers of version 1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

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

Phase: TypeAlias = Literal[
    "Creating", "Pending", "Running", "Failed", "Completed", "Terminating", "Terminated", "Abnormal"
]
"""A documented phase of a job; the service may add others, which are kept as they come."""

CREATING: Final = "Creating"
PENDING: Final = "Pending"
RUNNING: Final = "Running"
FAILED: Final = "Failed"
COMPLETED: Final = "Completed"
TERMINATING: Final = "Terminating"
TERMINATED: Final = "Terminated"
ABNORMAL: Final = "Abnormal"

TERMINAL_PHASES: Final[frozenset[str]] = frozenset({COMPLETED, FAILED, TERMINATED, ABNORMAL})
"""A job in one of these never changes its phase again."""

STATUS_NAMES: Final[Mapping[int, str]] = {
    0: "JOBSTAT_UNKNOWN",
    1: "JOBSTAT_INIT",
    2: "JOBSTAT_IMAGE_CREATING",
    3: "JOBSTAT_IMAGE_FAILED",
    4: "JOBSTAT_SUBMIT_TRYING",
    5: "JOBSTAT_SUBMIT_FAILED",
    6: "JOBSTAT_DELETE_FAILED",
    7: "JOBSTAT_WAITING",
    8: "JOBSTAT_RUNNING",
    9: "JOBSTAT_KILLING",
    10: "JOBSTAT_COMPLETED",
    11: "JOBSTAT_FAILED",
    12: "JOBSTAT_KILLED",
    13: "JOBSTAT_CANCELED",
    14: "JOBSTAT_LOST",
    15: "JOBSTAT_SCALING",
    16: "JOBSTAT_SUBMIT_MODEL_FAILED",
    17: "JOBSTAT_DEPLOY_SERVICE_FAILED",
    18: "JOBSTAT_CHECK_INIT",
    19: "JOBSTAT_CHECK_RUNNING",
    20: "JOBSTAT_CHECK_RUNNING_COMPLETED",
    21: "JOBSTAT_CHECK_FAILED",
    22: "MOUNT_FAILED",
}
"""The names that the pages of version 1 give the numbers in `status`."""

TERMINAL_STATUSES: Final = frozenset({3, 5, 6, 10, 11, 12, 13, 14, 16, 17, 21, 22})
"""Version 1: the statuses that are final by their names; no page says which are."""
