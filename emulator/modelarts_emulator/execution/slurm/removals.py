"""Attempts that are to have no job at Slurm any more: their jobs are killed, also after a restart of the emulator.

<jobs>/.slurm/removals/<job id>.<attempt>    the attempt's id at Slurm, empty if that is not known
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from modelarts_emulator.execution.slurm.cancellations import kill
from modelarts_emulator.execution.slurm.commands import TIMEOUT_S, SlurmError
from modelarts_emulator.execution.slurm.queue import Attempt, QueueReader

__all__ = ["Removals"]

log = logging.getLogger(__name__)

FOLDER = ".slurm/removals"
INTERVAL_S = 1.0
"""Between two calls of Slurm for the same attempts."""
SUBMISSION_S = TIMEOUT_S
"""How long after its removal an attempt may appear in the queue: its submission may be under way."""


@dataclass(slots=True)
class _Removal:
    """An attempt's id at Slurm, if that is known, and when it was removed, in seconds of the timer."""

    slurm_id: str
    removed_at: float


class Removals:
    """Kills jobs in a thread of its own, by their ids, or by their names as the queue shows them.

    Nothing is asked of Slurm by the methods; `timer` is in seconds and never goes back.
    """

    def __init__(self, jobs: Path, queue: QueueReader, timer: Callable[[], float] = time.monotonic) -> None:
        self._folder = jobs / FOLDER
        self._queue = queue
        self._timer = timer
        self._changed = threading.Condition()
        self._removals: dict[Attempt, _Removal] = {}
        self._is_new = self._is_closed = self._is_failing = False
        self._thread: threading.Thread | None = None
        self.load()

    def load(self) -> None:
        """Take over what this or another process has left to do; the folder says what that is."""
        for path in self._folder.iterdir() if self._folder.exists() else ():
            job_id, _, number = path.name.rpartition(".")
            if number.isdecimal():
                with contextlib.suppress(FileNotFoundError):  # another process has done it
                    self._add((job_id, int(number)), path.read_text("utf-8", "replace").strip())

    def add(self, attempt: Attempt, slurm_id: str | None) -> None:
        """Kill what the attempt has or will have at Slurm; raises OSError if that cannot be written down."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path(attempt).write_text(slurm_id or "", "utf-8")
        self._add(attempt, slurm_id or "")

    def close(self) -> None:
        """End the thread, after it has killed what it can."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _path(self, attempt: Attempt) -> Path:
        return self._folder / f"{attempt[0]}.{attempt[1]}"

    def _add(self, attempt: Attempt, slurm_id: str) -> None:
        with self._changed:
            self._removals[attempt] = _Removal(slurm_id, self._timer())
            self._is_new = True
            if self._thread is None and not self._is_closed:
                self._thread = threading.Thread(target=self._run, name="slurm-removals", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def _run(self) -> None:
        while removals := self._take():
            try:
                for attempt in self._kill(removals):
                    self._path(attempt).unlink(missing_ok=True)
                    with self._changed:
                        self._removals.pop(attempt, None)
                self._is_failing = False
            except (SlurmError, OSError) as error:
                if not self._is_failing:
                    log.warning("jobs cannot be removed from Slurm, and it will be tried again: %s", error)
                self._is_failing = True

    def _take(self) -> Mapping[Attempt, _Removal]:
        """What is to be removed, as soon as it is time; empty once nothing is left, or this is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_new or self._is_closed, INTERVAL_S)
            if not self._removals or (self._is_closed and not self._is_new):
                self._thread = None
                return {}
            self._is_new = False
            return dict(self._removals)

    def _kill(self, removals: Mapping[Attempt, _Removal]) -> list[Attempt]:
        """Kill what is at Slurm; returns the attempts of which nothing can appear there any more."""
        if any(not removal.slurm_id for removal in removals.values()):
            self._queue.ask()
        read_at = self._queue.read_at
        slurm_ids = {attempt: removal.slurm_id or self._find(attempt) for attempt, removal in removals.items()}
        kill([slurm_id for slurm_id in slurm_ids.values() if slurm_id])
        return [
            attempt
            for attempt, removal in removals.items()
            if removal.slurm_id or (not slurm_ids[attempt] and read_at > removal.removed_at + SUBMISSION_S)
        ]

    def _find(self, attempt: Attempt) -> str:
        """The attempt's id in the queue; empty if it is not there, or has ended."""
        job = self._queue.find(attempt)
        return job.slurm_id if job is not None and job.stage != "ended" else ""
