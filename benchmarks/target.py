"""An emulator as a target of raw requests: a token, a project, and jobs whose script is given."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import httpx

from benchmarks.load import request
from benchmarks.server import Server

BUCKET = "benchmarks"
ENGINE = {"engine_id": "pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64"}
FLAVOR = "modelarts.vm.cpu.2u"


class Target:
    """An emulator that was started on this folder, with one script in its object store."""

    def __init__(self, server: Server, data_dir: Path, script: str) -> None:
        code = data_dir / "objects" / BUCKET / "code"
        code.mkdir(parents=True, exist_ok=True)
        (code / "train.py").write_text(script)
        self.endpoint = server.environment["MODELARTS_ENDPOINT"]
        self.port = int(self.endpoint.rpartition(":")[2])
        self.headers = {"X-Auth-Token": token(server.environment), "Content-Type": "application/json"}
        self.path = f"/v2/{server.environment['MODELARTS_PROJECT_ID']}"
        self.http = httpx.Client(base_url=self.endpoint + self.path, headers=self.headers)

    def __enter__(self) -> Target:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def body(self, name: str) -> bytes:
        """A job of this name, as the service's first example has it: code, a parameter, one node."""
        place = f"/{BUCKET}/code/"
        program = {"code_dir": place, "boot_file": f"{place}train.py", "engine": ENGINE}
        job = {
            "kind": "job",
            "metadata": {"name": name},
            "algorithm": {**program, "parameters": [{"name": "epochs", "value": "10"}]},
            "spec": {"resource": {"flavor_id": FLAVOR, "node_count": 1}},
        }
        return json.dumps(job).encode()

    def create(self, name: str) -> str:
        """Create a job; its id."""
        response = self.http.post("/training-jobs", content=self.body(name)).raise_for_status()
        return str(response.json()["metadata"]["id"])

    def creation(self, name: str) -> bytes:
        """The request that creates a job, for the load generator."""
        return request("POST", f"{self.path}/training-jobs", self.headers, self.body(name))

    def question(self, path: str) -> bytes:
        """A GET, for the load generator."""
        return request("GET", self.path + path, self.headers)

    def search(self, **members: Any) -> bytes:
        """A search of jobs, for the load generator."""
        return request("POST", f"{self.path}/training-job-searches", self.headers, json.dumps(members).encode())

    def count(self, *phases: str) -> int:
        """How many jobs are in these phases."""
        filters = [{"key": "phase", "operator": "in", "value": list(phases)}]
        response = self.http.post("/training-job-searches", json={"filters": filters, "limit": 1})
        return int(response.raise_for_status().json()["total"])

    def wait(self, job_id: str, phase: str, patience: float = 30) -> None:
        """Until the job is in the phase; raises RuntimeError if it does not get there."""
        give_up = time.monotonic() + patience
        while (now := self.http.get(f"/training-jobs/{job_id}").json()["status"]["phase"]) != phase:
            if time.monotonic() > give_up:
                raise RuntimeError(f"job {job_id} is {now}, not {phase}")
            time.sleep(0.02)


def token(environment: dict[str, str]) -> str:
    """A token of the emulator's first user."""
    user = {
        "name": environment["OS_USERNAME"],
        "password": environment["OS_PASSWORD"],
        "domain": {"name": environment["OS_USER_DOMAIN_NAME"]},
    }
    identity = {"methods": ["password"], "password": {"user": user}}
    body = {"auth": {"identity": identity, "scope": {"project": {"name": environment["OS_PROJECT_NAME"]}}}}
    response = httpx.post(environment["MODELARTS_IAM_ENDPOINT"] + "/v3/auth/tokens", json=body)
    return str(response.raise_for_status().headers["X-Subject-Token"])
