"""The supervisor: the only one that moves runs through their phases.

It is a task of the server's event loop; its work is done by `worker`, in a thread, one step after another.
After a restart it continues from the tables and from what the executor reports, and nothing else is needed.
Whatever fails for one run is logged with its id and retried for this run alone; see `poller` and `retries`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError

from modelarts_emulator.engine import events, lifecycle, runs
from modelarts_emulator.engine.leadership import AloneSupervision, Supervision, SupervisionLost
from modelarts_emulator.engine.reports import clean_text
from modelarts_emulator.engine.runs import Run
from modelarts_emulator.engine.worker import Worker

__all__ = ["Supervisor"]

log = logging.getLogger(__name__)

POLL_INTERVAL_S = 0.1
FIRST_POLL_S = 0.01  # after a change: a short job is soon to end, and somebody waits for it
POLL_GROWTH = 1.1  # of the interval, from poll to poll without a change
IDLE_INTERVAL_S = 3600.0
BATCH_WINDOW_S = 0.01  # in which changes are collected, to be dealt with in one step
RETRY_DELAY_S = 1.0  # after a step that failed as a whole

Result = TypeVar("Result")


class Supervisor:
    """Lets the worker move every run through its phases.

    Nothing is moved while `supervision` is held by another process.
    `wake` and `terminate` may be called from any thread.
    """

    def __init__(self, worker: Worker, supervision: Supervision | None = None) -> None:
        self._worker = worker
        self._supervision = supervision or AloneSupervision()
        self._term = self._supervision.term
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

    def finish(self) -> None:
        """Let `run` return after what it is doing now."""
        self._is_finished = True
        self._wake.set()

    async def run(self) -> None:
        """Work until `finish` is called."""
        self._loop = asyncio.get_running_loop()
        while not self._is_finished:
            self._wake.clear()
            began = time.monotonic()
            if not self._supervision.term:
                if await self._attempt(self._work(self._follow_term)):
                    await self._wake.wait()
                continue
            if not await self._try():
                continue
            # Of many changes, as many as possible in one step: under load it works half of the time.
            pause_s = min(max(time.monotonic() - began, BATCH_WINDOW_S), POLL_INTERVAL_S)
            with contextlib.suppress(TimeoutError):
                is_idle = self._worker.is_idle and not self._supervision.is_shared
                await asyncio.wait_for(self._wake.wait(), IDLE_INTERVAL_S if is_idle else self._poll_interval_s)
            await asyncio.sleep(pause_s)

    async def settle(self) -> None:
        """Work until nothing changes by itself at the present moment."""
        await self._work(self._settle)

    async def step(self) -> bool:
        """Do what there is to do now, as `Worker.step`."""
        has_changed = await self._work(self._step)
        grown = min(self._poll_interval_s * POLL_GROWTH, POLL_INTERVAL_S)
        self._poll_interval_s = FIRST_POLL_S if has_changed else grown
        return has_changed

    def next_deadline(self) -> float | None:
        """The next moment, in seconds, at which a run changes although no task reports anything; None if none will."""
        moment = self._worker.next_deadline
        return None if moment is None else moment / 1000

    async def purge_removed(self) -> None:
        """End the processes of all removed runs and free their files; raises the last of what goes wrong."""
        await self._work(self._worker.purge_removed)

    async def drain(self) -> None:
        """Stop all runs that have processes and wait until they have ended; queued runs stay queued."""
        self._worker.is_draining = True
        while await self._try() and self._worker.has_launched:  # noqa: ASYNC110 - no event says when processes end
            await asyncio.sleep(POLL_INTERVAL_S)
        if self._is_database_lost:
            log.error("jobs are not stopped, because the database cannot be used")

    def _step(self) -> bool:
        self._follow_term()
        return self._worker.step()

    def _follow_term(self) -> None:
        """Let the worker forget what it knows whenever this process begins or ceases to supervise."""
        if (term := self._supervision.term) != self._term:
            self._worker.forget()
            self._term = term

    def _settle(self) -> None:
        while self._worker.step():
            pass

    def wake(self) -> None:
        """Let `run` know that there is something to do; nothing happens while it does not run."""
        if self._loop is not None and not self._wake.is_set():
            with contextlib.suppress(RuntimeError):  # the loop has ended, and with it the emulator
                self._loop.call_soon_threadsafe(self._wake.set)

    async def _work(self, work: Callable[[], Result]) -> Result:
        async with self._turn:
            return await asyncio.to_thread(work)

    async def _try(self) -> bool:
        """One step; False, after a while, if it failed."""
        return await self._attempt(self.step())

    async def _attempt(self, work: Awaitable[object]) -> bool:
        """Wait for the work; False, after a while, if it failed."""
        try:
            await work
        except OperationalError as error:
            if not self._is_database_lost:
                reason = " ".join(clean_text(error.orig).split())
                log.error("the database cannot be used; jobs run on, and it will be tried again: %s", reason)
            self._is_database_lost = True
            await asyncio.sleep(RETRY_DELAY_S)
            return False
        except SupervisionLost:
            await asyncio.sleep(POLL_INTERVAL_S)
            return False
        except Exception:
            log.exception("the supervisor could not do its work and will try again")
            await asyncio.sleep(RETRY_DELAY_S)
            return False
        if self._is_database_lost:
            log.warning("the database can be used again")
            self._is_database_lost = False
        return True
