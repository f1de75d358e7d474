"""The life of a job: its phases, the steps between them, and what the tasks' reports mean for it.

    Creating ──► Pending ◄─► Running ──► Completed
        │           │  └───────┼───────► Failed
        │           │          │
        ├───────────┴──────────┼───────► Abnormal
        └────────► Terminating ◄┘
                       └───────────────► Terminated, Abnormal

A job goes back to Pending when the platform restarts it.
Pure: nothing here reads a clock, a table or a process.
Source: page "Creating a Training Job" (phases), page "Terminating a Training Job" (when a job can be stopped).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from modelarts_emulator.execution.protocol import TaskReport
from modelarts_openapi.phases import TERMINAL_PHASES, TRANSITIONS, Phase

__all__ = ["ACTIVE", "STOPPABLE", "TRANSITIONS", "Phase", "check", "is_terminal", "observe"]

ACTIVE: Final[frozenset[Phase]] = frozenset(phase for phase, targets in TRANSITIONS.items() if targets)
STOPPABLE: Final[frozenset[Phase]] = frozenset(
    phase for phase, targets in TRANSITIONS.items() if "Terminating" in targets
)


def is_terminal(phase: Phase) -> bool:
    """Whether a job in this phase has ended for good."""
    return phase in TERMINAL_PHASES


def check(current: Phase, target: Phase) -> Phase:
    """The target, if the table allows the step; raises ValueError otherwise."""
    if target not in TRANSITIONS[current]:
        raise ValueError(f"a job cannot go from {current} to {target}")
    return target


def observe(current: Phase, reports: Sequence[TaskReport]) -> Phase:
    """The next phase of a started job, one step at most, as its tasks report; the same phase if nothing changes.

    The tasks' exit codes decide between Completed and Failed.
    A job of which a task has started passes through Running, even if it ended before anybody looked.
    """
    if is_terminal(current) or current == "Creating" or not reports:
        return current
    ended = all(report.state == "ended" for report in reports)
    if current == "Terminating":
        return "Terminated" if ended else current
    if current == "Pending" and any(report.started_at is not None for report in reports):
        return "Running"
    if not ended:
        return current
    return "Completed" if current == "Running" and all(map(_is_well, reports)) else "Failed"


def _is_well(report: TaskReport) -> bool:
    """Whether the task did its work: one that was interrupted did not, even if it then exited with 0."""
    return report.exit_code == 0 and report.failure not in ("preempted", "hung", "node_lost")
