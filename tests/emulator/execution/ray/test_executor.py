"""What the Ray executor asks of its gateway, with one that says what a cluster without room would say."""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.emulator.execution.stages import RayStage

from modelarts_emulator.execution.cluster import executor as cluster_executor
from modelarts_emulator.execution.protocol import JobSpec, Resources
from modelarts_emulator.execution.ray import connection, executor
from modelarts_emulator.testing.executor_suite import FOREVER_S, ended

GATEWAY = """
import json, pathlib, sys
requests, is_cut = (pathlib.Path(__file__).with_name(name) for name in ("requests", "cut"))
held = pathlib.Path(__file__).with_name("held")
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
    attempts = {name: {"state": "waiting", "reason": "no room"} for name in request["look"]}
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
        """What the gateways were asked."""
        file = self._folder / "requests"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

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
    cluster.wait_for_request(lambda request: request["look"])
    (name,) = cluster.requests()[-1]["look"]
    cluster.executor.cancel(job.job_id)

    cluster.wait_for_request(lambda request: request["remove"] == [name], times=2)


def test_an_attempt_of_a_deleted_job_is_freed_by_the_next_emulator_and_those_of_others_are_not(
    cluster: FullCluster,
) -> None:
    """What Ray has is found by its name, in which the folder stands."""
    job = cluster.job("a line", FOREVER_S, (0,), 1, "")
    cluster.executor.submit(job)
    cluster.wait_for_request(lambda request: request["look"])
    (name,) = cluster.requests()[-1]["look"]
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


def test_jobs_whose_records_are_gone_hold_up_no_other(cluster: FullCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many they are."""
    monkeypatch.setattr(executor, "SUBMISSIONS_PER_CALL", 1)
    *gone, other = (cluster.job("a line", FOREVER_S, (0,), 1, "") for _ in range(3))
    for job in gone:
        cluster.begin(job)
        shutil.rmtree(cluster.records(job))
    cluster.executor.advance([job.job_id for job in gone])
    cluster.executor.submit(other)

    cluster.wait_for_request(lambda request: other.job_id in str(request["look"]))


def test_a_job_whose_specification_cannot_be_read_fails(cluster: FullCluster) -> None:
    job = cluster.job("a line", FOREVER_S, (0,), 2, "")
    cluster.begin(job)
    (cluster.records(job) / "0" / "spec.json").write_text("{")
    cluster.executor.advance([job.job_id])
    reports = ended(cluster, job)

    message = "the job's specification was altered or damaged: submit the job again"
    assert [(report.exit_code, report.message) for report in reports] == [(1, message)] * 2


def test_one_thread_speaks_to_ray_although_several_call(cluster: FullCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[threading.Thread] = []

    class SlowThread(threading.Thread):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            time.sleep(0.05)
            super().__init__(*arguments, **options)
            made.append(self)

    begin = threading.Barrier(4)

    def call() -> None:
        begin.wait()
        cluster.executor.advance([])

    callers = [threading.Thread(target=call) for _ in range(4)]
    monkeypatch.setattr(cluster_executor.threading, "Thread", SlowThread)  # type: ignore[attr-defined]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()

    assert [thread.name for thread in made] == ["ray"]


def test_many_jobs_are_submitted_in_several_calls(cluster: FullCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """A response has to come in time, however many wait."""
    monkeypatch.setattr(executor, "SUBMISSIONS_PER_CALL", 2)
    jobs = [cluster.job("a line", FOREVER_S, (0,), 1, "") for _ in range(5)]
    for job in jobs:
        cluster.executor.submit(job)

    cluster.wait_for_request(lambda request: len(request["look"]) == 5)
    assert max(len([1 for asked in request["look"].values() if asked]) for request in cluster.requests()) == 2
