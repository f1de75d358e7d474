"""How an attempt ended that Slurm ended, or whose controllers left no record; and Slurm's reasons in sentences.

Source of the reasons: squeue(1), sections "Job reason codes" and "Job state codes".

<jobs>/.records/<job id>/<attempt>/allocation.json    the allocation that runs the attempt
<jobs>/.records/<job id>/<attempt>/end.json           why Slurm ended it, for the tasks that do not know
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from modelarts_emulator.execution.protocol import KILLED, STOPPED, FailureKind, TaskReport
from modelarts_emulator.execution.task import records
from modelarts_emulator.execution.task.records import TaskPlace, have_ended

INTERRUPTED = "interrupted by Slurm"
"""The start of the message of a task that Slurm ended; the reason is known later, from Slurm."""
UNKNOWN = "UNKNOWN"
"""The state of an attempt that Slurm does not know any more."""
_TAIL_BYTES, _TAIL_LINES = 4096, 5
_FAILURES: Mapping[str, FailureKind] = {
    "NODE_FAIL": "node_lost",
    "BOOT_FAIL": "node_lost",
    "PREEMPTED": "preempted",
    "OUT_OF_MEMORY": "out_of_memory",
}
_MEMORY_KILLS = ("exceeded memory limit", "oom-kill", "oom_kill", "Out Of Memory")
"""What Slurm's daemons print into the log of the controllers when they kill for memory."""
# What Slurm says, and what that means: `waits` are its reasons for a job that waits, `limits` reasons of many kinds, by
# how they begin (Slurm's own word behind the sentence says which limit it is), `states` those of jobs, of which `ends`
# says how they ended. `unavailable` is what it says of a controller that does not respond, or that cannot take more at
# this moment, `final` of a request that it never takes.
WORDS: Mapping[str, Any] = json.loads(Path(__file__).with_name("words.json").read_text("utf-8"))


def allocation(place: TaskPlace) -> Path:
    """Where the allocation is that runs the attempt."""
    return place.spec.with_name("allocation.json")


def _end(place: TaskPlace) -> Path:
    return place.spec.with_name("end.json")


def end(place: TaskPlace, code: int, message: str, failure: FailureKind | None = None) -> None:
    """Write down how the task ended. Nothing happens if that was done, or if the job was removed."""
    with suppress(FileNotFoundError):
        records.write_exit(place, records.exit_now(place, code, message, failure))


def is_decided(places: Sequence[TaskPlace]) -> bool:
    """Whether all tasks have ended, and it is known why."""
    return have_ended(places) and (
        _end(places[0]).exists() or not any(_was_killed(place, records.read_exit(place)) for place in places)
    )


def _was_killed(place: TaskPlace, known: records.Exit | TaskReport | None) -> bool:
    """Whether somebody else ended the task: Slurm, or its daemon or the kernel, which send SIGKILL for memory."""
    if known is None or known.failure is not None:
        return False
    was_interrupted = (known.message or "").startswith(INTERRUPTED)
    return (known.exit_code == KILLED or was_interrupted) and not place.stop.exists()


def conclude(places: Sequence[TaskPlace], state: str, slurm_id: str = "") -> None:
    """Write down in which state the attempt ended at Slurm, and the ends of those tasks that have none."""
    lacking = [place for place in places if not place.exit.exists()]
    said = _printed(places[0])
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


def _printed(place: TaskPlace) -> str:
    """The last lines of the controller's own output, after a colon; empty if it printed nothing."""
    try:
        size = place.controller_log.stat().st_size
        data = records.read_bytes(place.controller_log, _TAIL_BYTES, max(0, size - _TAIL_BYTES))
    except OSError:
        return ""
    lines = [line.strip() for line in data.decode("utf-8", "replace").splitlines() if line.strip()]
    return f": {'; '.join(lines[-_TAIL_LINES:])}" if lines else ""


def _reason(state: str, are_tasks_lost: bool) -> tuple[str | None, FailureKind | None]:
    """Message and failure of tasks that were ended by somebody else, where the state says more than the tasks do."""
    failure = _FAILURES.get(state)
    return WORDS["ends"].get(state), None if are_tasks_lost and failure == "node_lost" else failure


def _lacking_end(
    place: TaskPlace, state: str, slurm_id: str, said: str, has_begun: bool
) -> tuple[int, str, FailureKind | None]:
    """Exit code, message and failure of a task that has no exit record."""
    if place.stop.exists():
        return STOPPED, "stopped" if place.claim.exists() else "stopped before it started", None
    if _FAILURES.get(state) == "node_lost":
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
    """The report of a task with the reason, if Slurm ended it. Until the reason is known, the task still runs."""
    if report.state != "ended" or not _was_killed(place, report):
        return report
    if not _end(place).exists():
        going = "running" if report.started_at is not None else "preparing"
        return replace(report, state=going, ended_at=None, exit_code=None, message=None)  # type: ignore[arg-type]
    found = records.read(_end(place)) or {}
    message, failure = found.get("message"), found.get("failure")
    if not isinstance(message, str):
        return report
    code = KILLED if failure == "node_lost" else report.exit_code
    return replace(report, exit_code=code, message=message, failure=failure)


def describe_wait(reason: str) -> str:
    """The reason for which a job waits, as a sentence that ends with Slurm's own word."""
    word = reason.partition(",")[0].strip("() ")
    if reason.startswith("Nodes required for job are DOWN"):
        word = "ReqNodeNotAvail"
    limits = (text for start, text in WORDS["limits"].items() if word.startswith(start))
    if (text := WORDS["waits"].get(word) or next(limits, None)) is None:
        return f"Slurm's reason is {reason}"
    return f"{text} ({word})" if word != "None" else text
