"""The supervisor: the only one that moves runs through their phases.

It is a task of the server's event loop; its work is done in a thread, one step after another, by `worker` and the
services.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Protocol, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError

from modelarts_emulator.engine import events, lifecycle, runs
from modelarts_emulator.engine.database import Database
from modelarts_emulator.engine.events import clean_text
from modelarts_emulator.engine.leadership import LeadershipLost
from modelarts_emulator.engine.runs import Run
from modelarts_emulator.engine.worker import RETRY_DELAY_S, Worker

log = logging.getLogger(__name__)

POLL_INTERVAL_S = 0.1
FIRST_POLL_S = 0.01  # after a change: a short job is soon to end, and somebody waits for it
POLL_GROWTH = 1.1  # of the interval, from poll to poll without a change: a change is seen a tenth of that time late
LONGEST_POLL_S = 0.3
WAITING_POLL_S = 0.05  # the longest one while jobs wait for what others hold
IDLE_INTERVAL_S = 3600.0
BATCH_WINDOW_S = 0.01  # in which changes are collected, to be dealt with in one step

Result = TypeVar("Result")


class Service(Protocol):
    """Something besides runs whose state the supervisor advances, such as visualization jobs."""

    next_deadline: int | None
    """When something happens by the clock alone, in milliseconds since 1970; None if nothing will."""

    @property
    def is_idle(self) -> bool:
        """Whether nothing happens until a request changes something."""

    def step(self, is_woken: bool = True) -> bool:
        """As `Worker.step`."""

    def drop_cached_state(self) -> None:
        """As for a worker."""


class Supervisor:
    """Calls the worker and the services again and again, as long as this process is the leader.

    `wake` and `terminate` may be called from any thread.
    """

    def __init__(self, worker: Worker, services: Sequence[Service] = ()) -> None:
        self._worker = worker
        self._parts: list[Service] = [*services, worker]  # the services make and stop runs
        self._leadership = worker.leadership
        self._epoch = self._leadership.epoch
        self._loop: asyncio.AbstractEventLoop | None = None
        self._wake = asyncio.Event()
        # Of whoever lets the worker work: a run must not be started while a reset removes it.
        self._turn = asyncio.Lock()
        self._is_finished = False
        self._is_database_lost = False
        self._poll_interval_s = FIRST_POLL_S

    def terminate(self, connection: Connection, run: Run) -> None:
        """Begin to stop a run, in the caller's transaction; the caller then calls `wake`.

        Raises ValueError if the run's phase does not allow it.
        """
        events.add(connection, lifecycle.stop(run, self._worker.now()))
        runs.save(connection, [run])

    def restart(self, connection: Connection, run: Run) -> None:
        """Queue a run again that has ended, as `terminate`; raises ValueError if it has not ended."""
        events.add(connection, lifecycle.restart(run, self._worker.now()))
        runs.save(connection, [run])

    def wake(self) -> None:
        """Let `run` know that a request has changed something; nothing happens while it does not run."""
        if self._loop is not None and not self._wake.is_set():
            with contextlib.suppress(RuntimeError):  # the loop has ended, and with it the emulator
                self._loop.call_soon_threadsafe(self._wake.set)

    @contextlib.contextmanager
    def changing(self, database: Database) -> Iterator[Connection]:
        """A transaction that changes what is to run; `run` knows of it as soon as it is committed."""
        with database.writing() as connection:
            yield connection
        self.wake()

    def finish(self) -> None:
        """Let `run` return after what it is doing now."""
        self._is_finished = True
        self._wake.set()

    async def run(self) -> None:
        """Work until `finish` is called."""
        self._loop = asyncio.get_running_loop()
        is_woken = True
        while not self._is_finished:
            self._wake.clear()
            began = time.monotonic()
            if not await self._attempt(self.step(is_woken or self._leadership.is_shared)):
                is_woken = True
                continue
            # Batch changes: sleep as long as the last step took, so that the loop uses at most half a core.
            pause_s = min(max(time.monotonic() - began, BATCH_WINDOW_S), POLL_INTERVAL_S)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), IDLE_INTERVAL_S if self._is_idle else self._poll_interval_s)
            await asyncio.sleep(pause_s)
            is_woken = self._wake.is_set()

    @property
    def _is_idle(self) -> bool:
        """Whether nothing happens until `wake` is called; requests to other front ends only show in the database."""
        if not self._leadership.is_leader:
            return True
        return not self._leadership.is_shared and all(part.is_idle for part in self._parts)

    async def step(self, is_woken: bool = True) -> bool:
        """Do what there is to do now, as `Worker.step`, if this process is the leader."""

        def step() -> bool:
            if (epoch := self._leadership.epoch) != self._epoch:  # another process may have worked meanwhile
                for part in self._parts:
                    part.drop_cached_state()
                self._epoch = epoch
            return bool(epoch) and self._step(is_woken)

        has_changed = await self._work(step)
        longest = WAITING_POLL_S if self._worker.has_waiting else LONGEST_POLL_S
        grown = min(self._poll_interval_s * POLL_GROWTH, longest)
        self._poll_interval_s = FIRST_POLL_S if has_changed else grown
        return has_changed

    async def settle(self) -> None:
        """Work until nothing changes by itself at the present moment."""

        def settle() -> None:
            while self._step(is_woken=True):
                pass

        await self._work(settle)

    def _step(self, is_woken: bool) -> bool:
        changed = False
        for part in self._parts:
            changed |= part.step(is_woken or changed)
        return changed

    def next_deadline(self) -> float | None:
        """The next moment, in seconds, at which something changes although nobody reports it; None if nothing will."""
        moments = [part.next_deadline for part in self._parts if part.next_deadline is not None]
        return min(moments) / 1000 if moments else None

    async def purge_removed(self) -> None:
        """End the processes of all removed runs and free their files; raises the last error."""
        await self._work(self._worker.purge_removed)

    async def drain(self) -> None:
        """Stop all runs that have processes and wait until they have ended; queued runs stay queued."""
        self._worker.is_draining = True
        while await self._attempt(self.step()) and self._worker.has_launched:  # noqa: ASYNC110 - no event says that processes have ended
            await asyncio.sleep(POLL_INTERVAL_S)
        if self._is_database_lost:
            log.error("jobs are not stopped, because the database cannot be used")

    async def _work(self, work: Callable[[], Result]) -> Result:
        async with self._turn:
            return await asyncio.to_thread(work)

    async def _attempt(self, work: Awaitable[object]) -> bool:
        """Wait for the work; False, after a while, if it failed."""
        try:
            await work
        except OperationalError as error:
            if not self._is_database_lost:
                reason = " ".join(clean_text(error.orig).split())
                log.error("the database cannot be used; jobs run on, and it will be tried again: %s", reason)
            self._is_database_lost = True
        except LeadershipLost:
            pass
        except Exception:
            log.exception("the supervisor could not do its work and will try again")
        else:
            if self._is_database_lost:
                log.warning("the database can be used again")
            self._is_database_lost = False
            return True
        await asyncio.sleep(RETRY_DELAY_S)
        return False
