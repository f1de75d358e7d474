"""One step of the engine: what is due is read, the executor is asked, and what changed is written.

The database is the queue and the memory. All that one step changes is one transaction, which is committed before the
executor is asked to start anything: a crash may leave a mark without processes, never processes without a mark.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence

from sqlalchemy import Connection, bindparam, delete, select, update
from sqlalchemy.exc import DBAPIError, OperationalError, StatementError

from modelarts_emulator.engine import events, lifecycle, runs
from modelarts_emulator.engine.database import Database
from modelarts_emulator.engine.events import Event
from modelarts_emulator.engine.leadership import SupervisionLost
from modelarts_emulator.engine.lifecycle import Changes, change, reconcile
from modelarts_emulator.engine.phases import STOPPABLE, is_terminal
from modelarts_emulator.engine.poller import ExecutorPoller, Polled
from modelarts_emulator.engine.reports import clean_text
from modelarts_emulator.engine.runs import Run
from modelarts_emulator.engine.scheduler import Nodes
from modelarts_emulator.engine.tables import removals
from modelarts_emulator.execution.protocol import Executor

__all__ = ["Worker"]

log = logging.getLogger(__name__)

REMOVALS = select(removals.c.run_id)
REMOVED = delete(removals).where(removals.c.run_id == bindparam("gone_id"))
NOT_REMOVED = update(removals).where(removals.c.run_id == bindparam("left_id")).values(held_nodes=0)

FULL_POLL_S, FULL_POLL_PIECE = 15.0, 100  # how often all runs are looked at, and how many of them in one step
RUNS_PER_TRANSACTION = 500  # requests wait for it
SUBMISSIONS_PER_PIECE = 100  # specifications are long


class Worker:
    """Moves every run through its phases; `clock` is in seconds since 1970, `timer` measures the time between retries.

    `max_running` runs at once, on as many nodes of each flavor as `nodes` says; a flavor that it does not name has
    enough.
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
        self._database = database
        self._clock = clock
        self._capacity = (nodes or {}, max_running)
        self._poller = ExecutorPoller(executor, environments, timer)
        self._timer = timer
        self._must_look_everywhere = True  # at the beginning, and after a step that failed
        self._full_poll_due = 0.0
        self._polled_up_to: str | None = None  # the last id of a full poll that goes on
        self.is_draining = False
        self.is_idle = False  # nothing happens until a request changes a run
        self.has_launched = True  # runs have processes, as far as is known
        self.next_deadline: int | None = None

    def forget(self) -> None:
        """Begin or end to work on runs that another process works on before or afterwards."""
        self._poller.forget()
        self._must_look_everywhere = True

    def step(self) -> bool:
        """Do what there is to do now; whether that changed anything.

        Raises what keeps all runs from going on, such as a database that cannot be written.
        """
        looks_everywhere, self._must_look_everywhere = self._must_look_everywhere, False
        try:
            return self._step(looks_everywhere)
        except Exception:
            self._must_look_everywhere = True
            raise

    def _step(self, looks_everywhere: bool) -> bool:
        has_removed, is_removing = self._purge(at_once=False)
        changed = self._poller.changed_runs()
        with self._database.reading() as connection:
            if looks_everywhere or changed is None:
                changed = None
            else:
                changed |= self._next_unpolled(connection)
            found = runs.due(connection, self.now(), changed)
        polled = self._poller.poll([run for run in found if run.held_nodes])
        has_changed = has_removed
        if has_removed or looks_everywhere or self.is_draining or self._has_news(found, polled):
            has_changed |= self._settle(found, polled)
            with self._database.reading() as connection:
                self.next_deadline = runs.next_deadline(connection)
        is_waiting = has_changed or is_removing or self.has_launched
        self.is_idle = not (is_waiting or self.next_deadline is not None)
        return has_changed

    def _has_news(self, found: Sequence[Run], polled: Polled) -> bool:
        """Whether anything changes; a job that just runs needs no transaction."""
        changes = reconcile(found, polled.reports, self.now(), polled.given_up)
        return bool(polled.cancelled or changes.runs or changes.submissions or changes.failures)

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

    def now(self) -> int:
        """Milliseconds since 1970, rounded so that a deadline in seconds is reached by a clock that was moved to it."""
        return round(self._clock() * 1000)

    def _purge(self, at_once: bool) -> tuple[bool, bool]:
        """End the processes of removed runs and free their files and their nodes; whether some went, and some stay.

        Those whose processes do not end hold up nobody.
        """
        with self._database.reading() as connection:
            gone = list(connection.execute(REMOVALS).scalars())
        if not gone:
            return False, False
        tried = self._poller.delete(gone, at_once)
        done = [{"gone_id": run_id} for run_id, error in tried.items() if error is None]
        left = [{"left_id": run_id} for run_id, error in tried.items() if error is not None]
        if tried:
            with self._database.writing() as connection:
                for statement, rows in ((REMOVED, done), (NOT_REMOVED, left)):
                    if rows:
                        connection.execute(statement, rows)
        errors = [error for error in tried.values() if error is not None]
        if at_once and errors:
            raise errors[-1]
        return bool(tried), len(done) < len(gone)

    def _settle(self, found: Sequence[Run], polled: Polled) -> bool:
        """Store what becomes of these runs, let others start, and hand them to the executor; whether any changed."""
        *pieces, last = list(runs.chunks(found, RUNS_PER_TRANSACTION)) or [[]]
        changes = [self._store(piece, polled, is_last=False) for piece in pieces]
        changes.append(self._store(last, polled, is_last=True))
        for run in (run for part in changes for run in part.runs.values() if is_terminal(run.phase)):
            self._poller.ended(run.id)
        for run_id, error in ((run_id, error) for part in changes for run_id, error in part.failures.items()):
            self._poller.rejected(run_id, error)
        self._poller.cancel(polled.given_up)
        self._submit([run for part in changes for run in part.submissions.values()])
        return any(part.runs for part in changes)

    def _store(self, found: Sequence[Run], polled: Polled, is_last: bool) -> Changes:
        """Commit what becomes of these runs in one transaction, or run by run if the database rejects one of them."""
        try:
            with self._database.writing() as connection:
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

    def _change(self, connection: Connection, found: Sequence[Run], polled: Polled, is_last: bool) -> Changes:
        """Read the runs again, because requests may have changed them, and store what becomes of them."""
        now = self.now()
        current = sorted(runs.some(connection, [run.id for run in found]), key=lambda run: (run.create_time, run.id))
        changes = reconcile(current, polled.reports, now, polled.given_up)
        for run in current:
            if run.id in polled.cancelled and run.attempt == changes.runs.get(run.id, run).attempt:
                changes.runs.setdefault(run.id, run).cancelled = True
        runs.save(connection, changes.runs.values())
        if is_last:
            (self._stop_launched if self.is_draining else self._admit)(connection, changes, now)
        events.add(connection, changes.events)
        return changes

    def _admit(self, connection: Connection, changes: Changes, now: int) -> None:
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

    def _stop_launched(self, connection: Connection, changes: Changes, now: int) -> None:
        """Begin to stop all runs that have processes."""
        launched = runs.launched(connection)
        for run in launched:
            if run.phase in STOPPABLE:
                change(changes, run, lambda after: lifecycle.stop(after, now))
                runs.save(connection, [changes.runs[run.id]])
        self.has_launched = bool(launched)

    def _submit(self, submissions: Sequence[Run]) -> None:
        """Give the attempts to the executor; a run that it cannot start has failed."""
        for piece in runs.chunks(submissions, SUBMISSIONS_PER_PIECE):
            with self._database.reading() as connection:
                attempts = runs.with_specs(connection, piece)
                self._database.check(connection)
            failures = self._poller.submit(attempts)
            self._withdraw_if_lost(attempts)
            if failures:
                self._fail(failures)

    def _fail(self, failures: Mapping[str, Exception]) -> None:
        with self._database.writing() as connection:
            for run in runs.some(connection, failures.keys()):
                if run.phase != "Terminating" and not is_terminal(run.phase):
                    events.add(connection, lifecycle.fail_to_start(run, self.now(), failures[run.id]))
                    runs.save(connection, [run])
        self._must_look_everywhere = True  # others may have its nodes

    def _withdraw_if_lost(self, submitted: Sequence[Run]) -> None:
        """Raise SupervisionLost if another process supervises by now, and end those runs that it has ended or removed.

        It may not have known of their submission; it continues with all others.
        """
        with self._database.reading() as connection:
            try:
                self._database.check(connection)
            except SupervisionLost:
                found = {run.id: run for run in runs.some(connection, [run.id for run in submitted])}
                self._poller.cancel(run.id for run in found.values() if is_terminal(run.phase))
                self._poller.delete([run.id for run in submitted if run.id not in found], at_once=True)
                raise
