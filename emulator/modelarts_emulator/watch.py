"""The watch: what the supervisor has threads do with the executor and with logs, for many jobs at a time."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from modelarts_emulator.executors import Executor, TaskReport
from modelarts_emulator.jobs import Job
from modelarts_emulator.logs import Archive
from modelarts_emulator.specification import specify

__all__ = ["Sight", "Watch"]

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Sight:
    """What was found: by job, the reports that are news, and the last thing that went wrong."""

    reports: dict[str, list[TaskReport]] = field(default_factory=dict)
    trouble: Exception | None = None


class Watch:
    """Starts, stops, looks at and removes jobs; trouble with one does not keep the others waiting."""

    def __init__(self, executor: Executor, archive: Archive, environments: Mapping[str, str]) -> None:
        self._executor = executor
        self._archive = archive
        self._environments = environments
        self._heeded: dict[str, list[TaskReport]] = {}
        self._stopped: set[tuple[str, int]] = set()
        self._published: set[tuple[str, str]] = set()

    def heeded(self, job_id: str, reports: Sequence[TaskReport]) -> None:
        """These reports are no news any more."""
        self._heeded[job_id] = list(reports)

    def changed(self, job_id: str) -> None:
        """Whatever the job's tasks report is news again."""
        self._heeded.pop(job_id, None)

    def ended(self, job_id: str, node_count: int, attempt: int) -> None:
        """The job is not looked at any more."""
        self._heeded.pop(job_id, None)
        self._stopped -= {(job_id, number) for number in range(attempt + 1)}
        self._published -= {(job_id, f"worker-{index}") for index in range(node_count)}

    def look(self, launched: Collection[Job], ending: Collection[Job]) -> Sight:
        """Ask the tasks of those that are to end, once, to end; then read what all report, and publish their logs."""
        sight = Sight()
        for job in ending:
            if (job.id, job.attempt) in self._stopped:
                continue
            if (trouble := self._stop(job)) is None:
                self._stopped.add((job.id, job.attempt))
            sight.trouble = trouble or sight.trouble
        for job in launched:
            try:
                reports = self._executor.poll(job.id)
                self._publish(job, reports)
            except Exception as error:
                log.error("job %s: %s", job.id, error)
                sight.trouble = error
                continue
            if reports != self._heeded.get(job.id):
                sight.reports[job.id] = reports
        return sight

    def start(self, jobs: Sequence[Job]) -> dict[str, Exception]:
        """Start the jobs' present attempts; what went wrong, by job, of which no task goes on."""
        failures: dict[str, Exception] = {}
        for job in jobs:
            try:
                self._executor.start(specify(job, self._environments))
            except Exception as error:
                log.error("job %s cannot be started: %s", job.id, error)
                failures[job.id] = error
                self._stop(job)
        return failures

    def _stop(self, job: Job) -> Exception | None:
        """Ask the job's tasks to end; what went wrong."""
        try:
            self._executor.stop(job.id)
        except Exception as error:
            log.error("job %s cannot be stopped: %s", job.id, error)
            return error
        return None

    def remove(self, gone: Sequence[Any]) -> tuple[list[str], Exception | None]:
        """End the processes and free the files of removed jobs; the ids of those done, and the last trouble."""
        done: list[str] = []
        trouble: Exception | None = None
        for row in gone:
            try:
                self._executor.remove(row.job_id)
                self._archive.remove(row.project_id, row.job_id)
                done.append(row.job_id)
            except Exception as error:
                log.error("removed job %s: %s", row.job_id, error)
                trouble = error
        return done, trouble

    def _publish(self, job: Job, reports: Sequence[TaskReport]) -> None:
        """Make the tasks' logs objects, as soon as there are logs."""
        for report in reports:
            if (job.id, report.task) in self._published:
                continue
            path = self._executor.log_path(job.id, report.task)
            self._archive.publish(job.project_id, job.id, report.task, path, report.state == "ended")
            if self._archive.is_published(job.project_id, job.id, report.task):
                self._published.add((job.id, report.task))
