"""What has become of an attempt that Slurm ended, or whose controllers ended without a record."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Sequence
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
_UNSAVED = "outputs written since the last upload are not in object storage"
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
    write_once(places.end(found[0]), {"state": state})
    state = str(places.read_record(places.end(found[0])).get("state", state))
    remaining = [place for place in found if not place.exit.exists()]
    lost = _lost(remaining, nodes) if remaining and state in _NODE_LOST else set()
    for place in remaining:
        start = records.read_start(place)
        code, message, failure = _end(place, state, slurm_id, place in lost)
        began = start.started_at if start else None
        records.write_exit(place, records.Exit(began, time.time(), code, message, failure))


def _end(place: TaskPlace, state: str, slurm_id: str, is_lost: bool) -> tuple[int, str, FailureKind | None]:
    """Exit code, message and failure of a task of an attempt that ended in this state."""
    if place.stop.exists():
        return STOPPED, "stopped" if place.claim.exists() else "stopped before it started", None
    if is_lost:
        return KILLED, f"the node of {place.task} was lost; {_UNSAVED}", "node_lost"
    if state == "PREEMPTED":
        return STOPPED, f"{describe_end(state)}; {_UNSAVED}", "preempted"
    if state == "OUT_OF_MEMORY":
        return KILLED, f"{describe_end(state)}; {_UNSAVED}", "out_of_memory"
    if state in (*_NODE_LOST, "CANCELLED", "DEADLINE", "TIMEOUT"):
        return STOPPED, describe_end(state), None
    if state == UNKNOWN:
        return KILLED, f"Slurm does not know job {slurm_id}, and the task has no exit record; {_UNSAVED}", None
    if not place.claim.exists() and slurm_id and _exit_code(slurm_id) == NOT_SHARED:
        folder = place.jobs
        message = f"its node does not see {folder}, or not the emulator's Python: let all nodes share both folders"
        return 1, message, None
    log = place.controller_log
    return KILLED, f"the task's controller process ended without a record (see {log}); {_UNSAVED}", None


def _lost(remaining: Collection[TaskPlace], nodes: str) -> set[TaskPlace]:
    """Those of the tasks whose nodes are down; all, if that cannot be found out."""
    try:
        printed = commands.run("sinfo", "--noheader", "--Node", f"--nodes={nodes}", "--format=%N %T")
    except SlurmError:
        return set(remaining)
    down = {name for name, _, state in (line.partition(" ") for line in printed.splitlines()) if "down" in state}
    found = {place for place in remaining if (claim := places.read_claim(place)) is None or claim.node in down}
    return found or set(remaining)


def _exit_code(slurm_id: str) -> int | None:
    """The exit code of the batch script, as long as Slurm knows it."""
    try:
        match = _EXIT_CODE.search(commands.run("scontrol", "show", "job", "--oneliner", slurm_id))
    except SlurmError:
        return None
    return int(match[1]) if match else None


def described(report: TaskReport, place: TaskPlace) -> TaskReport:
    """The report; of a task that Slurm ended with the reason, and as long as that is not known, as if it still ran."""
    if report.state != "ended" or not (report.message or "").startswith(places.INTERRUPTED):
        return report
    state = places.read_record(places.end(place)).get("state")
    if not isinstance(state, str):
        going = "running" if report.started_at is not None else "preparing"
        return replace(report, state=going, ended_at=None, exit_code=None, message=None)  # type: ignore[arg-type]
    return replace(report, message=describe_end(state), failure="preempted" if state == "PREEMPTED" else None)
