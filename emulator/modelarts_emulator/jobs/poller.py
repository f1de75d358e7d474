"""The watch: what the supervisor has threads do with the executor and with logs, for many jobs at a time."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from modelarts_emulator.execution.protocol import Executor, TaskReport, task_names
from modelarts_emulator.jobs.log_archive import Archive
from modelarts_emulator.jobs.log_publisher import LogPublisher
from modelarts_emulator.jobs.reports import clean_reports, clean_text
from modelarts_emulator.jobs.retries import Retries
from modelarts_emulator.jobs.runs import Run

__all__ = ["Sight", "Watch"]

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Sight:
    """What was found: by job, the reports that are news, and the errors of jobs that are to be given up."""

    reports: dict[str, list[TaskReport]] = field(default_factory=dict)
    given_up: dict[str, Exception] = field(default_factory=dict)


class Watch:
    """Starts, stops, looks at and removes jobs.

    What fails for one job is retried for this job alone, after a delay of its own, and holds up no other.
    `environments` gives the variables that the platform sets for the jobs of a project; `timer` is in seconds and
    never goes back.
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
        self._polls, self._stops, self._removals = Retries(timer), Retries(timer), Retries(timer)
        self._polled: dict[str, list[TaskReport]] = {}
        self._heeded: dict[str, list[TaskReport]] = {}
        self._stopped: set[tuple[str, int]] = set()

    def heeded(self, job_id: str) -> None:
        """The job's last reports were taken over: they are no news any more."""
        if job_id in self._polled:
            self._heeded[job_id] = self._polled.pop(job_id)
        self._polls.succeeded(job_id)

    def rejected(self, job_id: str, error: Exception) -> None:
        """The job's last reports could not be taken over."""
        log.error("job %s: what its tasks report cannot be taken over: %s", job_id, clean_text(error))
        self._polls.failed(job_id, error)

    def changed(self, job_id: str) -> None:
        """Whatever the job's tasks report is news again."""
        self._heeded.pop(job_id, None)

    def ended(self, job_id: str, attempt: int) -> None:
        """The job is not looked at any more."""
        self.forget(job_id)
        self._stopped -= {(job_id, number) for number in range(attempt + 1)}
        self._logs.ended(job_id)

    def forget(self, job_id: str) -> None:
        """The job has ended or was removed: nothing of it is retried but its removal."""
        self._polled.pop(job_id, None)
        self._heeded.pop(job_id, None)
        self._polls.succeeded(job_id)
        self._stops.succeeded(job_id)

    @property
    def has_unpublished_logs(self) -> bool:
        """Whether logs remain to be published, perhaps of jobs that have ended."""
        return self._logs.has_pending

    def changed_jobs(self) -> set[str] | None:
        """The jobs that may report something new, or that are to be retried; None if every job may."""
        found = self._executor.changed_jobs()
        return None if found is None else {*found, *self._polls.jobs, *self._stops.jobs}

    def look(self, launched: Collection[Run], ending: Collection[Run]) -> Sight:
        """Ask the tasks of those that are to end, once, to end; then read what all report, and publish their logs."""
        sight = Sight()
        for job in ending:
            if (job.id, job.attempt) not in self._stopped and self._stops.is_due(job.id) and self._stop(job):
                self._stopped.add((job.id, job.attempt))
        due = [job for job in launched if self._polls.is_due(job.id)]
        found = self._poll([job.id for job in due if self._polls.exhausted(job.id) is None])
        for job in due:
            if (cause := self._polls.exhausted(job.id)) is not None:
                log.error("job %s is given up, because its state cannot be read: %s", job.id, clean_text(cause))
                sight.given_up[job.id] = cause
                self._stop(job)
                continue
            try:
                reports = self._read(job, found.get(job.id, []))
            except Exception as error:
                log.error("job %s: its state cannot be read and will be read again: %s", job.id, clean_text(error))
                self._polls.failed(job.id, error)
                continue
            if reports is not None:
                sight.reports[job.id] = reports
        self._logs.publish()
        return sight

    def _poll(self, job_ids: Sequence[str]) -> Mapping[str, Any]:
        """What the executor reports of all these jobs, or why it cannot, by job."""
        if not job_ids:
            return {}
        try:
            errors = self._executor.advance(job_ids)
            return {**self._executor.poll(job_ids), **errors}
        except Exception as error:  # an executor by somebody else: it holds up its own jobs only
            return dict.fromkeys(job_ids, error)

    def _read(self, job: Run, found: Any) -> list[TaskReport] | None:
        """What the job's tasks report, if that is news."""
        if isinstance(found, Exception):
            raise found
        reports = found
        is_news = reports != self._heeded.get(job.id)
        cleaned = clean_reports(reports, task_names(job.node_count)) if is_news else None
        self._logs.add(job, reports)
        if cleaned is None:
            self._polls.succeeded(job.id)
        else:
            self._polled[job.id] = list(reports)
        return cleaned

    def start(self, jobs: Sequence[Run]) -> dict[str, Exception]:
        """Start the jobs' present attempts; what went wrong, by job, of which no task goes on."""
        failures: dict[str, Exception] = {}
        for job in jobs:
            try:
                self._executor.submit(job.job_spec(self._environments(job.project_id)))
            except Exception as error:
                log.error("job %s cannot be started: %s", job.id, clean_text(error))
                failures[job.id] = error
                self._stop(job)
        return failures

    def stop(self, jobs: Iterable[Run]) -> None:
        """Ask the tasks of jobs that have been given up to end."""
        for job in jobs:
            self._stop(job)

    def _stop(self, job: Run) -> bool:
        """Ask the job's tasks to end; False if that is to be retried."""
        try:
            self._executor.cancel(job.id)
        except Exception as error:
            log.error("job %s cannot be stopped: %s", job.id, clean_text(error))
            self._stops.failed(job.id, error)
            return False
        self._stops.succeeded(job.id)
        return True

    def remove(
        self, gone: Sequence[Any], at_once: bool = False, with_logs: bool = True
    ) -> tuple[list[str], Exception | None]:
        """End the processes and free the files of removed jobs; the ids of those done, and the last error.

        Those that failed before wait for their turn unless all are to be tried `at_once`.
        """
        done: list[str] = []
        trouble: Exception | None = None
        for row in gone:
            if not (at_once or self._removals.is_due(row.run_id)):
                continue
            try:
                self._executor.delete(row.run_id)
                if with_logs:
                    self._logs.remove(row.project_id, row.run_id)
                else:
                    self._logs.forget(row.run_id)
            except Exception as error:
                log.error("removed job %s: its files cannot be removed yet: %s", row.run_id, clean_text(error))
                self._removals.failed(row.run_id, error)
                trouble = error
            else:
                self._removals.succeeded(row.run_id)
                done.append(row.run_id)
        return done, trouble
