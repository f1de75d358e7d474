"""The processes that own tasks, started by hand as on the nodes of a cluster: they know each other by records only."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import IO, cast

import psutil
import pytest
from tests.emulator.execution.conftest import Bench, is_gone, wait_for

from modelarts_emulator.execution.local import records
from modelarts_emulator.execution.local.recorded_executor import (
    ControllerSettings,
    controller_command,
    controller_environment,
)
from modelarts_emulator.execution.local.records import TaskPlace
from modelarts_emulator.execution.protocol import JobSpec, spec_to_json
from modelarts_emulator.execution.slurm.ends import INTERRUPTED
from modelarts_emulator.storage.folder import FolderStore

CONTROLLER = """
import sys
from modelarts_emulator.execution.local import controller
controller.BEAT_S = 0.5
sys.exit(controller.main(sys.argv[1:]))
"""


class Task:
    """A task whose process an actor has started: its standard input is a pipe."""

    def __init__(self, folder: Path, command: str, hosts: tuple[str, ...] = ()) -> None:
        store = FolderStore(folder / "objects")
        job_id = f"job-{uuid.uuid4().hex[:8]}"
        self.place = TaskPlace(folder / "jobs", job_id, 0, "worker-0")
        for path in (self.place.folder, self.place.log.parent, self.place.container.parent):
            path.mkdir(parents=True)
        job = JobSpec(job_id, job_id, node_count=max(len(hosts), 1), command=command)
        settings = {**asdict(ControllerSettings(store.url, grace=0.5)), "python": sys.executable}
        records.write_once(self.place.spec, {"job": spec_to_json(job), "settings": settings})
        self.process = subprocess.Popen(
            [*controller_command(self.place, "--tied"), *hosts],
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


def test_a_task_ends_when_a_peer_gives_no_sign_of_life_and_that_one_is_lost(bench: Bench) -> None:
    """Its node was started anew, say, and the engine did not notice; one that comes back has been given up."""
    job = replace(bench.spec("import time\nprint('ready', flush=True)\ntime.sleep(600)\n"), node_count=2)
    with bench.executor._lock:
        bench.executor._begin_attempt(job)
    places = bench.place().tasks(2)
    command = [sys.executable, "-c", CONTROLLER, str(bench.folder / "jobs"), job.job_id, "0"]
    first, second = (subprocess.Popen([*command, place.task]) for place in places)
    for place in places:
        bench.wait_for_log("ready", task=place.task)
    start = records.read_start(places[1])
    assert start is not None
    assert start.process is not None
    second.send_signal(signal.SIGSTOP)

    assert first.wait(30) == 0
    ends = [records.read_exit(place) for place in places]
    assert [(end.exit_code, end.failure) for end in ends if end] == [(143, None), (137, "node_lost")]
    assert ends[0] is not None
    assert ends[0].message == "stopped because worker-1 ended with exit code 137"
    second.send_signal(signal.SIGCONT)
    assert second.wait(30) == 0
    wait_for(lambda: start.process is not None and not start.process.is_alive())


def test_a_script_that_gets_slurms_signal_before_its_controller_was_interrupted(bench: Bench) -> None:
    """Slurm signals the processes of a step one by one, in any order."""
    job = bench.spec("import time\nprint('ready', flush=True)\ntime.sleep(600)\n")
    with bench.executor._lock:
        bench.executor._begin_attempt(job)
    module = "modelarts_emulator.execution.slurm.controller"
    command = [sys.executable, "-m", module, str(bench.folder / "jobs"), job.job_id, "0"]
    with subprocess.Popen(command) as controller:
        wait_for(bench.place().process.exists)
        start = records.read_start(bench.place())
        script = start.process if start else None
        assert script is not None
        os.kill(script.pid, signal.SIGTERM)
        wait_for(lambda: is_gone(script.pid))
        time.sleep(0.1)  # longer than the controller takes to notice
        controller.send_signal(signal.SIGTERM)

    end = records.read_exit(bench.place())
    assert end is not None
    assert (end.exit_code, end.message) == (143, INTERRUPTED)
