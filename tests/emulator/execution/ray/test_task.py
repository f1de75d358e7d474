"""The process of a task on a node of Ray ends with its actor, and does what its records ask."""

from __future__ import annotations

import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

import psutil
import pytest
from tests.emulator.execution.conftest import wait_for

from modelarts_emulator.execution.local import records
from modelarts_emulator.execution.local.recorded_executor import controller_environment, controller_settings
from modelarts_emulator.execution.local.records import TaskPlace
from modelarts_emulator.execution.protocol import JobSpec, spec_to_json
from modelarts_emulator.storage.folder import FolderStore


class Task:
    """A task whose process an actor has started: its standard input is a pipe."""

    def __init__(self, folder: Path, command: str, hosts: tuple[str, ...] = ()) -> None:
        store = FolderStore(folder / "objects")
        job_id = f"job-{uuid.uuid4().hex[:8]}"
        self.place = TaskPlace(folder / "jobs", job_id, 0, "worker-0")
        for path in (self.place.folder, self.place.log.parent, self.place.container.parent):
            path.mkdir(parents=True)
        job = JobSpec(job_id, job_id, node_count=max(len(hosts), 1), command=command)
        settings = {**controller_settings(store, grace=0.5), "python": sys.executable}
        records.write_once(self.place.spec, {"job": spec_to_json(job), "settings": settings})
        arguments = [str(self.place.jobs), job_id, "0", "worker-0", *hosts]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "modelarts_emulator.execution.ray.task", *arguments],
            stdin=subprocess.PIPE,
            env=controller_environment(),
        )

    def wait_for_log(self, line: str) -> None:
        wait_for(lambda: self.place.log.exists() and line in self.place.log.read_text())

    def script(self) -> psutil.Process:
        """The user's process."""
        start = records.read_start(self.place)
        assert start is not None
        assert start.process is not None
        return psutil.Process(start.process.pid)

    def close_input(self) -> None:
        cast(IO[bytes], self.process.stdin).close()


@pytest.fixture
def sleeping(tmp_path: Path) -> Iterator[Task]:
    """A task that prints a line and sleeps."""
    task = Task(tmp_path, "echo begun; sleep 600")
    task.wait_for_log("begun")
    yield task
    task.close_input()
    task.process.kill()
    task.process.wait()


def test_nothing_of_a_task_remains_when_its_actor_has_ended(sleeping: Task) -> None:
    """The task gets no exit record: who knows what became of the actor writes it."""
    script = sleeping.script()
    sleeping.close_input()

    assert sleeping.process.wait(15) == 0
    wait_for(lambda: not script.is_running())
    assert records.read_exit(sleeping.place) is None


def test_a_task_of_a_deleted_job_ends_at_once(sleeping: Task) -> None:
    script = sleeping.script()
    (sleeping.place.jobs / records.FOLDER).rename(sleeping.place.jobs / ".trash")

    assert sleeping.process.wait(15) == 0
    wait_for(lambda: not script.is_running())


@pytest.mark.parametrize(("kind", "failure"), [("stop", None), ("preempted", "preempted")])
def test_a_task_is_stopped_by_a_record(sleeping: Task, kind: str, failure: str | None) -> None:
    """The service's wish, or a failure that is caused on purpose."""
    if kind == "stop":
        sleeping.place.stop.touch()
    else:
        records.write(sleeping.place.failure, {"kind": kind})

    assert sleeping.process.wait(15) == 0
    end = records.read_exit(sleeping.place)
    assert end is not None
    assert (end.exit_code, end.failure) == (143, failure)


def test_a_task_that_hangs_and_is_stopped_at_once_ends_as_hung(sleeping: Task) -> None:
    """Also if both are seen in one look at its records."""
    sleeping.process.send_signal(signal.SIGSTOP)
    records.write(sleeping.place.failure, {"kind": "hung"})
    sleeping.place.stop.touch()
    sleeping.process.send_signal(signal.SIGCONT)

    assert sleeping.process.wait(15) == 0
    end = records.read_exit(sleeping.place)
    assert end is not None
    assert (end.exit_code, end.failure) == (143, "hung")


def test_a_task_knows_the_hosts_of_all_tasks(tmp_path: Path) -> None:
    """They are addresses of other machines, so no interface is chosen for NCCL."""
    task = Task(tmp_path, "echo $VC_WORKER_HOSTS ${NCCL_SOCKET_IFNAME:-none}", ("192.0.2.7", "192.0.2.8"))

    assert task.process.wait(30) == 0
    task.close_input()
    assert "192.0.2.7,192.0.2.8 none" in task.place.log.read_text()
