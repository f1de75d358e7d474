"""A real TensorBoard shows what a training writes to object storage, and ends when it should."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import psutil
import pytest
from tests.emulator.conftest import eventually
from tests.emulator.v1.conftest import VisualizationJobs
from tests.emulator.visualization.event_files import Scalars

from modelarts_emulator.server import Emulator

RUNNING, FAILED, KILLED = 8, 11, 12
SERVER = "modelarts_emulator.visualization.tensorboard"
EMULATE = """
import dataclasses, json, sys
from modelarts_emulator.server import Emulator
with Emulator(sys.argv[1]) as emulator:
    print(json.dumps([emulator.endpoint, dataclasses.asdict(emulator.identity)]), flush=True)
    sys.stdin.read()
"""


def processes() -> set[int]:
    """The TensorBoard processes of this test's own children and of emulators that it started."""
    return {child.pid for child in psutil.Process().children(recursive=True) if is_tensorboard(child)}


def is_tensorboard(process: psutil.Process) -> bool:
    try:
        return any(SERVER in part for part in process.cmdline())
    except psutil.NoSuchProcess:  # it has ended, or is a child of another test that has
        return False


@pytest.fixture
def scalars(tmp_path: Path) -> Iterator[Scalars]:
    writer = Scalars(tmp_path / "written")
    yield writer
    writer.close()


def responds(url: str) -> bool:
    try:
        return httpx.get(url).is_success
    except httpx.TransportError:
        return False


def values(url: str) -> list[float]:
    """The values of the scalar `loss` that the TensorBoard at the URL shows."""
    found = httpx.get(f"{url}data/plugin/scalars/scalars", params={"run": ".", "tag": "loss"})
    return [round(value, 3) for _, _, value in found.json()] if found.is_success else []


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory, log_in: Any) -> Iterator[Any]:
    """A client of an emulator that starts real tools."""
    with Emulator(tmp_path_factory.mktemp("emulator") / "data", check_responses=True) as emulator:
        yield log_in(emulator)


def test_service_url_opens_tensorboard_until_the_job_ends_and_a_restarted_job_has_another(
    real: Any, scalars: Scalars
) -> None:
    """It shows what is written later, too, and responds to nobody who does not know its path.

    A tool that is killed fails its job; one whose job is stopped or deleted leaves no process.
    """
    jobs = VisualizationJobs(real)
    file = scalars.add(0.125)
    real.store.put(real.bucket, f"logs/{file.name}", file.read_bytes())
    job_id = jobs.create()
    eventually(lambda: jobs.show(job_id)["status"] == RUNNING)
    first = jobs.show(job_id)["service_url"]
    eventually(lambda: values(first) == [0.125])
    real.store.put(real.bucket, f"logs/{file.name}", scalars.add(0.5).read_bytes())
    eventually(lambda: values(first) == [0.125, 0.5])
    assert httpx.get(f"{first.rsplit('/', 2)[0]}/").status_code == 404

    os.kill(processes().pop(), signal.SIGKILL)
    eventually(lambda: jobs.show(job_id)["status"] == FAILED)
    assert "TensorBoard ended by itself" in jobs.show(job_id)["error_message"]

    assert jobs.act(job_id, "restart") == {"is_success": True}
    eventually(lambda: jobs.show(job_id)["status"] == RUNNING)
    second = jobs.show(job_id)["service_url"]
    assert second != first
    assert "error_message" not in jobs.show(job_id)
    assert httpx.get(second).is_success

    assert jobs.act(job_id, "stop") == {"is_success": True}
    eventually(lambda: jobs.show(job_id)["status"] == KILLED)
    assert not responds(second)
    jobs.act(job_id, "restart")
    eventually(processes)
    jobs.call("DELETE", f"/{job_id}")
    eventually(lambda: not processes())


def test_a_tool_that_is_not_there_is_named_with_the_remedy(real: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """TensorBoard that is not installed fails the job; MindInsight cannot be run at all."""
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    jobs = VisualizationJobs(real)

    job_id = jobs.create()

    eventually(lambda: jobs.show(job_id)["status"] == FAILED)
    assert "pip install 'modelarts-toolkit[tensorboard]'" in jobs.show(job_id)["error_message"]
    assert jobs.show(job_id)["service_url"] == ""

    response = jobs.call("POST", json=jobs.body(job_type="MindInsight"))

    assert response.status_code == 400
    assert "use TensorBoard, or --executor simulated" in response.json()["error_message"]


def test_a_killed_emulator_leaves_no_tensorboard_and_the_next_one_starts_it_again(tmp_path: Path, log_in: Any) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", EMULATE, tmp_path / "data"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout is not None
        endpoint, user = json.loads(process.stdout.readline())
        identity = SimpleNamespace(**user)
        served = SimpleNamespace(endpoint=endpoint, data_dir=tmp_path / "data", identity=identity)
        jobs = VisualizationJobs(log_in(served))
        job_id = jobs.create()
        eventually(lambda: jobs.show(job_id)["status"] == RUNNING)
        boards = [psutil.Process(pid) for pid in processes()]
        process.kill()
    assert boards
    assert psutil.wait_procs(boards, timeout=300)[1] == []

    with Emulator(tmp_path / "data") as emulator:
        jobs = VisualizationJobs(log_in(emulator))
        assert jobs.show(job_id)["status"] == RUNNING
        eventually(lambda: responds(jobs.show(job_id)["service_url"]))
    assert processes() == set()
