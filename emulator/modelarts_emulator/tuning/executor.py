"""Runs searches: an executor around another one, which runs their trials; other jobs go straight through to it.

A search is the job's worker-0, ..., worker-(n-1) in one; a trial is a job of the other executor under an id of its own.
What is known of both is stored before anything starts, so that after a crash the next executor goes on from there.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from modelarts_emulator.execution.local.records import spec_to_json
from modelarts_emulator.execution.protocol import STOPPED, Disturbance, Executor, JobSpec, Note, TaskReport, task_names
from modelarts_emulator.tuning.plots import Pictures
from modelarts_emulator.tuning.state import Search, State
from modelarts_emulator.tuning.suggestion_client import Advice
from modelarts_emulator.tuning.trial_runner import Conduct

__all__ = ["SearchExecutor"]


class SearchExecutor:
    """Runs jobs with `search` as trials on `inner`; the logs of searches lie below `folder`.

    One that `is_patient` does all that can be done at the present moment before it answers: for a clock that stands.
    """

    def __init__(
        self,
        inner: Executor,
        state: State,
        pictures: Pictures,
        folder: Path,
        clock: Callable[[], float],
        algorithms: Mapping[str, Mapping[str, Any]],
        is_patient: bool = False,
    ) -> None:
        self._inner = inner
        self._state = state
        self._folder = folder
        self._is_patient = is_patient
        self._advice = Advice(is_patient)
        self._conduct = Conduct(inner, state, self._advice, pictures, self._log_path, clock, algorithms)
        self._lock = threading.RLock()
        self._ids = state.ids()

    def start(self, job: JobSpec) -> None:
        """Begin the search, or go on with it in a new attempt: trials that ended by themselves are not repeated."""
        if job.search is None:
            self._inner.start(job)
            return
        with self._lock:
            search = self._state.search(job.job_id)
            if search is None:
                self._state.save(Search(job.job_id, spec_to_json(job), job.attempt))
            elif job.attempt > search.attempt:
                again = replace(search, attempt=job.attempt, ending=None, started_at=None, notes=[], outcome=None)
                cut = [trial for trial in self._state.trials(job.job_id) if trial.is_cut or not trial.is_done]
                self._state.save(again, *(trial.again(job.attempt) for trial in cut))
            self._ids.add(job.job_id)

    def poll(self, job_id: str) -> list[TaskReport]:
        """Report every task; for a search, after doing what is to be done for it now."""
        if job_id not in self._ids:
            return self._inner.poll(job_id)
        with self._lock:
            search = self._state.search(job_id)
            if search is None:
                return []
            hangs = search.outcome is None and self._conduct.advance(search, self._is_patient)
            return _reports(search, hangs)

    def changed_jobs(self) -> Collection[str] | None:
        """The jobs that may report something new: what the inner executor says of others, and all searches."""
        ask: Callable[[], Collection[str] | None] | None = getattr(self._inner, "changed_jobs", None)
        changed = ask() if ask is not None else None
        return None if changed is None else {*changed, *self._ids}

    def stop(self, job_id: str) -> None:
        """Ask every task to end."""
        if job_id not in self._ids:
            self._inner.stop(job_id)
            return
        with self._lock:
            if (search := self._state.search(job_id)) is not None and search.ending is None:
                self._state.save(replace(search, ending={"exit_code": STOPPED, "message": "stopped"}))

    def disturb(self, job_id: str, task: str, disturbance: Disturbance) -> bool:
        """Let this befall the task of every trial that runs; False if none does."""
        if job_id not in self._ids:
            return self._inner.disturb(job_id, task, disturbance)
        self._log_path(job_id, task)
        running = [trial.run_id for trial in self._state.trials(job_id) if not trial.is_done]
        befell = [self._inner.disturb(run_id, task, disturbance) for run_id in running]
        return any(befell)

    def remove(self, job_id: str) -> None:
        """Make everything of the job disappear."""
        if job_id not in self._ids:
            self._inner.remove(job_id)
            return
        with self._lock:
            for trial in self._state.trials(job_id):
                self._inner.remove(trial.run_id)
            self._conduct.forget(job_id)
            shutil.rmtree(self._folder / job_id, ignore_errors=True)
            self._state.remove(job_id)
            self._ids.discard(job_id)

    def log_path(self, job_id: str, task: str) -> Path:
        """Where the task's log is or will be; raises KeyError for a task that the job cannot have."""
        return self._log_path(job_id, task) if job_id in self._ids else self._inner.log_path(job_id, task)

    def metrics(self, job_id: str, task: str) -> dict[str, list[float]] | None:
        """The values of the job, or of a search's trials one after another."""
        if job_id not in self._ids:
            return self._inner.metrics(job_id, task)
        self._log_path(job_id, task)
        joint: dict[str, list[float]] = {}
        for trial in self._state.trials(job_id):
            try:
                of_trial = self._inner.metrics(trial.run_id, task) or {}
            except KeyError:  # it has not started yet
                continue
            for name, values in of_trial.items():
                joint.setdefault(name, []).extend(values)
        return joint or None

    def close(self) -> None:
        """Let go of the advisor; trials that run go on."""
        self._advice.close()

    def _log_path(self, job_id: str, task: str) -> Path:
        search = self._state.search(job_id)
        if search is None or task not in task_names(search.spec["node_count"]):
            raise KeyError(f"{job_id}/{task}")
        return self._folder / job_id / f"{task}.log"


def _reports(search: Search, hangs: bool) -> list[TaskReport]:
    """The search as its tasks: they share its fate."""
    common: dict[str, Any] = {"attempt": search.attempt, "started_at": search.started_at}
    if search.outcome is not None:
        common |= {"state": "ended", **search.outcome}
    else:
        common |= {"state": "preparing" if search.started_at is None else "running"}
        if hangs:
            common["disturbance"] = "hung"
    return [
        TaskReport(task, **common, notes=tuple(Note(time, f"[{task}] {text}") for time, text in search.notes))
        for task in task_names(search.spec["node_count"])
    ]
