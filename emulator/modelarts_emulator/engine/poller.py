"""What the engine asks of the executor, for many runs at a time.

What fails for one run is retried for this run alone, after a delay of its own, and holds up no other. What tasks report
is made such that it can be stored: an executor may be somebody else's, and tasks run code of users.
"""

from __future__ import annotations

import errno
import logging
import math
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any, get_args

from sqlalchemy.exc import OperationalError

from modelarts_emulator.engine.events import clean_text
from modelarts_emulator.engine.lifecycle import restarts_hung_tasks
from modelarts_emulator.engine.runs import Run
from modelarts_emulator.execution.protocol import Executor, FailureKind, TaskEvent, TaskReport, TaskState, task_names
from modelarts_emulator.storage.errors import DISK_FULL, EXHAUSTED, StoreError

__all__ = ["ExecutorPoller", "Polled", "Retries", "clean_reports"]

log = logging.getLogger(__name__)

FIRST_DELAY_S = 0.1
LONGEST_DELAY_S = 5.0
GIVE_UP_S = 60.0
# No job is to blame for these: they end when the machine has room again.
OF_MACHINE = {*DISK_FULL, *EXHAUSTED, errno.EROFS}

MIN_TIME_S = 1.0  # 0 milliseconds stand for "not yet" in the tables
MAX_TIME_S = 253_402_300_799.0  # 9999-12-31, the last day that the service's responses can name
MAX_EXIT_CODE = 2**31 - 1
STATES, FAILURES = get_args(TaskState), (None, *get_args(FailureKind))
SOURCES, LEVELS = ("K8S", "Task"), ("Info", "Warning", "Error")


@dataclass(slots=True)
class Polled:
    """By run id, what the tasks report, and the errors of runs that are to be given up; the runs asked to end."""

    reports: dict[str, list[TaskReport]] = field(default_factory=dict)
    given_up: dict[str, Exception] = field(default_factory=dict)
    cancelled: set[str] = field(default_factory=set)


class ExecutorPoller:
    """Submits, polls, cancels and deletes runs.

    `environments` gives the variables that the platform sets for the runs of a project; `timer` is in seconds and never
    goes back.
    """

    def __init__(
        self,
        executor: Executor,
        environments: Callable[[str], Mapping[str, str]],
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._executor = executor
        self._environments = environments
        self._polls, self._cancels, self._deletions = Retries(timer), Retries(timer), Retries(timer)

    def changed_runs(self) -> set[str] | None:
        """The runs that may report something new, or that are to be retried; None if every run may."""
        found = self._executor.changed_jobs()
        return None if found is None else {*found, *self._polls.jobs, *self._cancels.jobs}

    def rejected(self, failures: Mapping[str, Exception]) -> None:
        """The last reports of these runs led to these errors."""
        for run_id, error in failures.items():
            log.error("job %s: what its tasks report cannot be taken over: %s", run_id, clean_text(error))
            self._polls.failed(run_id, error)

    def poll(self, launched: Collection[Run]) -> Polled:
        """Ask the tasks of runs that are to end, once, to end; then read what all report."""
        polled = Polled()
        for run in launched:
            if _is_to_end(run) and self._cancels.is_due(run.id) and self._cancel(run.id):
                polled.cancelled.add(run.id)
        due = [run for run in launched if self._polls.is_due(run.id)]
        found = self._poll([run.id for run in due if self._polls.exhausted(run.id) is None])
        for run in due:
            if (cause := self._polls.exhausted(run.id)) is not None:
                log.error("job %s is given up, because its state cannot be read: %s", run.id, clean_text(cause))
                polled.given_up[run.id] = cause
                continue
            try:
                polled.reports[run.id] = clean_reports(found.get(run.id, []), task_names(run.node_count))
                self._polls.succeeded(run.id)
            except Exception as error:
                log.error("job %s: its state cannot be read and will be read again: %s", run.id, clean_text(error))
                self._polls.failed(run.id, error)
        return polled

    def _poll(self, run_ids: Sequence[str]) -> Mapping[str, Any]:
        """What the executor reports of all these runs, or why it cannot, by run."""
        if not run_ids:
            return {}
        try:
            errors = self._executor.advance(run_ids)
            return {**self._executor.poll(run_ids), **errors}
        except Exception as error:  # an executor by somebody else: it holds up its own runs only
            return dict.fromkeys(run_ids, error)

    def submit(self, runs: Sequence[Run]) -> dict[str, Exception]:
        """Start the runs' present attempts; what went wrong, by run, of which no task runs on."""
        failures: dict[str, Exception] = {}
        for run in runs:
            try:
                self._executor.submit(run.job_spec(self._environments(run.project_id)))
            except Exception as error:
                log.error("job %s cannot be started: %s", run.id, clean_text(error))
                failures[run.id] = error
                self._cancel(run.id)
        return failures

    def cancel(self, run_ids: Iterable[str]) -> None:
        """Ask the tasks of these runs to end."""
        for run_id in run_ids:
            self._cancel(run_id)

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

    def delete(self, run_ids: Collection[str], at_once: bool = False) -> dict[str, Exception | None]:
        """End the processes and free the files of removed runs; of those that were tried, the error or None.

        Those that failed before wait for their turn unless all are to be tried `at_once`.
        """
        due = [run_id for run_id in run_ids if at_once or self._deletions.is_due(run_id)]
        if not due:
            return {}
        try:
            errors = self._executor.delete(due)
        except Exception as error:  # an executor by somebody else: it holds up its own runs only
            errors = dict.fromkeys(due, error)
        self.ended(due)
        for run_id in due:
            if (failure := errors.get(run_id)) is not None:
                log.error("removed job %s: its files cannot be removed yet: %s", run_id, clean_text(failure))
                self._deletions.failed(run_id, failure)
            else:
                self._deletions.succeeded(run_id)
        return {run_id: errors.get(run_id) for run_id in due}

    def ended(self, run_ids: Iterable[str]) -> None:
        """The runs have ended or were removed: nothing of them is retried but their removal."""
        for run_id in run_ids:
            self._polls.succeeded(run_id)
            self._cancels.succeeded(run_id)


def _is_to_end(run: Run) -> bool:
    is_wanted = run.phase == "Terminating" or (bool(run.hung_task) and restarts_hung_tasks(run))
    return is_wanted and not run.cancelled


@dataclass(slots=True)
class _Failure:
    """`since` is the time of the first error that is not the machine's, None before that."""

    error: Exception
    since: float | None
    delay: float
    next_try: float


class Retries:
    """Retries of what failed, by job: ever less often, and for a minute; `timer` is in seconds and never goes back."""

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
        if failure.since is None and not _is_of_machine(error):
            failure.since = now
        failure.error = error
        failure.delay = min(2 * failure.delay, LONGEST_DELAY_S)
        failure.next_try = now + failure.delay

    def exhausted(self, job_id: str) -> Exception | None:
        """The last error of a job that failed for so long that it is to be given up; None for any other."""
        failure = self._failures.get(job_id)
        if failure is None or failure.since is None or _is_of_machine(failure.error):
            return None
        return None if self._timer() < failure.since + GIVE_UP_S else failure.error

    def succeeded(self, job_id: str) -> None:
        """Forget the job's failures."""
        self._failures.pop(job_id, None)


def _is_of_machine(error: Exception) -> bool:
    """Whether the machine, the database or the object store is at fault rather than a job: disk full, locked, ..."""
    if isinstance(error, StoreError):
        return error.status == HTTPStatus.SERVICE_UNAVAILABLE
    return isinstance(error, OperationalError) or (isinstance(error, OSError) and error.errno in OF_MACHINE)


def clean_reports(reports: Any, tasks: Sequence[str]) -> list[TaskReport]:
    """The reports with texts, times and numbers that every database holds.

    Values out of range become the nearest that is possible. Raises the error that it is given instead of reports, and
    ValueError for anything but a list of reports of these tasks, at most one of each.
    """
    if isinstance(reports, Exception):
        raise reports
    if not isinstance(reports, list | tuple) or not all(isinstance(report, TaskReport) for report in reports):
        raise ValueError(f"the executor reported {_shown(reports)} instead of a list of task reports")
    names = [_one_of("task", report.task, tasks) for report in reports]
    if len(set(names)) < len(names):
        raise ValueError(f"the executor reported one of {', '.join(names)} twice")
    return [_clean_report(report) for report in reports]


def _clean_report(report: TaskReport) -> TaskReport:
    _one_of("state", report.state, STATES)
    _one_of("failure", report.failure, FAILURES)
    if not isinstance(report.attempt, int):
        raise ValueError(f"{report.task} reports the attempt {_shown(report.attempt)}, which is not a number")
    code: Any = report.exit_code
    is_code = isinstance(code, int) and not isinstance(code, bool)  # otherwise the task has not ended well
    return replace(
        report,
        started_at=_clean_time(report.started_at),
        ended_at=_clean_time(report.ended_at),
        exit_code=min(max(code, -MAX_EXIT_CODE), MAX_EXIT_CODE) if is_code else None,
        message=None if report.message is None else clean_text(report.message),
        events=tuple(map(_clean_event, report.events)),
    )


def _clean_event(event: Any) -> TaskEvent:
    if not isinstance(event, TaskEvent):
        raise ValueError(f"a task reported {_shown(event)} instead of an event")
    _one_of("source of an event", event.source, SOURCES)
    _one_of("level of an event", event.level, LEVELS)
    return replace(event, time=_clean_time(event.time) or MIN_TIME_S, message=clean_text(event.message))


def _clean_time(seconds: Any) -> float | None:
    if seconds is None:
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or math.isnan(seconds):
        return MIN_TIME_S
    return min(max(seconds, MIN_TIME_S), MAX_TIME_S)


def _one_of(what: str, value: Any, known: Sequence[Any]) -> Any:
    if not any(type(value) is type(item) and value == item for item in known):
        raise ValueError(f"a task reports the {what} {_shown(value)}: known are {', '.join(map(str, known))}")
    return value


def _shown(value: Any) -> str:
    return clean_text(repr(value))[:200]
