"""A service to hold the documents against, and what is made to exist there: an emulator of our own, or real.py."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json
import os
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
import botocore.config
import httpx
from tests.contract import login
from tests.contract.guard import Guard

import modelarts_openapi

__all__ = ["KEPT", "Objects", "Service", "search", "seed", "serving"]

BOOT = b"print('hello', flush=True)\n"
# What the simulated executor makes of a job: it ends at once, so that there are a log and metrics, or it runs on.
METRICS = {"emulator/cpuUsage": "12.5", "emulator/memUsage": "3.25", "emulator/log": "hello"}
PLANS = {"short": {"emulator/duration": "0", **METRICS}, "long": {"emulator/duration": "3600", **METRICS}}
NO_PLANS: dict[str, dict[str, str]] = {"short": {}, "long": {}}
# Little else: for every call, `requests` searches the whole environment for a proxy.
KEPT = ("PATH", "HOME", "TMPDIR", "LANG", "VIRTUAL_ENV", "CONTRACT_REPORTS")
SPEC_CODE = "modelarts.vm.cpu.2u"
COMPLETED = 10  # the status of a version that has ended well
NUMBERS = itertools.count(1)


@dataclass(frozen=True)
class Service:
    """A service to hold the documents against; a real one has a guard, and the environment leads to that.

    `login_body` is the right login, `prefix` starts the names of everything that the run creates.
    `signature` is how requests are signed (`scoped`, `unscoped`) that would otherwise carry the token.
    """

    environment: dict[str, str] = field(repr=False)
    token: str = field(repr=False)
    login_body: dict[str, Any] = field(repr=False)
    prefix: str
    writable: bool = True
    stand_ins: dict[str, Any] = field(default_factory=dict, repr=False)
    guard: Guard | None = None
    signature: str = ""

    @property
    def is_real(self) -> bool:
        return self.guard is not None

    @property
    def endpoint(self) -> str:
        return self.environment["MODELARTS_ENDPOINT"]

    @property
    def project_url(self) -> str:
        return self.project_url_of("v2")

    def project_url_of(self, version: str) -> str:
        """The URL of the project in a version of the API."""
        return f"{self.endpoint}/{version}/{self.environment['MODELARTS_PROJECT_ID']}"

    @property
    def patience_s(self) -> float:
        """How long a job may take."""
        return 1800 if self.is_real else 20

    @property
    def poll_s(self) -> float:
        """How long to wait between two looks at a job."""
        return float(os.environ.get("CONTRACT_POLL_S") or 10) if self.is_real else 0.02

    @property
    def plans(self) -> dict[str, dict[str, str]]:
        return NO_PLANS if self.is_real else PLANS

    def url_of(self, document: str) -> str:
        return self.environment["MODELARTS_IAM_ENDPOINT"] if document == "iam" else self.endpoint

    def name(self, kind: str) -> str:
        """A name that nothing else has."""
        return f"{self.prefix}{kind}-{next(NUMBERS)}"


class Objects:
    """Object storage, where a run puts the code of its jobs."""

    def __init__(self, client: Any, region: str | None = None) -> None:
        self.client = client
        self._region = region

    def __repr__(self) -> str:
        return f"Objects({self.client.meta.endpoint_url!r})"

    def make_bucket(self, bucket: str) -> None:
        location = {"CreateBucketConfiguration": {"LocationConstraint": self._region}} if self._region else {}
        self.client.create_bucket(Bucket=bucket, **location)

    def put(self, bucket: str, key: str) -> None:
        self.client.put_object(Bucket=bucket, Key=key, Body=BOOT)


def examples(operation_id: str) -> dict[str, Any]:
    """Return the documented request bodies of an operation of v2, by name."""
    for path in modelarts_openapi.load("v2")["paths"].values():
        for operation in path.values():
            if isinstance(operation, dict) and operation.get("operationId") == operation_id:
                named = operation["requestBody"]["content"]["application/json"]["examples"]
                document = modelarts_openapi.load("v2")
                return {name: resolve(document, example)["value"] for name, example in named.items()}
    raise LookupError(operation_id)


def resolve(document: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in node:
        target: Any = document
        for step in node["$ref"].removeprefix("#/").split("/"):
            target = target[step.replace("~1", "/").replace("~0", "~")]
        node = target
    return node


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def printed_objects() -> Iterator[tuple[str, str]]:
    """The bucket and key of every object to which a documented request points."""
    names = {name for id_ in ("createAlgorithm", "createTrainingJob") for name in strings(examples(id_))}
    for name in sorted(names):
        url = name.removeprefix("obs:/")
        if url.startswith("/") and " " not in url and not url.startswith("/home/"):
            _, bucket, key = url.split("/", 2)
            yield bucket, key + "readme.txt" if url.endswith("/") else key


def upload_code(objects: Objects) -> None:
    """Put a boot file into a bucket of our emulator, and an object wherever a documented request points."""
    wanted = {("contract", "code/boot.py"), *printed_objects()}
    for bucket in {bucket for bucket, _ in wanted}:
        objects.make_bucket(bucket)
    for bucket, key in wanted:
        objects.put(bucket, key)


def seed(service: Service, code_dir: str) -> dict[str, Any]:
    """Create what the documents' examples take for granted; return what hooks.py needs to know of it."""
    base, is_ours = service.project_url, not service.is_real
    with httpx.Client(headers={"X-Auth-Token": service.token}, timeout=120) as client:
        flavors = client.get(f"{base}/training-job-flavors", params={"flavor_type": "CPU"}).json()["flavors"]
        engines = client.get(f"{base}/training-job-engines").json()["items"]
        engine = {name: engines[0][name] for name in ("engine_id", "engine_name", "engine_version")}
        code = {"code_dir": code_dir, "boot_file": f"{code_dir}boot.py"}
        plain = {"metadata": {}, "job_config": {**code, "engine": engine}}
        printed = next(body for body in examples("createAlgorithm").values() if "fast_example" in json.dumps(body))
        ids = []
        for body in (plain, printed if is_ours else plain):
            metadata = {**body["metadata"], "name": service.name("algorithm")}
            response = client.post(f"{base}/algorithms", json={**body, "metadata": metadata})
            assert response.is_success, response.text
            ids.append(response.json()["metadata"]["id"])
        known = {"algorithm_id": ids[0], "printed_algorithm_id": ids[1], "flavor_id": flavors[0]["flavor_id"]}
        seeded = {**code, **known, "engine": engine, "plans": service.plans}
        seeded |= finished_job(service, client, known)
    if is_ours:
        seeded["v1"] = seed_v1(dataclasses.replace(service, stand_ins=seeded))
        tagged = next(item for item in engines if "auto_search" in json.dumps(item.get("tags")))
        seeded["search_engine"] = {name: tagged[name] for name in engine}
        for kind, plan in {"searched": "0", "searching": "3600"}.items():
            seeded[kind] = search(dataclasses.replace(service, stand_ins=seeded), plan)
    return seeded


def seed_v1(service: Service) -> dict[str, Any]:
    """Create a job that has ended, a configuration and a visualization job by version 1; return what hints need."""
    known = service.stand_ins
    settings = {
        "worker_server_num": 1,
        "engine_id": 4,
        "spec_id": 7,  # which is SPEC_CODE
        "app_url": known["code_dir"],
        "boot_file_url": known["boot_file"],
        "data_url": known["code_dir"],
        "parameter": [{"label": "num_epochs", "value": "1"}],
    }
    with httpx.Client(base_url=service.project_url_of("v1"), headers={"X-Auth-Token": service.token}) as client:

        def ask(method: str, path: str, body: Any = None) -> Any:
            response = client.request(method, path, json=body)
            assert response.is_success, response.text
            return response.json()

        config_name = service.name("config")
        job = ask("POST", "training-jobs", {"job_name": service.name("v1-short-job"), "config": settings})
        long_job = ask("POST", "training-jobs", {"job_name": service.name("v1-long-job"), "config": settings})
        ask("POST", "training-job-configs", {**settings, "config_name": config_name})
        board = {"job_name": service.name("board")[:20], "train_url": "/contract/logs/"}
        ended = ask("POST", "visualization-jobs", {**board, "job_name": service.name("ended")[:20]})["job_id"]
        ask("POST", f"visualization-jobs/{ended}/stop")
        version = f"training-jobs/{job['job_id']}/versions/{job['version_id']}"
        give_up = time.monotonic() + service.patience_s
        while ask("GET", version)["status"] != COMPLETED and time.monotonic() < give_up:
            time.sleep(service.poll_s)
        return {
            "engine_id": settings["engine_id"],
            "spec_id": settings["spec_id"],
            "spec_code": SPEC_CODE,
            "job_id": job["job_id"],
            "version_id": job["version_id"],
            "long_job_id": long_job["job_id"],
            "long_version_id": long_job["version_id"],
            "log_file": ask("GET", f"{version}/log/file-names")["log_file_list"][0],
            "config_name": config_name,
            "sample_name": ask("GET", "training-job-configs?config_type=sample")["configs"][0]["config_name"],
            "ended_visualization_job_id": ended,
            "visualization_job_id": ask("POST", "visualization-jobs", board)["job_id"],
        }


def search(service: Service, seconds: str) -> dict[str, str]:
    """Start a search of which each trial lasts so long; return ids of the job, of a trial and a hyperparameter."""
    known = service.stand_ins
    code = {"code_dir": known["code_dir"], "boot_file": known["boot_file"], "engine": known["search_engine"]}
    policy = {
        "reward_attrs": [{"name": "acc", "mode": "max", "regex": r"acc=(\S+)"}],
        "search_params": [{"name": "lr", "param_type": "continuous", "lower_bound": "0", "upper_bound": "1"}],
        "algo_configs": [
            {"name": "anneal_search", "params": [{"key": "num_samples", "value": "10", "type": "Integer"}]}
        ],
    }
    plan = {"emulator/duration": seconds, "emulator/log": "acc={lr}"}
    body = {
        "kind": "job",
        "metadata": {"name": service.name("search"), "annotations": plan},
        "algorithm": {**code, "policies": {"auto_search": policy}},
        "spec": {"resource": {"flavor_id": known["flavor_id"], "node_count": 1}},
    }
    base = service.project_url
    with httpx.Client(headers={"X-Auth-Token": service.token}) as client:
        response = client.post(f"{base}/training-jobs", json=body)
        assert response.is_success, response.text
        job = f"{base}/training-jobs/{response.json()['metadata']['id']}"
        give_up = time.monotonic() + 90  # a disk that still writes what was installed holds up every commit
        while time.monotonic() < give_up:
            phase = client.get(job).raise_for_status().json()["status"]["phase"]
            table = client.get(f"{job}/autosearch-trials").raise_for_status().json()["items"]
            if phase == ("Completed" if seconds == "0" else "Running") and table["data"]:
                trial = str(table["data"][0][table["header"].index("trial_id")])
                return {"training_job_id": job.rpartition("/")[2], "trial_id": trial, "parameter_name": "lr"}
            time.sleep(0.05)
    raise AssertionError(f"the search is {phase} with {len(table['data'])} trials")


def finished_job(service: Service, client: httpx.Client, known: dict[str, str]) -> dict[str, str]:
    """Run a job to its end, so that a log and metrics exist; return its id and its task's."""
    body = {
        "kind": "job",
        "metadata": {"name": service.name("finished"), "annotations": service.plans["short"]},
        "algorithm": {"id": known["algorithm_id"]},
        "spec": {"resource": {"flavor_id": known["flavor_id"], "node_count": 1}},
    }
    job = client.post(f"{service.project_url}/training-jobs", json=body).raise_for_status().json()
    url = f"{service.project_url}/training-jobs/{job['metadata']['id']}"
    give_up = time.monotonic() + service.patience_s
    while job["status"]["phase"] != "Completed" and time.monotonic() < give_up:
        time.sleep(service.poll_s)
        job = client.get(url).raise_for_status().json()
    assert job["status"]["phase"] == "Completed", job["status"]
    return {"training_job_id": job["metadata"]["id"], "task_id": job["status"]["tasks"][0]}


def identity(name: str) -> dict[str, str]:
    """An identity for the emulator, with an account, a user and a project of its own."""
    named = {key: f"{key}-of-{name}" for key in ("account", "user", "project")}
    ids = {key: secrets.token_hex(16) for key in ("project_id", "domain_id", "user_id", "password", "secret_key")}
    return {**named, **ids, "access_key": secrets.token_hex(10).upper()}


def credentials(folder: Path, *identities: dict[str, str]) -> Path:
    """Write the file of credentials that an emulator reads."""
    file = folder / "credentials.toml"
    tables = ["\n".join(f"{name} = {json.dumps(value)}" for name, value in values.items()) for values in identities]
    file.write_text("".join(f"[[identity]]\n{table}\n\n" for table in tables))
    return file


def objects_of(environment: dict[str, str]) -> Objects:
    """The object store of an emulator."""
    client = boto3.client(
        "s3",
        endpoint_url=environment["AWS_ENDPOINT_URL_S3"],
        aws_access_key_id=environment["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=environment["AWS_SECRET_ACCESS_KEY"],
        region_name="local",
        config=botocore.config.Config(s3={"addressing_style": "path"}),
    )
    return Objects(client)


def login_of(environment: dict[str, str]) -> dict[str, Any]:
    """The right login at an emulator."""
    names = ("OS_USERNAME", "OS_PASSWORD", "OS_USER_DOMAIN_NAME")
    return login.body(*(environment[name] for name in names), name=environment["OS_PROJECT_NAME"])


def kept() -> dict[str, str]:
    return {name: os.environ[name] for name in KEPT if name in os.environ}


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[Service]:
    """Serve an emulator of our own with its data in this folder, where everything that is needed exists."""
    from modelarts_emulator.server import Emulator

    owner, neighbour = identity("owner"), identity("neighbour")
    file = credentials(folder, owner, neighbour)
    options: dict[str, Any] = {"executor": "simulated", "check_responses": True, "max_visualization_jobs": 10_000}
    with Emulator(folder / "data", credentials=file, **options) as emulator:
        # Jobs of version 1 have no annotations.
        emulator.plans.add(job="*-short-*", duration=0, log=["hello"])
        emulator.plans.add(job="*-long-*", duration=3600)
        environment = {**kept(), **emulator.environment()}
        upload_code(objects_of(environment))
        right = login_of(environment)
        service = Service(environment, login.token(emulator.endpoint, right), right, "contract-")
        theirs = login.body(neighbour["user"], neighbour["password"], neighbour["account"], name=neighbour["project"])
        stranger = {"project_id": neighbour["project_id"], "token": login.token(emulator.endpoint, theirs)}
        own = {"project": environment["MODELARTS_PROJECT_ID"], "region_id": environment["OS_REGION_NAME"]}
        yield dataclasses.replace(service, stand_ins={**seed(service, "/contract/code/"), **own, "neighbour": stranger})
