"""Runs jobs as processes of this machine: one controller process per task, and records that outlive everyone.

What is true of a task is read from its records and the process table, never from this process's memory,
so that a new executor on the same folder knows as much as the one before it.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import sys
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from modelarts_emulator.objects.store import ObjectStore

from . import JobSpec, TaskReport, meter, records, task_names
from .container import inherited
from .log import LIMIT
from .processes import ProcessId, kill_all, orphans

_JOB_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")
_VANISHED = 128 + signal.SIGKILL
_STOPPED = 128 + signal.SIGTERM
_IMPORT_ROOT = Path(__file__).parents[2]
_PATIENCE = 1.0
"""Seconds that a method waits for killed processes to be gone; a thread waits for the rest."""


class ProcessExecutor:
    """The executor that really runs: jobs below `jobs_dir`, data from and to `store`, boot files by `python`.

    Its methods may be called from any thread.
    Times are in seconds: `metrics_period` between two values of a metric, `upload_period` between two uploads of
    outputs, `grace` between SIGTERM and SIGKILL.
    """

    def __init__(
        self,
        jobs_dir: Path,
        store: ObjectStore,
        python: str = sys.executable,
        metrics_period: float = 60.0,
        upload_period: float = 30.0,
        grace: float = 10.0,
        log_limit: int = LIMIT,
    ) -> None:
        self._jobs = jobs_dir.absolute()
        self._trash = self._jobs / ".trash"
        self._settings = {
            "objects": str(store.root.absolute()),
            "python": python,
            "metrics_period": metrics_period,
            "upload_period": upload_period,
            "grace": grace,
            "log_limit": log_limit,
        }
        self._spawned: dict[Path, int] = {}
        self._cleaner = ThreadPoolExecutor(max_workers=1, thread_name_prefix="job-cleaner")
        if self._trash.exists():
            self._cleaner.submit(_empty, self._trash)

    def start(self, job: JobSpec) -> None:
        """Start every task of the job that no controller has claimed; raises ValueError for an id that is no name."""
        if not _JOB_ID.fullmatch(job.job_id):
            raise ValueError(f"{job.job_id!r} cannot be a job's id: use letters, digits, '-' and '_'")
        self._jobs.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = self._jobs / job.job_id
        folder.mkdir(exist_ok=True)
        spec = {"job": records.spec_to_json(job), "settings": self._settings}
        records.write_once(folder / records.SPEC, spec)
        for ended in list(self._spawned):
            self._is_reaped(ended)
        for task in task_names(job.node_count):
            if not self._was_started(folder / task):
                (folder / task).mkdir(exist_ok=True)
                self._spawned[folder / task] = _spawn(folder / task)

    def poll(self, job_id: str) -> list[TaskReport]:
        """Report every task, in order; an empty list if the job is unknown here."""
        return [self._report(folder) for folder in self._tasks(job_id)]

    def stop(self, job_id: str) -> None:
        """Ask every task to end; a task that no controller has claimed ends at once."""
        for folder in self._tasks(job_id):
            (folder.parent / records.STOP).touch()
            if controller := _process(records.read(folder / records.CLAIM)):
                controller.signal(signal.SIGTERM)
            elif not self._was_started(folder):
                records.write_exit(folder, records.Exit(None, time.time(), _STOPPED, "stopped before it started"))

    def remove(self, job_id: str) -> None:
        """Make everything of the job disappear; its files leave their place at once and the disk soon after."""
        folders = self._tasks(job_id)
        running = [folder for folder in folders if records.read_exit(folder) is None]
        for folder in running:
            self._kill_controller(folder)
        self._kill_orphans(running)
        for folder in folders:
            if (pid := self._spawned.pop(folder, None)) is not None:
                self._cleaner.submit(_wait, pid)
        if folders or self._folder(job_id).exists():
            self._trash.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(FileNotFoundError):
                self._folder(job_id).rename(self._trash / uuid.uuid4().hex)
            self._cleaner.submit(_empty, self._trash)

    def log_path(self, job_id: str, task: str) -> Path:
        """Where the task's log is or will be; raises KeyError for a task that the job cannot have."""
        return self._task(job_id, task) / records.LOG

    def metrics(self, job_id: str, task: str) -> dict[str, list[float]] | None:
        """One value per period and metric, oldest first; None until there is a first. Raises KeyError as `log_path`."""
        return meter.read(self._task(job_id, task) / records.METRICS)

    def close(self) -> None:
        """Wait until the files of removed jobs are gone; running jobs go on."""
        self._cleaner.shutdown()

    # Folders

    def _folder(self, job_id: str) -> Path:
        if not _JOB_ID.fullmatch(job_id):
            raise KeyError(job_id)
        return self._jobs / job_id

    def _tasks(self, job_id: str) -> list[Path]:
        if not _JOB_ID.fullmatch(job_id) or (spec := records.read(self._jobs / job_id / records.SPEC)) is None:
            return []
        return [self._jobs / job_id / task for task in task_names(spec["job"]["node_count"])]

    def _task(self, job_id: str, task: str) -> Path:
        for folder in self._tasks(job_id):
            if folder.name == task:
                return folder
        raise KeyError(f"{job_id}/{task}")

    # Processes

    def _was_started(self, folder: Path) -> bool:
        """Whether the task ended, has been claimed, or is about to be claimed by a controller started here."""
        if (folder / records.EXIT).exists() or (folder / records.CLAIM).exists():
            return True
        return folder in self._spawned and not self._is_reaped(folder)

    def _report(self, folder: Path) -> TaskReport:
        task = folder.name
        claim = _process(records.read(folder / records.CLAIM))
        is_gone = not claim.is_alive() if claim else folder in self._spawned and self._is_reaped(folder)
        end = records.read_exit(folder)
        if end is None and is_gone and (claim or not (folder / records.CLAIM).exists()):
            end = self._bury(folder)
        if end is not None:
            self._is_reaped(folder)
            return TaskReport(task, "ended", end.started_at, end.ended_at, end.exit_code, end.message)
        process = records.read(folder / records.PROCESS)
        if process is None:
            return TaskReport(task, "preparing")
        return TaskReport(task, "running", started_at=process["started_at"])

    def _bury(self, folder: Path) -> records.Exit:
        """A controller ended without a record: end what it left behind and write down what is known."""
        self._kill_orphans([folder])
        process = records.read(folder / records.PROCESS)
        message = (
            "the task's controller process vanished without a record, as if killed; "
            "outputs written since the last upload are not in object storage"
        )
        end = records.Exit(process["started_at"] if process else None, time.time(), _VANISHED, message)
        if not records.write_exit(folder, end):
            return records.read_exit(folder) or end
        return end

    def _kill_controller(self, folder: Path) -> None:
        if controller := _process(records.read(folder / records.CLAIM)):
            controller.signal(signal.SIGKILL)
        if (pid := self._spawned.get(folder)) is not None and not self._is_reaped(folder):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _kill_orphans(self, folders: list[Path]) -> None:
        if not folders:
            return
        leaders = {
            folder: _process((records.read(folder / records.PROCESS) or {}).get("process")) for folder in folders
        }
        if not kill_all(lambda: orphans(leaders), _PATIENCE):
            self._cleaner.submit(kill_all, lambda: orphans(leaders), 60.0)

    def _is_reaped(self, folder: Path) -> bool:
        """Take the exit status of a controller started here; whether it has ended."""
        pid = self._spawned.get(folder)
        if pid is None:
            return True
        try:
            ended = os.waitpid(pid, os.WNOHANG)[0] != 0
        except ChildProcessError:
            ended = True
        if ended:
            self._spawned.pop(folder, None)
        return ended


def _process(record: dict[str, Any] | None) -> ProcessId | None:
    return ProcessId(record["pid"], record["born"]) if record else None


def _spawn(folder: Path) -> int:
    """Start the task's controller in a session of its own; returns its process number."""
    command = [sys.executable, "-m", f"{__package__}.controller", str(folder)]
    log = str(folder / records.CONTROLLER_LOG)
    return os.posix_spawn(
        sys.executable,
        command,
        inherited(os.environ) | {"PYTHONPATH": str(_IMPORT_ROOT)},
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
        setsigmask=[],
        setsigdef=[signal.SIGINT, signal.SIGTERM, signal.SIGHUP],
    )


def _empty(folder: Path) -> None:
    for path in folder.iterdir():
        shutil.rmtree(path, ignore_errors=True)


def _wait(pid: int) -> None:
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, 0)
