"""Slurm's queue, read in one call for all jobs however many there are."""

from __future__ import annotations

import logging
import re
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from modelarts_emulator.execution.slurm import commands
from modelarts_emulator.execution.slurm.commands import SlurmError

__all__ = ["ENDED", "Attempt", "QueueReader", "QueuedJob", "job_name", "parse_queue", "pause_s"]

log = logging.getLogger(__name__)

PREFIX = "modelarts-"
INTERVAL_S = 1.0
"""Seconds from one call to the next, at least."""
_IDLE_AFTER_S = 3.0
_SEPARATOR = "|"
_FORMAT = _SEPARATOR.join(("%j", "%i", "%T", "%Q", "%S", "%N", "%P", "%r"))
_NAME = re.compile(rf"{PREFIX}(.+)-(\d+)")

Attempt = tuple[str, int]
"""A job's id, and the number of its attempt."""

WAITING = frozenset(
    {"PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT"}
)
ENDED = frozenset({
    "BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED",
    "TIMEOUT",
})  # fmt: skip


class QueuedJob(NamedTuple):
    """A job as Slurm shows it; `priority` is Slurm's, `start_s` in Unix seconds, or None while it is not known."""

    slurm_id: str
    state: str
    priority: int
    start_s: float | None
    nodes: str
    partition: str
    reason: str

    @property
    def stage(self) -> Literal["waiting", "running", "ended"]:
        """Where the job is, by what its state means."""
        return "waiting" if self.state in WAITING else "ended" if self.state in ENDED else "running"


def job_name(job_id: str, attempt: int) -> str:
    """What the job's attempt is called at Slurm, where it is looked for by this name."""
    return f"{PREFIX}{job_id}-{attempt}"


def parse_queue(text: str) -> dict[Attempt, QueuedJob]:
    """The attempts of jobs in the output of squeue; of two under one name the one that runs, or was first."""
    found: dict[Attempt, QueuedJob] = {}
    for line in text.splitlines():
        name, *values = line.split(_SEPARATOR, 7)
        if len(values) != 7 or (match := _NAME.fullmatch(name)) is None:
            continue
        # Of ten thousand jobs that wait, all but the first two say the same: it is kept once.
        slurm_id, priority, start = values[0], values[2], values[3]
        state, nodes, partition, reason = (sys.intern(values[index]) for index in (1, 4, 5, 6))
        job = QueuedJob(
            slurm_id,
            state,
            int(priority) if priority.isdecimal() else 0,
            float(start) if start.isdecimal() else None,
            nodes,
            partition,
            reason,
        )
        attempt = match[1], int(match[2])
        if attempt not in found or _rank(job) < _rank(found[attempt]):
            found[attempt] = job
    return found


def _rank(job: QueuedJob) -> tuple[int, int]:
    return ("running", "ended", "waiting").index(job.stage), int(job.slurm_id) if job.slurm_id.isdecimal() else 0


def pause_s(interval_s: float, took_s: float, *, has_failed: bool) -> float:
    """The seconds from the end of a call that took so long to the next one.

    Reading a long queue keeps Slurm busy, so that it is left alone for nine times as long. A call that failed waited
    for nothing: that Slurm responds again is to be noticed soon.
    """
    return max(interval_s - took_s, interval_s if has_failed else 9 * took_s)


class QueueReader:
    """Reads the queue in a thread of its own, as long as somebody asks for it.

    `read` is what runs squeue; `timer` is in seconds and never goes back.
    """

    def __init__(
        self,
        interval_s: float = INTERVAL_S,
        read: Callable[[], str] | None = None,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._interval_s = interval_s
        self._read = read or _squeue
        self._timer = timer
        self._changed = threading.Condition()
        self._jobs: Mapping[Attempt, QueuedJob] = {}
        self._news: set[str] = set()
        self._asked_at = -_IDLE_AFTER_S
        self._is_closed = False
        self._thread: threading.Thread | None = None
        self.read_at = float("-inf")
        """When the newest reading of the queue that succeeded began."""
        self.error: SlurmError | None = None
        """Why the queue cannot be read now."""
        self.calls = 0
        """How often Slurm was asked."""

    def find(self, attempt: Attempt) -> QueuedJob | None:
        """The attempt as it was read last; None if Slurm did not show it."""
        return self._jobs.get(attempt)

    def take_news(self) -> set[str]:
        """The ids of jobs that changed at Slurm since the last time, and of those that run there."""
        with self._changed:
            news, self._news = self._news, set()
        return news

    @property
    def running(self) -> set[str]:
        """The ids of the jobs that run."""
        return {job_id for (job_id, _), job in self._jobs.items() if job.stage == "running"}

    def ask(self) -> None:
        """Let the queue be read while somebody calls this."""
        with self._changed:
            self._asked_at = self._timer()
            if self._thread is None and not self._is_closed:
                self._thread = threading.Thread(target=self._run, name="slurm-queue", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def close(self) -> None:
        """Read no more."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while self._wait():
            began_at = self._timer()
            self._read_once(began_at)
            took_s = self._timer() - began_at
            with self._changed:
                pause = pause_s(self._interval_s, took_s, has_failed=self.error is not None)
                self._changed.wait_for(lambda: self._is_closed, pause)

    def _wait(self) -> bool:
        """Wait until somebody asks; False if nobody will any more."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or self._timer() - self._asked_at < _IDLE_AFTER_S)
            return not self._is_closed

    def _read_once(self, began_at: float) -> None:
        self.calls += 1
        try:
            found = parse_queue(self._read())
        except SlurmError as error:
            had_error, self.error = self.error is not None, error
            if not had_error:
                log.error("Slurm cannot be asked; jobs wait, and it will be asked again: %s", error)
                with self._changed:
                    self._news |= {job_id for (job_id, _), job in self._jobs.items() if job.stage == "waiting"}
            return
        if self.error is not None:
            log.warning("Slurm can be asked again")
        self.error = None
        before = self._jobs
        changed = {attempt[0] for attempt, job in found.items() if _differ(before.get(attempt), job)}
        changed |= {attempt[0] for attempt in before if attempt not in found}
        with self._changed:
            self._jobs, self.read_at = found, began_at
            self._news |= changed


def _differ(before: QueuedJob | None, after: QueuedJob) -> bool:
    """Whether something happened to the job; its priority changes by itself."""
    return before is None or before._replace(priority=0) != after._replace(priority=0)


def _squeue() -> str:
    return commands.run("squeue", "--noheader", "--me", "--states=all", f"--format={_FORMAT}")
