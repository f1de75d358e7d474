"""Numbers that the service documents: the last value that is accepted, and the first that is not."""

from __future__ import annotations

import calendar
import os
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from modelarts_emulator.execution.protocol import TaskReport
from modelarts_emulator.s3 import signing, sigv4
from modelarts_emulator.server import Emulator
from modelarts_emulator.storage.errors import AccessDenied

DAY_S = 24 * 3600
MAX_BODY_BYTES = 12 * 1024 * 1024


class Stage:
    """A client of an emulator whose time a test sets."""

    def __init__(self, api: Any, puppet: Any, now: list[float]) -> None:
        self.api = api
        self.puppet = puppet
        self.now = now

    def job(self, name: str = "", description: str = "", **algorithm: Any) -> httpx.Response:
        body = self.api.job_body(**algorithm)
        body["metadata"] |= {"name": name or body["metadata"]["name"], "description": description}
        return self.create(body)

    def create(self, body: Any) -> httpx.Response:
        response: httpx.Response = self.api.call("POST", "/training-jobs", json=body)
        return response

    def job_with_spec(self, **spec: Any) -> httpx.Response:
        body = self.api.job_body()
        body["spec"] |= spec
        return self.create(body)

    def nodes(self, count: int) -> httpx.Response:
        return self.job_with_spec(resource={"flavor_id": "modelarts.vm.cpu.8u", "node_count": count})

    def variable(self, name: int, value: int) -> httpx.Response:
        return self.job(environments={"V" * name: "x" * value})

    def channel(self, length: int) -> httpx.Response:
        remote = {"obs": {"obs_url": f"/{self.api.bucket}/pytorch/"}}
        return self.job(inputs=[{"name": "c" * length, "remote": remote}])

    def algorithm(self, name: str = "", description: str = "") -> httpx.Response:
        body = self.api.algorithm_body()
        body["metadata"] |= {"name": name or body["metadata"]["name"], "description": description}
        response: httpx.Response = self.api.call("POST", "/algorithms", json=body)
        return response

    def describe(self, length: int) -> httpx.Response:
        path = f"/training-jobs/{self.api.create_job()['metadata']['id']}"
        response: httpx.Response = self.api.call("PUT", path, json={"description": "x" * length})
        return response

    def search(self, **body: Any) -> httpx.Response:
        response: httpx.Response = self.api.call("POST", "/training-job-searches", json=body)
        return response

    def body_of(self, size: int) -> httpx.Response:
        """A search whose body has this size."""
        content = b"{}" + b" " * (size - 2)
        path, headers = "/training-job-searches", {"Content-Type": "application/json"}
        response: httpx.Response = self.api.call("POST", path, content=content, headers=headers)
        return response

    def code(self, *keys: str, size: int = 0) -> httpx.Response:
        """A job whose code directory has these files beside its boot file, which has this size."""
        code_dir = f"/{self.api.bucket}/{self.api.unique('code')}/"
        folder = self.api.store.root / code_dir.lstrip("/")
        for key in ("train.py", *keys):
            (folder / key).parent.mkdir(parents=True, exist_ok=True)
            (folder / key).touch()
        os.truncate(folder / "train.py", size)
        return self.job(code_dir=code_dir, boot_file=f"{code_dir}train.py")

    def running_job(self) -> str:
        job_id = str(self.api.create_job()["metadata"]["id"])
        self.api.eventually(lambda: job_id in self.puppet.reports)
        self.puppet.report(job_id, TaskReport("worker-0", "running", started_at=self.now[0]))
        self.puppet.log_file(job_id, "worker-0").write_bytes(b"trained\n")
        self.api.wait_for_phase(job_id, "Running")
        return job_id

    def log_after(self, seconds: float) -> httpx.Response:
        """The log of a job that ended this number of seconds ago."""
        job_id = self.running_job()
        ended = TaskReport("worker-0", "ended", started_at=self.now[0], ended_at=self.now[0], exit_code=0)
        self.puppet.report(job_id, ended)
        self.api.wait_for_phase(job_id, "Completed")
        self.now[0] += seconds
        self.log_in()
        response: httpx.Response = self.api.call("GET", f"/training-jobs/{job_id}/tasks/worker-0/logs/preview")
        return response

    def call_after(self, seconds: float) -> httpx.Response:
        """A call with a token that was issued this number of seconds ago."""
        token = self.api.log_in().headers["X-Subject-Token"]
        self.now[0] += seconds
        response: httpx.Response = self.api.call("GET", "/training-job-flavors", headers={"X-Auth-Token": token})
        self.log_in()
        return response

    def log_in(self) -> None:
        self.api.http.headers["X-Auth-Token"] = self.api.log_in().headers["X-Subject-Token"]


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory, new_puppet: Any, log_in: Any) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("numbers")
    puppet, now = new_puppet(folder), [float(int(time.time()))]  # whole seconds are exact in milliseconds, too
    options: dict[str, Any] = {"executor": puppet, "clock": lambda: now[0], "keep_jobs": True, "max_running_jobs": 99}
    with Emulator(folder / "data", check_responses=True, **options) as emulator:
        yield Stage(log_in(emulator), puppet, now)


Try = Callable[[Stage], httpx.Response]
NUMBERS: dict[str, tuple[Try, Try, str]] = {
    "name of a job": (lambda s: s.job("n" * 64), lambda s: s.job("n" * 65), "ModelArts.2788"),
    "description of a job": (
        lambda s: s.job(description="x" * 256),
        lambda s: s.job(description="x" * 257),
        "ModelArts.2788",
    ),
    "changed description": (lambda s: s.describe(256), lambda s: s.describe(257), "ModelArts.2788"),
    "name of an algorithm": (lambda s: s.algorithm("n" * 64), lambda s: s.algorithm("n" * 65), "ModelArts.2788"),
    "description of an algorithm": (
        lambda s: s.algorithm(description="x" * 256),
        lambda s: s.algorithm(description="x" * 257),
        "ModelArts.2788",
    ),
    "name of a variable": (lambda s: s.variable(8192, 1), lambda s: s.variable(8193, 1), "ModelArts.2788"),
    "value of a variable": (lambda s: s.variable(1, 8192), lambda s: s.variable(1, 8193), "ModelArts.2788"),
    "name of a channel": (lambda s: s.channel(64), lambda s: s.channel(65), "ModelArts.2753"),
    "name of a hyperparameter": (
        lambda s: s.job(parameters=[{"name": "p" * 64, "value": "1"}]),
        lambda s: s.job(parameters=[{"name": "p" * 65, "value": "1"}]),
        "ModelArts.2788",
    ),
    "hours of auto_stop": (
        lambda s: s.job_with_spec(auto_stop={"time_unit": "HOURS", "duration": 1}),
        lambda s: s.job_with_spec(auto_stop={"time_unit": "HOURS", "duration": 0}),
        "ModelArts.2788",
    ),
    "fewest nodes": (lambda s: s.nodes(1), lambda s: s.nodes(0), "ModelArts.2788"),
    "most nodes of the flavor": (lambda s: s.nodes(16), lambda s: s.nodes(17), "ModelArts.2793"),
    "files of code": (
        lambda s: s.code(*(f"{number}.txt" for number in range(999))),
        lambda s: s.code(*(f"{number}.txt" for number in range(1000))),
        "ModelArts.2759",
    ),
    "depth of code": (lambda s: s.code("d/" * 32 + "f"), lambda s: s.code("d/" * 33 + "f"), "ModelArts.2760"),
    "bytes of code": (lambda s: s.code(size=5 * 1024**3), lambda s: s.code(size=5 * 1024**3 + 1), "ModelArts.2761"),
    "largest page": (lambda s: s.search(limit=50), lambda s: s.search(limit=51), "ModelArts.2788"),
    "smallest page": (lambda s: s.search(limit=1), lambda s: s.search(limit=0), "ModelArts.2788"),
    "first page": (lambda s: s.search(offset=0), lambda s: s.search(offset=-1), "ModelArts.2788"),
    "bytes of a body": (lambda s: s.body_of(MAX_BODY_BYTES), lambda s: s.body_of(MAX_BODY_BYTES + 1), "APIG.0201"),
    "days that a log is kept": (
        lambda s: s.log_after(30 * DAY_S),
        lambda s: s.log_after(30 * DAY_S + 1),
        "ModelArts.2819",
    ),
    "hours that a token is valid": (lambda s: s.call_after(DAY_S - 1), lambda s: s.call_after(DAY_S), "ModelArts.0202"),
}


@pytest.mark.parametrize("number", NUMBERS)
def test_a_documented_number_is_accepted_and_the_next_one_is_not(stage: Stage, number: str) -> None:
    inside, outside, code = NUMBERS[number]

    assert inside(stage).is_success
    rejected = outside(stage)
    assert rejected.is_client_error
    assert rejected.json()["error_code"] == code


def test_a_link_to_a_log_is_good_for_five_minutes(stage: Stage) -> None:
    """The object store checks it against real time, so the check itself is asked here."""
    job_id = stage.running_job()
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

    for page in (stage.search().json(), stage.api.call("GET", "/algorithms").json()):
        assert page["total"] >= 51
        assert (page["limit"], page["count"], len(page["items"])) == (50, 50, 50)
    for path in ("events", "autosearch-trials"):
        assert stage.api.call("GET", f"/training-jobs/{job_id}/{path}").json()["limit"] == 50
