"""A service to hold the documents against, and what is made to exist there: an emulator of our own, or a real service.

SERVICE=https://... names a real one, reached with the toolkit's environment variables; it is only read.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
import botocore.config
import httpx
import pytest

import modelarts_openapi

__all__ = ["OURS", "SHORT", "Service", "real", "search", "serving", "token"]

BUCKET = os.environ.get("CONTRACT_BUCKET", "contract")
OURS = not os.environ.get("SERVICE")
BOOT = b"print('hello', flush=True)\n"
# What the simulated executor makes of a job: it ends at once, so that there are a log and metrics, or it runs on.
METRICS = {"emulator/cpuUsage": "12.5", "emulator/memUsage": "3.25", "emulator/log": "hello"}
SHORT = {"emulator/duration": "0", **METRICS} if OURS else {}
LONG = {"emulator/duration": "3600", **METRICS} if OURS else {}
KEPT = ("PATH", "HOME", "TMPDIR", "LANG", "VIRTUAL_ENV")

NEIGHBOUR = {
    "account": "neighbour",
    "user": "neighbour",
    "password": "neighbour-password",
    "project": "next-door",
    "project_id": "0f1e2d3c4b5a69788796a5b4c3d2e1f0",
}


@dataclass(frozen=True)
class Service:
    """A service to hold the documents against, and the environment that reaches it."""

    environment: dict[str, str] = field(repr=False)
    writable: bool
    stand_ins: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def endpoint(self) -> str:
        return self.environment["MODELARTS_ENDPOINT"]

    def login_body(self) -> dict[str, Any]:
        return login_body(self.environment)

    def token(self) -> str:
        return token(self.environment)

    def url_of(self, document: str) -> str:
        return self.environment["MODELARTS_IAM_ENDPOINT"] if document == "iam" else self.endpoint


def object_client(environment: dict[str, str]) -> Any:
    return boto3.client(
        "s3",
        endpoint_url=environment["AWS_ENDPOINT_URL_S3"],
        aws_access_key_id=environment["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=environment["AWS_SECRET_ACCESS_KEY"],
        region_name="local",
        config=botocore.config.Config(s3={"addressing_style": "path"}),
    )


def login_body(environment: dict[str, str]) -> dict[str, Any]:
    user = {
        "name": environment["OS_USERNAME"],
        "password": environment["OS_PASSWORD"],
        "domain": {"name": environment["OS_USER_DOMAIN_NAME"]},
    }
    identity = {"methods": ["password"], "password": {"user": user}}
    return {"auth": {"identity": identity, "scope": {"project": {"name": environment["OS_PROJECT_NAME"]}}}}


def token(environment: dict[str, str]) -> str:
    answer = httpx.post(environment["MODELARTS_IAM_ENDPOINT"] + "/v3/auth/tokens", json=login_body(environment))
    return answer.raise_for_status().headers["X-Subject-Token"]


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


def upload_code(environment: dict[str, str]) -> None:
    """Put a boot file into our bucket, and on our own emulator an object wherever a documented request points."""
    client = object_client(environment)
    names = (
        {name for id_ in ("createAlgorithm", "createTrainingJob") for name in strings(examples(id_))} if OURS else {}
    )
    urls = {name.removeprefix("obs:/") for name in names if name.startswith(("/", "obs://")) and " " not in name}
    urls = {url for url in urls if not url.startswith("/home/")} | {f"/{BUCKET}/code/boot.py"}
    for bucket in {url.split("/")[1] for url in urls}:
        with contextlib.suppress(client.exceptions.BucketAlreadyOwnedByYou):
            client.create_bucket(Bucket=bucket)
    for url in urls:
        _, bucket, key = url.split("/", 2)
        client.put_object(Bucket=bucket, Key=key + "readme.txt" if url.endswith("/") else key, Body=BOOT)


def seed(environment: dict[str, str]) -> dict[str, Any]:
    """Create what the documents' examples take for granted; return what hooks.py needs to know of it."""
    upload_code(environment)
    base = f"{environment['MODELARTS_ENDPOINT']}/v2/{environment['MODELARTS_PROJECT_ID']}"
    with httpx.Client(headers={"X-Auth-Token": token(environment)}) as client:
        flavors = client.get(f"{base}/training-job-flavors", params={"flavor_type": "CPU"}).json()["flavors"]
        engines = client.get(f"{base}/training-job-engines").json()["items"]
        engine = {name: engines[0][name] for name in ("engine_id", "engine_name", "engine_version")}
        code = {"code_dir": f"/{BUCKET}/code/", "boot_file": f"/{BUCKET}/code/boot.py"}
        plain = {"metadata": {}, "job_config": {**code, "engine": engine}}
        printed = next(body for body in examples("createAlgorithm").values() if "fast_example" in json.dumps(body))
        ids = []
        for kind, body in {"plain": plain, "printed": printed if OURS else plain}.items():
            metadata = {**body["metadata"], "name": f"contract-{kind}-{time.time_ns()}"}
            answer = client.post(f"{base}/algorithms", json={**body, "metadata": metadata})
            assert answer.is_success, answer.text
            ids.append(answer.json()["metadata"]["id"])
        known = {"algorithm_id": ids[0], "printed_algorithm_id": ids[1], "flavor_id": flavors[0]["flavor_id"]}
        plans = {"short": SHORT, "long": LONG}
        seeded = {**code, **known, "engine": engine, "plans": plans, **finished_job(client, base, known)}
    if OURS:
        tagged = next(item for item in engines if "auto_search" in json.dumps(item.get("tags")))
        seeded["search_engine"] = {name: tagged[name] for name in engine}
        for kind, plan in {"searched": "0", "searching": "3600"}.items():
            seeded[kind] = search(Service(environment, True, seeded), plan)
    return seeded


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
        "metadata": {"name": f"contract-search-{time.time_ns()}", "annotations": plan},
        "algorithm": {**code, "policies": {"auto_search": policy}},
        "spec": {"resource": {"flavor_id": known["flavor_id"], "node_count": 1}},
    }
    base = f"{service.endpoint}/v2/{service.environment['MODELARTS_PROJECT_ID']}"
    with httpx.Client(headers={"X-Auth-Token": service.token()}) as client:
        answer = client.post(f"{base}/training-jobs", json=body)
        assert answer.is_success, answer.text
        job = f"{base}/training-jobs/{answer.json()['metadata']['id']}"
        give_up = time.monotonic() + 30
        while time.monotonic() < give_up:
            phase = client.get(job).raise_for_status().json()["status"]["phase"]
            table = client.get(f"{job}/autosearch-trials").raise_for_status().json()["items"]
            if phase == ("Completed" if seconds == "0" else "Running") and table["data"]:
                trial = str(table["data"][0][table["header"].index("trial_id")])
                return {"training_job_id": job.rpartition("/")[2], "trial_id": trial, "parameter_name": "lr"}
            time.sleep(0.05)
    raise AssertionError(f"the search is {phase} with {len(table['data'])} trials")


def finished_job(client: httpx.Client, base: str, known: dict[str, str]) -> dict[str, str]:
    """Run a job to its end, so that a log and metrics exist; return its id and its task's."""
    body = {
        "kind": "job",
        "metadata": {"name": f"contract-finished-{time.time_ns()}", "annotations": SHORT},
        "algorithm": {"id": known["algorithm_id"]},
        "spec": {"resource": {"flavor_id": known["flavor_id"], "node_count": 1}},
    }
    job = client.post(f"{base}/training-jobs", json=body).raise_for_status().json()
    url = f"{base}/training-jobs/{job['metadata']['id']}"
    give_up = time.monotonic() + (30 if OURS else 1800)
    while job["status"]["phase"] != "Completed" and time.monotonic() < give_up:
        time.sleep(0.02 if OURS else 10)
        job = client.get(url).raise_for_status().json()
    assert job["status"]["phase"] == "Completed", job["status"]
    return {"training_job_id": job["metadata"]["id"], "task_id": job["status"]["tasks"][0]}


def credentials(folder: Path) -> Path:
    """Write the identity of a new emulator and a neighbour in another project; return the file."""
    from modelarts_emulator.credentials import credentials_file

    neighbour = {
        **NEIGHBOUR,
        "domain_id": "1" * 32,
        "user_id": "2" * 32,
        "access_key": "NEIGHBOURACCESSKEY01",
        "secret_key": "neighbour-secret-key-for-tests-only-0001",
    }
    text = credentials_file(folder / "data").read_text("utf-8")
    text += "\n[[identity]]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in neighbour.items())
    file = folder / "credentials.toml"
    file.write_text(text)
    return file


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[Service]:
    """Serve an emulator of our own with its data in this folder, where everything that is needed exists."""
    from modelarts_emulator.server import Emulator

    with Emulator(
        folder / "data", credentials=credentials(folder), executor="simulated", check_responses=True
    ) as emulator:
        # Little else: for every call, `requests` searches the whole environment for a proxy.
        environment = {**{name: os.environ[name] for name in KEPT if name in os.environ}, **emulator.environment()}
        yield Service(environment, True, {**seed(environment), "neighbour": NEIGHBOUR})


@contextlib.contextmanager
def real() -> Iterator[Service]:
    """Yield the service that SERVICE names, for reading only.

    Raises pytest.UsageError with WRITE=1: a writing run could stop and delete jobs that it did not create.
    """
    if os.environ.get("WRITE") == "1":
        raise pytest.UsageError(
            "WRITE=1 is disabled: a writing run could stop and delete jobs of other users; run without it"
        )
    yield Service({**os.environ, "MODELARTS_ENDPOINT": os.environ["SERVICE"]}, False, {})
