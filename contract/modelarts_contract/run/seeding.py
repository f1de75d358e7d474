"""What must exist at a service before its documents can be tried, and what the hints need to know of it."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Iterator
from typing import Any

import httpx

import modelarts_openapi

from .objects import Objects
from .service import Service

__all__ = ["examples", "resolve", "search", "seed", "upload_code"]

SPEC_CODE = "modelarts.vm.cpu.2u"
COMPLETED = 10  # the status of a version that has ended well


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
    for bucket in sorted({bucket for bucket, _ in wanted}):
        objects.make_bucket(bucket)
        objects.put(bucket, *(key for name, key in wanted if name == bucket))


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
