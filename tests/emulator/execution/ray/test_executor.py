"""What the Ray executor asks of its gateway, with one that says what a cluster without room would say."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.emulator.execution.stages import FOREVER, RayStage

from modelarts_emulator.execution.ray import connection, executor

GATEWAY = """
import json, pathlib, sys
requests, is_cut = (pathlib.Path(__file__).with_name(name) for name in ("requests", "cut"))
print("{}", flush=True)
for line in sys.stdin:
    request = json.loads(line)
    with requests.open("a") as file:
        file.write(line)
    if request["remove"] and not is_cut.exists():
        is_cut.touch()
        sys.exit()
    attempts = {name: {"state": "waiting", "reason": "no room"} for name in request["look"]}
    print(json.dumps({"attempts": attempts, "names": []}), flush=True)
"""


class FullCluster(RayStage):
    """A cluster without room, whose gateway is lost once: when nodes are freed for the first time."""

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
    job = cluster.job("a line", FOREVER, (0,), 1, "")
    cluster.executor.submit(job)
    name = f"modelarts-{job.job_id}-0"
    cluster.wait_for_request(lambda request: name in request["look"])
    cluster.executor.cancel(job.job_id)

    cluster.wait_for_request(lambda request: request["remove"] == {name: 1}, times=2)


def test_a_job_whose_records_are_gone_holds_up_no_other(cluster: FullCluster) -> None:
    gone, other = (cluster.job("a line", FOREVER, (0,), 1, "") for _ in range(2))
    with cluster.executor._lock:  # type: ignore[attr-defined]
        cluster.executor._begin_attempt(gone)  # type: ignore[attr-defined]
    shutil.rmtree(cluster._folder / "jobs" / ".records" / gone.job_id)
    cluster.executor.advance([gone.job_id])
    cluster.executor.submit(other)

    cluster.wait_for_request(lambda request: f"modelarts-{other.job_id}-0" in request["look"])


def test_many_jobs_are_submitted_in_several_calls(cluster: FullCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """A response has to come in time, however many wait."""
    monkeypatch.setattr(executor, "SUBMISSIONS_PER_CALL", 2)
    jobs = [cluster.job("a line", FOREVER, (0,), 1, "") for _ in range(5)]
    for job in jobs:
        cluster.executor.submit(job)

    cluster.wait_for_request(lambda request: len(request["look"]) == 5)
    assert max(len([1 for asked in request["look"].values() if asked]) for request in cluster.requests()) == 2
