"""Status numbers of version 1, as a view of the phases of runs.

Source: page "Job Statuses". Of its 23 statuses those are here that the emulator's jobs can have.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import ColumnElement, case

from modelarts_emulator.engine.runs import Phase, Run
from modelarts_emulator.engine.tables import runs
from modelarts_emulator.v1.errors import invalid
from modelarts_openapi.phases import STATUS_NAMES, STATUSES_OF_PHASES

__all__ = ["INITIALISING", "STATUSES", "read_statuses", "status_column", "status_of"]

INITIALISING = 1
SUBMIT_FAILED = 5
LARGEST = max(STATUS_NAMES)

STATUSES: Final[dict[Phase, int]] = {phase: statuses[0] for phase, statuses in STATUSES_OF_PHASES.items()}


def status_of(run: Run) -> int:
    """The status of a version with this run."""
    return SUBMIT_FAILED if run.secondary_phase == "CreateFailed" else STATUSES[run.phase]


def status_column() -> ColumnElement[Any]:
    """The status as a column of a query that has the runs; NULL without a run."""
    known = [(runs.c.phase == phase, status) for phase, status in STATUSES.items()]
    return case((runs.c.secondary_phase == "CreateFailed", SUBMIT_FAILED), *known)


def read_statuses(text: str) -> list[int]:
    """The statuses of a condition: a number, or several with commas between them; empty for no condition.

    Raises ServiceError for anything else. How several are written is not documented.
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isascii() and part.isdigit() and len(part) <= 2 and int(part) <= LARGEST for part in parts):
        reason = f"{text!r} is not a status: use a number from 0 to {LARGEST}, or several with commas"
        raise invalid("status", reason)
    return [int(part) for part in parts]
