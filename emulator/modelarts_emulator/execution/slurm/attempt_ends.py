"""What has become of an attempt that Slurm ended, or whose controllers ended without a record."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from modelarts_emulator.execution.local import records
from modelarts_emulator.execution.local.json_files import write_once
from modelarts_emulator.execution.local.records import TaskPlace
from modelarts_emulator.execution.protocol import KILLED, STOPPED, FailureKind, TaskReport
from modelarts_emulator.execution.slurm import commands, places
from modelarts_emulator.execution.slurm.commands import SlurmRejectedError
from modelarts_emulator.execution.slurm.reasons import describe_end
from modelarts_emulator.execution.slurm.request import NOT_SHARED

__all__ = [
    "UNKNOWN",
    "SlurmEnd",
    "ask_for_end",
    "conclude",
    "described",
    "fail",
    "have_ended",
    "is_to_be_asked",
    "is_undecided",
]

UNKNOWN = "UNKNOWN"
"""The state of an attempt that Slurm does not know, or does not know any more."""
_NODE_LOST = ("NODE_FAIL", "BOOT_FAIL")
_EXIT_CODE = re.compile(r"\bExitCode=(\d+):")


@dataclass(frozen=True, slots=True)
class SlurmEnd:
    """How an attempt ended at Slurm: its state, the nodes that are down, and its batch script's exit code if known."""

    state: str
    down_nodes: frozenset[str] = frozenset()
    exit_code: int | None = None


def is_to_be_asked(found: Sequence[TaskPlace], state: str) -> bool:
    """Whether more than the state has to be known of an attempt, which only Slurm can say."""
    if state in _NODE_LOST:
        return not places.end(found[0]).exists()
    return state == "FAILED" and not all(place.claim.exists() for place in found)


def ask_for_end(state: str, nodes: str, slurm_id: str) -> SlurmEnd:
    """Ask Slurm what else there is to know of an attempt that ended in this state, on these nodes, as it names them.

    Waits for Slurm; raises SlurmUnavailableError if it is to be asked again.
    """
    if state in _NODE_LOST:
        return SlurmEnd(state, _down_nodes(nodes))
    return SlurmEnd(state, exit_code=_exit_code(slurm_id))


def have_ended(found: Sequence[TaskPlace]) -> bool:
    """Whether all these tasks have exit records."""
    return all(place.exit.exists() for place in found)


def is_undecided(found: Sequence[TaskPlace]) -> bool:
    """Whether Slurm ended one of these tasks, and it is not written down why."""
    if places.end(found[0]).exists():
        return False
    ends = [records.read_exit(place) for place in found]
    return any(end is not None and (end.message or "").startswith(places.INTERRUPTED) for end in ends)


def conclude(found: Sequence[TaskPlace], end: SlurmEnd, slurm_id: str = "") -> None:
    """Write down the state in which the attempt ended at Slurm, and the ends of those tasks that have none.

    The first state that is written down stands.
    """
    if not places.end(found[0]).exists():
        lost = _lost(found, end.down_nodes) if end.state in _NODE_LOST else []
        write_once(places.end(found[0]), {"state": end.state, "lost": lost})
    state, lost = _read_end(found[0])
    for place in found:
        if not place.exit.exists():
            start = records.read_start(place)
            is_not_shared = not place.claim.exists() and end.exit_code == NOT_SHARED
            code, message, failure = _end(place, state, slurm_id, place.task in lost, is_not_shared)
            began = start.started_at if start else None
            records.write_exit(place, records.Exit(began, time.time(), code, message, failure))


def fail(found: Sequence[TaskPlace], message: str) -> None:
    """Write down that the tasks failed before they began, unless they were removed."""
    with suppress(FileNotFoundError):
        for place in found:
            records.write_exit(place, records.Exit(None, time.time(), 1, message))


def _read_end(place: TaskPlace) -> tuple[str, list[str]]:
    """The state in which Slurm ended the attempt, empty if that is not known, and the tasks whose nodes were lost."""
    record = places.read_record(places.end(place))
    state, lost = record.get("state"), record.get("lost")
    return state if isinstance(state, str) else "", lost if isinstance(lost, list) else []


def _end(
    place: TaskPlace, state: str, slurm_id: str, is_lost: bool, is_not_shared: bool
) -> tuple[int, str, FailureKind | None]:
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
    if is_not_shared:
        folder = place.jobs
        message = f"its node does not see {folder}, or not the emulator's Python: let all nodes share both folders"
        return 1, message, None
    log = place.controller_log
    return KILLED, f"the task's controller process ended without a record (see {log}); {records.NOT_DELIVERED}", None


def _lost(found: Sequence[TaskPlace], down_nodes: Collection[str]) -> list[str]:
    """Those of the tasks whose nodes are down; all that have not ended, or all, if that is not known."""
    lost = [
        place.task for place in found if (claim := places.read_claim(place)) is not None and claim.node in down_nodes
    ]
    return lost or [place.task for place in found if not place.exit.exists()] or [place.task for place in found]


def _down_nodes(nodes: str) -> frozenset[str]:
    """Those of the nodes that are down, as far as Slurm knows them."""
    try:
        printed = commands.run("sinfo", "--noheader", "--Node", f"--nodes={nodes}", "--format=%N %T")
    except SlurmRejectedError:
        return frozenset()
    lines = (line.partition(" ") for line in printed.splitlines())
    return frozenset(name for name, _, state in lines if "down" in state)


def _exit_code(slurm_id: str) -> int | None:
    """The exit code of the batch script, as long as Slurm knows it."""
    try:
        match = _EXIT_CODE.search(commands.run("scontrol", "show", "job", "--oneliner", slurm_id))
    except SlurmRejectedError:
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
