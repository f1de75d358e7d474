"""The base of all executors with controllers: it keeps the records of jobs in a folder and reads them."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from modelarts_emulator.execution.container import inherited
from modelarts_emulator.execution.protocol import (
    LOG_CHUNK_BYTES,
    Executor,
    FailureKind,
    JobSpec,
    PollResult,
    TaskReport,
    check_job_id,
    is_job_id,
    spec_to_json,
)
from modelarts_emulator.execution.task import records, usage
from modelarts_emulator.execution.task.interpreter import for_pip
from modelarts_emulator.execution.task.namespaces import PathMode
from modelarts_emulator.execution.task.records import TaskPlace, have_ended
from modelarts_emulator.execution.task.task_process import LOG_LIMIT
from modelarts_emulator.storage.files import Trash

_IMPORT_ROOT = Path(__file__).parents[3]


@dataclass(frozen=True, slots=True)
class ControllerSettings:
    """What every controller gets besides its job; times in seconds, `log_limit` in bytes.

    `objects` is the URL of the store. `environments` is the absolute path of the folder in which what a job's code
    requires is installed, None to install nothing. `metrics_period` lies between two values of a metric,
    `upload_period` between two uploads of outputs, `grace` between SIGTERM and SIGKILL.
    `paths` says how tasks see the documented directories.
    """

    objects: str
    environments: str | None = None
    metrics_period: float = 60.0
    upload_period: float = 30.0
    grace: float = 10.0
    log_limit: int = LOG_LIMIT
    paths: PathMode = "mapping"


class RecordedExecutor(Executor):
    """Keeps the records of jobs below `jobs_dir`; subclasses start and end the controllers of the tasks.

    `interpreter` names the Python for an engine, unless the job itself names one.
    """

    def __init__(
        self, jobs_dir: Path, settings: ControllerSettings, interpreter: Callable[[Mapping[str, str] | None], str]
    ) -> None:
        self._jobs = jobs_dir.absolute()
        self._trash = Trash(self._jobs / ".trash")
        self._trash.empty()
        self._interpreter = interpreter
        self._settings = settings
        # A task must not get two controllers, and a deleted job must not be written down again.
        self._lock = threading.Lock()
        self._newest: dict[str, list[TaskPlace]] = {}

    def _begin_attempt(self, job: JobSpec) -> list[TaskPlace]:
        """Write the attempt down unless that was done; returns the tasks of the newest attempt.

        The caller holds the lock. Raises ValueError for an id that cannot be a folder's name, and for an attempt whose
        predecessor has not ended.
        """
        check_job_id(job.job_id)
        known = self._tasks(job.job_id)
        if not known or known[0].attempt < job.attempt:
            if not have_ended(known):
                raise ValueError(f"attempt {known[0].attempt} of job {job.job_id} has not ended: stop it first")
            self._write_down(job)
        return self._newest[job.job_id]

    def poll(self, handles: Collection[str]) -> PollResult:
        """Report all tasks as their records say; see `advance` for what nobody recorded."""
        results: dict[str, list[TaskReport] | Exception] = {}
        for job_id in handles:
            try:
                with self._lock:
                    reports = [self._report(place) for place in self._tasks(job_id)]
                if reports:
                    results[job_id] = reports
            except Exception as error:
                results[job_id] = error
        return results

    def logs(self, handle: str, task: str, offset: int = 0, max_bytes: int = LOG_CHUNK_BYTES) -> bytes:
        """The task's log from this byte on; empty at its end."""
        return records.read_bytes(self.log_file(handle, task), max_bytes, offset)

    def log_file(self, handle: str, task: str) -> Path:
        """Where the task's log is or will be."""
        return self._task(handle, task).log

    def inject_fault(self, handle: str, task: str, kind: FailureKind) -> bool:
        """Cause this failure of the task; False if it has ended."""
        place = self._task(handle, task)
        with self._lock:
            if place.exit.exists():
                return False
            records.write(place.failure, {"kind": kind})
            if kind == "node_lost":
                self._lose_node(place)
        return True

    def _lose_node(self, place: TaskPlace) -> object:
        """Let the task's node be lost, as its record says; the caller holds the lock."""
        raise NotImplementedError

    def usage(self, handle: str, task: str) -> dict[str, list[float]] | None:
        """One value per period and metric, oldest first; None before the first."""
        return usage.read(self._task(handle, task).metrics)

    def forget(self) -> None:
        """Find the tasks of every job anew."""
        with self._lock:
            self._newest.clear()

    def close(self) -> None:
        """Stop removing the files of deleted jobs, which the next executor continues; running jobs keep running."""
        self._trash.close()

    def _tasks(self, job_id: str) -> list[TaskPlace]:
        """The tasks of the newest attempt; the caller holds the lock."""
        if (known := self._newest.get(job_id)) is None:
            known = self._find_tasks(job_id)
            if known:
                self._newest[job_id] = known
        return known

    def _find_tasks(self, job_id: str) -> list[TaskPlace]:
        """The tasks of the newest attempt, as its specification says."""
        first = records.newest_attempt(self._jobs, job_id) if is_job_id(job_id) else None
        if first is None or (spec := records.read_spec(first)) is None:
            return []
        return first.tasks(spec.job.node_count)

    def _task(self, job_id: str, task: str) -> TaskPlace:
        """One of the tasks. This takes no lock, so that nobody waits until processes are killed."""
        for place in self._newest.get(job_id) or self._find_tasks(job_id):
            if place.task == task:
                return place
        raise KeyError(f"{job_id}/{task}")

    def _write_down(self, job: JobSpec) -> None:
        """Write the attempt down; its specification comes last, because it makes the attempt exist."""
        places = TaskPlace(self._jobs, job.job_id, job.attempt, "worker-0").tasks(job.node_count)
        self._jobs.mkdir(mode=0o700, parents=True, exist_ok=True)
        for place in places:
            for folder in (place.folder, place.log.parent, place.container.parent):
                folder.mkdir(parents=True, exist_ok=True)
        settings = asdict(self._settings) | {"python": job.python or self._interpreter(job.engine)}
        records.write_once(places[0].spec, {"job": spec_to_json(job), "settings": settings})
        self._newest[job.job_id] = places

    def _discard_records(self, job_id: str) -> None:
        """Free the job's files, which leave their place at once and the disk soon after; the caller holds the lock."""
        self._newest.pop(job_id, None)
        if is_job_id(job_id):
            # The records last: as long as they are there, a crash in between leaves a job that can be removed.
            self._trash.discard(f"{self._jobs}/{job_id}")
            self._trash.discard(f"{self._jobs}/{records.FOLDER}/{job_id}")
            self._trash.empty()

    def _report(self, place: TaskPlace) -> TaskReport:
        end = records.read_exit(place)
        report = TaskReport(place.task, "preparing", attempt=place.attempt, events=records.read_events(place))
        if end is not None:
            return replace(report, state="ended", **asdict(end))
        if (start := records.read_start(place)) is None:
            return report
        return replace(report, state="running", started_at=start.started_at)


def controller_environment() -> dict[str, str]:
    """The variables of a controller: what programs and pip need, and where the emulator is."""
    own = inherited(os.environ) | for_pip(os.environ)
    return own | {"PYTHONPATH": str(_IMPORT_ROOT)}
