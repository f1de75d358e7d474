"""What the supervisor does in a step: what is due is read, the executor is asked, and what changed is written.

The database is the queue and the memory, so after a restart the worker continues from the tables and from what the
executor reports. All that one step changes is one transaction, which is committed before the executor is asked to start
anything: after a crash a run that is marked as launched may have no process, but every process belongs to a marked run.
What fails for one run is logged with its id and retried for this run alone, so that it delays no other: the executor
may be a package of others.
"""

from __future__ import annotations

import errno
import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus

from sqlalchemy import Connection, bindparam, delete, select, update
from sqlalchemy.exc import OperationalError, StatementError

from modelarts_emulator.engine import events, lifecycle, runs
from modelarts_emulator.engine.database import Database
from modelarts_emulator.engine.events import Event, clean_text
from modelarts_emulator.engine.runs import STOPPABLE, Run, is_terminal
from modelarts_emulator.engine.scheduler import Capacity, Nodes
from modelarts_emulator.engine.tables import removals
from modelarts_emulator.execution.devices import devices_from_json
from modelarts_emulator.execution.protocol import Executor, PollResult, TaskReport, task_names
from modelarts_emulator.storage.errors import DISK_FULL, EXHAUSTED, StoreError

log = logging.getLogger(__name__)

FULL_LOOK_S = 15.0  # how often all runs are looked at: an executor may have missed a change
RETRY_DELAY_S = 1.0  # after a step, or a call about one run, that failed
LONGEST_DELAY_S = 8.0  # after calls about one run that failed again and again
GIVE_UP_S = 60.0
SUBMISSIONS_PER_PIECE = 100  # specifications are long
# Errors of the machine, not of a job: they end when the machine has room again.
OF_MACHINE = {*DISK_FULL, *EXHAUSTED, errno.EROFS}
# The end of a job whose reports cannot be stored.
UNUSABLE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, StatementError)

REMOVED = delete(removals).where(removals.c.run_id == bindparam("gone_id"))
NOT_REMOVED = update(removals).where(removals.c.run_id == bindparam("left_id")).values(held_nodes=0)


@dataclass(slots=True)
class _Polled:
    """By run id, what the tasks report, and the errors of runs that are to be given up; the runs asked to end."""

    reports: dict[str, Sequence[TaskReport]] = field(default_factory=dict)
    given_up: dict[str, Exception] = field(default_factory=dict)
    cancelled: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _Changes:
    """Runs as they become, by id, and what that entails.

    The attempts of `submissions` are given to the executor once the changes are stored. `enqueued` are the runs that
    came into the queue.
    """

    runs: dict[str, Run] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    submissions: dict[str, Run] = field(default_factory=dict)
    enqueued: dict[str, Run] = field(default_factory=dict)

    def add(self, run: Run, polled: _Polled, now: int) -> None:
        """Add what becomes of the run."""
        reports = polled.reports.get(run.id)
        after, events = lifecycle.reconcile(run, reports, now, polled.given_up.get(run.id))
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

    `capacity` is what runs may take. `environments` gives the variables that the platform sets for the runs of a
    project.
    """

    def __init__(
        self,
        database: Database,
        executor: Executor,
        clock: Callable[[], float],
        capacity: Capacity,
        environments: Callable[[str], Mapping[str, str]],
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self.leadership = database.leadership
        self._database = database
        self._clock = clock
        self._capacity = capacity
        self._executor = executor
        self._environments = environments
        self._timer = timer
        self._polls, self._cancels, self._deletions = Retries(timer), Retries(timer), Retries(timer)
        self._full_look_due = 0.0
        self._is_new = True  # an earlier life may have had more nodes, for which runs wait
        self._is_removing = True  # removed runs may have processes
        self.is_draining = False
        self.is_idle = False  # nothing happens until a request changes a run
        self.has_launched = True  # runs have processes, as far as is known
        self.has_waiting = False  # for nodes that others hold
        self.next_deadline: int | None = None

    def drop_cached_state(self) -> None:
        """Drop what was read of runs: another process was, or will be, the leader."""
        self._executor.forget()
        self._full_look_due = 0.0
        self._is_new = True

    def now(self) -> int:
        """Milliseconds since 1970, rounded so that a deadline in seconds is reached by a clock that was moved to it."""
        return round(self._clock() * 1000)

    def step(self, is_woken: bool = True) -> bool:
        """Do what there is to do now; whether that changed anything.

        Unless the worker `is_woken`, no request has changed anything since the last step.
        Raises what keeps all runs from going on, such as a database that cannot be written.
        """
        is_full = self._timer() >= self._full_look_due
        if is_full:
            self._full_look_due = self._timer() + FULL_LOOK_S
        try:
            return self._step(is_full, is_woken or self.is_draining)
        except Exception:
            self._full_look_due = 0.0
            raise

    def _step(self, is_full: bool, is_woken: bool) -> bool:
        told = self._executor.changed_jobs()
        changed = None if is_full or told is None else {*told, *self._polls.run_ids, *self._cancels.run_ids}
        is_late = self.next_deadline is not None and self.next_deadline <= self.now()
        if not (is_woken or is_late or self._is_removing or changed is None or changed):
            return False
        has_changed = (is_woken or self._is_removing) and self._purge(at_once=False)
        with self._database.reading() as connection:
            found = runs.due(connection, self.now(), changed)
        polled = self._poll([run for run in found if run.held_nodes])
        if has_changed or is_full or self.is_draining or self._has_news(found, polled):
            has_changed |= self._settle(found, polled)
            with self._database.reading() as connection:
                self.next_deadline = runs.next_deadline(connection)
        is_waiting = has_changed or self._is_removing or self.has_launched
        self.is_idle = not (is_waiting or self.next_deadline is not None)
        return has_changed

    def _has_news(self, found: Sequence[Run], polled: _Polled) -> bool:
        """Whether anything changes; a job that just runs needs no transaction."""
        changes = _Changes()
        try:
            for run in found:
                changes.add(run, polled, self.now())
        except UNUSABLE:
            return True
        return bool(changes.runs or changes.submissions)

    def purge_removed(self) -> None:
        """End the processes of all removed runs and free their files; raises the last error."""
        self._full_look_due = 0.0
        self._purge(at_once=True)

    def _purge(self, at_once: bool) -> bool:
        """End the processes of removed runs and free their files and their nodes; whether that was tried.

        Those whose processes do not end hold up nobody: they wait for their turn unless all are to be tried `at_once`.
        """
        with self._database.reading() as connection:
            gone = list(connection.execute(select(removals.c.run_id)).scalars())
        due = [run_id for run_id in gone if at_once or self._deletions.is_due(run_id)]
        errors = self._delete(due) if due else {}
        done = [{"gone_id": run_id} for run_id in due if run_id not in errors]
        left = [{"left_id": run_id} for run_id in errors]
        if due:
            with self._database.writing_as_leader() as connection:
                for statement, rows in ((REMOVED, done), (NOT_REMOVED, left)):
                    if rows:
                        connection.execute(statement, rows)
        self._is_removing = len(done) < len(gone)
        if at_once and errors:
            raise list(errors.values())[-1]
        return bool(due)

    def _delete(self, run_ids: Collection[str]) -> Mapping[str, Exception]:
        """Delete the runs from the executor; the errors by id."""
        try:
            errors = self._executor.delete(run_ids)
        except Exception as error:
            errors = dict.fromkeys(run_ids, error)
        self._forget(run_ids)
        for run_id in run_ids:
            self._deletions.succeeded(run_id)
        for run_id, cause in errors.items():
            log.error("removed job %s: its files cannot be removed yet: %s", run_id, clean_text(cause))
            self._deletions.failed(run_id, cause)
        return errors

    def _forget(self, run_ids: Collection[str]) -> None:
        """The runs have ended or were removed: they are neither polled nor stopped any more."""
        for run_id in run_ids:
            self._polls.succeeded(run_id)
            self._cancels.succeeded(run_id)

    def _poll(self, launched: Sequence[Run]) -> _Polled:
        """Ask the tasks of runs that are to end, once, to end; then read what all report."""
        polled = _Polled()
        for run in launched:
            is_to_end = run.phase == "Terminating" and not run.cancelled
            if is_to_end and self._cancels.is_due(run.id) and self._cancel(run.id):
                polled.cancelled.add(run.id)
        due = [run.id for run in launched if self._polls.is_due(run.id)]
        found = self._reports(due)
        for run_id in due:
            reports = found.get(run_id, [])
            if not isinstance(reports, Exception):
                self._polls.succeeded(run_id)
                polled.reports[run_id] = reports
                continue
            log.error("job %s: its state cannot be read: %s", run_id, clean_text(reports))
            self._polls.failed(run_id, reports)
            if self._polls.is_exhausted(run_id):
                polled.given_up[run_id] = reports
        return polled

    def _reports(self, run_ids: Sequence[str]) -> PollResult:
        """What the executor reports of all these runs, or why it cannot, by run."""
        if not run_ids:
            return {}
        try:
            errors = self._executor.advance(run_ids)
            return {**self._executor.poll(run_ids), **errors}
        except Exception as error:
            return dict.fromkeys(run_ids, error)

    def _cancel(self, run_id: str) -> bool:
        """Ask the run's tasks to end; False if that is to be retried."""
        try:
            self._executor.cancel(run_id)
        except Exception as error:
            log.error("job %s cannot be stopped: %s", run_id, clean_text(error))
            self._cancels.failed(run_id, error)
            return False
        self._cancels.succeeded(run_id)
        return True

    def _settle(self, found: Sequence[Run], polled: _Polled) -> bool:
        """Store what becomes of these runs, let others start, and hand them to the executor; whether any changed."""
        changes = self._store(found, polled)
        for part in changes:
            self._forget([run.id for run in part.runs.values() if is_terminal(run.phase)])
        for run_id in polled.given_up:
            self._cancel(run_id)
        self._submit([run for part in changes for run in part.submissions.values()])
        return any(part.runs for part in changes)

    def _store(self, found: Sequence[Run], polled: _Polled) -> list[_Changes]:
        """Store what becomes of the runs in one transaction, or, if that is not possible, one run after another.

        A run that cannot be stored alone is given up.
        """
        try:
            with self._database.writing_as_leader() as connection:
                return [self._change(connection, found, polled)]
        except UNUSABLE as error:
            if isinstance(error, OperationalError) or not found or found[0].id in polled.given_up:
                raise
            if len(found) > 1:
                return [changes for run in found for changes in self._store([run], polled)]
            log.error("job %s is given up, because it cannot be stored: %s", found[0].id, clean_text(error))
            polled.given_up[found[0].id] = error
            return self._store(found, polled)

    def _change(self, connection: Connection, found: Sequence[Run], polled: _Polled) -> _Changes:
        """Read the runs again, because requests may have changed them, and store what becomes of them."""
        now, changes = self.now(), _Changes()
        current = runs.by_ids(connection, [run.id for run in found])
        for run in sorted(current, key=lambda run: (run.create_time, run.id)):
            changes.add(run, polled, now)
        runs.save(connection, changes.runs.values())
        (self._stop_launched if self.is_draining else self._admit)(connection, changes, now)
        events.add(connection, changes.events)
        return changes

    def _admit(self, connection: Connection, changes: _Changes, now: int) -> None:
        """Start the runs for which there is room, and say why the new ones in the queue wait."""
        nodes = Nodes(self._capacity, runs.held(connection))
        lines = runs.waiting_lines(connection)
        open_lines = [line for line in lines if nodes.has_free(line)] if nodes.free_runs else []
        admitted = nodes.admit(
            [runs.waiting(connection, line, nodes.most(line), nodes.free_runs) for line in open_lines]
        )
        for run in admitted:
            if run.devices:
                changes.events.append(Event(run.parent_id or run.id, now, _assignment(run)))
            changes.runs[run.id] = changes.submissions[run.id] = run
            changes.enqueued.pop(run.id, None)
        runs.save(connection, admitted)
        if self._is_new:
            for line in lines:
                changes.enqueued |= {run.id: run for run in runs.too_large(connection, line, nodes.most(line))}
        self._is_new = False
        for run in changes.enqueued.values():
            job_id = run.parent_id or run.id
            changes.events.append(Event(job_id, now, f"The job is waiting for resources: {nodes.obstacle(run)}."))
        self.has_launched, self.has_waiting = nodes.running > 0, bool(lines)

    def _stop_launched(self, connection: Connection, changes: _Changes, now: int) -> None:
        """Begin to stop all runs that have processes."""
        launched = runs.launched(connection) + runs.searches(connection)
        stopped = [run for run in launched if run.phase in STOPPABLE]
        for run in stopped:
            changes.events += lifecycle.stop(run, now)
            changes.runs[run.id] = run
        runs.save(connection, stopped)
        self.has_launched = bool(launched)

    def _submit(self, submissions: Sequence[Run]) -> None:
        """Give the attempts to the executor; a run that it cannot start has failed, and none of its tasks runs on."""
        for piece in runs.chunks(submissions, SUBMISSIONS_PER_PIECE):
            failures: dict[str, Exception] = {}
            with self._database.reading() as connection:
                self.leadership.check(connection)
                attempts = runs.with_specs(connection, piece)
            for run in attempts:
                try:
                    environments = self._environments(run.project_id)
                    self._executor.submit(run.job_spec(environments, bool(self._capacity.pool.devices)))
                except Exception as error:
                    log.error("job %s cannot be started: %s", run.id, clean_text(error))
                    failures[run.id] = error
                    self._cancel(run.id)
            if failures:
                self._fail(failures)

    def _fail(self, failures: Mapping[str, Exception]) -> None:
        with self._database.writing_as_leader() as connection:
            for run in runs.by_ids(connection, failures.keys()):
                if run.phase != "Terminating" and not is_terminal(run.phase):
                    events.add(connection, lifecycle.fail_to_start(run, self.now(), failures[run.id]))
                    runs.save(connection, [run])
        self._full_look_due = 0.0  # others may have its nodes


def _assignment(run: Run) -> str:
    """Which accelerators the run has, in a sentence."""
    own = [" and ".join(map(str, devices)) for devices in devices_from_json(run.devices)]
    tasks = (f"{task} has {devices}" for task, devices in zip(task_names(run.node_count), own, strict=True))
    return f"{f'Trial {run.trial}: ' if run.trial else ''}{'; '.join(tasks)}."


@dataclass(frozen=True, slots=True)
class _Failure:
    """`since` is the time of the first error, or of the last one that was the machine's."""

    error: Exception
    since: float
    next_try: float
    delay_s: float


class Retries:
    """What failed, by run: it is tried again after 1, 2, 4, and then every 8 seconds, as `timer` measures them."""

    def __init__(self, timer: Callable[[], float] = time.monotonic) -> None:
        self._timer = timer
        self._failures: dict[str, _Failure] = {}

    @property
    def run_ids(self) -> Collection[str]:
        """The runs that failed and have not succeeded since."""
        return self._failures.keys()

    def is_due(self, run_id: str) -> bool:
        """Whether the run may be tried now."""
        failure = self._failures.get(run_id)
        return failure is None or failure.next_try <= self._timer()

    def failed(self, run_id: str, error: Exception) -> None:
        """Try the run again after a delay."""
        now, last = self._timer(), self._failures.get(run_id)
        since = now if last is None or _is_of_machine(last.error) else last.since
        delay_s = RETRY_DELAY_S if last is None else min(2 * last.delay_s, LONGEST_DELAY_S)
        self._failures[run_id] = _Failure(error, since, now + delay_s, delay_s)

    def is_exhausted(self, run_id: str) -> bool:
        """Whether the run failed for a minute, and not because of the machine."""
        failure = self._failures.get(run_id)
        return failure is not None and not _is_of_machine(failure.error) and self._timer() >= failure.since + GIVE_UP_S

    def succeeded(self, run_id: str) -> None:
        """Forget the run's failures."""
        self._failures.pop(run_id, None)


def _is_of_machine(error: Exception) -> bool:
    """Whether the machine, the database or the object store is at fault rather than a job: disk full, locked, ..."""
    if isinstance(error, StoreError):
        return error.status == HTTPStatus.SERVICE_UNAVAILABLE
    return isinstance(error, OperationalError) or (isinstance(error, OSError) and error.errno in OF_MACHINE)
