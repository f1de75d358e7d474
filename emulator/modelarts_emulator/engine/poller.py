"""What the engine asks of the executor, for many runs at a time.

What fails for one run is retried for this run alone, after a delay of its own, and holds up no other.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from modelarts_emulator.engine.reports import clean_reports, clean_text
from modelarts_emulator.engine.restart_policy import restarts_hung_tasks
from modelarts_emulator.engine.retries import Retries
from modelarts_emulator.engine.runs import Run
from modelarts_emulator.execution.protocol import Executor, TaskReport, task_names

__all__ = ["ExecutorPoller", "Polled"]

log = logging.getLogger(__name__)


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

    def forget(self) -> None:
        """Another process may have worked with the executor meanwhile."""
        self._executor.forget()

    def changed_runs(self) -> set[str] | None:
        """The runs that may report something new, or that are to be retried; None if every run may."""
        found = self._executor.changed_jobs()
        return None if found is None else {*found, *self._polls.jobs, *self._cancels.jobs}

    def rejected(self, run_id: str, error: Exception) -> None:
        """The run's last reports led to this error."""
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
                polled.reports[run.id] = _read(run, found.get(run.id, []))
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
        """Ask the tasks of runs that have been given up to end."""
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
        for run_id in due:
            self.ended(run_id)
            if (failure := errors.get(run_id)) is not None:
                log.error("removed job %s: its files cannot be removed yet: %s", run_id, clean_text(failure))
                self._deletions.failed(run_id, failure)
            else:
                self._deletions.succeeded(run_id)
        return {run_id: errors.get(run_id) for run_id in due}

    def ended(self, run_id: str) -> None:
        """The run has ended or was removed: nothing of it is retried but its removal."""
        self._polls.succeeded(run_id)
        self._cancels.succeeded(run_id)


def _is_to_end(run: Run) -> bool:
    is_wanted = run.phase == "Terminating" or (bool(run.hung_task) and restarts_hung_tasks(run))
    return is_wanted and not run.cancelled


def _read(run: Run, found: Any) -> list[TaskReport]:
    if isinstance(found, Exception):
        raise found
    return clean_reports(found, task_names(run.node_count))
