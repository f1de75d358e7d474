"""Runs jobs without a process: what their plans say happens on the clock, and is the same every time.

Everything about a job follows from the entries of its journal, a file with a line for each, and from the present
moment; so a new executor on the same folder knows as much as the one before it. In memory are only the jobs that have
not ended; of the others everything is worked out again when somebody asks.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any

from modelarts_emulator.execution.protocol import (
    LOG_CHUNK_BYTES,
    Executor,
    FailureKind,
    JobSpec,
    PollResult,
    TaskReport,
    check_job_id,
    for_each,
    is_job_id,
    task_names,
)
from modelarts_emulator.execution.simulated.plan import Plans, from_annotations, merge, render
from modelarts_emulator.execution.simulated.simulation import Simulation
from modelarts_emulator.storage.files import open_regular, remove_tree

_DEFAULT = {"log": ["{job}: {task} is simulated, attempt {attempt}"]}


class SimulatedExecutor(Executor):
    """The executor without processes; `clock` and `metrics_period` in seconds, files below `jobs_dir`.

    Its methods may be called from any thread.
    """

    def __init__(
        self, jobs_dir: Path, clock: Callable[[], float], metrics_period: float = 60.0, plans: Plans | None = None
    ) -> None:
        self.plans = plans or Plans(jobs_dir / "plans.json")
        self._clock = clock
        self._period = metrics_period
        self._lock = threading.RLock()
        self._jobs: dict[str, Simulation] = {}
        self._due: dict[str, float] = {}  # when the jobs change next
        self._changed: set[str] = set()
        self._journals = jobs_dir / "simulated"
        self._journals.mkdir(mode=0o700, parents=True, exist_ok=True)

    def submit(self, spec: JobSpec) -> str:
        """Begin the attempt, if it is a new one; raises ValueError for a bad id or plan."""
        check_job_id(spec.job_id)
        with self._lock:
            known = self._find(spec.job_id)
            if known is not None and known.entry["attempt"] >= spec.attempt:
                return spec.job_id
            plan = known.entry["plan"] if known is not None else self._plan(spec)
            self._apply(
                known or Simulation(spec.job_id), "started", at=self._clock(), attempt=spec.attempt, plan=plan,
                node_count=spec.node_count, program=spec.boot_file or "its command",
                inputs=[channel.name for channel in spec.inputs], outputs=[channel.name for channel in spec.outputs],
                restored=[channel.name for channel in spec.outputs if channel.prefetch_to_local],
                has_gpus=(spec.service_environments or {}).get("MA_NUM_GPUS", "0") != "0",
            )  # fmt: skip
            return spec.job_id

    def advance(self, handles: Collection[str]) -> Mapping[str, Exception]:
        """Remember these jobs until they have ended; another process may have begun them."""
        with self._lock:
            return for_each(handles, self._remember)

    def _remember(self, job_id: str) -> None:
        if (job := self._find(job_id)) is not None:
            self._advance(job)

    def poll(self, handles: Collection[str]) -> PollResult:
        """Report every task as it is at the present moment."""
        reports: dict[str, list[TaskReport] | Exception] = {}

        def report(job_id: str) -> None:
            if (job := self._find(job_id)) is not None:
                reports[job_id] = job.reports_at(self._clock())

        with self._lock:
            return reports | for_each(handles, report)

    def changed_jobs(self) -> Collection[str]:
        """The jobs that may report something that they did not when this was called last."""
        with self._lock:
            self._advance_due()
            changed, self._changed = self._changed, set()
            return changed

    def cancel(self, handle: str) -> None:
        """Ask every task to end; each takes as long as its plan says."""
        with self._lock:
            if (job := self._find(handle)) is not None:
                self._apply(job, "stopped", at=self._clock(), task="")

    def inject_fault(self, handle: str, task: str, kind: FailureKind) -> bool:
        """Cause this failure of the task; False if it has ended."""
        with self._lock:
            job = self._task(handle, task)
            if any(report.task == task and report.state == "ended" for report in job.reports_at(self._clock())):
                return False
            self._apply(job, kind, at=self._clock(), task=task)
        return True

    def delete(self, handles: Collection[str]) -> Mapping[str, Exception]:
        """Forget the jobs."""
        return for_each(handles, self._delete)

    def _delete(self, job_id: str) -> None:
        with self._lock:
            self._changed.discard(job_id)
            self._due.pop(job_id, None)
            self._jobs.pop(job_id, None)
            if is_job_id(job_id):
                remove_tree(self._journal(job_id))

    def logs(self, handle: str, task: str, offset: int = 0, max_bytes: int = LOG_CHUNK_BYTES) -> bytes:
        """The lines whose time has come, from this byte on."""
        with self._lock:
            return self._task(handle, task).log(task, self._clock())[offset : offset + max_bytes]

    def log_size(self, handle: str, task: str) -> int:
        """The bytes that the log has now."""
        with self._lock:
            return len(self._task(handle, task).log(task, self._clock()))

    def usage(self, handle: str, task: str) -> dict[str, list[float]] | None:
        """One value per period and metric, oldest first; None before the first."""
        with self._lock:
            return self._task(handle, task).metrics(task, self._clock(), self._period)

    def next_change(self) -> float | None:
        """The next moment at which a task reports something new, or prints a line; None if nothing is to come."""
        with self._lock:
            self._advance_due()
            return min(self._due.values(), default=None)

    def _plan(self, job: JobSpec) -> dict[str, Any]:
        plan = merge([_DEFAULT, *self.plans.of(job.name), from_annotations(job.annotations or {})])
        return _rendered(plan, {**dict(job.parameters), "job": job.name})

    def _find(self, job_id: str) -> Simulation | None:
        """The job, read from its journal unless it is remembered; None if it is unknown here.

        Entries of a damaged journal that cannot be read count as missing.
        """
        if (job := self._jobs.get(job_id)) is not None:
            return job
        job = Simulation(job_id)
        for line in self._lines(job_id) if is_job_id(job_id) else ():
            with suppress(LookupError, ValueError):
                job.apply_entry(json.loads(line))
        return job if job.has_begun else None

    def _lines(self, job_id: str) -> list[bytes]:
        with suppress(FileNotFoundError), open_regular(self._journal(job_id)) as journal:
            return journal.read().split(b"\n")
        return []

    def _journal(self, job_id: str) -> Path:
        return self._journals / f"{job_id}.jsonl"

    def _advance_due(self) -> None:
        """Bring the jobs whose moment has come to the present."""
        now = self._clock()
        for job_id in [job_id for job_id, moment in self._due.items() if moment <= now]:
            del self._due[job_id]
            self._changed.add(job_id)
            if (job := self._jobs.get(job_id)) is not None:
                self._advance(job)

    def _apply(self, job: Simulation, kind: str, **members: Any) -> None:
        """Add an entry to the job's journal, and let the job do what it says."""
        entry = {"kind": kind, **members}
        line = f"\n{json.dumps(entry)}\n"  # on a line of its own, also after one that a crash left incomplete
        with self._journal(job.id).open("ab", buffering=0) as journal:
            journal.write(line.encode())
        job.apply_entry(entry)
        self._changed.add(job.id)
        self._advance(job)

    def _advance(self, job: Simulation) -> None:
        """Remember the job for as long as something may happen to it."""
        now = self._clock()
        moment = job.next_change(now)
        if moment == inf:
            self._due.pop(job.id, None)
        else:
            self._due[job.id] = moment
        if job.has_ended(now):
            self._jobs.pop(job.id, None)
        else:
            self._jobs[job.id] = job

    def _task(self, job_id: str, task: str) -> Simulation:
        job = self._find(job_id)
        if job is None or task not in task_names(job.entry["node_count"]):
            raise KeyError(f"{job_id}/{task}")
        return job


def _rendered(plan: dict[str, Any], values: Mapping[str, str]) -> dict[str, Any]:
    """The plan with the job's hyperparameters in its log lines."""
    members = {name: value for name, value in plan.items() if name != "tasks"}
    if "log" in members:
        texts = members["log"]
        members["log"] = [render(text, values) for text in (texts.split("\n") if isinstance(texts, str) else texts)]
    tasks = {task: _rendered(part, values) for task, part in plan.get("tasks", {}).items()}
    return {**members, "tasks": tasks} if tasks else members
