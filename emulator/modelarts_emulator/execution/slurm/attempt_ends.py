"""What has become of an attempt that Slurm ended, or whose controllers ended without a record."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import replace

from modelarts_emulator.execution.local import records
from modelarts_emulator.execution.local.json_files import write_once
from modelarts_emulator.execution.local.records import TaskPlace
from modelarts_emulator.execution.protocol import KILLED, STOPPED, FailureKind, TaskReport
from modelarts_emulator.execution.slurm import commands, places
from modelarts_emulator.execution.slurm.commands import SlurmError
from modelarts_emulator.execution.slurm.reasons import describe_end
from modelarts_emulator.execution.slurm.request import NOT_SHARED

__all__ = ["UNKNOWN", "conclude", "described", "have_ended", "is_undecided"]

UNKNOWN = "UNKNOWN"
"""The state of an attempt that Slurm does not know, or does not know any more."""
_NODE_LOST = ("NODE_FAIL", "BOOT_FAIL")
_EXIT_CODE = re.compile(r"\bExitCode=(\d+):")


def have_ended(found: Sequence[TaskPlace]) -> bool:
    """Whether all these tasks have exit records."""
    return all(place.exit.exists() for place in found)


def is_undecided(found: Sequence[TaskPlace]) -> bool:
    """Whether Slurm ended one of these tasks, and it is not written down why."""
    if places.end(found[0]).exists():
        return False
    ends = [records.read_exit(place) for place in found]
    return any(end is not None and (end.message or "").startswith(places.INTERRUPTED) for end in ends)


def conclude(found: Sequence[TaskPlace], state: str, nodes: str = "", slurm_id: str = "") -> None:
    """Write down the state in which the attempt ended at Slurm, and the ends of those tasks that have none.

    The first state that is written down stands. `nodes` are those of the attempt, as Slurm names them.
    """
    if not places.end(found[0]).exists():
        lost = _lost(found, nodes) if state in _NODE_LOST else []
        write_once(places.end(found[0]), {"state": state, "lost": lost})
    state, lost = _read_end(found[0])
    for place in found:
        if not place.exit.exists():
            start = records.read_start(place)
            code, message, failure = _end(place, state, slurm_id, place.task in lost)
            began = start.started_at if start else None
            records.write_exit(place, records.Exit(began, time.time(), code, message, failure))


def _read_end(place: TaskPlace) -> tuple[str, list[str]]:
    """The state in which Slurm ended the attempt, empty if that is not known, and the tasks whose nodes were lost."""
    record = places.read_record(places.end(place))
    state, lost = record.get("state"), record.get("lost")
    return state if isinstance(state, str) else "", lost if isinstance(lost, list) else []


def _end(place: TaskPlace, state: str, slurm_id: str, is_lost: bool) -> tuple[int, str, FailureKind | None]:
    """Exit code, message and failure of a task of an attempt that ended in this state."""
    if place.stop.exists():
        return STOPPED, "stopped" if place.claim.exists() else "stopped before it started", None
    if is_lost:
        return KILLED, f"the node of {place.task} was lost; {records.NOT_DELIVERED}", "node_lost"
    if state == "PREEMPTED":
        return STOPPED, f"{describe_end(state)}; {records.NOT_DELIVERED}", "preempted"
    if state == "OUT_OF_MEMORY":
        return KILLED, f"{describe_end(state)}; {records.NOT_DELIVERED}", "out_of_memory"
    if state in (*_NODE_LOST, "CANCELLED", "DEADLINE", "TIMEOUT"):
        return STOPPED, describe_end(state), None
    if state == UNKNOWN:
        return (
            KILLED,
            f"Slurm does not know job {slurm_id}, and the task has no exit record; {records.NOT_DELIVERED}",
            None,
        )
    if not place.claim.exists() and slurm_id and _exit_code(slurm_id) == NOT_SHARED:
        folder = place.jobs
        message = f"its node does not see {folder}, or not the emulator's Python: let all nodes share both folders"
        return 1, message, None
    log = place.controller_log
    return KILLED, f"the task's controller process ended without a record (see {log}); {records.NOT_DELIVERED}", None


def _lost(found: Sequence[TaskPlace], nodes: str) -> list[str]:
    """Those of the tasks whose nodes are down; all that have not ended, or all, if that cannot be found out."""
    try:
        printed = commands.run("sinfo", "--noheader", "--Node", f"--nodes={nodes}", "--format=%N %T")
    except SlurmError:
        printed = ""
    down = {name for name, _, state in (line.partition(" ") for line in printed.splitlines()) if "down" in state}
    lost = [place.task for place in found if (claim := places.read_claim(place)) is not None and claim.node in down]
    return lost or [place.task for place in found if not place.exit.exists()] or [place.task for place in found]


def _exit_code(slurm_id: str) -> int | None:
    """The exit code of the batch script, as long as Slurm knows it."""
    try:
        match = _EXIT_CODE.search(commands.run("scontrol", "show", "job", "--oneliner", slurm_id))
    except SlurmError:
        return None
    return int(match[1]) if match else None


def described(report: TaskReport, place: TaskPlace) -> TaskReport:
    """The report of a task, with the reason if Slurm ended it; as long as that is not known, as if the task still ran.

    A task whose node was lost may have ended there in another way, of which nobody there knew.
    """
    if report.state != "ended" or not report.exit_code or report.failure is not None:
        return report
    state, lost = _read_end(place)
    if place.task in lost:
        message = f"the node of {place.task} was lost; {records.NOT_DELIVERED}"
        return replace(report, exit_code=KILLED, message=message, failure="node_lost")
    if not (report.message or "").startswith(places.INTERRUPTED):
        return report
    if not state:
        going = "running" if report.started_at is not None else "preparing"
        return replace(report, state=going, ended_at=None, exit_code=None, message=None)  # type: ignore[arg-type]
    return replace(report, message=describe_end(state), failure="preempted" if state == "PREEMPTED" else None)
