"""What a link of version 1 starts from: something new, which the linked operation can show or change."""

from __future__ import annotations

import time
from typing import Any

__all__ = ["make_ready", "path_of", "request"]

TRAINING, VISUALIZATION, CONFIGS = "training-jobs", "visualization-jobs", "training-job-configs"
FINAL = {3, 5, 6, 10, 11, 12, 13, 14}
NEEDS_AN_END = {"createTrainingJobVersion", "listTrainingJobLogFiles", "showTrainingJobLog"}


def collection(operation_id: str) -> str:
    if "Visualization" in operation_id:
        return VISUALIZATION
    return CONFIGS if "Config" in operation_id else TRAINING


def bodies(service: Any, plan: str) -> dict[str, Any]:
    """Well-formed bodies about things that exist; jobs follow the plan."""
    known = service.stand_ins
    settings = {
        "worker_server_num": 1,
        "engine_id": known["v1"]["engine_id"],
        "app_url": known["code_dir"],
        "boot_file_url": known["boot_file"],
        "data_source": [{"type": "obs", "data_url": known["code_dir"]}],
        "train_url": f"/contract/{service.name('output')}/",
    }
    job = {**settings, "flavor": {"code": known["v1"]["spec_code"]}}
    return {
        "createTrainingJob": {"job_name": service.name(f"link-{plan}-job"), "config": job},
        "createTrainingJobVersion": {"config": job},
        "createTrainingJobConfig": {
            **settings,
            "config_name": service.name("link"),
            "spec_id": known["v1"]["spec_id"],
        },
        "createVisualizationJob": {"job_name": service.name("link")[-20:], "train_url": "/contract/logs/"},
    }


def path_of(service: Any, chain: Any, operation_id: str) -> dict[str, Any]:
    """Path parameters that lead to something new, of which all versions have ended."""
    parameters = chain.schema.find_operation_by_id(operation_id).iter_parameters()
    names = {parameter.name for parameter in parameters if parameter.location.value == "path"}
    path = {"project_id": service.environment["MODELARTS_PROJECT_ID"]}
    if "job_id" in names:
        created = chain.call("createTrainingJob", "200", path, {}, bodies(service, "short")["createTrainingJob"]).json()
        path["job_id"] = created["job_id"]
        wait_for_the_end(chain, path)
        if "version_id" in names:
            path["version_id"] = created["version_id"]
    return path


def request(service: Any, chain: Any, path: dict[str, Any], source: str, plan: str) -> tuple[dict[str, Any], Any]:
    """Query and body for the operation from which a link starts; a list finds only what was created for it."""
    ready = bodies(service, plan)
    if plan == "long" and source in {"createTrainingJobVersion", "listTrainingJobVersions"}:
        path |= long_job(service, chain, path)
    if source == "createTrainingJobVersion":
        version = chain.call("listTrainingJobVersions", "200", path, {}, None).json()["versions"][0]["version_id"]
        if plan == "long":
            chain.call("stopTrainingJobVersion", "200", {**path, "version_id": version}, {}, None)
            wait_for_the_end(chain, path)
        ready["createTrainingJobVersion"]["config"]["pre_version_id"] = version
    if source == "showTrainingJobLog":
        files = chain.call("listTrainingJobLogFiles", "200", path, {}, None).json()["log_file_list"]
        return {"log_file": files[0]}, None
    creating = {"listTrainingJobs": "createTrainingJob", "listVisualizationJobs": "createVisualizationJob"}
    creating["listTrainingJobConfigs"] = "createTrainingJobConfig"
    if source in creating:
        body = ready[creating[source]]
        chain.call(creating[source], "200", path, {}, body)
        return {"search_content": body.get("job_name", body.get("config_name"))}, None
    return {}, ready.get(source)


def long_job(service: Any, chain: Any, path: dict[str, Any]) -> dict[str, Any]:
    """The id of a job whose version runs on."""
    own = {"project_id": path["project_id"]}
    created = chain.call("createTrainingJob", "200", own, {}, bodies(service, "long")["createTrainingJob"])
    return {"job_id": created.json()["job_id"]}


def make_ready(chain: Any, target: str, path: dict[str, Any], response: dict[str, Any]) -> None:
    """Let a version end before its log is asked for or another follows, and a visualization job before it restarts."""
    entries = response.get("jobs") or [response]
    here = {"project_id": path["project_id"], "job_id": entries[0].get("job_id", path.get("job_id"))}
    if target in NEEDS_AN_END:
        wait_for_the_end(chain, here)
    if target == "restartVisualizationJob":
        chain.call("stopVisualizationJob", "200", here, {}, None)
        wait_until(chain, "showVisualizationJob", here)


def wait_for_the_end(chain: Any, path: dict[str, Any]) -> None:
    """A log exists once a version has run."""
    wait_until(chain, "listTrainingJobVersions", {name: path[name] for name in ("project_id", "job_id")})


def wait_until(chain: Any, operation_id: str, path: dict[str, Any]) -> None:
    give_up = time.monotonic() + chain.service.patience_s
    while time.monotonic() < give_up:
        body = chain.call(operation_id, "200", path, {}, None).json()
        if {entry["status"] for entry in body.get("versions", [body])} <= FINAL:
            return
        time.sleep(chain.service.poll_s)
    raise AssertionError(f"{operation_id} {path} shows no end in time")
