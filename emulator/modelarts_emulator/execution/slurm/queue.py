"""Slurm's queue, as one call of squeue prints it for all jobs however many there are."""

from __future__ import annotations

import sys
from typing import Literal, NamedTuple

from modelarts_emulator.execution.slurm import commands

__all__ = ["QueuedJob", "parse_queue", "pause_s", "read_queue"]

_SEPARATOR = "|"
_FORMAT = _SEPARATOR.join(("%j", "%i", "%T", "%Q", "%P", "%r"))
_WAITING = frozenset(
    {"PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT"}
)
_ENDED = frozenset({
    "BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED",
    "TIMEOUT",
})  # fmt: skip


class QueuedJob(NamedTuple):
    """A job as Slurm shows it."""

    slurm_id: str
    state: str
    priority: str
    partition: str
    reason: str

    @property
    def stage(self) -> Literal["waiting", "running", "ended"]:
        """Where the job is, by what its state means."""
        return "waiting" if self.state in _WAITING else "ended" if self.state in _ENDED else "running"


def read_queue(prefix: str) -> dict[str, QueuedJob]:
    """The user's jobs whose names begin so, by name; raises SlurmError."""
    return parse_queue(commands.run("squeue", "--noheader", "--me", "--states=all", f"--format={_FORMAT}"), prefix)


def parse_queue(text: str, prefix: str) -> dict[str, QueuedJob]:
    """The jobs whose names begin so in the output of squeue; of two under one name the one that runs, or waits."""
    found: dict[str, QueuedJob] = {}
    for line in text.splitlines():
        name, *values = line.split(_SEPARATOR, 5)
        if len(values) == 5 and name.startswith(prefix):
            # Of ten thousand jobs that wait, all but the first two say the same: it is kept once.
            job = QueuedJob(values[0], *map(sys.intern, values[1:]))
            if name not in found or _rank(job) < _rank(found[name]):
                found[name] = job
    return found


def _rank(job: QueuedJob) -> tuple[int, int]:
    number = int(job.slurm_id) if job.slurm_id.isdecimal() else 0
    stage = ("running", "waiting", "ended").index(job.stage)
    return stage, -number if job.stage == "ended" else number


def pause_s(interval_s: float, took_s: float) -> float:
    """The seconds from the end of a reading that took so long to the next one.

    Reading a long queue keeps Slurm busy, so that it is left alone for nine times as long.
    """
    return max(interval_s - took_s, 9 * took_s)
