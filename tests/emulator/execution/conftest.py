"""Jobs that really run: a store with the bucket `data`, an executor with short times, and a way to wait."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.emulator.conftest import eventually
from tests.suites.executor_suite import reports_of

from modelarts_emulator.execution.process import ProcessExecutor
from modelarts_emulator.execution.protocol import Channel, JobSpec, TaskReport
from modelarts_emulator.execution.task.namespaces import PathMode, choose_path_mode
from modelarts_emulator.execution.task.recorded_executor import ControllerSettings
from modelarts_emulator.execution.task.records import TaskPlace
from modelarts_emulator.storage.folder import FolderStore

wait_for = eventually


class Bench:
    """An executor on a folder of its own, with what tests do again and again."""

    channel = Channel

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = FolderStore(folder / "objects")
        self.store.create_bucket("data")
        self.executors: list[ProcessExecutor] = []
        self.jobs: list[str] = []
        self.executor = self.new_executor()

    def place(self, job_id: str = "", task: str = "worker-0", attempt: int = 0) -> TaskPlace:
        """Where the task of a job lies, by default of the newest one."""
        return TaskPlace(self.folder / "jobs", job_id or self.jobs[-1], attempt, task)

    def controller(self, job_id: str = "") -> psutil.Process:
        """The controller of worker-0, which has claimed the task."""
        return psutil.Process(json.loads(self.place(job_id).claim.read_bytes())["pid"])

    def new_executor(
        self, interpreter: Callable[[Any], str] = lambda _: sys.executable, **settings: Any
    ) -> ProcessExecutor:
        """An executor on the same folder, as after a restart."""
        short = {"grace": 0.4, "metrics_period": 0.3, "upload_period": 0.2} | settings
        self.executors.append(
            ProcessExecutor(self.folder / "jobs", ControllerSettings(self.store.url, **short), interpreter)
        )
        return self.executors[-1]

    def use_paths(self, paths: PathMode, **settings: Any) -> None:
        """Run tasks in this mode from now on; skips the test where the system forbids namespaces."""
        mode, reason = choose_path_mode("auto", [self.folder])
        if "mapping" == mode != paths:
            pytest.skip(reason)
        self.executor = self.new_executor(paths=paths, **settings)

    def spec(self, script: str = "", **members: Any) -> JobSpec:
        """A job whose boot file is the script."""
        # Nodes of a job have addresses made of its id: two test runs at once must not share them.
        job_id = f"job-{len(self.jobs)}-{uuid.uuid4().hex[:8]}"
        self.jobs.append(job_id)
        if script:
            self.store.put("data", f"{job_id}/code/train.py", script.encode())
            members = {"code_dir": f"/data/{job_id}/code/", "boot_file": f"/data/{job_id}/code/train.py"} | members
        return JobSpec(job_id, job_id, **members)

    def start(self, script: str = "", **members: Any) -> str:
        """Start the job; returns its id."""
        job = self.spec(script, **members)
        self.executor.submit(job)
        return job.job_id

    def run(self, script: str = "", **members: Any) -> TaskReport:
        """Start the job and wait for its end; returns the report of worker-0."""
        return self.end(self.start(script, **members))

    def end(self, job_id: str) -> TaskReport:
        """Wait for the end of all tasks; returns the report of worker-0."""
        wait_for(lambda: all(report.state == "ended" for report in reports_of(self.executor, job_id)))
        return reports_of(self.executor, job_id)[0]

    def log(self, job_id: str = "", task: str = "worker-0") -> str:
        """The log so far."""
        path = self.executor.log_file(job_id or self.jobs[-1], task)
        return path.read_text(errors="replace") if path.exists() else ""

    def wait_for_log(self, text: str, job_id: str = "", task: str = "worker-0") -> None:
        """Wait until a line that is written to its end holds the text: scripts write lines in pieces."""
        wait_for(lambda: text.strip() in self.log(job_id, task).rpartition("\n")[0])


@contextmanager
def small_disk(folder: Path, size: str = "8m") -> Iterator[Path]:
    """A file system of its own, so small that a test can fill it; skips the test where none can be mounted."""
    if os.getuid() != 0 or sys.platform != "linux":
        pytest.skip("only root can mount a file system that can be filled")
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.decode()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(disk: Path) -> Path:
    """Fill the disk to its last byte with a file; returns the file."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as stream, suppress(OSError):
        while True:
            stream.write(b"x" * 4096)
    return filler


def is_gone(pid: int) -> bool:
    """Whether no living process has this number."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@contextmanager
def _bench(folder: Path) -> Iterator[Bench]:
    bench = Bench(folder)
    try:
        yield bench
    finally:
        for job_id in bench.jobs:
            bench.executor.delete([job_id])
        for executor in bench.executors:
            executor.close()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with _bench(tmp_path) as bench:
        yield bench


@pytest.fixture
def bench_on_small_disk(tmp_path: Path) -> Iterator[Bench]:
    """A bench whose jobs and objects lie on a disk that a test can fill."""
    with small_disk(tmp_path / "disk") as disk, _bench(disk) as bench:
        yield bench


@pytest.fixture
def isolated(bench: Bench) -> Bench:
    """A bench whose tasks have mounted directories; skips the test where the system forbids them."""
    bench.use_paths("namespace")
    return bench
