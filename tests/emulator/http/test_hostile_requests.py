"""No request makes the emulator fail, neither raw bytes nor wrong values behind a right token."""

from __future__ import annotations

import copy
import json
import random
import socket
from collections import Counter
from collections.abc import Iterator
from typing import Any

import psutil
import pytest
from tests.emulator.tuning.conftest import make_policy

from modelarts_emulator.server import Emulator

MAX_GROWTH_BYTES = 60_000_000
LINES = ("GET", "POST", "PUT", "HEAD", "TRACE", "CONNECT", "PRI", "get", "G\0T", "")
PATHS = ("/", "*", "/v3", "/v3/auth/tokens", "/v2/x/training-jobs", "http://a/b", "//", "", "/?%ff%00", "/" * 3000)
VERSIONS = ("HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/1.1 ", "http/1.1", "")
FIELDS = ("Content-Length", "Transfer-Encoding", "Expect", "Connection", "Upgrade", "X-Auth-Token", "x", "", "a b")
FIELD_VALUES = ("-1", "9" * 30, "chunked", "gzip, chunked", "100-continue", "close", "h2c", "x" * 5000, "\0", "\xff")
BODIES = (b"", b"{}", b"null", b'"\xed\xa0\x80"', b"\xff\xfe{\0}\0", b"[" * 100_000, b"3\r\nxxx\r\n0\r\n\r\n")
TEXTS = ("", " ", "\0", "\ud800", "é", "\r\n", "%00", "../..", "obs://", "-1", "1e999", "(a+)+$", "9" * 5000, "x" * 300)
VALUES: tuple[Any, ...] = (
    *TEXTS,
    None,
    True,
    [],
    {},
    [[]],
    [{}],
    -1,
    0.5,
    1e308,
    2**31,
    2**63,
    10**30,
    ["x"] * 3000,
    {"\ud800": 1},
)


def raw_requests(choose: random.Random, host: str) -> Iterator[bytes]:
    """Requests that are hardly ones: odd lines, heads, framings and bodies, with bytes lost or changed."""
    while True:
        body = choose.choice((*BODIES, choose.randbytes(50)))
        lines = [f"{choose.choice(LINES)} {choose.choice(PATHS)} {choose.choice(VERSIONS)}"]
        lines += [f"Host: {host}"] * choose.choice((1, 1, 1, 1, 0, 2))
        lines += [f"{choose.choice(FIELDS)}: {choose.choice(FIELD_VALUES)}" for _ in range(choose.randrange(5))]
        lines += [f"Content-Length: {len(body)}"] * choose.choice((1, 1, 1, 0))
        request = "\r\n".join([*lines, "", ""]).encode("latin-1") + body
        for _ in range(choose.choice((0, 0, 0, 1, 3, 10))):
            place = choose.randrange(len(request))
            request = request[:place] + choose.choice((b"", b"\r\n", b"\0", b":")) + request[place + 1 :]
        yield request


def send_raw(url: str, seed: int, count: int) -> Counter[int]:
    """The statuses of the responses to this number of raw requests; 0 for none."""
    host, port = url.removeprefix("http://").split(":")
    statuses: Counter[int] = Counter()
    requests = raw_requests(random.Random(seed), f"{host}:{port}")
    for _ in range(count):
        response = b""
        with socket.create_connection((host, int(port)), timeout=60) as connection:
            try:
                connection.sendall(next(requests))
                connection.shutdown(socket.SHUT_WR)
                while piece := connection.recv(65536):
                    response += piece
            except OSError as error:  # the server has closed the connection already
                if isinstance(error, TimeoutError):
                    raise
        statuses[int(response.split(b" ", 2)[1]) if response.startswith(b"HTTP/") else 0] += 1
    return statuses


def send_values(api: Any, seed: int, count: int) -> Counter[int]:
    """The statuses of this number of requests with wrong values in bodies that are right otherwise."""
    choose, statuses = random.Random(seed), Counter[int]()
    job = api.job_body(policies={"auto_search": make_policy()})
    bodies = {
        "/v3/auth/tokens": api.login_body(),
        f"{api.project}/training-jobs": job,
        f"{api.project}/algorithms": api.algorithm_body(),
        f"{api.project}/training-job-searches": {"limit": 10, "filters": [{"key": "name", "value": ["x"]}]},
        "/_emulator/plans": {"job": "x*", "duration": [5], "log": ["a"], "tasks": {"worker-0": {"exit_code": 1}}},
        "/_emulator/faults": {"kind": "status", "status": 503, "operations": ["listTrainingJobs"]},
    }
    for number in range(count):
        path, body = choose.choice([*bodies.items()])
        body = copy.deepcopy(body)
        if "metadata" in body:
            body["metadata"]["name"] = f"n{seed}-{number}"
        for _ in range(choose.randrange(3)):
            container, key = choose.choice([*places(body)])
            container[key] = copy.deepcopy(choose.choice(VALUES))
        content = json.dumps(body, ensure_ascii=choose.random() < 0.5).encode("utf-8", "surrogatepass")
        response = api.http.post(path, content=content, headers={"Content-Type": "application/json"})
        assert response.status_code < 500, (path, content[:1500], response.text)
        statuses[response.status_code] += 1
        if path.startswith("/_emulator/"):
            assert api.http.delete(path).is_success  # what was planned would change later responses
    assert api.http.post("/_emulator/reset").is_success
    api.http.headers["X-Auth-Token"] = api.log_in().headers["X-Subject-Token"]
    api.fill_bucket()
    return statuses


def places(node: Any) -> Iterator[tuple[Any, Any]]:
    entries = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in list(entries)[:50]:
        yield node, key
        yield from places(value)


@pytest.fixture(scope="module")
def simulated(log_in: Any) -> Iterator[Any]:
    """A client of an emulator whose jobs run nothing, whatever their commands are."""
    with Emulator(executor="simulated", check_responses=True) as emulator:
        yield log_in(emulator)


@pytest.mark.parametrize("port", ["endpoint", "obs_endpoint"])
def test_raw_bytes_do_not_make_the_emulator_fail(simulated: Any, port: str) -> None:
    statuses = send_raw(getattr(simulated.emulator, port), 1, 600)

    assert max(statuses) < 500
    assert statuses[400] > 60
    assert simulated.http.get("/v3").status_code == 200


def test_wrong_values_do_not_make_the_emulator_fail(simulated: Any) -> None:
    """Nor do they bring out a response that the documents do not allow; right values still work."""
    statuses = send_values(simulated, 2, 200)

    assert statuses[400] > 30
    assert sum(statuses[status] for status in (200, 201, 204)) > 20


@pytest.mark.soak
def test_many_hostile_requests_leave_no_trace(simulated: Any, caplog: pytest.LogCaptureFixture) -> None:
    """No failure, no growing memory, and no traceback in the output."""
    emulator, memory = simulated.emulator, psutil.Process().memory_info
    send_raw(emulator.endpoint, 1, 1000)
    send_values(simulated, 1, 1000)
    before = memory().rss
    for seed in range(2, 12):
        send_raw(emulator.endpoint, seed, 2000)
        send_raw(emulator.obs_endpoint, seed, 2000)
        send_values(simulated, seed, 2000)

    assert memory().rss - before < MAX_GROWTH_BYTES
    assert not [record for record in caplog.records if record.exc_info]
