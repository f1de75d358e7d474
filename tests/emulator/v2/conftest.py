"""An emulator whose time, tasks and requests a test has in hand."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from modelarts_emulator.execution.protocol import TaskReport
from modelarts_emulator.server import Emulator

CREATE = "/training-jobs"
ALGORITHMS = "/algorithms"
DAY_S = 24 * 3600


def changed(body: Any, path: str, value: Any) -> Any:
    """The body with one member set, wherever it is."""
    *parents, last = path.split(".")
    node = body
    for parent in parents:
        node = node.setdefault(parent, {})
    node[last] = value
    return body


class Stage:
    """A client with its puppet; `now` is the emulator's time in Unix seconds."""

    def __init__(self, api: Any, puppet: Any, now: list[float]) -> None:
        self.api = api
        self.puppet = puppet
        self.now = now

    def post(self, path: str, body: Any) -> httpx.Response:
        response: httpx.Response = self.api.call("POST", path, json=body)
        return response

    def get(self, path: str) -> httpx.Response:
        response: httpx.Response = self.api.call("GET", path)
        return response

    def create(self, body: Any = None) -> httpx.Response:
        return self.post(CREATE, body or self.api.job_body())

    def create_with(self, **algorithm: Any) -> httpx.Response:
        """Ask for a job whose algorithm has these members; None takes one away."""
        return self.create(self.api.job_body(**algorithm))

    def create_changed(self, path: str, value: Any) -> httpx.Response:
        """Ask for a job with this member."""
        return self.create(changed(self.api.job_body(), path, value))

    def create_code(self, *keys: str, size: int = 0) -> httpx.Response:
        """Ask for a job whose code directory has these files beside its boot file, which has this size."""
        code_dir = f"/{self.api.bucket}/{self.api.unique('code')}/"
        folder = self.api.store.root / code_dir.lstrip("/")
        for key in ("train.py", *keys):
            (folder / key).parent.mkdir(parents=True, exist_ok=True)
            (folder / key).touch()
        os.truncate(folder / "train.py", size)
        return self.create_with(code_dir=code_dir, boot_file=f"{code_dir}train.py")

    def declare_changed(self, path: str, value: Any) -> httpx.Response:
        """Ask for an algorithm with this member."""
        return self.post(ALGORITHMS, changed(self.api.algorithm_body(), path, value))

    def search(self, **request: Any) -> httpx.Response:
        return self.post("/training-job-searches", request)

    def act(self, job_id: str, action: str) -> httpx.Response:
        return self.post(f"{CREATE}/{job_id}/actions", {"action_type": action})

    def running_job(self) -> str:
        job_id = str(self.api.create_job()["metadata"]["id"])
        self.api.eventually(lambda: job_id in self.puppet.reports)
        self.puppet.report(job_id, TaskReport("worker-0", "running", started_at=self.now[0]))
        self.api.wait_for_phase(job_id, "Running")
        return job_id

    def ended_job(self) -> str:
        job_id = self.running_job()
        ended = TaskReport("worker-0", "ended", started_at=self.now[0], ended_at=self.now[0], exit_code=0)
        self.puppet.report(job_id, ended)
        self.api.wait_for_phase(job_id, "Completed")
        return job_id

    def log_after(self, seconds: float, job_id: str = "") -> httpx.Response:
        """The log of a job, one line of one that has just ended unless given, this number of seconds later."""
        if not job_id:
            job_id = self.ended_job()
            self.puppet.log_file(job_id, "worker-0").write_bytes(b"trained\n")
        self.now[0] += seconds
        self.log_in()
        return self.get(f"{CREATE}/{job_id}/tasks/worker-0/logs/preview")

    def log_in(self) -> None:
        self.api.http.headers["X-Auth-Token"] = self.api.log_in().headers["X-Subject-Token"]


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory, new_puppet: Any, log_in: Any) -> Iterator[Stage]:
    """An emulator of the documented limits, on whose clock nothing but a test moves."""
    folder, now = tmp_path_factory.mktemp("stage"), [float(int(time.time()))]  # exact in milliseconds, too
    options: dict[str, Any] = {"executor": new_puppet(folder), "keep_jobs": True, "max_running_jobs": 99}
    with Emulator(folder / "data", check_responses=True, clock=lambda: now[0], **options) as emulator:
        yield Stage(log_in(emulator), options["executor"], now)
