"""What has become of an attempt that Slurm ended, or whose controllers ended without a record.

<jobs>/.records/<job id>/<attempt>/allocation.json    the allocation that runs the attempt
<jobs>/.records/<job id>/<attempt>/end.json           why Slurm ended it, for the tasks that do not know
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from modelarts_emulator.execution.cluster.executor import end, have_ended, printed
from modelarts_emulator.execution.local import records
from modelarts_emulator.execution.local.records import TaskPlace
from modelarts_emulator.execution.protocol import KILLED, STOPPED, FailureKind, TaskReport
from modelarts_emulator.execution.slurm.reasons import describe_end

__all__ = ["INTERRUPTED", "UNKNOWN", "allocation", "conclude", "described", "is_decided", "read_record"]

INTERRUPTED = "interrupted by Slurm"
"""How the message of an exit record begins whose task Slurm ended; why, Slurm knows."""
UNKNOWN = "UNKNOWN"
"""The state of an attempt that Slurm does not know any more."""
_NODE_LOST = ("NODE_FAIL", "BOOT_FAIL")
_MEMORY_KILLS = ("exceeded memory limit", "oom-kill", "oom_kill", "Out Of Memory")
"""What Slurm's daemons print into the log of the controllers when they kill for memory."""


def allocation(place: TaskPlace) -> Path:
    """Where the allocation is that runs the attempt."""
    return place.spec.with_name("allocation.json")


def _end(place: TaskPlace) -> Path:
    return place.spec.with_name("end.json")


def read_record(path: Path) -> dict[str, Any]:
    """The record; empty if there is none that can be read."""
    with suppress(ValueError):
        return records.read(path) or {}
    return {}


def is_decided(places: Sequence[TaskPlace]) -> bool:
    """Whether all tasks have ended, and it is known why."""
    return have_ended(list(places)) and (_end(places[0]).exists() or not any(map(_is_killed, places)))


def _is_killed(place: TaskPlace) -> bool:
    found = records.read_exit(place)
    return found is not None and _was_killed(place, found.exit_code, found.message, found.failure)


def _was_killed(place: TaskPlace, code: int | None, message: str | None, failure: FailureKind | None) -> bool:
    """Whether somebody else ended the task: Slurm, or its daemon or the kernel, which send SIGKILL for memory."""
    was_interrupted = (message or "").startswith(INTERRUPTED)
    return failure is None and (code == KILLED or was_interrupted) and not place.stop.exists()


def conclude(places: Sequence[TaskPlace], state: str, slurm_id: str = "") -> None:
    """Write down in which state the attempt ended at Slurm, and the ends of those tasks that have none."""
    lacking = [place for place in places if not place.exit.exists()]
    said = printed(places[0])
    if any(word in said for word in _MEMORY_KILLS):
        state = "OUT_OF_MEMORY"
    message, failure = _reason(state, bool(lacking))
    if message is None and lacking:
        message = f"stopped because the controller of {lacking[0].task} was killed"
    if not _end(places[0]).exists():
        records.write_once(_end(places[0]), {"message": message, "failure": failure})
    has_begun = any(place.claim.exists() for place in places)
    for place in lacking:
        end(place, *_lacking_end(place, state, slurm_id, said, has_begun))


def _reason(state: str, are_tasks_lost: bool) -> tuple[str | None, FailureKind | None]:
    """Message and failure of tasks that were ended by somebody else, where the state says more than the tasks do."""
    if state in _NODE_LOST:
        return describe_end(state), None if are_tasks_lost else "node_lost"
    if state == "PREEMPTED":
        return describe_end(state), "preempted"
    if state == "OUT_OF_MEMORY":
        return describe_end(state), "out_of_memory"
    return (describe_end(state), None) if state in ("CANCELLED", "DEADLINE", "TIMEOUT") else (None, None)


def _lacking_end(
    place: TaskPlace, state: str, slurm_id: str, said: str, has_begun: bool
) -> tuple[int, str, FailureKind | None]:
    """Exit code, message and failure of a task that has no exit record."""
    if place.stop.exists():
        return STOPPED, "stopped" if place.claim.exists() else "stopped before it started", None
    if state in _NODE_LOST:
        return KILLED, f"the node of {place.task} was lost; {records.NOT_DELIVERED}", "node_lost"
    message, failure = _reason(state, are_tasks_lost=True)
    if message is not None:
        code = KILLED if failure == "out_of_memory" else STOPPED
        return code, f"{message}; {records.NOT_DELIVERED}" if failure else message, failure
    if state == UNKNOWN:
        cause = f"Slurm does not know job {slurm_id} any more, and the task has no exit record"
    elif has_begun:
        cause = f"the task's controller process was killed{said}"
    else:
        cause = f"no controller began on its node{said}"
        return 1, f"{cause}; let all nodes share {place.jobs} and the emulator's Python", None
    return KILLED, f"{cause}; {records.NOT_DELIVERED}", "node_lost"


def described(report: TaskReport, place: TaskPlace) -> TaskReport:
    """The report of a task, with the reason if somebody else ended it; as long as that is not known, as if it ran."""
    if report.state != "ended" or not _was_killed(place, report.exit_code, report.message, report.failure):
        return report
    if not _end(place).exists():
        going = "running" if report.started_at is not None else "preparing"
        return replace(report, state=going, ended_at=None, exit_code=None, message=None)  # type: ignore[arg-type]
    found = read_record(_end(place))
    message, failure = found.get("message"), found.get("failure")
    if not isinstance(message, str):
        return report
    code = KILLED if failure == "node_lost" else report.exit_code
    return replace(report, exit_code=code, message=message, failure=failure)
