"""The records of an attempt that exist only at Slurm, beside those of every attempt, and what they say.

<jobs>/.records/<job id>/<attempt>/slurm.json         what the attempt is called at Slurm
<jobs>/.records/<job id>/<attempt>/allocation.json    the allocation that runs it
<jobs>/.records/<job id>/<attempt>/end.json           how Slurm ended it, if its tasks were interrupted
<jobs>/.records/<job id>/<attempt>/<task>/clock.json  how far the clock of the task's node is wrong
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from modelarts_emulator.execution.local.json_files import UnreadableFile, read
from modelarts_emulator.execution.local.records import TaskPlace

__all__ = ["INTERRUPTED", "Claim", "allocation", "clock", "end", "read_claim", "read_record", "submission"]

INTERRUPTED = "interrupted by Slurm"
"""How the message of an exit record begins whose task Slurm ended; why, Slurm knows."""
_MAX_BYTES = 1 << 16


def submission(place: TaskPlace) -> Path:
    """Where the attempt's id at Slurm is."""
    return place.spec.with_name("slurm.json")


def allocation(place: TaskPlace) -> Path:
    """Where the allocation is that runs the attempt."""
    return place.spec.with_name("allocation.json")


def end(place: TaskPlace) -> Path:
    """Where the state is in which Slurm ended the attempt."""
    return place.spec.with_name("end.json")


def clock(place: TaskPlace) -> Path:
    """Where the error of the clock of the task's node is."""
    return place.folder / "clock.json"


def read_record(path: Path) -> dict[str, Any]:
    """The record; empty if there is none that can be read."""
    with suppress(UnreadableFile):
        return read(path, _MAX_BYTES) or {}
    return {}


class Claim(NamedTuple):
    """The node of a task, and the time there in Unix seconds when its controller began."""

    node: str
    time: float


def read_claim(place: TaskPlace) -> Claim | None:
    """The claim of the task's controller; None as long as none has claimed it."""
    value = read_record(place.claim)
    node, moment = value.get("node"), value.get("time")
    return Claim(node, float(moment)) if isinstance(node, str) and isinstance(moment, int | float) else None
