"""Signals to jobs at Slurm, many in one call, and repeated while Slurm does not respond."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator, Sequence

from modelarts_emulator.execution.slurm import commands
from modelarts_emulator.execution.slurm.commands import SlurmRejectedError, SlurmUnavailableError

__all__ = ["Cancellations"]

log = logging.getLogger(__name__)

RETRY_DELAY_S = 2.0
IDS_PER_CALL = 500


class Cancellations:
    """Collects jobs whose controllers are to look at their records, or that are to be stopped; `send` tells Slurm."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[str, bool] = {}
        self._stopped: set[str] = set()
        self._retry_at: float | None = None

    def add(self, slurm_id: str, *, has_batch_controller: bool, is_stopped: bool) -> None:
        """Let `send` wake the job's controllers; a job that is to be stopped and waits is cancelled.

        With a batch controller, the job's batch script is its only controller.
        """
        with self._lock:
            self._waiting[slurm_id] = has_batch_controller
            if is_stopped:
                self._stopped.add(slurm_id)

    @property
    def is_due(self) -> bool:
        """Whether `send` has something to repeat now."""
        return self._retry_at is not None and time.monotonic() >= self._retry_at

    def send(self) -> None:
        """Tell Slurm all that was collected; what fails for now becomes due again."""
        with self._lock:
            waiting, stopped = self._waiting, self._stopped
            self._waiting, self._stopped, self._retry_at = {}, set(), None
        try:
            # First those that wait: one that begins in between finds in its records that it is to stop.
            _scancel(sorted(stopped), "--state=PENDING")
            _scancel([slurm_id for slurm_id, is_batch in waiting.items() if is_batch], "--signal=URG", "--batch")
            _scancel([slurm_id for slurm_id, is_batch in waiting.items() if not is_batch], "--signal=URG")
        except SlurmUnavailableError as error:
            log.warning("jobs cannot be signalled at Slurm, and it will be tried again: %s", error)
            with self._lock:
                self._waiting, self._stopped = waiting | self._waiting, stopped | self._stopped
                self._retry_at = time.monotonic() + RETRY_DELAY_S


def kill(slurm_ids: Sequence[str]) -> None:
    """End jobs, with all their processes, at once; raises SlurmUnavailableError if that has to be repeated."""
    _scancel(slurm_ids, "--signal=KILL", "--full")
    _scancel(slurm_ids)


def _scancel(slurm_ids: Sequence[str], *options: str) -> None:
    for ids in _pieces(slurm_ids):
        try:
            commands.run("scancel", "--quiet", *options, *ids)
        except SlurmRejectedError as error:
            log.debug("scancel: %s", error)  # of jobs that have ended


def _pieces(slurm_ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (slurm_ids[start : start + IDS_PER_CALL] for start in range(0, len(slurm_ids), IDS_PER_CALL))
