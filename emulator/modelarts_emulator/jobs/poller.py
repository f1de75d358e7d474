"""What the supervisor asks of the executor and of the store, for many runs at a time.

What fails for one run is retried for this run alone, after a delay of its own, and holds up no other.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from modelarts_emulator.execution.protocol import Executor, TaskReport, for_each, task_names
from modelarts_emulator.jobs.log_archive import Archive
from modelarts_emulator.jobs.log_publisher import LogPublisher
from modelarts_emulator.jobs.reports import clean_reports, clean_text
from modelarts_emulator.jobs.retries import Retries
from modelarts_emulator.jobs.runs import Run

__all__ = ["ExecutorPoller", "Polled"]

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Polled:
    """By run id, the reports that are new, and the errors of runs that are to be given up."""

    reports: dict[str, list[TaskReport]] = field(default_factory=dict)
    given_up: dict[str, Exception] = field(default_factory=dict)


class ExecutorPoller:
    """Submits, polls, cancels and deletes runs.

    `environments` gives the variables that the platform sets for the runs of a project; `timer` is in seconds and never
    goes back.
    """

    def __init__(
        self,
        executor: Executor,
        archive: Archive,
        environments: Callable[[str], Mapping[str, str]],
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._executor = executor
        self._logs = LogPublisher(executor, archive, timer)
        self._environments = environments
        self._polls, self._cancels = Retries(timer), Retries(timer)
        self._deletions, self._log_deletions = Retries(timer), Retries(timer)
        self._known: dict[str, tuple[int, Any]] = {}  # of each run, its version and its reports when it was polled last
        self._cancelled: dict[str, int] = {}  # the attempt

    def forget_reports(self) -> None:
        """Take whatever the tasks report for new."""
        self._known.clear()

    def rejected(self, run_id: str, error: Exception) -> None:
        """The run's last reports led to this error."""
        log.error("job %s: what its tasks report cannot be taken over: %s", run_id, clean_text(error))
        self._known.pop(run_id, None)
        self._polls.failed(run_id, error)

    def ended(self, run_id: str) -> None:
        """The run is not polled any more."""
        self._forget(run_id)
        self._logs.ended(run_id)

    @property
    def has_unpublished_logs(self) -> bool:
        """Whether logs remain to be published, perhaps of runs that have ended."""
        return self._logs.has_pending

    def resume_logs(self, logs: Iterable[Any]) -> None:
        """Publish these logs of runs that ended before this process began."""
        for row in logs:
            self._logs.resume(row.project_id, row.run_id, task_names(row.node_count))

    def take_published(self) -> list[str]:
        """The ended runs whose logs have been published since this was called last."""
        return self._logs.take_finished()

    @property
    def failed_log_deletions(self) -> int:
        """How many logs could not be deleted when that was tried last."""
        return len(self._log_deletions.jobs)

    def delete_logs(self, logs: Iterable[Any]) -> list[str]:
        """Delete these logs of ended runs, and the objects that they are; the runs of those that are gone."""
        due = {row.run_id: row for row in logs if self._log_deletions.is_due(row.run_id)}
        errors = for_each(due, lambda run_id: self._delete_log(due[run_id]))
        for run_id, error in errors.items():
            log.error("job %s: its old logs cannot be deleted yet: %s", run_id, clean_text(error))
            self._log_deletions.failed(run_id, error)
        done = [run_id for run_id in due if run_id not in errors]
        for run_id in done:
            self._log_deletions.succeeded(run_id)
        return done

    def _delete_log(self, row: Any) -> None:
        self._logs.remove(row.project_id, row.run_id)
        for task in task_names(row.node_count):
            with contextlib.suppress(KeyError):  # the executor does not know the job any more
                self._executor.delete_log(row.run_id, task)

    def changed_runs(self) -> set[str] | None:
        """The runs that may report something new, or that are to be retried; None if every run may."""
        found = self._executor.changed_jobs()
        return None if found is None else {*found, *self._polls.jobs, *self._cancels.jobs}

    def poll(self, launched: Collection[Run], ending: Collection[Run]) -> Polled:
        """Ask the tasks of runs that are to end, once, to end; then read what all report, and publish their logs."""
        polled = Polled()
        if not launched and not self._logs.has_pending:
            return polled
        for run in ending:
            if self._cancelled.get(run.id) != run.attempt and self._cancels.is_due(run.id) and self._cancel(run):
                self._cancelled[run.id] = run.attempt
        due = [run for run in launched if self._polls.is_due(run.id)]
        found = self._poll([run.id for run in due if self._polls.exhausted(run.id) is None])
        for run in due:
            if (cause := self._polls.exhausted(run.id)) is not None:
                log.error("job %s is given up, because its state cannot be read: %s", run.id, clean_text(cause))
                polled.given_up[run.id] = cause
                self._cancel(run)
                continue
            try:
                reports = self._read(run, found.get(run.id, []))
            except Exception as error:
                log.error("job %s: its state cannot be read and will be read again: %s", run.id, clean_text(error))
                self._polls.failed(run.id, error)
                continue
            if reports is not None:
                polled.reports[run.id] = reports
        self._logs.publish()
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

    def _read(self, run: Run, found: Any) -> list[TaskReport] | None:
        """What the run's tasks report; None if that is the same as before, of the same run."""
        if isinstance(found, Exception):
            raise found
        seen = run.version, list(found) if isinstance(found, list | tuple) else found
        if self._known.get(run.id) == seen:
            self._polls.succeeded(run.id)
            self._logs.add(run, found)
            return None
        cleaned = clean_reports(found, task_names(run.node_count))
        self._logs.add(run, found)
        self._known[run.id] = seen
        return cleaned

    def submit(self, runs: Sequence[Run]) -> dict[str, Exception]:
        """Start the runs' present attempts; what went wrong, by run, of which no task runs on."""
        failures: dict[str, Exception] = {}
        for run in runs:
            try:
                self._executor.submit(run.job_spec(self._environments(run.project_id)))
            except Exception as error:
                log.error("job %s cannot be started: %s", run.id, clean_text(error))
                failures[run.id] = error
                self._cancel(run)
        return failures

    def cancel(self, runs: Iterable[Run]) -> None:
        """Ask the tasks of runs that have been given up to end."""
        for run in runs:
            self._cancel(run)

    def _cancel(self, run: Run) -> bool:
        """Ask the run's tasks to end; False if that is to be retried."""
        try:
            self._executor.cancel(run.id)
        except Exception as error:
            log.error("job %s cannot be stopped: %s", run.id, clean_text(error))
            self._cancels.failed(run.id, error)
            return False
        self._cancels.succeeded(run.id)
        return True

    def delete(
        self, removed: Sequence[Any], at_once: bool = False, with_logs: bool = True
    ) -> tuple[list[str], Exception | None]:
        """End the processes and free the files of removed runs; the ids of those done, and the last error.

        Those that failed before wait for their turn unless all are to be tried `at_once`.
        """
        for row in removed:
            self._forget(row.run_id)
        due = {row.run_id: row.project_id for row in removed if at_once or self._deletions.is_due(row.run_id)}
        errors = self._delete(due)
        rest = [run_id for run_id in due if run_id not in errors]
        if with_logs:
            errors |= for_each(rest, lambda run_id: self._logs.remove(due[run_id], run_id))
        else:
            errors |= for_each(rest, self._logs.forget)
        for run_id, error in errors.items():
            log.error("removed job %s: its files cannot be removed yet: %s", run_id, clean_text(error))
            self._deletions.failed(run_id, error)
        done = [run_id for run_id in due if run_id not in errors]
        for run_id in done:
            self._deletions.succeeded(run_id)
        return done, next(reversed(errors.values()), None)

    def delete_unknown(self, run_ids: Collection[str]) -> None:
        """End the processes of runs that were removed before they were submitted; errors are logged."""
        for run_id, error in self._delete(run_ids).items():
            log.error("removed job %s: its files cannot be removed: %s", run_id, clean_text(error))

    def _delete(self, run_ids: Collection[str]) -> dict[str, Exception]:
        """Let the executor delete the runs; the errors by run."""
        if not run_ids:
            return {}
        try:
            return dict(self._executor.delete(list(run_ids)))
        except Exception as error:  # an executor by somebody else: it holds up its own runs only
            return dict.fromkeys(run_ids, error)

    def _forget(self, run_id: str) -> None:
        """The run has ended or was removed: nothing of it is retried but its removal."""
        self._known.pop(run_id, None)
        self._cancelled.pop(run_id, None)
        self._polls.succeeded(run_id)
        self._cancels.succeeded(run_id)
