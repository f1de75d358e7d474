"""Runs jobs without a process: what their plans say happens on the clock, and is the same every time.

Everything about a job follows from what it was told and when (its journal), and from the present moment;
so a new executor on the same folder knows as much as the one before it.
"""

from __future__ import annotations

import math
import re
import shutil
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from . import Disturbance, JobSpec, TaskReport, task_names
from .course import Incident
from .journal import Journal
from .plan import PREFIX, from_annotations, merge, render
from .plans import Plans
from .simulation import Simulation

__all__ = ["SimulatedExecutor"]

_JOB_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")
_DEFAULT = {"log": ["{job}: {task} is simulated, attempt {attempt}"]}


class SimulatedExecutor:
    """The executor without processes; `clock` and `metrics_period` in seconds, files below `jobs_dir`.

    Its methods may be called from any thread.
    """

    def __init__(
        self, jobs_dir: Path, clock: Callable[[], float], metrics_period: float = 60.0, plans: Plans | None = None
    ) -> None:
        self._jobs_dir = jobs_dir.absolute()
        self.plans = plans or Plans(self._jobs_dir / "plans.json")
        self._clock = clock
        self._period = metrics_period
        self._lock = threading.RLock()
        self._jobs: dict[str, Simulation] = {}
        self._changing: dict[str, Simulation] = {}
        self._journal = Journal(self._jobs_dir / "simulated.jsonl")
        for entry in self._journal.read():
            self._take(entry)
        for job in self._jobs.values():
            job.resume()
            self._schedule(job)

    def start(self, job: JobSpec) -> None:
        """Begin the attempt, if it is a new one; raises ValueError for an id that is no name, and for a wrong plan."""
        if not _JOB_ID.fullmatch(job.job_id):
            raise ValueError(f"{job.job_id!r} cannot be a job's id: use letters, digits, '-' and '_'")
        with self._lock:
            known = self._jobs.get(job.job_id)
            if known is not None and known.attempt >= job.attempt:
                return
            plan = known.plan if known is not None else self._plan(job)
            entry = self._journal.append(
                job.job_id, "started", at=self._clock(), attempt=job.attempt, plan=plan, node_count=job.node_count,
                program=job.boot_file or "its command", inputs=[channel.name for channel in job.inputs],
                outputs=[channel.name for channel in job.outputs],
                has_gpus=(job.service_environments or {}).get("MA_NUM_GPUS", "0") != "0",
            )  # fmt: skip
            self._catch_up(job.job_id)
            self._take(entry)
            self._schedule(self._jobs[job.job_id])

    def poll(self, job_id: str) -> list[TaskReport]:
        """Report every task, in order; an empty list if the job is unknown here."""
        with self._lock:
            job = self._jobs.get(job_id)
            if job is None:
                return []
            if job.next_change <= self._clock():
                self._catch_up(job_id)
            return list(job.reports)

    def stop(self, job_id: str) -> None:
        """Ask every task to end; each takes as long as its plan says."""
        self._suffer(job_id, "stopped", "")

    def disturb(self, job_id: str, task: str, disturbance: Disturbance) -> bool:
        """Let this befall a task; False if it has ended. Raises KeyError as `log_path`."""
        with self._lock:
            self._task(job_id, task)
            self._catch_up(job_id)
            if any(report.task == task and report.state == "ended" for report in self._jobs[job_id].reports):
                return False
            self._suffer(job_id, disturbance, task)
        return True

    def remove(self, job_id: str) -> None:
        """Make everything of the job disappear."""
        with self._lock:
            self._changing.pop(job_id, None)
            if self._jobs.pop(job_id, None) is not None:
                self._journal.append(job_id, "removed")
                shutil.rmtree(self._jobs_dir / job_id, ignore_errors=True)

    def log_path(self, job_id: str, task: str) -> Path:
        """A file with the lines whose time has come; raises KeyError for a task that the job cannot have."""
        with self._lock:
            self._task(job_id, task)
            self._catch_up(job_id)
            return self._jobs[job_id].log_path(task)

    def metrics(self, job_id: str, task: str) -> dict[str, list[float]] | None:
        """One value per period and metric, oldest first; None until there is a first. Raises KeyError as `log_path`."""
        with self._lock:
            self._task(job_id, task)
            return self._jobs[job_id].metrics(task, self._clock(), self._period)

    def next_change(self) -> float | None:
        """The next moment at which a task reports something new, or writes a line; None if nothing is to come."""
        with self._lock:
            for job in list(self._changing.values()):
                self._catch_up(job.id)
            return min((job.next_change for job in self._changing.values()), default=None)

    def close(self) -> None:
        """Let go of the journal; the jobs go on in the next executor on this folder."""
        self._journal.close()

    def _plan(self, job: JobSpec) -> dict[str, Any]:
        annotations = {name: text for name, text in (job.annotations or {}).items() if name.startswith(PREFIX)}
        plan = merge([_DEFAULT, *self.plans.of(job.name), from_annotations(annotations, job.node_count)])
        return _rendered(plan, {**dict(job.parameters), "job": job.name})

    def _suffer(self, job_id: str, kind: str, task: str) -> None:
        with self._lock:
            if job_id in self._jobs:
                self._catch_up(job_id)
                self._take(self._journal.append(job_id, kind, at=self._clock(), task=task))
                self._schedule(self._jobs[job_id])

    def _take(self, entry: Mapping[str, Any]) -> None:
        """Heed an entry of the journal."""
        if entry["kind"] == "started":
            job = self._jobs.get(entry["job"])
            if job is None:
                job = self._jobs[entry["job"]] = Simulation(entry["job"], self._jobs_dir / entry["job"])
            job.start(entry)
        else:
            self._jobs[entry["job"]].suffer(Incident(entry["at"], entry["kind"], entry["task"]))

    def _catch_up(self, job_id: str) -> None:
        job = self._jobs.get(job_id)
        if job is not None and job.next_change <= self._clock():
            self._schedule(job)

    def _schedule(self, job: Simulation) -> None:
        job.reach(self._clock())
        if job.next_change < math.inf:
            self._changing[job.id] = job
        else:
            self._changing.pop(job.id, None)

    def _task(self, job_id: str, task: str) -> None:
        job = self._jobs.get(job_id)
        if job is None or task not in task_names(job.node_count):
            raise KeyError(f"{job_id}/{task}")


def _rendered(plan: dict[str, Any], values: Mapping[str, str]) -> dict[str, Any]:
    """The plan with the job's hyperparameters in its log lines."""
    members = {name: value for name, value in plan.items() if name != "tasks"}
    if "log" in members:
        texts = members["log"]
        members["log"] = [render(text, values) for text in ([texts] if isinstance(texts, str) else texts)]
    tasks = {task: _rendered(part, values) for task, part in plan.get("tasks", {}).items()}
    return {**members, "tasks": tasks} if tasks else members
