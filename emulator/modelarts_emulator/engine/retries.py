"""Retries of what failed for one job: ever less often, and for a limited time."""

from __future__ import annotations

import errno
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from http import HTTPStatus

from sqlalchemy.exc import OperationalError

from modelarts_emulator.storage.errors import DISK_FULL, EXHAUSTED, StoreError

__all__ = ["Retries", "is_transient"]

FIRST_DELAY_S = 0.1
LONGEST_DELAY_S = 5.0
GIVE_UP_S = 60.0

# No job is to blame for these: they end when the machine has room again.
_OF_MACHINE = {*DISK_FULL, *EXHAUSTED, errno.EROFS}


@dataclass(slots=True)
class _Failure:
    """`since` is the time of the first error that is not transient, None before that."""

    error: Exception
    since: float | None
    delay: float
    next_try: float


class Retries:
    """The failures of one kind, by job; `timer` is in seconds and never goes back."""

    def __init__(self, timer: Callable[[], float] = time.monotonic) -> None:
        self._timer = timer
        self._failures: dict[str, _Failure] = {}

    @property
    def jobs(self) -> Collection[str]:
        """The jobs that failed and have not succeeded since."""
        return self._failures.keys()

    def is_due(self, job_id: str) -> bool:
        """Whether the job may be tried now."""
        failure = self._failures.get(job_id)
        return failure is None or failure.next_try <= self._timer()

    def failed(self, job_id: str, error: Exception) -> None:
        """Try the job again after a delay, which doubles with every failure in a row."""
        now = self._timer()
        failure = self._failures.setdefault(job_id, _Failure(error, None, FIRST_DELAY_S / 2, now))
        if failure.since is None and not is_transient(error):
            failure.since = now
        failure.error = error
        failure.delay = min(2 * failure.delay, LONGEST_DELAY_S)
        failure.next_try = now + failure.delay

    def exhausted(self, job_id: str) -> Exception | None:
        """The last error of a job that failed for so long that it is to be given up; None for any other."""
        failure = self._failures.get(job_id)
        if failure is None or failure.since is None or is_transient(failure.error):
            return None
        return None if self._timer() < failure.since + GIVE_UP_S else failure.error

    def succeeded(self, job_id: str) -> None:
        """Forget the job's failures."""
        self._failures.pop(job_id, None)


def is_transient(error: Exception) -> bool:
    """Whether the machine, the database or the object store is at fault rather than a job: disk full, locked, ..."""
    if isinstance(error, StoreError):
        return error.status == HTTPStatus.SERVICE_UNAVAILABLE
    return isinstance(error, OperationalError) or (isinstance(error, OSError) and error.errno in _OF_MACHINE)
