"""The submission of a job: a request, checked in all its parts, becomes the job that is stored and run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Any

from modelarts_emulator.engine.obs_paths import require_bucket
from modelarts_emulator.engine.runs import Run
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.settings.accounts import Identity
from modelarts_emulator.settings.catalogue import Catalogue
from modelarts_emulator.storage.protocol import Store
from modelarts_emulator.tuning import request as search_request
from modelarts_emulator.v2 import channels, hyperparameters, programs, resources
from modelarts_emulator.v2.annotations import read_restarts
from modelarts_emulator.v2.jobs import Job
from modelarts_emulator.v2.run_spec import describe_run
from modelarts_emulator.v2.unsupported import reject_in_job

__all__ = ["submit"]

HOME = PurePosixPath("/home")
LOG_LIFETIME_MS = 30 * 24 * 3_600_000  # unless the job has a path to export logs to, says the manual
MILLISECONDS_PER_HOUR = 3_600_000  # the unit of `auto_stop` (page "Creating a Training Job") is hours
MAX_HOURS = 10_000 * 366 * 24  # no clock lives longer, and the database holds it in milliseconds

# What an algorithm fixes: a job that names one may repeat these members, not change them.
FIXED = ("code_dir", "boot_file", "command")


def submit(
    catalogue: Catalogue,
    store: Store,
    identity: Identity,
    request: Mapping[str, Any],
    find_algorithm: Callable[[str], Mapping[str, Any]],
    job_id: str,
    create_time: int,
) -> Job:
    """The job that the request describes, not yet stored; `find_algorithm` gives the algorithm of an id.

    Raises ServiceError for the first thing that is wrong with it.
    """
    reject_in_job(request)
    restarts = read_restarts(request["metadata"].get("annotations") or {})
    given = request.get("algorithm") or {}
    managed = find_algorithm(given["id"]) if given.get("id") else None
    config = managed["job_config"] if managed else {}
    wanted = _same(given, config) if managed else given
    program = programs.resolve(catalogue, store, identity.domain_id, wanted)
    requirements = (managed or {}).get("resource_requirements") or []
    spec = request.get("spec") or {}
    resource = resources.resolve(catalogue, spec.get("resource") or {}, program.engine, requirements)
    algorithm = _algorithm(given, managed, program, store, identity.domain_id, catalogue)
    exported = (spec.get("log_export_path") or {}).get("obs_url")
    document = {
        "kind": "job",
        "metadata": _metadata(job_id, create_time, identity, request["metadata"]),
        "algorithm": algorithm,
        "spec": _spec(store, identity.domain_id, spec, resource),
    }
    name = request["metadata"]["name"]
    run = Run(
        id=job_id,
        project_id=identity.project_id,
        node_count=resource["node_count"],
        create_time=create_time,
        spec=describe_run(job_id, name, document) | {"account_id": identity.domain_id},
        flavor_id=resource["flavor_id"],
        priority=resources.priority(spec),
        max_duration=min((spec.get("auto_stop") or {}).get("duration") or 0, MAX_HOURS) * MILLISECONDS_PER_HOUR,
        log_lifetime=0 if exported else LOG_LIFETIME_MS,
        restarts=restarts,
    )
    return Job(
        id=job_id,
        project_id=identity.project_id,
        user_id=identity.user_id,
        name=name,
        kind="job",
        algorithm_name=algorithm.get("name") or "",
        create_time=create_time,
        description=request["metadata"].get("description") or "",
        document=document,
        run=run,
    )


def _same(given: Mapping[str, Any], config: Mapping[str, Any]) -> Mapping[str, Any]:
    """The algorithm's program, if the job does not ask for another one."""
    for name in FIXED:
        if given.get(name) and given[name] != config.get(name):
            raise ServiceError("ModelArts.2814", f"The job's {name} is not the one of the algorithm that it names.")
    for name, value in (given.get("engine") or {}).items():
        if value and value != config["engine"].get(name):
            raise ServiceError(
                "ModelArts.2814", f"The job's engine.{name} is not the one of the algorithm that it names."
            )
    return config


def _algorithm(
    given: Mapping[str, Any],
    managed: Mapping[str, Any] | None,
    program: programs.Program,
    store: Store,
    account_id: str,
    catalogue: Catalogue,
) -> dict[str, Any]:
    config = managed["job_config"] if managed else {}
    customizable = config.get("parameters_customization") if managed else None
    parameters = hyperparameters.merge(
        config.get("parameters") or [], given.get("parameters") or [], managed is None or bool(customizable)
    )
    shown = {
        "id": given.get("id") or None,
        "name": managed["metadata"]["name"] if managed else given.get("name"),
        "code_dir": program.code_dir,
        "boot_file": program.boot_file,
        "command": program.command,
        "parameters": [hyperparameters.view(parameter) for parameter in parameters],
        "parameters_customization": customizable,
        "inputs": channels.resolve_inputs(
            store, account_id, given.get("inputs") or [], config.get("inputs") if managed else None
        ),
        "outputs": channels.resolve_outputs(
            store, account_id, given.get("outputs") or [], config.get("outputs") if managed else None
        ),
        "engine": programs.engine_of_job(program),
        "local_code_dir": _local_code_dir(given),
        "working_dir": _working_dir(given),
        "environments": _environments(given.get("environments") or {}),
        "policies": search_request.resolve(catalogue, program, given, managed, parameters),
    }
    return {name: value for name, value in shown.items() if value is not None}


def _metadata(job_id: str, create_time: int, identity: Identity, given: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": job_id,
        "name": given["name"],
        "create_time": create_time,
        "workspace_id": "0",
        "ai_project": "default-ai-project",
        "user_name": identity.user,
        "annotations": {"job_template": "Template DL", "key_task": "worker", **(given.get("annotations") or {})},
    }


def _spec(store: Store, account_id: str, given: Mapping[str, Any], resource: dict[str, Any]) -> dict[str, Any]:
    log_url = (given.get("log_export_path") or {}).get("obs_url")
    if log_url:
        require_bucket(store, account_id, "spec.log_export_path.obs_url", log_url)
    spec = {"resource": resource, "log_export_path": {"obs_url": log_url} if log_url else {}, "is_hosted_log": True}
    for name in ("auto_stop", "schedule_policy"):
        if given.get(name):
            spec[name] = given[name]
    return spec


def _environments(given: Mapping[str, str]) -> dict[str, str] | None:
    for name, value in given.items():
        if "\0" in value:
            reason = f"{name} holds a NUL character"
            raise ServiceError("ModelArts.2788", f"Invalid parameter (algorithm.environments): {reason}.")
    return dict(given) or None


def _local_code_dir(given: Mapping[str, Any]) -> str | None:
    path = given.get("local_code_dir") or None
    if path is not None and not (_is_plain(path) and HOME in PurePosixPath(path).parents):
        raise ServiceError("ModelArts.2857", f"Invalid local_code_dir: {path!r} is not a directory below /home.")
    return path


def _working_dir(given: Mapping[str, Any]) -> str | None:
    path = given.get("working_dir") or None
    if path is not None and not _is_plain(path):
        raise ServiceError("ModelArts.2859", f"Invalid working_dir: {path!r} is not an absolute directory.")
    return path


def _is_plain(path: str) -> bool:
    return path.startswith("/") and ".." not in PurePosixPath(path).parts and "\0" not in path
