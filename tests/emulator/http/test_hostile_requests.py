"""No request makes the emulator fail, neither raw bytes nor wrong values behind a right token."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.emulator.hostile import Client, Request, Target, raw_requests, wrong_values
from tests.emulator.tuning.conftest import make_policy

from modelarts_emulator.server import Emulator
from modelarts_emulator.settings.accounts import Identity, load_credentials

RESET_PERIOD = 250  # requests: jobs are deleted and clocks moved, so that little would be left to ask about
MAX_GROWTH_BYTES = 60_000_000
SOAK_REQUESTS = 100_000


def send_raw(url: str, seed: int, count: int) -> Client:
    """Send this number of raw requests, and return the client that counted."""
    with Client(url) as client:
        for request, is_complete in itertools.islice(raw_requests(seed, url.removeprefix("http://")), count):
            client.send(request, is_complete)
    return client


def send_values(api: Any, seed: int, count: int) -> Client:
    """Send this number of requests with wrong values."""
    with Client(api.emulator.endpoint) as client:
        for start in range(0, count, RESET_PERIOD):
            target = prepare(api)
            for request in itertools.islice(wrong_values(seed * count + start, target), RESET_PERIOD):
                send_value(client, api, request)
    return client


def send_value(client: Client, api: Any, request: Request) -> None:
    """Send a request with the token that it needs."""
    headers = {"X-Auth-Token": api.http.headers["X-Auth-Token"]}
    if request.path.startswith("/_emulator/"):
        headers = {"Authorization": f"Bearer {api.emulator.control_token}"}
    status = client.send(request.encode(client.url.removeprefix("http://"), headers))
    if request.path.partition("?")[0] == "/_emulator/faults" and request.method == "POST" and status < 300:
        assert api.http.delete("/_emulator/faults").is_success  # they would make calls fail


def prepare(api: Any) -> Target:
    """Begin anew, and return what the requests are made from."""
    assert api.http.post("/_emulator/reset").is_success
    api.http.headers["X-Auth-Token"] = api.log_in().headers["X-Subject-Token"]
    api.fill_bucket()
    search = api.job_body(policies={"auto_search": make_policy()})
    filters = [{"key": "name", "operator": "like", "value": ["x"]}]
    job_id = api.create_job()["metadata"]["id"]
    login = api.login_body()
    bodies: Mapping[str, Any] = {
        "createToken": login,
        "createTemporaryKeys": {"auth": {"identity": {"methods": ["token"], "token": {"duration_seconds": 900}}}},
        "createTrainingJob": search,
        "createAlgorithm": api.algorithm_body(),
        "changeAlgorithm": api.algorithm_body(),
        "changeTrainingJobDescription": {"description": "x"},
        "stopTrainingJob": {"action_type": "terminate"},
        "listTrainingJobs": {"offset": 0, "limit": 10, "sort_by": "name", "order": "asc", "filters": filters},
        "clock": {"advance": 5, "freeze": True},
        "plans": {"job": "x*", "duration": [5, 1.5], "log": ["a"], "tasks": {"worker-0": {"exit_code": 1}}},
        "faults": {"kind": "status", "status": 503, "count": 1, "operations": ["listTrainingJobs"], "probability": 0.5},
        "task failures": {"kind": "hung", "job": job_id, "task": "worker-0"},
    }
    return Target(api.identity.project_id, job_id, api.create_algorithm()["metadata"]["id"], bodies)


@pytest.fixture(scope="module")
def simulated(log_in: Any) -> Iterator[Any]:
    """A client of an emulator whose jobs run nothing, whatever their commands are."""
    with Emulator(executor="simulated", check_responses=True) as emulator:
        yield log_in(emulator)


@pytest.mark.parametrize("port", ["endpoint", "obs_endpoint"])
def test_raw_bytes_do_not_make_the_emulator_fail(simulated: Any, port: str) -> None:
    client = send_raw(getattr(simulated.emulator, port), 1, 1000)

    assert client.failures == []
    assert client.statuses[400] > 100
    assert simulated.http.get("/v3").status_code == 200


def test_wrong_values_do_not_make_the_emulator_fail(simulated: Any) -> None:
    """Nor do they bring out a response that the documents do not allow; right values still work."""
    client = send_values(simulated, 2, 1000)

    assert client.failures == []
    assert client.statuses[400] > 250
    assert sum(client.statuses[status] for status in (200, 201, 202, 204)) > 100


@dataclass
class Process:
    """What clients need to know of an emulator in a process of its own."""

    endpoint: str
    data_dir: Path
    identity: Identity
    control_token: str


def summary(clients: Iterable[Client]) -> str:
    statuses: Counter[int] = sum((client.statuses for client in clients), start=Counter())
    return f"{statuses.total()} requests: {dict(sorted(statuses.items()))}"


@pytest.mark.soak
def test_a_hundred_thousand_hostile_requests_leave_no_trace(
    tmp_path: Path, log_in: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """No failure, no growing memory, and no traceback in the output; HOSTILE_SEED repeats or varies the requests."""
    seed = int(os.environ.get("HOSTILE_SEED", "1"))
    data = tmp_path / "data"
    options = [
        "--port",
        "0",
        "--obs-port",
        "0",
        "--data-dir",
        str(data),
        "--executor",
        "simulated",
        "--check-responses",
    ]
    with (tmp_path / "errors").open("w") as errors:
        command = [str(Path(sys.executable).with_name("modelarts")), "emulator", *options]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        assert process.stdout is not None
        words = process.stdout.readline().split()
        url, obs_url = words[3], words[5].rstrip("),")
        credentials = load_credentials(data, None)
        api = log_in(Process(url, data, credentials.identities[0], credentials.control_token))
        warm_up = [send_raw(url, seed, 1000), send_values(api, seed, 2000)]
        memory = psutil.Process(process.pid).memory_info
        before = memory().rss
        clients, part = warm_up, SOAK_REQUESTS // 20
        for number in range(1, 6):  # raw bytes to both ports, and as many wrong values
            clients.append(send_raw(url, seed + 10 * number, part))
            clients.append(send_raw(obs_url, seed + 10 * number + 1, part))
            clients.append(send_values(api, seed + 10 * number + 2, 2 * part))
            with capsys.disabled():
                sys.stderr.write(f"\n{summary(clients)}; RSS {before >> 20} -> {memory().rss >> 20} MiB\n")
        after = memory().rss
    finally:
        process.terminate()
        try:
            process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise

    assert [failure for client in clients for failure in client.failures] == []
    assert "Traceback" not in (tmp_path / "errors").read_text()
    assert after - before < MAX_GROWTH_BYTES
