"""Numbers that the service documents: the last value that is accepted, and the first that is not."""

from __future__ import annotations

import calendar
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from tests.emulator.v2.conftest import ALGORITHMS, CREATE, DAY_S, Stage

from modelarts_emulator.s3 import signing, sigv4
from modelarts_emulator.server import Emulator
from modelarts_emulator.storage.errors import AccessDenied

MAX_BODY_BYTES = 12 * 1024 * 1024


def variable(stage: Stage, name: int, value: int) -> httpx.Response:
    return stage.create_with(environments={"V" * name: "x" * value})


def channel(stage: Stage, length: int) -> httpx.Response:
    remote = {"obs": {"obs_url": f"/{stage.api.bucket}/pytorch/"}}
    return stage.create_with(inputs=[{"name": "c" * length, "remote": remote}])


def change_description(stage: Stage, length: int) -> httpx.Response:
    path = f"{CREATE}/{stage.api.create_job()['metadata']['id']}"
    response: httpx.Response = stage.api.call("PUT", path, json={"description": "x" * length})
    return response


def search_with_body(stage: Stage, size: int) -> httpx.Response:
    content, headers = b"{}" + b" " * (size - 2), {"Content-Type": "application/json"}
    response: httpx.Response = stage.api.call("POST", "/training-job-searches", content=content, headers=headers)
    return response


def call_after(stage: Stage, seconds: float) -> httpx.Response:
    """A call with a token that was issued this number of seconds ago."""
    token = stage.api.log_in().headers["X-Subject-Token"]
    stage.now[0] += seconds
    response: httpx.Response = stage.api.call("GET", "/training-job-flavors", headers={"X-Auth-Token": token})
    stage.log_in()
    return response


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory, new_puppet: Any, log_in: Any) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("numbers")
    puppet, now = new_puppet(folder), [float(int(time.time()))]  # whole seconds are exact in milliseconds, too
    options: dict[str, Any] = {"executor": puppet, "clock": lambda: now[0], "keep_jobs": True, "max_running_jobs": 99}
    with Emulator(folder / "data", check_responses=True, **options) as emulator:
        yield Stage(log_in(emulator), puppet, now)


# By what is limited: the request, the last number that is accepted, the next one, and its code.
NUMBERS: dict[str, tuple[Callable[[Stage, int], httpx.Response], int, int, str]] = {
    "name of a job": (lambda s, n: s.create_described(name="n" * n), 64, 65, "ModelArts.2788"),
    "description of a job": (lambda s, n: s.create_described(description="x" * n), 256, 257, "ModelArts.2788"),
    "changed description": (change_description, 256, 257, "ModelArts.2788"),
    "name of an algorithm": (lambda s, n: s.declare_described(name="n" * n), 64, 65, "ModelArts.2788"),
    "description of an algorithm": (lambda s, n: s.declare_described(description="x" * n), 256, 257, "ModelArts.2788"),
    "name of a variable": (lambda s, n: variable(s, n, 1), 8192, 8193, "ModelArts.2788"),
    "value of a variable": (lambda s, n: variable(s, 1, n), 8192, 8193, "ModelArts.2788"),
    "name of a channel": (channel, 64, 65, "ModelArts.2753"),
    "name of a hyperparameter": (
        lambda s, n: s.create_with(parameters=[{"name": "p" * n, "value": "1"}]), 64, 65, "ModelArts.2788",
    ),
    "hours of auto_stop": (lambda s, n: s.create_stopping(n), 1, 0, "ModelArts.2788"),
    "fewest nodes": (lambda s, n: s.create_on(node_count=n), 1, 0, "ModelArts.2788"),
    "most nodes of the flavor": (lambda s, n: s.create_on(node_count=n), 16, 17, "ModelArts.2793"),
    "files of code": (
        lambda s, n: s.create_code(*(f"{number}.txt" for number in range(1, n))), 1000, 1001, "ModelArts.2759",
    ),
    "depth of code": (lambda s, n: s.create_code("d/" * n + "f"), 32, 33, "ModelArts.2760"),
    "bytes of code": (lambda s, n: s.create_code(size=n), 5 * 1024**3, 5 * 1024**3 + 1, "ModelArts.2761"),
    "largest page": (lambda s, n: s.search(limit=n), 50, 51, "ModelArts.2788"),
    "smallest page": (lambda s, n: s.search(limit=n), 1, 0, "ModelArts.2788"),
    "first page": (lambda s, n: s.search(offset=n), 0, -1, "ModelArts.2788"),
    "bytes of a body": (search_with_body, MAX_BODY_BYTES, MAX_BODY_BYTES + 1, "APIG.0201"),
    "seconds that a log is kept": (lambda s, n: s.log_after(n), 30 * DAY_S, 30 * DAY_S + 1, "ModelArts.2819"),
    "seconds that a token is valid": (call_after, DAY_S - 1, DAY_S, "ModelArts.0202"),
}  # fmt: skip


@pytest.mark.parametrize("number", NUMBERS)
def test_a_documented_number_is_accepted_and_the_next_one_is_not(stage: Stage, number: str) -> None:
    request, inside, outside, code = NUMBERS[number]

    assert request(stage, inside).is_success
    rejected = request(stage, outside)
    assert rejected.is_client_error
    assert rejected.json()["error_code"] == code


def test_a_link_to_a_log_is_good_for_five_minutes(stage: Stage) -> None:
    """The object store checks it against real time, so the check itself is asked here."""
    job_id = stage.running_job()
    stage.puppet.log_file(job_id, "worker-0").write_bytes(b"trained\n")
    url = urlsplit(stage.api.call("GET", f"/training-jobs/{job_id}/tasks/worker-0/logs/url").json()["obs_url"])
    issued = calendar.timegm(time.strptime(parse_qs(url.query)["X-Amz-Date"][0], "%Y%m%dT%H%M%SZ"))
    request = sigv4.Request("GET", url.path, url.query, [("host", url.netloc)])

    signing.verify(request, [stage.api.identity], issued + 300)

    with pytest.raises(AccessDenied):
        signing.verify(request, [stage.api.identity], issued + 301)


def test_a_list_without_a_limit_has_fifty_entries(stage: Stage) -> None:
    for _ in range(51):
        stage.api.create_job()
        stage.api.create_algorithm()
    job_id = stage.api.create_job()["metadata"]["id"]

    named = stage.search(filters=[{"key": "name", "operator": "like", "value": ["job"]}])
    for page in (stage.search().json(), named.json(), stage.get(ALGORITHMS).json()):
        assert page["total"] >= 51
        assert (page["limit"], page["count"], len(page["items"])) == (50, 50, 50)
    for path in ("events", "autosearch-trials"):
        assert stage.api.call("GET", f"/training-jobs/{job_id}/{path}").json()["limit"] == 50
