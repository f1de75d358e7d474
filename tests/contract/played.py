"""An emulator that plays a real service: behind a proxy that records, with a colleague at work in the same project."""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner, Result

from modelarts_contract import login, proxy
from modelarts_contract.commands import contract
from modelarts_contract.documents import HARMLESS, Documents
from modelarts_contract.emulator import login_of
from modelarts_contract.objects import objects_of, put
from modelarts_contract.proxy import Forward, ProxyRequest, ProxyResponse
from modelarts_emulator.server import Emulator
from modelarts_toolkit import Obs

__all__ = ["CANARY", "RATE", "Colleague", "Played", "Sent", "playing", "run", "with_json"]

RATE = 1000.0  # requests per second
DOCUMENTS = Documents()
CANARY = "canary-secret-value"

# Variables that decide which service is reached, and how.
OURS = ("MODELARTS_", "OS_", "HUAWEICLOUD_", "AWS_", "CONTRACT_", "PYTEST_")


@dataclass(frozen=True)
class Sent:
    """A request that reached the service, and its status."""

    method: str
    path: str
    body: bytes = field(repr=False)
    status: int

    @property
    def is_login(self) -> bool:
        """Whether it makes a token, or ends one that the run made."""
        return self.method in ("POST", "DELETE") and self.path == "/v3/auth/tokens"

    @property
    def is_reading(self) -> bool:
        found = DOCUMENTS.find(self.method, self.path)
        return self.method in HARMLESS or (found is not None and found[0].kind == "read")


class Played:
    """The service as tests see it; `interfere` can look at each request, or respond itself."""

    def __init__(self, emulator: Emulator) -> None:
        self.emulator = emulator
        self.sent: list[Sent] = []
        self.created: set[str] = set()
        self.address = ""
        self.interfere: Callable[[ProxyRequest, Forward], ProxyResponse] = lambda request, forward: forward(request)
        environment = emulator.environment()
        self.objects: Obs = objects_of(environment)
        self.token = login.token(emulator.endpoint, login_of(environment))
        self.url = f"{emulator.endpoint}/v2/{environment['MODELARTS_PROJECT_ID']}"

    def record(self, request: ProxyRequest, forward: Forward) -> ProxyResponse:
        response = self.interfere(request, forward)
        self.sent.append(Sent(request.method, request.path, request.body, response.status))
        if request.method == "POST" and response.status in (200, 201) and not self.sent[-1].is_login:
            shown = json.loads(response.body)
            if "metadata" in shown or "job_id" in shown or "config_name" in request.body.decode():
                id_ = shown.get("metadata", {}).get("id") or shown.get("job_id")
                self.created.add(str(id_ or json.loads(request.body)["config_name"]))
        return response

    def client(self) -> httpx.Client:
        """A way to the service that is not recorded."""
        return httpx.Client(base_url=self.url, headers={"X-Auth-Token": self.token}, timeout=300)

    def things(self) -> dict[str, Any]:
        """The names of all jobs, algorithms, buckets and objects."""
        with self.client() as client:
            jobs: list[str] = []
            while page := client.post("/training-job-searches", json={"limit": 50, "offset": len(jobs) // 50}).json():
                jobs += [item["metadata"]["name"] for item in page["items"]]
                if len(page["items"]) < 50:
                    break
            algorithms = client.get("/algorithms", params={"limit": 50}).json()["items"]
        buckets = [bucket.name for bucket in self.objects.list_buckets()]
        # The service keeps the logs of deleted jobs, in a bucket of its own.
        keys = [
            found.url
            for bucket in buckets
            if not bucket.startswith("modelarts-training-log-")
            for found in self.objects.list(f"obs://{bucket}/")
        ]
        return {
            "jobs": jobs,
            "algorithms": [item["metadata"]["name"] for item in algorithms],
            "buckets": [bucket for bucket in buckets if bucket.startswith("contract-")],
            "objects": keys,
        }


class Colleague:
    """Somebody who submits, lists and runs jobs all the while, with names that begin like those of the contract."""

    def __init__(self, played: Played) -> None:
        self.played = played
        self.jobs: dict[str, Any] = {}
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.work, name="colleague")
        with played.client() as client:
            played.objects.create_bucket("contract-data")
            put(played.objects, "contract-data", ["contract-code/boot.py"])
            code = {"code_dir": "/contract-data/contract-code/", "boot_file": "/contract-data/contract-code/boot.py"}
            engines = client.get("/training-job-engines").json()["items"]
            engine = {name: engines[0][name] for name in ("engine_id", "engine_name", "engine_version")}
            self.flavor = client.get("/training-job-flavors", params={"flavor_type": "CPU"}).json()["flavors"][0]
            body = {"metadata": {"name": "contract-model"}, "job_config": {**code, "engine": engine}}
            self.algorithm = client.post("/algorithms", json=body).raise_for_status().json()["metadata"]["id"]
            self.stored = client.get(f"/algorithms/{self.algorithm}").json()
            self.submit(client)

    def submit(self, client: httpx.Client) -> None:
        name = f"contract-analysis-{len(self.jobs)}"
        body = {
            "kind": "job",
            "metadata": {"name": name, "annotations": {"emulator/duration": "36000"}},
            "algorithm": {"id": self.algorithm},
            "spec": {"resource": {"flavor_id": self.flavor["flavor_id"], "node_count": 1}},
        }
        self.jobs[client.post("/training-jobs", json=body).raise_for_status().json()["metadata"]["id"]] = name

    def work(self) -> None:
        with self.played.client() as client:
            while not self.stop.wait(1):
                self.submit(client)
                client.post("/training-job-searches", json={"limit": 10}).raise_for_status()

    def __enter__(self) -> Colleague:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self.thread.join()

    def missing(self) -> dict[str, Any]:
        """What of the colleague's is not as it was; empty if nobody touched it."""
        wrong: dict[str, Any] = {}
        with self.played.client() as client:
            for id_, name in list(self.jobs.items()):
                job = client.get(f"/training-jobs/{id_}").json()
                if (
                    job.get("metadata", {}).get("name") != name
                    or job["metadata"].get("description")
                    or job["status"]["phase"] not in {"Creating", "Pending", "Running"}
                ):
                    wrong[name] = job
            if (algorithm := client.get(f"/algorithms/{self.algorithm}").json()) != self.stored:
                wrong["algorithm"] = algorithm
        return wrong


@contextlib.contextmanager
def playing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Played]:
    """Serve the emulator as a real service to which the environment leads; its jobs take half a second."""
    with Emulator(folder / "data", executor="simulated") as emulator:
        emulator.plans.add(job="contract-????????????-*", duration=0.2)
        played = Played(emulator)
        with proxy.serving(emulator.endpoint, played.record) as url:
            for name in [name for name in os.environ if name.startswith(OURS)]:
                monkeypatch.delenv(name)
            for name, value in emulator.environment().items():
                monkeypatch.setenv(name, value.replace(emulator.endpoint, url))
            for name, value in {
                "CONTRACT_JOURNALS": str(folder / "journals"),
                "CONTRACT_POLL_S": "0.05",
                "CONTRACT_SETTLE_S": "0.5",
                "CONTRACT_DELETION_S": "3",
                "CONTRACT_LAG_S": "1",
                "XDG_CONFIG_HOME": str(folder / "config"),
            }.items():
                monkeypatch.setenv(name, value)
            monkeypatch.chdir(folder)
            played.address = url
            yield played


def run(played: Played, *options: str) -> Result:
    """`modelarts contract run` against the played service."""
    command = ["run", "--service", played.address, "--rate", str(RATE), "--yes", *options]
    return CliRunner().invoke(contract, command)


def with_json(response: ProxyResponse, change: Callable[[Any], Any]) -> ProxyResponse:
    """The same response, if it is a success, with its JSON changed."""
    if response.status not in {200, 201} or not response.body:
        return response
    return replace(response, body=json.dumps(change(json.loads(response.body))).encode())
