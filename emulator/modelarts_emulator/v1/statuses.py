"""Status numbers of version 1, as a view of the phases of jobs.

Source: page "Job Statuses". Of its 23 statuses those are here that the emulator's jobs can have.
"""

from __future__ import annotations

from typing import Final

from modelarts_emulator.jobs.phases import Phase

__all__ = ["INITIALISING", "STATUSES", "read_statuses"]

INITIALISING = 1
LOST = 14
LARGEST = 22

STATUSES: Final[dict[Phase, int]] = {
    "Creating": INITIALISING,
    "Pending": 7,
    "Running": 8,
    "Terminating": 9,
    "Completed": 10,
    "Failed": 11,
    "Terminated": 12,
    "Abnormal": LOST,
}


def read_statuses(text: str) -> list[int]:
    """The statuses of a condition: a number, or several with commas between them; empty for no condition.

    Raises ValueError for anything else. How several are written is not documented.
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isascii() and part.isdigit() and int(part[:3]) <= LARGEST for part in parts):
        raise ValueError(f"{text!r} is not a status: use a number from 0 to {LARGEST}, or several with commas")
    return [int(part) for part in parts]
