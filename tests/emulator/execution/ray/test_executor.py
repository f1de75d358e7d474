"""What the Ray executor asks of its gateway, with one that says what a cluster without room would say."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.emulator.execution.stages import RayStage

from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.execution.protocol import JobSpec, Resources
from modelarts_emulator.execution.ray import connection, executor
from modelarts_emulator.execution.ray.connection import Connection, RayUnreachableError
from modelarts_emulator.server import Emulator
from modelarts_emulator.testing.executor_suite import FOREVER_S, ended

GATEWAY = """
import json, pathlib, sys
requests, is_cut = (pathlib.Path(__file__).with_name(name) for name in ("requests", "cut"))
held = pathlib.Path(__file__).with_name("held")
known = set()
print("{}", flush=True)
for line in sys.stdin:
    request = json.loads(line)
    with requests.open("a") as file:
        file.write(line)
    if request["remove"] and not is_cut.exists():
        is_cut.touch()
        sys.exit()
    names = set(held.read_text().split() if held.exists() else []) - {*request["remove"]} | {*request["look"]}
    held.write_text(" ".join(names))
    known |= {name for name, asked in request["look"].items() if asked}
    states = {name: "waiting" if name in known else "unknown" for name in request["look"]}
    attempts = {name: {"state": state, "reason": "no room"} for name, state in states.items()}
    print(json.dumps({"attempts": attempts, "names": [*names]}), flush=True)
"""


class FullCluster(RayStage):
    """A cluster without room, whose gateway is lost once: when nodes are freed for the first time."""

    @property
    def folder(self) -> Path:
        return self._folder

    def begin(self, job: JobSpec) -> None:
        """Write the job down, and let nobody know."""
        with self.executor._lock:  # type: ignore[attr-defined]
            self.executor._begin_attempt(job)  # type: ignore[attr-defined]

    def records(self, job: JobSpec) -> Path:
        """Where the records of the job are."""
        return self._folder / "jobs" / ".records" / job.job_id

    def requests(self) -> list[dict[str, Any]]:
        """What the gateways were asked, without the request that is being written."""
        file = self._folder / "requests"
        text = file.read_text() if file.exists() else ""
        return [json.loads(line) for line in text.split("\n")[:-1]]

    def wait_for_name(self) -> str:
        """Let the executor look until a request names an attempt; returns the name."""
        self.wait_for_request(lambda request: request["look"])
        (name,) = next(request["look"] for request in self.requests() if request["look"])
        return str(name)

    def wait_for_request(self, is_it: Callable[[dict[str, Any]], Any], times: int = 1) -> None:
        """Let the executor look until this number of requests are such ones."""

        def is_asked() -> bool:
            self.executor.advance(list(self._codes))
            return len([request for request in self.requests() if is_it(request)]) >= times

        self.wait_for(is_asked)


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FullCluster]:
    gateway = tmp_path / "gateway.py"
    gateway.write_text(GATEWAY)
    monkeypatch.setattr(connection, "GATEWAY", gateway)
    monkeypatch.setattr(executor, "check_python", lambda _: None)
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    cluster = FullCluster(tmp_path)
    yield cluster
    cluster.close()


def test_nodes_of_an_ended_attempt_are_freed_although_the_connection_was_lost_meanwhile(cluster: FullCluster) -> None:
    """Nobody else would: no actor of a job that never began is there to do so."""
    job = cluster.job("a line", FOREVER_S, (0,), 1, "")
    cluster.executor.submit(job)
    name = cluster.wait_for_name()
    cluster.executor.cancel(job.job_id)

    cluster.wait_for_request(lambda request: request["remove"] == [name], times=2)


def test_a_gateway_gets_the_attempts_of_the_one_before_it(cluster: FullCluster) -> None:
    """It looks for them at Ray, and submits those that are not there."""
    ending, waiting = (cluster.job("a line", FOREVER_S, (0,), 1, "") for _ in range(2))
    cluster.executor.submit(ending)
    cluster.wait_for_name()
    cluster.executor.submit(waiting)

    def is_sent(request: dict[str, Any]) -> bool:
        return any(asked and waiting.job_id in name for name, asked in request["look"].items())

    cluster.wait_for_request(is_sent)
    cluster.executor.cancel(ending.job_id)

    cluster.wait_for_request(is_sent, times=2)


def test_an_attempt_of_a_deleted_job_is_freed_by_the_next_emulator_and_those_of_others_are_not(
    cluster: FullCluster,
) -> None:
    """What Ray has is found by its name, in which the folder stands."""
    job = cluster.job("a line", FOREVER_S, (0,), 1, "")
    cluster.executor.submit(job)
    name = cluster.wait_for_name()
    cluster.executor.close()
    shutil.rmtree(cluster.records(job))
    (cluster.folder / "held").write_text(f"{name} modelarts-ffffffff-other-0")
    (cluster.folder / "cut").touch()
    cluster.renew()
    cluster.executor.advance([])
    cluster.wait_for(lambda: (cluster.folder / "held").read_text() == "modelarts-ffffffff-other-0")


def test_a_flavor_s_cores_memory_and_gpus_are_asked_of_ray(cluster: FullCluster) -> None:
    """Ray knows nothing else of how much runs on a node."""
    resources = Resources("f", 8, 64 << 30, 2)
    cluster.executor.submit(replace(cluster.job("a line", FOREVER_S, (0,), 1, ""), resources=resources))
    cluster.wait_for_request(lambda request: any(request["look"].values()))
    (asked,) = next(request["look"] for request in cluster.requests() if any(request["look"].values())).values()

    assert asked["resources"] == {"CPU": 8, "GPU": 2, "memory": 64 << 30}


def test_a_job_whose_specification_cannot_be_read_fails(cluster: FullCluster) -> None:
    job = cluster.job("a line", FOREVER_S, (0,), 2, "")
    cluster.begin(job)
    (cluster.records(job) / "0" / "spec.json").write_text("{")
    cluster.executor.advance([job.job_id])
    reports = ended(cluster, job)

    message = "the job's specification was altered or damaged: submit the job again"
    assert [(report.exit_code, report.message) for report in reports] == [(1, message)] * 2


def test_many_jobs_are_submitted_in_several_calls(cluster: FullCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """A response has to come in time, however many wait."""
    monkeypatch.setattr(executor, "SUBMISSIONS_PER_CALL", 2)
    jobs = [cluster.job("a line", FOREVER_S, (0,), 1, "") for _ in range(5)]
    for job in jobs:
        cluster.executor.submit(job)

    cluster.wait_for_request(lambda request: len(request["look"]) == 5)
    assert max(len([1 for asked in request["look"].values() if asked]) for request in cluster.requests()) == 2


def test_a_gateway_that_cannot_start_is_an_unreachable_cluster() -> None:
    """It is tried again by the next call."""
    connection = Connection(sys.executable, "127.0.0.1:1")
    for _ in range(2):
        with pytest.raises(RayUnreachableError, match=r"the cluster at 127\.0\.0\.1:1 cannot be reached"):
            connection.call({})


@pytest.mark.parametrize(
    ("address", "message"),
    [
        (None, "--executor ray needs a cluster, and RAY_ADDRESS is not set: name the cluster as HOST:PORT"),
        ("auto", "RAY_ADDRESS is 'auto': name the cluster as HOST:PORT"),
        ("ray://head:10001", "RAY_ADDRESS is 'ray://head:10001': name the cluster as HOST:PORT"),
    ],
)
def test_an_emulator_without_a_cluster_does_not_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str | None, message: str
) -> None:
    """Ray's own commands would look for a cluster, or start one."""
    monkeypatch.setattr(executor, "check_python", lambda _: None)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    if address is not None:
        monkeypatch.setenv("RAY_ADDRESS", address)

    with pytest.raises(EmulatorError, match=message), Emulator(tmp_path, executor="ray"):
        pass


@pytest.mark.parametrize("python", [sys.executable, "/nowhere/python"])
def test_a_python_without_ray_is_rejected_with_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, python: str
) -> None:
    monkeypatch.setenv("MODELARTS_EMULATOR_RAY_PYTHON", python)
    message = rf"{python} does not have it: run \"pip install 'modelarts-toolkit\[ray\]'\", or name the Python"

    with pytest.raises(EmulatorError, match=message), Emulator(tmp_path, executor="ray"):
        pass
