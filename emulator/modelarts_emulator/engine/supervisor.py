"""The supervisor: the only one that moves runs through their phases.

It is a task of the server's event loop; its work is done in a thread, one step after another: what is due is read, the
executor is asked, and what changed is written. The database is the queue and the memory, so after a restart the
supervisor continues from the tables and from what the executor reports. All that one step changes is one transaction,
which is committed before the executor is asked to start anything: a crash may leave a mark without processes, never
processes without a mark. What fails for one run is logged with its id and retried for this run alone; see `poller`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from sqlalchemy import Connection, bindparam, delete, select, update
from sqlalchemy.exc import DBAPIError, OperationalError, StatementError

from modelarts_emulator.engine import events, lifecycle, runs
from modelarts_emulator.engine.database import Database
from modelarts_emulator.engine.events import Event, clean_text
from modelarts_emulator.engine.leadership import LeadershipLost
from modelarts_emulator.engine.poller import ExecutorPoller, Polled
from modelarts_emulator.engine.runs import STOPPABLE, Run, is_terminal
from modelarts_emulator.engine.scheduler import Nodes
from modelarts_emulator.engine.tables import removals
from modelarts_emulator.execution.protocol import Executor, TaskReport

__all__ = ["Supervisor", "Worker"]

log = logging.getLogger(__name__)

POLL_INTERVAL_S = 0.1
FIRST_POLL_S = 0.01  # after a change: a short job is soon to end, and somebody waits for it
POLL_GROWTH = 1.1  # of the interval, from poll to poll without a change
IDLE_INTERVAL_S = 3600.0
BATCH_WINDOW_S = 0.01  # in which changes are collected, to be dealt with in one step
RETRY_DELAY_S = 1.0  # after a step that failed as a whole

FULL_POLL_S, FULL_POLL_PIECE = 15.0, 100  # how often all runs are looked at, and how many of them in one step
RUNS_PER_TRANSACTION = 500  # requests wait for it
SUBMISSIONS_PER_PIECE = 100  # specifications are long

REMOVED = delete(removals).where(removals.c.run_id == bindparam("gone_id"))
NOT_REMOVED = update(removals).where(removals.c.run_id == bindparam("left_id")).values(held_nodes=0)

Result = TypeVar("Result")


class Service(Protocol):
    """Something else than runs that the supervisor moves on, such as visualization jobs."""

    next_deadline: int | None
    """When something happens by the clock alone, in milliseconds since 1970; None if nothing will."""

    @property
    def is_idle(self) -> bool:
        """Whether nothing happens until a request changes something."""
        raise NotImplementedError

    def step(self, is_woken: bool = True) -> bool:
        """As `Worker.step`."""
        raise NotImplementedError

    def drop_cached_state(self) -> None:
        """As for a worker."""


class Supervisor:
    """Lets the worker, and services, move everything through its phases, as long as this process is the leader.

    `wake` and `terminate` may be called from any thread.
    """

    def __init__(self, worker: Worker, services: Sequence[Service] = ()) -> None:
        self._worker = worker
        self._parts: list[Service] = [worker, *services]
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

    def wake(self) -> None:
        """Let `run` know that a request has changed something; nothing happens while it does not run."""
        if self._loop is not None and not self._wake.is_set():
            with contextlib.suppress(RuntimeError):  # the loop has ended, and with it the emulator
                self._loop.call_soon_threadsafe(self._wake.set)

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
            if not self._leadership.is_leader:
                if await self._attempt(self._work(self._follow_leadership)):
                    await self._wake.wait()
                is_woken = True
                continue
            if not await self._attempt(self.step(is_woken or self._leadership.is_shared)):
                is_woken = True
                continue
            # Batch changes: sleep as long as the last step took, so that the loop uses at most half a core.
            pause_s = min(max(time.monotonic() - began, BATCH_WINDOW_S), POLL_INTERVAL_S)
            with contextlib.suppress(TimeoutError):
                is_idle = all(part.is_idle for part in self._parts) and not self._leadership.is_shared
                await asyncio.wait_for(self._wake.wait(), IDLE_INTERVAL_S if is_idle else self._poll_interval_s)
            await asyncio.sleep(pause_s)
            is_woken = self._wake.is_set()

    async def step(self, is_woken: bool = True) -> bool:
        """Do what there is to do now, as `Worker.step`."""

        def step() -> bool:
            self._follow_leadership()
            return self._step(is_woken)

        has_changed = await self._work(step)
        grown = min(self._poll_interval_s * POLL_GROWTH, POLL_INTERVAL_S)
        self._poll_interval_s = FIRST_POLL_S if has_changed else grown
        return has_changed

    async def settle(self) -> None:
        """Work until nothing changes by itself at the present moment."""

        def settle() -> None:
            while self._step(is_woken=True):
                pass

        await self._work(settle)

    def _step(self, is_woken: bool) -> bool:
        has_changed = False
        for part in self._parts:
            has_changed |= part.step(is_woken)
        return has_changed

    def next_deadline(self) -> float | None:
        """The next moment, in seconds, at which something changes although nobody reports it; None if nothing will."""
        moments = [part.next_deadline for part in self._parts if part.next_deadline is not None]
        return min(moments) / 1000 if moments else None

    async def purge_removed(self) -> None:
        """End the processes of all removed runs and free their files; raises the last of what goes wrong."""
        await self._work(self._worker.purge_removed)

    async def drain(self) -> None:
        """Stop all runs that have processes and wait until they have ended; queued runs stay queued."""
        self._worker.is_draining = True
        while await self._attempt(self.step()) and self._worker.has_launched:  # noqa: ASYNC110 - no event says that processes have ended
            await asyncio.sleep(POLL_INTERVAL_S)
        if self._is_database_lost:
            log.error("jobs are not stopped, because the database cannot be used")

    def _follow_leadership(self) -> None:
        """Drop what is known whenever another process may have worked meanwhile."""
        if (epoch := self._leadership.epoch) != self._epoch:
            for part in self._parts:
                part.drop_cached_state()
            self._epoch = epoch

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
            await asyncio.sleep(RETRY_DELAY_S)
            return False
        except LeadershipLost:
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


@dataclass(slots=True)
class _Changes:
    """Runs as they become, in `runs` by id, and what that entails.

    `events` are in the order in which they are stored. The attempts of `submissions` are given to the executor once
    the changes are stored. `enqueued` are the runs that came into the queue. `failures` are the errors of runs that
    could not be reconciled, which stay as they are.
    """

    runs: dict[str, Run] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    submissions: dict[str, Run] = field(default_factory=dict)
    enqueued: dict[str, Run] = field(default_factory=dict)
    failures: dict[str, Exception] = field(default_factory=dict)

    def add(self, run: Run, polled: Polled, now: int) -> None:
        """Add what becomes of the run."""
        reports = polled.reports.get(run.id)
        try:
            after, events = lifecycle.reconcile(run, reports, now, polled.given_up.get(run.id))
        except Exception as error:
            self.failures[run.id] = error
            return
        if run.id in polled.cancelled and after.attempt == run.attempt:
            after.cancelled = True
        self.events += events
        if after != run:
            self.runs[run.id] = after
        is_queued = after.phase == "Pending" and not after.launched
        if is_queued and (run.phase, run.attempt) != ("Pending", after.attempt):
            self.enqueued[run.id] = after
        if _is_to_be_submitted(run, after, reports):
            self.submissions[run.id] = after


def _is_to_be_submitted(before: Run, after: Run, reports: Sequence[TaskReport] | None) -> bool:
    if reports is None or not before.launched or not after.launched or is_terminal(after.phase):
        return False
    # An attempt that is restarted in place, without waiting for room, or one that the executor has never seen.
    return after.attempt > before.attempt or lifecycle.is_unsubmitted(before, reports)


class Worker:
    """Does the supervisor's work; `clock` is in seconds since 1970, `timer` measures the time between retries.

    `max_running` runs at once, on as many nodes of each flavor as `nodes` says; a flavor that it does not name has
    enough. `environments` gives the variables that the platform sets for the runs of a project.
    """

    def __init__(
        self,
        database: Database,
        executor: Executor,
        clock: Callable[[], float],
        max_running: int,
        environments: Callable[[str], Mapping[str, str]],
        nodes: Mapping[str, int] | None = None,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self.leadership = database.leadership
        self._database = database
        self._clock = clock
        self._capacity = (nodes or {}, max_running)
        self._executor = executor
        self._poller = ExecutorPoller(executor, environments, timer)
        self._timer = timer
        self._must_look_everywhere = True  # at the beginning, and after a step that failed
        self._full_poll_due = 0.0
        self._polled_up_to: str | None = None  # the last id of a full poll that goes on
        self._is_removing = True  # removed runs may have processes
        self.is_draining = False
        self.is_idle = False  # nothing happens until a request changes a run
        self.has_launched = True  # runs have processes, as far as is known
        self.next_deadline: int | None = None

    def drop_cached_state(self) -> None:
        """Begin or end to work on runs that another process works on before or afterwards."""
        self._executor.forget()
        self._must_look_everywhere = True

    def now(self) -> int:
        """Milliseconds since 1970, rounded so that a deadline in seconds is reached by a clock that was moved to it."""
        return round(self._clock() * 1000)

    def step(self, is_woken: bool = True) -> bool:
        """Do what there is to do now; whether that changed anything.

        Unless the worker `is_woken`, no request has changed anything since the last step.
        Raises what keeps all runs from going on, such as a database that cannot be written.
        """
        looks_everywhere, self._must_look_everywhere = self._must_look_everywhere, False
        try:
            return self._step(looks_everywhere, is_woken or looks_everywhere or self.is_draining)
        except Exception:
            self._must_look_everywhere = True
            raise

    def _step(self, looks_everywhere: bool, is_woken: bool) -> bool:
        changed = self._poller.changed_runs()
        if not (is_woken or changed is None or changed or self._is_due()):
            return False
        has_changed = (is_woken or self._is_removing) and self._purge(at_once=False)
        with self._database.reading() as connection:
            changed = None if looks_everywhere or changed is None else changed | self._next_unpolled(connection)
            found = runs.due(connection, self.now(), changed)
        polled = self._poller.poll([run for run in found if run.held_nodes])
        if has_changed or looks_everywhere or self.is_draining or self._has_news(found, polled):
            has_changed |= self._settle(found, polled)
            with self._database.reading() as connection:
                self.next_deadline = runs.next_deadline(connection)
        is_waiting = has_changed or self._is_removing or self.has_launched
        self.is_idle = not (is_waiting or self.next_deadline is not None)
        return has_changed

    def _is_due(self) -> bool:
        """Whether there is something to do that neither a request nor a task tells of."""
        is_late = self.next_deadline is not None and self.next_deadline <= self.now()
        is_polling = self._polled_up_to is not None or self._timer() >= self._full_poll_due
        return is_late or is_polling or self._is_removing

    def _has_news(self, found: Sequence[Run], polled: Polled) -> bool:
        """Whether anything changes; a job that just runs needs no transaction."""
        changes = _Changes()
        for run in found:
            changes.add(run, polled, self.now())
        return bool(changes.runs or changes.submissions or changes.failures)

    def _next_unpolled(self, connection: Connection) -> set[str]:
        """Some runs that are looked at because it is time: an executor may have missed a change."""
        if self._polled_up_to is None:
            if self._timer() < self._full_poll_due:
                return set()
            self._full_poll_due = self._timer() + FULL_POLL_S
        found = runs.launched_after(connection, self._polled_up_to or "", FULL_POLL_PIECE)
        self._polled_up_to = found[-1] if len(found) == FULL_POLL_PIECE else None
        return set(found)

    def purge_removed(self) -> None:
        """End the processes of all removed runs and free their files; raises the last of what goes wrong."""
        self._must_look_everywhere = True
        self._purge(at_once=True)

    def _purge(self, at_once: bool) -> bool:
        """End the processes of removed runs and free their files and their nodes; whether that was tried.

        Those whose processes do not end hold up nobody.
        """
        with self._database.reading() as connection:
            gone = list(connection.execute(select(removals.c.run_id)).scalars())
        tried = self._poller.delete(gone, at_once)
        done = [{"gone_id": run_id} for run_id, error in tried.items() if error is None]
        left = [{"left_id": run_id} for run_id, error in tried.items() if error is not None]
        if tried:
            with self._database.writing_as_leader() as connection:
                for statement, rows in ((REMOVED, done), (NOT_REMOVED, left)):
                    if rows:
                        connection.execute(statement, rows)
        self._is_removing = len(done) < len(gone)
        errors = [error for error in tried.values() if error is not None]
        if at_once and errors:
            raise errors[-1]
        return bool(tried)

    def _settle(self, found: Sequence[Run], polled: Polled) -> bool:
        """Store what becomes of these runs, let others start, and hand them to the executor; whether any changed."""
        *pieces, last = list(runs.chunks(found, RUNS_PER_TRANSACTION)) or [[]]
        changes = [self._store(piece, polled, is_last=False) for piece in pieces]
        changes.append(self._store(last, polled, is_last=True))
        for part in changes:
            self._poller.ended(run.id for run in part.runs.values() if is_terminal(run.phase))
            self._poller.rejected(part.failures)
        self._poller.cancel(polled.given_up)
        self._submit([run for part in changes for run in part.submissions.values()])
        return any(part.runs for part in changes)

    def _store(self, found: Sequence[Run], polled: Polled, is_last: bool) -> _Changes:
        """Store what becomes of the runs in one transaction, or, if the database rejects that, one after another.

        A run that the database rejects alone is given up.
        """
        try:
            with self._database.writing_as_leader() as connection:
                return self._change(connection, found, polled, is_last)
        except (DBAPIError, StatementError) as error:
            if isinstance(error, OperationalError) or not found or found[0].id in polled.given_up:
                raise
            self._must_look_everywhere = True
            if len(found) == 1:
                log.error("job %s is given up, because it cannot be stored: %s", found[0].id, clean_text(error))
                polled.given_up[found[0].id] = error
            for run in found:
                self._store([run], polled, is_last=False)
            return self._store([], polled, is_last)

    def _change(self, connection: Connection, found: Sequence[Run], polled: Polled, is_last: bool) -> _Changes:
        """Read the runs again, because requests may have changed them, and store what becomes of them."""
        now, changes = self.now(), _Changes()
        current = runs.some(connection, [run.id for run in found])
        for run in sorted(current, key=lambda run: (run.create_time, run.id)):
            changes.add(run, polled, now)
        runs.save(connection, changes.runs.values())
        if is_last:
            (self._stop_launched if self.is_draining else self._admit)(connection, changes, now)
        events.add(connection, changes.events)
        return changes

    def _admit(self, connection: Connection, changes: _Changes, now: int) -> None:
        """Let the runs start for which there is room, and say of what came into the queue why it waits."""
        nodes = Nodes(*self._capacity, runs.held_nodes(connection))
        flavors = [name for name in runs.waiting_flavors(connection) if nodes.has_free(name)] if nodes.free_runs else []
        lines = [runs.waiting(connection, name, nodes.most(name), nodes.free_runs) for name in flavors]
        admitted = nodes.admit(lines)
        for run in admitted:
            run.launched = True
            changes.runs[run.id] = changes.submissions[run.id] = run
            changes.enqueued.pop(run.id, None)
        runs.save(connection, admitted)
        for run in changes.enqueued.values():
            changes.events.append(Event(run.id, now, f"The job is waiting for resources: {nodes.obstacle(run)}."))
        self.has_launched = nodes.running > 0

    def _stop_launched(self, connection: Connection, changes: _Changes, now: int) -> None:
        """Begin to stop all runs that have processes."""
        launched = runs.launched(connection)
        stopped = [run for run in launched if run.phase in STOPPABLE]
        for run in stopped:
            changes.events += lifecycle.stop(run, now)
            changes.runs[run.id] = run
        runs.save(connection, stopped)
        self.has_launched = bool(launched)

    def _submit(self, submissions: Sequence[Run]) -> None:
        """Give the attempts to the executor; a run that it cannot start has failed."""
        for piece in runs.chunks(submissions, SUBMISSIONS_PER_PIECE):
            with self._database.reading() as connection:
                attempts = runs.with_specs(connection, piece)
                self.leadership.check(connection)
            failures = self._poller.submit(attempts)
            self._withdraw_if_lost(attempts)
            if failures:
                self._fail(failures)

    def _fail(self, failures: Mapping[str, Exception]) -> None:
        with self._database.writing_as_leader() as connection:
            for run in runs.some(connection, failures.keys()):
                if run.phase != "Terminating" and not is_terminal(run.phase):
                    events.add(connection, lifecycle.fail_to_start(run, self.now(), failures[run.id]))
                    runs.save(connection, [run])
        self._must_look_everywhere = True  # others may have its nodes

    def _withdraw_if_lost(self, submitted: Sequence[Run]) -> None:
        """Raise LeadershipLost if another process is the leader by now, and end those runs that it ended or removed.

        It may not have known of their submission; it continues with all others.
        """
        with self._database.reading() as connection:
            try:
                self.leadership.check(connection)
                return
            except LeadershipLost:
                found = {run.id: run for run in runs.some(connection, [run.id for run in submitted])}
        self._poller.cancel(run.id for run in found.values() if is_terminal(run.phase))
        self._poller.delete([run.id for run in submitted if run.id not in found], at_once=True)
        raise LeadershipLost
