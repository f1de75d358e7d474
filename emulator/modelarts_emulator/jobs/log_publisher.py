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
        # By job and task: what concerns one job must not cost more with many others.
        self._pending: dict[str, dict[str, _Publication]] = {}
        self._published: dict[str, set[str]] = {}
        self._finished: list[str] = []

    @property
    def has_pending(self) -> bool:
        """Whether a log remains to be published."""
        return bool(self._pending)

    def add(self, job: Run, reports: Sequence[TaskReport]) -> None:
        """Let `publish` publish the tasks' logs, if there are logs and they are no objects yet."""
        for report in reports:
            if report.task not in self._published.get(job.id, ()):
                publication = _Publication(job.project_id, report.state == "ended")
                self._pending.setdefault(job.id, {})[report.task] = publication

    def resume(self, project_id: str, job_id: str, tasks: Sequence[str]) -> None:
        """Publish the logs of a job that has ended, of which it is not known whether they were published."""
        self._pending[job_id] = {task: _Publication(project_id, True, True) for task in tasks}

    def take_finished(self) -> list[str]:
        """The ended jobs whose logs have become objects, as far as there are logs, since this was called last."""
        finished, self._finished = self._finished, []
        return finished

    def publish(self) -> None:
        """Publish what can be published; errors are logged, and what failed is retried by a later call."""
        pending = [(job_id, *entry) for job_id, of_job in self._pending.items() for entry in of_job.items()]
        for job_id, task, publication in pending:
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
            self._settle(job_id, task)
            return
        if path is not None:
            self._archive.publish(publication.project_id, job_id, task, path, publication.has_task_ended)
        elif publication.has_task_ended and (text := read_log(self._executor, job_id, task)):
            self._archive.publish_copy(publication.project_id, job_id, task, iter([text]))
        if self._archive.is_published(publication.project_id, job_id, task):
            self._retries.succeeded(_STORE)
            if not publication.has_job_ended:
                self._published.setdefault(job_id, set()).add(task)
        self._settle(job_id, task)
        self._retries.succeeded(job_id)

    def _settle(self, job_id: str, task: str) -> None:
        """Nothing remains to be published of the task for now."""
        of_job = self._pending[job_id]
        publication = of_job.pop(task)
        if not of_job:
            del self._pending[job_id]
            if publication.has_job_ended:
                self._finished.append(job_id)

    def _failed(self, job_id: str, error: Exception) -> None:
        self._retries.failed(job_id, error)
        if is_transient(error):
            self._retries.failed(_STORE, error)

    def ended(self, job_id: str) -> None:
        """The job's tasks report nothing more; logs that could not be published yet still will be."""
        self._published.pop(job_id, None)
        if (pending := self._pending.get(job_id)) is None:
            self._finished.append(job_id)
            return
        for publication in pending.values():
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
        self._pending.pop(job_id, None)
        self._published.pop(job_id, None)
        self._retries.succeeded(job_id)
