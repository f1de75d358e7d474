"""An executor around another one: it runs searches for hyperparameters, and passes all other jobs on.

A trial of a search is a job of the other executor, under an id of its own. Searches and trials are stored before they
start, so that the next executor continues them after a crash.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from modelarts_emulator.execution.protocol import (
    LOG_CHUNK_BYTES,
    STOPPED,
    Executor,
    FailureKind,
    JobSpec,
    PollResult,
    TaskEvent,
    TaskReport,
    for_each,
    spec_to_json,
    task_names,
)
from modelarts_emulator.storage.protocol import Store
from modelarts_emulator.tuning.state import Search, State
from modelarts_emulator.tuning.suggestions import SuggestionClient
from modelarts_emulator.tuning.trial_runner import TrialRunner, log_path


class SearchExecutor(Executor):
    """Runs jobs with `search` as trials on `inner`; the logs of searches lie below `folder`.

    If `is_blocking`, `advance` does all that can be done now, because the clock may be frozen. If `is_shared`, other
    processes may start and run searches, too. This executor closes `suggestions` unless the caller gives them.
    """

    def __init__(
        self,
        inner: Executor,
        state: State,
        store: Store,
        folder: Path,
        clock: Callable[[], float],
        algorithms: Mapping[str, Mapping[str, Any]],
        is_blocking: bool = False,
        is_shared: bool = False,
        suggestions: SuggestionClient | None = None,
    ) -> None:
        self._inner = inner
        self._state = state
        self._folder = folder
        self._is_blocking = is_blocking
        self._is_shared = is_shared
        self._owns_suggestions = suggestions is None
        self._suggestions = suggestions or SuggestionClient(is_blocking)
        self._runner = TrialRunner(inner, state, self._suggestions, store, folder, clock, algorithms)
        self._lock = threading.RLock()
        self._ids = state.ids()
        self._ended: set[str] = set()
        self._hung: set[str] = set()
        self.owns_queue = inner.owns_queue

    def submit(self, spec: JobSpec) -> str:
        """Begin the search, or continue it in a new attempt: trials that ended by themselves are not repeated."""
        job_id, attempt = spec.job_id, spec.attempt
        if spec.search is None:
            return self._inner.submit(spec)
        with self._lock:
            search = self._state.search(job_id)
            if search is None:
                self._state.save(Search(job_id, spec_to_json(spec), attempt))
            elif attempt > search.attempt:
                again = replace(search, attempt=attempt, ending=None, started_at=None, events=[], outcome=None)
                cut = [trial for trial in self._state.trials(job_id) if trial.is_interrupted or not trial.is_done]
                self._state.save(again, *(trial.restarted(attempt) for trial in cut))
            self._ids.add(job_id)
            self._ended.discard(job_id)
        return job_id

    def advance(self, handles: Collection[str]) -> Mapping[str, Exception]:
        """Do what is due for these jobs. For a search: start trials, and read what they report."""
        others = [handle for handle in handles if handle not in self._ids]
        errors = dict(self._inner.advance(others)) if others else {}
        return errors | for_each([handle for handle in handles if handle in self._ids], self._advance)

    def _advance(self, job_id: str) -> None:
        with self._lock:
            search, is_hung = self._state.search(job_id), False
            if search is not None and search.outcome is None:
                is_hung = self._runner.advance(search, self._is_blocking)
            else:
                self._ended.add(job_id)
            (self._hung.add if is_hung else self._hung.discard)(job_id)

    def poll(self, handles: Collection[str]) -> PollResult:
        """Report every task; a search is reported as it was last stored."""
        others = [handle for handle in handles if handle not in self._ids]
        results = dict(self._inner.poll(others)) if others else {}
        for job_id in handles:
            if job_id in self._ids:
                try:
                    if (search := self._state.search(job_id)) is not None:
                        results[job_id] = _reports(search, job_id in self._hung)
                except Exception as error:
                    results[job_id] = error
        return results

    def changed_jobs(self) -> Collection[str] | None:
        """The jobs that may report something new: what the inner executor says of others, and searches under way."""
        changed = self._inner.changed_jobs()
        return None if changed is None else {*changed, *(self._ids - self._ended)}

    def cancel(self, handle: str) -> None:
        """Ask every task to end."""
        if handle not in self._ids:
            self._inner.cancel(handle)
            return
        with self._lock:
            if (search := self._state.search(handle)) is not None and search.ending is None:
                self._state.save(replace(search, ending={"exit_code": STOPPED, "message": "stopped"}))

    def inject_fault(self, handle: str, task: str, kind: FailureKind) -> bool:
        """Cause this failure of the task of every trial that runs; False if none does."""
        if handle not in self._ids:
            return self._inner.inject_fault(handle, task, kind)
        self._log_path(handle, task)
        running = [trial.run_id for trial in self._state.trials(handle) if not trial.is_done]
        results = [self._inner.inject_fault(run_id, task, kind) for run_id in running]
        return any(results)

    def delete(self, handles: Collection[str]) -> Mapping[str, Exception]:
        """Delete the jobs, and the trials of those that are searches."""
        others = [handle for handle in handles if handle not in self._ids]
        errors = dict(self._inner.delete(others)) if others else {}
        return errors | for_each([handle for handle in handles if handle in self._ids], self._delete)

    def _delete(self, job_id: str) -> None:
        with self._lock:
            for error in self._inner.delete([trial.run_id for trial in self._state.trials(job_id)]).values():
                raise error
            self._runner.forget(job_id)
            shutil.rmtree(self._folder / job_id, ignore_errors=True)
            self._state.remove(job_id)
            self._ids.discard(job_id)
            self._ended.discard(job_id)

    def logs(self, handle: str, task: str, offset: int = 0, max_bytes: int = LOG_CHUNK_BYTES) -> bytes:
        """The task's log, or the merged log of a search's trials, from this byte on; empty at its end."""
        if not self._is_search(handle):
            return self._inner.logs(handle, task, offset, max_bytes)
        return super().logs(handle, task, offset, max_bytes)

    def log_size(self, handle: str, task: str) -> int:
        """The bytes that the log has now."""
        return super().log_size(handle, task) if self._is_search(handle) else self._inner.log_size(handle, task)

    def log_file(self, handle: str, task: str) -> Path | None:
        """The file of a search's merged log, or of the job's log if it has one."""
        return self._log_path(handle, task) if self._is_search(handle) else self._inner.log_file(handle, task)

    def usage(self, handle: str, task: str) -> dict[str, list[float]] | None:
        """The values of the job, or of a search's trials one after another."""
        if not self._is_search(handle):
            return self._inner.usage(handle, task)
        self._log_path(handle, task)
        joint: dict[str, list[float]] = {}
        for trial in self._state.trials(handle):
            try:
                of_trial = self._inner.usage(trial.run_id, task) or {}
            except KeyError:  # it has not started yet
                continue
            for name, values in of_trial.items():
                joint.setdefault(name, []).extend(values)
        return joint or None

    def forget(self) -> None:
        """Read again which jobs are searches, and forget the questions and stops of their trials."""
        with self._lock:
            for job_id in self._ids:
                self._runner.forget(job_id)
            self._hung.clear()
            self._ended.clear()
            self._ids = self._state.ids()
        self._inner.forget()

    def _is_search(self, handle: str) -> bool:
        """Whether the job searches, also if another process has started it."""
        return handle in self._ids or (self._is_shared and self._state.search(handle) is not None)

    def close(self) -> None:
        """Let go of the advisor; trials that run go on."""
        if self._owns_suggestions:
            self._suggestions.close()

    def _log_path(self, job_id: str, task: str) -> Path:
        """Where the log of this task of a search is; raises KeyError if there is no such task."""
        search = self._state.search(job_id)
        if search is None or task not in task_names(search.spec["node_count"]):
            raise KeyError(f"{job_id}/{task}")
        return log_path(self._folder, job_id, task)


def _reports(search: Search, is_hung: bool) -> list[TaskReport]:
    """The reports of a search's tasks, which all are as the search is."""
    common: dict[str, Any] = {"attempt": search.attempt, "started_at": search.started_at}
    if search.outcome is not None:
        common |= {"state": "ended", **search.outcome}
    else:
        common |= {"state": "preparing" if search.started_at is None else "running"}
        if is_hung:
            common["failure"] = "hung"
    return [
        TaskReport(task, **common, events=tuple(TaskEvent(time, f"[{task}] {text}") for time, text in search.events))
        for task in task_names(search.spec["node_count"])
    ]
