"""Runs jobs without a process: what their plans say happens on the clock, and is the same every time.

Everything about a job follows from the entries of its journal and from the present moment;
so a new executor on the same folder knows as much as the one before it. In memory are only the jobs that have not
ended; of the others everything is worked out again when somebody asks.
"""

from __future__ import annotations

import heapq
import json
import math
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from modelarts_emulator.execution.protocol import (
    LOG_CHUNK_BYTES,
    Executor,
    FailureKind,
    JobSpec,
    PollResult,
    check_job_id,
    task_names,
)
from modelarts_emulator.execution.simulated.plan import PREFIX, Plans, from_annotations, merge, render
from modelarts_emulator.execution.simulated.simulation import Simulation

__all__ = ["SimulatedExecutor"]

_TABLES = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = OFF;
CREATE TABLE IF NOT EXISTS entries (number INTEGER PRIMARY KEY, job TEXT NOT NULL, entry TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS entries_of_jobs ON entries (job);
"""

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
        self._schedule = Schedule()
        self._changed: set[str] = set()
        self._journal = Journal(jobs_dir / "simulated.db")

    def submit(self, spec: JobSpec) -> str:
        """Begin the attempt, if it is a new one; raises ValueError for a bad id or plan."""
        check_job_id(spec.job_id)
        with self._lock:
            known = self._find(spec.job_id)
            if known is not None and known.attempt >= spec.attempt:
                return spec.job_id
            plan = known.plan if known is not None else self._plan(spec)
            entry = self._journal.append(
                spec.job_id, "started", at=self._clock(), attempt=spec.attempt, plan=plan, node_count=spec.node_count,
                program=spec.boot_file or "its command", inputs=[channel.name for channel in spec.inputs],
                outputs=[channel.name for channel in spec.outputs],
                has_gpus=(spec.service_environments or {}).get("MA_NUM_GPUS", "0") != "0",
            )  # fmt: skip
            self._apply(known or Simulation(spec.job_id), entry)
            return spec.job_id

    def advance(self, handles: Collection[str]) -> Mapping[str, Exception]:
        """Remember these jobs until they have ended; another process may have begun them."""
        with self._lock:
            for job_id in handles:
                if (job := self._find(job_id)) is not None:
                    self._advance(job)
        return {}

    def poll(self, handles: Collection[str]) -> PollResult:
        """Report every task as it is at the present moment."""
        with self._lock:
            jobs = [job for job_id in handles if (job := self._find(job_id)) is not None]
            return {job.id: job.reports_at(self._clock()) for job in jobs}

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
                self._apply(job, self._journal.append(handle, "stopped", at=self._clock(), task=""))

    def inject_fault(self, handle: str, task: str, kind: FailureKind) -> bool:
        """Cause this failure of the task; False if it has ended."""
        with self._lock:
            job = self._task(handle, task)
            if any(report.task == task and report.state == "ended" for report in job.reports_at(self._clock())):
                return False
            self._apply(job, self._journal.append(handle, kind, at=self._clock(), task=task))
        return True

    def delete(self, handles: Collection[str]) -> Mapping[str, Exception]:
        """Forget the jobs."""
        with self._lock:
            for handle in handles:
                self._schedule.discard(handle)
                self._changed.discard(handle)
                self._jobs.pop(handle, None)
            self._journal.remove(handles)
        return {}

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
            return self._schedule.next()

    def close(self) -> None:
        """Let go of the journal; the jobs go on in the next executor on this folder."""
        self._journal.close()

    def _plan(self, job: JobSpec) -> dict[str, Any]:
        annotations = {name: text for name, text in (job.annotations or {}).items() if name.startswith(PREFIX)}
        plan = merge([_DEFAULT, *self.plans.of(job.name), from_annotations(annotations, job.node_count)])
        return _rendered(plan, {**dict(job.parameters), "job": job.name})

    def _find(self, job_id: str) -> Simulation | None:
        """The job, read from its journal unless it is remembered; None if it is unknown here."""
        if (job := self._jobs.get(job_id)) is not None:
            return job
        entries = self._journal.of(job_id)
        if not entries:
            return None
        job = Simulation(job_id)
        for entry in entries:
            job.apply_entry(entry)
        return job

    def _advance_due(self) -> None:
        """Bring the jobs whose moment has come to the present."""
        for job_id in self._schedule.take(self._clock()):
            self._changed.add(job_id)
            if (job := self._find(job_id)) is not None:
                self._advance(job)

    def _apply(self, job: Simulation, entry: Mapping[str, Any]) -> None:
        """Let the job do what the new entry of the journal says."""
        job.apply_entry(entry)
        self._changed.add(job.id)
        self._advance(job)

    def _advance(self, job: Simulation) -> None:
        """Remember the job for as long as something may happen to it."""
        now = self._clock()
        if (moment := job.next_change(now)) < math.inf:
            self._schedule.set(job.id, moment)
        else:
            self._schedule.discard(job.id)
        if job.has_ended(now):
            self._jobs.pop(job.id, None)
        else:
            self._jobs[job.id] = job

    def _task(self, job_id: str, task: str) -> Simulation:
        job = self._find(job_id)
        if job is None or task not in task_names(job.node_count):
            raise KeyError(f"{job_id}/{task}")
        return job


class Journal:
    """What happened to each job, so that a new executor can continue; an SQLite file, for one thread at a time.

    Nothing is synchronised to the disk: a power cut loses only what was simulated in its last seconds.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._database: sqlite3.Connection | None = None

    def of(self, job_id: str) -> list[dict[str, Any]]:
        """The job's entries, oldest first."""
        query = "SELECT entry FROM entries WHERE job = ? ORDER BY number"
        return [json.loads(entry) for (entry,) in self._open().execute(query, (job_id,))]

    def append(self, job_id: str, kind: str, **members: Any) -> dict[str, Any]:
        """Store an entry, and return it."""
        entry = {"job": job_id, "kind": kind, **members}
        self._open().execute("INSERT INTO entries (job, entry) VALUES (?, ?)", (job_id, json.dumps(entry)))
        return entry

    def remove(self, job_ids: Iterable[str]) -> None:
        """Forget the jobs, all or none."""
        database = self._open()
        database.execute("BEGIN IMMEDIATE")
        try:
            database.executemany("DELETE FROM entries WHERE job = ?", ((job_id,) for job_id in job_ids))
        except BaseException:
            database.execute("ROLLBACK")
            raise
        database.execute("COMMIT")

    def close(self) -> None:
        """Let go of the file."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def _open(self) -> sqlite3.Connection:
        if self._database is None:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._path.touch(mode=0o600)
            database = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
            try:
                database.executescript(_TABLES)
            except BaseException:
                database.close()  # which also rolls back what was not committed
                raise
            self._database = database
        return self._database


class Schedule:
    """One moment per job, in any unit; setting, discarding and taking cost O(log n)."""

    def __init__(self) -> None:
        self._moments: dict[str, float] = {}
        self._heap: list[tuple[float, str]] = []

    def set(self, job_id: str, moment: float) -> None:
        """Make the job due at this moment instead of any other."""
        if self._moments.get(job_id) != moment:
            self._moments[job_id] = moment
            heapq.heappush(self._heap, (moment, job_id))

    def discard(self, job_id: str) -> None:
        """Forget the job, if it is known."""
        self._moments.pop(job_id, None)

    def next(self) -> float | None:
        """The earliest moment, or None if there is none."""
        while self._heap:
            moment, job_id = self._heap[0]
            if self._moments.get(job_id) == moment:
                return moment
            heapq.heappop(self._heap)  # it was discarded, or given another moment
        return None

    def take(self, now: float) -> list[str]:
        """Forget the jobs that are due by now, and return them in the order of their moments."""
        due = []
        while (moment := self.next()) is not None and moment <= now:
            _, job_id = heapq.heappop(self._heap)
            del self._moments[job_id]
            due.append(job_id)
        return due


def _rendered(plan: dict[str, Any], values: Mapping[str, str]) -> dict[str, Any]:
    """The plan with the job's hyperparameters in its log lines."""
    members = {name: value for name, value in plan.items() if name != "tasks"}
    if "log" in members:
        texts = members["log"]
        members["log"] = [render(text, values) for text in ([texts] if isinstance(texts, str) else texts)]
    tasks = {task: _rendered(part, values) for task, part in plan.get("tasks", {}).items()}
    return {**members, "tasks": tasks} if tasks else members
