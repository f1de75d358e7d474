"""The supervisor's work, one step at a time, in a thread: tables and reports in, changes and calls of the executor out.

All that one step changes is one transaction, which is committed before the executor is asked for anything: a crash
may leave a mark without processes, never processes without a mark.
What is remembered from step to step is a cache of the tables and of reports; `drop_cache` only costs time.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from sqlalchemy import bindparam, delete, select

from modelarts_emulator.database.access import Database
from modelarts_emulator.database.supervision import SupervisionLost
from modelarts_emulator.execution.protocol import Executor
from modelarts_emulator.jobs import events, lifecycle, run_logs, runs
from modelarts_emulator.jobs.events import Event
from modelarts_emulator.jobs.lifecycle import Changes, change, reconcile
from modelarts_emulator.jobs.log_archive import Archive
from modelarts_emulator.jobs.phases import STOPPABLE, is_terminal
from modelarts_emulator.jobs.poller import ExecutorPoller
from modelarts_emulator.jobs.reports import clean_text
from modelarts_emulator.jobs.restart_policy import restarts_hung_tasks
from modelarts_emulator.jobs.retries import is_transient
from modelarts_emulator.jobs.run_cache import RunCache
from modelarts_emulator.jobs.runs import Run
from modelarts_emulator.jobs.tables import removals
from modelarts_emulator.jobs.tables import runs as stored_runs

__all__ = ["Worker"]

log = logging.getLogger(__name__)

REMOVED = delete(removals).where(removals.c.run_id == bindparam("gone_id"))
REQUESTED = select(stored_runs.c.id).where(stored_runs.c.phase.in_(("Creating", "Terminating")))

SUBMISSIONS_PER_PIECE = 100  # specifications are long, and are not kept
FULL_POLL_S, FULL_POLL_PIECE = 15.0, 100  # how often all runs are looked at, and how many of them in one step
MAX_LOG_DELETIONS = 500  # in one step: others have their turn


class Worker:
    """Moves every run through its phases; `clock` is in seconds since 1970, `timer` measures the time between retries.

    `max_running` runs at once, on as many nodes of each flavor as `nodes` says; a flavor that it does not name has
    enough. Only `add`, `mark_changed` and `drop_cache` may be called while another thread is in a step.
    """

    def __init__(
        self,
        database: Database,
        executor: Executor,
        archive: Archive,
        clock: Callable[[], float],
        max_running: int,
        environments: Callable[[str], Mapping[str, str]],
        nodes: Mapping[str, int] | None = None,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._clock = clock
        self._capacity = (nodes or {}, max_running)
        self._executor = executor
        self._poller = ExecutorPoller(executor, archive, environments, timer)
        self._timer = timer
        self._unpolled: deque[str] = deque()
        self._full_poll_due = 0.0
        self._hints: deque[str] = deque()
        self._added: deque[Run] = deque()
        self._cache: RunCache | None = None
        self._is_cache_dropped = False
        self._has_removals = True
        self._next_log_deletion: int | None = None
        self.is_draining = False
        self.next_deadline: float | None = None

    def add(self, run: Run) -> None:
        """Take the run, which was just stored, without reading it; if it has changed since, it is read again later."""
        self._added.append(replace(run, spec={}))

    def mark_changed(self, run_id: str) -> None:
        """Read the run anew in the next step."""
        self._hints.append(run_id)

    def drop_cache(self) -> None:
        """Read everything anew in the next step."""
        self._is_cache_dropped = True

    def forget(self) -> None:
        """Begin or end to work on runs that another process works on before or afterwards."""
        self._executor.forget()
        self._is_cache_dropped = True

    def find_changes(self) -> None:
        """Let the next step read anew what requests to other processes may have created, stopped or removed."""
        with self._database.reading() as connection:
            self._hints.extend(connection.execute(REQUESTED).scalars())
        self._has_removals = True

    @property
    def is_idle(self) -> bool:
        """Whether nothing happens until a run is changed from outside."""
        cache = self._cache
        if cache is None or self._is_cache_dropped or self._hints or self._added or self._has_removals:
            return False
        if self._next_log_deletion is not None and self._next_log_deletion <= self.now():
            return False
        return not (cache.launched or cache.deadlines or self._poller.has_unpublished_logs)

    @property
    def has_launched(self) -> bool:
        """Whether runs have processes, as far as is known."""
        return self._cache is None or bool(self._cache.launched)

    def step(self, everywhere: bool) -> bool:
        """Do what there is to do now; whether that changed anything.

        Unless it is to look `everywhere`, of the runs that have processes only those are looked at that have changed.
        Raises what keeps all runs from going on, such as a database that cannot be written.
        """
        try:
            return self._step(everywhere)
        except Exception:
            self._cache = None  # it may not be what is stored
            raise

    def _step(self, everywhere: bool) -> bool:
        cache = self._load()
        self._purge_removed(cache)
        polled = self._poller.poll(*self._to_poll(cache, everywhere))
        self._refresh(cache)
        now = self.now()
        polled_runs = [run for run_id in (*polled.reports, *polled.given_up) if (run := cache.launched.get(run_id))]
        changes = reconcile(_unique([*cache.due(now), *polled_runs]), polled.reports, now, polled.given_up)
        for run_id, error in changes.failures.items():
            self._poller.rejected(run_id, error)
        for run in changes.runs.values():
            cache.update(run)
        (_stop_launched if self.is_draining else _admit)(cache, changes, now)
        self._commit(cache, changes, now)
        self._submit(cache, changes)
        self._mark_published()
        has_deleted = self._delete_logs(now)
        self.next_deadline = cache.deadlines.next()
        return bool(changes.runs) or has_deleted

    def purge_removed(self, with_logs: bool) -> None:
        """End the processes of all removed runs and free their files; raises the last of what goes wrong."""
        self._has_removals = True
        error = self._purge_removed(self._load(), at_once=True, with_logs=with_logs)
        if error is not None:
            raise error

    # The cache

    def _load(self) -> RunCache:
        """The runs as they are stored."""
        if self._cache is not None and not self._is_cache_dropped:
            self._refresh(self._cache)
            return self._cache
        self._is_cache_dropped = False
        self._cache = None
        self._hints.clear()
        self._added.clear()
        with self._database.reading() as connection:
            self._cache = RunCache(runs.unfinished(connection), *self._capacity)
            self._poller.resume_logs(run_logs.unpublished(connection))
            self._next_log_deletion = run_logs.next_deletion(connection)
        self._poller.forget_reports()
        self._has_removals = True
        return self._cache

    def _refresh(self, cache: RunCache) -> None:
        """Take those runs that have been added, and read those again that have been changed."""
        while self._added:
            if cache.get((run := self._added.popleft()).id) is None:
                cache.update(run)
        run_ids: set[str] = set()
        while self._hints:
            run_ids.add(self._hints.popleft())
        if not run_ids:
            return
        with self._database.reading() as connection:
            found = runs.some(connection, run_ids)
        for run_id in run_ids - {run.id for run in found}:
            cache.remove(run_id)
            self._has_removals = True
        for run in sorted(found, key=_age):
            cache.update(run)
            if is_terminal(run.phase):
                self._poller.ended(run.id)

    # Parts of a step

    def _to_poll(self, cache: RunCache, everywhere: bool) -> tuple[list[Run], list[Run]]:
        """The runs of which there may be news, and those of them whose tasks are to be asked to end."""
        run_ids = cache.unseen()
        if everywhere:
            changed = self._poller.changed_runs()
            run_ids = set(cache.launched) if changed is None else run_ids | changed | self._next_unpolled(cache)
        # In the order in which they came, so that the same happens in the same order every time.
        found = sorted((cache.launched[run_id] for run_id in run_ids if run_id in cache.launched), key=_age)
        return found, [run for run in found if _is_to_end(run)]

    def _next_unpolled(self, cache: RunCache) -> set[str]:
        """Some runs that are looked at because it is time, so that an executor may have missed a change."""
        if not self._unpolled and self._timer() >= self._full_poll_due:
            self._unpolled.extend(cache.launched)
            self._full_poll_due = self._timer() + FULL_POLL_S
        return {self._unpolled.popleft() for _ in range(min(FULL_POLL_PIECE, len(self._unpolled)))}

    def _commit(self, cache: RunCache, changes: Changes, now: int) -> None:
        """Store the changes; what somebody else has changed meanwhile is left as it is and read again."""
        result = _store(self._database, changes, now)
        for run_id in result.conflicts:
            if run_id in changes.submissions:  # it has no processes, and if it was removed, nothing else frees its room
                cache.queue.release(run_id)
            changes.discard(run_id)
            self.mark_changed(run_id)
        if result.given_up:
            self._is_cache_dropped = True
            self._poller.cancel(result.given_up)
        for run in changes.runs.values():
            if is_terminal(run.phase):
                self._poller.ended(run.id)

    def _submit(self, cache: RunCache, changes: Changes) -> None:
        """Give the attempts to the executor; a run that it cannot start has failed."""
        failures: dict[str, Exception] = {}
        submissions = iter(changes.submissions.values())
        while piece := list(islice(submissions, SUBMISSIONS_PER_PIECE)):
            with self._database.reading() as connection:
                attempts = runs.with_specs(connection, piece)
                self._database.check(connection)
            failures |= self._poller.submit(attempts)
            self._withdraw_if_lost(attempts)
        if not failures:
            return
        self._refresh(cache)
        now, failed = self.now(), Changes()
        for run_id, error in failures.items():
            self.mark_changed(run_id)  # the next step gives its room to others, if nothing else happens, too
            if (run := cache.get(run_id)) is not None:
                change(failed, run, lambda after, error=error: lifecycle.fail_to_start(after, now, error))  # type: ignore[misc]
        for run in failed.runs.values():
            cache.update(run)
        self._commit(cache, failed, now)

    def _withdraw_if_lost(self, submitted: Sequence[Run]) -> None:
        """Raise SupervisionLost if another process supervises by now, and end those runs that it has ended or removed.

        It may not have known of their submission; it continues with all others.
        """
        with self._database.reading() as connection:
            try:
                self._database.check(connection)
            except SupervisionLost:
                found = {run.id: run for run in runs.some(connection, [run.id for run in submitted])}
                self._poller.cancel(run for run in found.values() if is_terminal(run.phase))
                self._poller.delete_unknown([run.id for run in submitted if run.id not in found])
                raise

    def _mark_published(self) -> None:
        """Store which logs need not be published any more, also not after a restart."""
        if published := self._poller.take_published():
            with self._database.writing() as connection:
                run_logs.mark_published(connection, published)
                self._next_log_deletion = run_logs.next_deletion(connection)

    def _delete_logs(self, now: int) -> bool:
        """Delete logs that are older than they may become, some at a time; whether any were deleted."""
        if self._next_log_deletion is None or self._next_log_deletion > now:
            return False
        with self._database.reading() as connection:
            # Those that could not be deleted are the oldest ones.
            due = run_logs.due(connection, now, MAX_LOG_DELETIONS + self._poller.failed_log_deletions)
        done = self._poller.delete_logs(due)
        with self._database.writing() as connection:
            if done:
                run_logs.remove(connection, done)
            self._next_log_deletion = run_logs.next_deletion(connection)
        return bool(done)

    def _purge_removed(self, cache: RunCache, at_once: bool = False, with_logs: bool = True) -> Exception | None:
        """End the processes of removed runs and free their files and their room; the last of what goes wrong."""
        if not self._has_removals:
            return None
        with self._database.reading() as connection:
            gone = connection.execute(select(removals)).all()
        for row in gone:
            cache.remove(row.run_id)
        done, error = self._poller.delete(gone, at_once, with_logs)
        for row in gone:  # also those whose processes do not end: they hold up nobody
            cache.queue.release(row.run_id)
        if done:
            with self._database.writing() as connection:
                connection.execute(REMOVED, [{"gone_id": run_id} for run_id in done])
        self._has_removals = len(done) < len(gone)
        return error

    def now(self) -> int:
        """Milliseconds since 1970, rounded so that a deadline in seconds is reached by a clock that was moved to it."""
        return round(self._clock() * 1000)


def _age(run: Run) -> tuple[int, str]:
    return run.create_time, run.id


def _unique(found: Iterable[Run]) -> list[Run]:
    return list({run.id: run for run in found}.values())


def _admit(cache: RunCache, changes: Changes, now: int) -> None:
    """Let the runs start for which there is room, and say of what came into the queue why it waits."""
    for run in cache.queue.admit():
        change(changes, run, _launch)
        changes.submissions[run.id] = changes.runs[run.id]
        changes.enqueued.pop(run.id, None)
        cache.update(changes.runs[run.id])
    for run in changes.enqueued.values():
        text = f"The job is waiting for resources: {cache.queue.obstacle(run)}."
        changes.events.append(Event(run.id, now, text))


def _stop_launched(cache: RunCache, changes: Changes, now: int) -> None:
    """Begin to stop all runs that have processes."""
    for run in list(cache.launched.values()):
        if run.phase in STOPPABLE:
            change(changes, run, lambda after: lifecycle.stop(after, now))
            cache.update(changes.runs[run.id])


def _launch(run: Run) -> list[Event]:
    run.launched = True
    return []


def _is_to_end(run: Run) -> bool:
    return run.phase == "Terminating" or (bool(run.hung_task) and restarts_hung_tasks(run))


@dataclass(slots=True)
class _Stored:
    """What was not stored: `conflicts` were changed or removed by somebody else, `given_up` cannot be stored at all."""

    conflicts: set[str] = field(default_factory=set)
    given_up: list[Run] = field(default_factory=list)


def _store(database: Database, changes: Changes, now: int) -> _Stored:
    """Commit all changes in one transaction, or run by run if that fails; `now` in milliseconds since 1970.

    A run that cannot be stored is given up. Raises errors of the database itself, of which no run is the cause.
    """
    result = _Stored()
    if not changes.runs and not changes.events:
        return result
    try:
        result.conflicts = _commit(database, list(changes.runs.values()), changes.events)
    except Exception as error:
        if is_transient(error):
            raise
        _store_one_by_one(database, changes, now, result)
    return result


def _commit(database: Database, changed: list[Run], new: list[Event]) -> set[str]:
    with database.writing() as connection:
        conflicts = runs.save(connection, changed)
        events.add(connection, [event for event in new if event.run_id not in conflicts])
        run_logs.add(connection, [run for run in changed if is_terminal(run.phase) and run.id not in conflicts])
    for run in changed:
        run.version += 1
    return conflicts


def _store_one_by_one(database: Database, changes: Changes, now: int, result: _Stored) -> None:
    by_run: dict[str, list[Event]] = {run_id: [] for run_id in changes.runs}
    for event in changes.events:
        by_run.setdefault(event.run_id, []).append(event)
    for run_id, of_run in by_run.items():
        try:
            changed = [changes.runs[run_id]] if run_id in changes.runs else []
            result.conflicts |= _commit(database, changed, of_run)
        except Exception as error:
            if is_transient(error):
                raise
            log.error("job %s is given up, because it cannot be stored: %s", run_id, clean_text(error))
            changes.submissions.pop(run_id, None)
            if (given_up := _give_up(database, run_id, now, error)) is not None:
                result.given_up.append(given_up)


def _give_up(database: Database, run_id: str, now: int, error: Exception) -> Run | None:
    with database.writing() as connection:
        run = runs.get(connection, run_id)
        if run is None or is_terminal(run.phase):
            return None
        new = lifecycle.give_up(run, now, error)
        runs.save(connection, [run])
        events.add(connection, new)
        run_logs.add(connection, [run])
        return run
