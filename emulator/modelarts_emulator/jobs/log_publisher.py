"""Publication of tasks' logs as objects; what fails is retried and never concerns the state of a job."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from modelarts_emulator.execution.protocol import Executor, TaskReport, read_log
from modelarts_emulator.jobs.log_archive import Archive
from modelarts_emulator.jobs.reports import clean_text
from modelarts_emulator.jobs.retries import Retries, is_transient
from modelarts_emulator.jobs.runs import Run

__all__ = ["LogPublisher"]

log = logging.getLogger(__name__)

_STORE = ""  # what the store itself is retried under, beside the ids of jobs


@dataclass(slots=True)
class _Publication:
    """A log that is not known to be an object yet."""

    project_id: str
    has_task_ended: bool
    has_job_ended: bool = False


class LogPublisher:
    """Publishes logs, and removes those of removed jobs; `timer` is in seconds and never goes back.

    While the store cannot be written, one job at a time tries whether it can again: every try may wait for the store.
    """

    def __init__(self, executor: Executor, archive: Archive, timer: Callable[[], float] = time.monotonic) -> None:
        self._executor = executor
        self._archive = archive
        self._retries = Retries(timer)
        self._pending: dict[tuple[str, str], _Publication] = {}
        self._published: set[tuple[str, str]] = set()

    @property
    def has_pending(self) -> bool:
        """Whether a log remains to be published."""
        return bool(self._pending)

    def add(self, job: Run, reports: Sequence[TaskReport]) -> None:
        """Let `publish` publish the tasks' logs, if there are logs and they are no objects yet."""
        for report in reports:
            if (key := (job.id, report.task)) not in self._published:
                self._pending[key] = _Publication(job.project_id, report.state == "ended")

    def publish(self) -> None:
        """Publish what can be published; errors are logged, and what failed is retried by a later call."""
        for (job_id, task), publication in list(self._pending.items()):
            if not self._retries.is_due(_STORE):
                return
            if self._retries.is_due(job_id):
                try:
                    self._publish(job_id, task, publication)
                except Exception as error:
                    if job_id not in self._retries.jobs:
                        log.error("job %s: a log is not published yet: %s", job_id, clean_text(error))
                    self._failed(job_id, error)

    def _publish(self, job_id: str, task: str, publication: _Publication) -> None:
        """Publish one log; one that is not there yet is added again by the next report of its task."""
        try:
            path = self._executor.log_file(job_id, task)
        except KeyError:  # removed meanwhile
            del self._pending[job_id, task]
            return
        if path is not None:
            self._archive.publish(publication.project_id, job_id, task, path, publication.has_task_ended)
        elif publication.has_task_ended and (text := read_log(self._executor, job_id, task)):
            self._archive.publish_copy(publication.project_id, job_id, task, iter([text]))
        if self._archive.is_published(publication.project_id, job_id, task):
            self._retries.succeeded(_STORE)
            if not publication.has_job_ended:
                self._published.add((job_id, task))
        del self._pending[job_id, task]
        self._retries.succeeded(job_id)

    def _failed(self, job_id: str, error: Exception) -> None:
        self._retries.failed(job_id, error)
        if is_transient(error):
            self._retries.failed(_STORE, error)

    def ended(self, job_id: str) -> None:
        """The job's tasks report nothing more; logs that could not be published yet still will be."""
        self._published = {key for key in self._published if key[0] != job_id}
        for key, publication in self._pending.items():
            if key[0] == job_id:
                publication.has_task_ended = publication.has_job_ended = True

    def remove(self, project_id: str, job_id: str) -> None:
        """Remove the objects of a removed job's logs; raises StoreError or OSError if that is to be retried."""
        self.forget(job_id)
        if (cause := self._retries.waiting(_STORE)) is not None:
            raise cause
        try:
            self._archive.remove(project_id, job_id)
        except Exception as error:
            if is_transient(error):
                self._retries.failed(_STORE, error)
            raise
        self._retries.succeeded(_STORE)

    def forget(self, job_id: str) -> None:
        """The job was removed: publish nothing of it any more."""
        self._pending = {key: publication for key, publication in self._pending.items() if key[0] != job_id}
        self._published = {key for key in self._published if key[0] != job_id}
        self._retries.succeeded(job_id)
