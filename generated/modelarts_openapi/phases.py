# Generated from openapi by scripts/generate.py; do not edit.
"""The life of jobs: phases of version 2, and statuses of version 1, which are numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

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

Phase: TypeAlias = Literal[
    "Creating",
    "Pending",
    "Running",
    "Failed",
    "Completed",
    "Terminating",
    "Terminated",
    "Abnormal",
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

PHASES: Final[tuple[Phase, ...]] = (
    "Creating",
    "Pending",
    "Running",
    "Failed",
    "Completed",
    "Terminating",
    "Terminated",
    "Abnormal",
)

TRANSITIONS: Final[Mapping[Phase, frozenset[Phase]]] = {
    "Creating": frozenset(
        {
            "Pending",
            "Terminating",
            "Abnormal",
        }
    ),
    "Pending": frozenset(
        {
            "Running",
            "Failed",
            "Terminating",
            "Abnormal",
        }
    ),
    "Running": frozenset(
        {
            "Pending",
            "Completed",
            "Failed",
            "Terminating",
            "Abnormal",
        }
    ),
    "Failed": frozenset(),
    "Completed": frozenset(),
    "Terminating": frozenset(
        {
            "Terminated",
            "Abnormal",
        }
    ),
    "Terminated": frozenset(),
    "Abnormal": frozenset(),
}
"""The phases that can follow each phase."""

TERMINAL_PHASES: Final[frozenset[str]] = frozenset(phase for phase, following in TRANSITIONS.items() if not following)
"""A job in one of these never changes its phase again."""

SECONDARY_PHASES: Final[Mapping[Phase, str]] = {
    "Creating": "Creating",
    "Pending": "Queuing",
    "Running": "Running",
    "Failed": "Failed",
    "Completed": "Completed",
    "Terminating": "Terminating",
    "Terminated": "Terminated",
    "Abnormal": "Lost",
}
"""The second level of each phase, unless more is known."""

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

STATUS_NUMBERS: Final[Mapping[str, int]] = {
    name.removeprefix("JOBSTAT_").lower(): number for number, name in STATUS_NAMES.items()
}
"""The numbers by their names without the prefix, such as `running`."""

STATUSES_OF_PHASES: Final[Mapping[Phase, tuple[int, ...]]] = {
    "Creating": (
        1,
        2,
        4,
        18,
        19,
        20,
    ),
    "Pending": (7,),
    "Running": (
        8,
        15,
    ),
    "Failed": (
        11,
        3,
        5,
        16,
        17,
        21,
        22,
    ),
    "Completed": (10,),
    "Terminating": (9,),
    "Terminated": (
        12,
        13,
    ),
    "Abnormal": (
        14,
        6,
    ),
}
"""The statuses that are read as each phase, the plain one first; no page compares the two."""

PHASES_OF_STATUSES: Final[Mapping[int, Phase]] = {
    number: phase for phase, numbers in STATUSES_OF_PHASES.items() for number in numbers
}

TERMINAL_STATUSES: Final[frozenset[int]] = frozenset(
    number for number, phase in PHASES_OF_STATUSES.items() if phase in TERMINAL_PHASES
)
"""Version 1: the statuses that are final by their names; no page says which are."""
