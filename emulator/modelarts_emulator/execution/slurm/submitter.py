"""Submits attempts of jobs to Slurm, in threads of its own, and repeats that while Slurm does not respond."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Literal, Protocol

from modelarts_emulator.execution.slurm.commands import SlurmError, SlurmRejectedError, SlurmUnavailableError
from modelarts_emulator.execution.slurm.queue import Attempt, QueueReader

__all__ = ["Submissions", "Submitter", "Withdrawal"]

log = logging.getLogger(__name__)

THREADS = 4
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 15.0


Withdrawal = Literal["not submitted", "possibly submitted", "being submitted"]


class Submissions(Protocol):
    """Whoever knows what an attempt is, and learns what has become of it; called from the submitter's threads."""

    def send(self, attempt: Attempt) -> str | None:
        """Run sbatch for the attempt; returns Slurm's id of the job, or None if it is not to be submitted any more."""

    def sent(self, attempt: Attempt, slurm_id: str) -> None:
        """The attempt is at Slurm under this id."""

    def rejected(self, attempt: Attempt, error: SlurmError) -> None:
        """Slurm does not take the attempt."""

    def delayed(self, attempt: Attempt, error: SlurmError) -> None:
        """The attempt waits because Slurm does not respond."""


class Submitter:
    """Gives every attempt to Slurm once, in the order in which they came, four at a time.

    An attempt that may be there already, because its submission was interrupted, is first looked for in a reading of
    the queue that began later. `timer` is in seconds and never goes back.
    """

    def __init__(
        self, submissions: Submissions, queue: QueueReader, timer: Callable[[], float] = time.monotonic
    ) -> None:
        self._submissions = submissions
        self._queue = queue
        self._timer = timer
        self._changed = threading.Condition()
        self._pending: OrderedDict[Attempt, float | None] = OrderedDict()
        self._in_flight: set[Attempt] = set()
        self._pause_s = FIRST_PAUSE_S
        self._paused_until = 0.0
        self._is_closed = False
        self._threads: list[threading.Thread] = []

    def add(self, attempt: Attempt, *, may_be_there: bool) -> None:
        """Submit the attempt soon; nothing happens if that is under way."""
        with self._changed:
            if self._is_closed or attempt in self._pending or attempt in self._in_flight:
                return
            self._pending[attempt] = self._timer() if may_be_there else None
            if len(self._threads) < min(THREADS, len(self._pending)):
                name = f"slurm-submitter-{len(self._threads)}"
                self._threads.append(threading.Thread(target=self._run, name=name, daemon=True))
                self._threads[-1].start()
            self._changed.notify()

    def withdraw(self, attempt: Attempt) -> Withdrawal:
        """Do not submit the attempt any more; whether Slurm may have it."""
        with self._changed:
            if attempt in self._in_flight:
                return "being submitted"
            return "not submitted" if self._pending.pop(attempt, None) is None else "possibly submitted"

    def clear(self) -> None:
        """Forget all attempts that are not being submitted now."""
        with self._changed:
            self._pending.clear()

    def close(self) -> None:
        """Submit no more; waits for what is being submitted now."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _run(self) -> None:
        while (taken := self._take()) is not None:
            attempt, looked_since = taken
            error = self._submit(attempt, looked_since)
            with self._changed:
                if error is not None:
                    self._delay(attempt)
                self._in_flight.discard(attempt)
                waiting = [] if self._is_closed else list(self._pending)
                self._changed.notify()
            if error is not None:
                self._report_delay(waiting, error)

    def _take(self) -> tuple[Attempt, float | None] | None:
        """The next attempt that can be submitted now; None once this is closed."""
        with self._changed:
            while not self._is_closed:
                now = self._timer()
                if now >= self._paused_until:
                    for attempt, since in self._pending.items():
                        if since is None or self._queue.read_at > since:
                            del self._pending[attempt]
                            self._in_flight.add(attempt)
                            return attempt, since
                if self._pending:
                    self._queue.ask()
                self._changed.wait(0.2 if self._pending else None)
        return None

    def _submit(self, attempt: Attempt, looked_since: float | None) -> SlurmUnavailableError | None:
        """Submit the attempt, unless it is there; why that has to be repeated."""
        try:
            self._give(attempt, looked_since)
        except SlurmUnavailableError as error:
            return error
        except OSError as error:  # such as a full disk: the job may be at Slurm already, and is not given up
            log.warning("job %s: what Slurm said of it cannot be recorded, and it will be tried again", attempt[0])
            return SlurmUnavailableError(f"its records cannot be written: {error.strerror}")
        return None

    def _give(self, attempt: Attempt, looked_since: float | None) -> None:
        """Submit the attempt, unless it is there, and report how that went; raises what may be repeated."""
        try:
            found = self._queue.find(attempt) if looked_since is not None else None
            slurm_id = found.slurm_id if found is not None else self._submissions.send(attempt)
            if slurm_id is not None:
                self._submissions.sent(attempt, slurm_id)
            self._pause_s = FIRST_PAUSE_S
        except (SlurmUnavailableError, OSError):
            raise
        except SlurmRejectedError as error:
            self._submissions.rejected(attempt, error)
        except Exception as error:
            log.exception("job %s cannot be submitted", attempt[0])
            self._submissions.rejected(attempt, SlurmError(f"{type(error).__name__}: {error}"))

    def _delay(self, attempt: Attempt) -> None:
        """Slurm did not respond: all wait, and the attempt, which may be there, is looked for first."""
        self._pending[attempt] = self._timer()
        self._pending.move_to_end(attempt, last=False)
        self._paused_until = self._timer() + self._pause_s
        self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)

    def _report_delay(self, waiting: Sequence[Attempt], error: SlurmUnavailableError) -> None:
        for attempt in waiting:
            with contextlib.suppress(OSError):  # it waits also without an event that says so
                self._submissions.delayed(attempt, error)
