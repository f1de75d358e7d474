"""The submission of a job: checks all parts of a request, and makes the job that is stored and run.

A request for something that the service can do and the emulator cannot is rejected by name, never ignored.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from modelarts_emulator.engine.runs import Run, node_resources
from modelarts_emulator.execution.protocol import PYTHON, Channel, JobSpec
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.obs_paths import require_bucket
from modelarts_emulator.settings.accounts import Identity
from modelarts_emulator.settings.catalogue import Catalogue
from modelarts_emulator.settings.chosen_python import interpreter_of
from modelarts_emulator.storage.protocol import AccountStore
from modelarts_emulator.tuning.policy import check_search
from modelarts_emulator.v2 import channels, hyperparameters
from modelarts_emulator.v2.conventions import NOT_EMULATED, invalid, reject_workspace, unsupported
from modelarts_emulator.v2.jobs import Job
from modelarts_emulator.v2.specifications import Program, engine_of_job, resolve_program, resolve_resource

HOME = PurePosixPath("/home")
LOG_LIFETIME_MS = 30 * 24 * 3_600_000  # unless the job has a path to export logs to, says the manual
MILLISECONDS_PER_HOUR = 3_600_000  # the unit of `auto_stop` (page "Creating a Training Job") is hours
MAX_HOURS = 10_000 * 366 * 24  # no clock lives longer, and the database holds it in milliseconds

# What an algorithm fixes: a job that names one may repeat these members, not change them.
FIXED = ("code_dir", "boot_file", "command")

NUMBER = "fault-tolerance/job-retry-num"
ALWAYS = "fault-tolerance/job-unconditional-retry"
HUNG = "fault-tolerance/hang-retry"
PLAN_PREFIX = "emulator/"
ENGINE = ("engine_id", "engine_name", "engine_version", "image_url")
PRESETS = ("job_template", "key_task")


def submit(
    catalogue: Catalogue,
    store: AccountStore,
    identity: Identity,
    request: Mapping[str, Any],
    find_algorithm: Callable[[str], Mapping[str, Any]],
    job_id: str,
    create_time: int,
) -> Job:
    """The job that the request describes, not yet stored; `find_algorithm` gives the algorithm of an id.

    Raises ServiceError for the first thing that is wrong with it.
    """
    _reject_unsupported(request)
    max_retries, is_always_retried = read_restarts(request["metadata"].get("annotations") or {})
    given = request.get("algorithm") or {}
    managed = find_algorithm(given["id"]) if given.get("id") else None
    config = managed["job_config"] if managed else {}
    wanted = _same(given, config) if managed else given
    program = resolve_program(catalogue, store, wanted)
    requirements = (managed or {}).get("resource_requirements") or []
    spec = request.get("spec") or {}
    resource = resolve_resource(catalogue, spec.get("resource") or {}, program.engine, requirements)
    algorithm = _algorithm(given, managed, program, store, catalogue)
    exported = (spec.get("log_export_path") or {}).get("obs_url")
    document = {
        "kind": "job",
        "metadata": _metadata(job_id, create_time, identity, request["metadata"]),
        "algorithm": algorithm,
        "spec": _spec(store, spec, resource),
    }
    name = request["metadata"]["name"]
    is_search = bool((algorithm.get("policies") or {}).get("auto_search"))
    run = Run(
        id=job_id,
        project_id=identity.project_id,
        node_count=resource["node_count"],
        create_time=create_time,
        spec=_describe_run(catalogue, job_id, name, identity.domain_id, document),
        flavor_id=resource["flavor_id"],
        priority=_priority(spec),
        max_duration=min((spec.get("auto_stop") or {}).get("duration") or 0, MAX_HOURS) * MILLISECONDS_PER_HOUR,
        log_lifetime=0 if exported else LOG_LIFETIME_MS,
        max_retries=max_retries,
        is_always_retried=is_always_retried,
        is_search=is_search,
        launched=is_search,
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


def _reject_unsupported(request: Mapping[str, Any]) -> None:
    """Raise ServiceError if the request asks for what the emulator does not have; an empty value asks for nothing."""
    if (kind := request.get("kind") or "job") != "job":
        raise unsupported(f"the emulator has no jobs of kind {kind}")
    metadata = request.get("metadata") or {}
    reject_workspace(metadata)
    reject_members(request, NOT_EMULATED["job"])
    for name, value in (metadata.get("annotations") or {}).items():
        if (lacking := NOT_EMULATED["annotations"].get(name)) and value.lower() not in ("", "0", "false"):
            raise unsupported(f"{name}: the emulator lacks {lacking}")


def reject_members(request: Mapping[str, Any], members: Mapping[str, str]) -> None:
    """Raise ServiceError for the first of the members that the request gives; their values say what is lacking."""
    for member, lacking in members.items():
        if _is_given(_look_up(request, member.split("."))):
            raise unsupported(f"{member}: the emulator lacks {lacking}")


def read_restarts(annotations: Mapping[str, str]) -> tuple[int, bool]:
    """How often a job is restarted, and whether after any failure.

    Raises ServiceError (2788) for values that are not documented.
    """
    number = annotations.get(NUMBER) or "0"
    if number not in ("0", "1", "2", "3"):
        raise invalid(NUMBER, f"{number!r} is not 1, 2 or 3")
    flags = {}
    for name in (ALWAYS, HUNG):
        flags[name] = annotations.get(name) or "false"
        if flags[name] not in ("true", "false"):
            raise invalid(name, f"{flags[name]!r} is not true or false")
        if flags[name] == "true" and number == "0":
            raise invalid(name, f"it has no effect without {NUMBER}")
    return int(number), flags[ALWAYS] == "true"


def check_own_annotations(annotations: Mapping[str, str], is_simulated: bool) -> None:
    """Raise ServiceError for annotations `emulator/...`: 2858 if jobs cannot follow one here, 2788 if it is wrong.

    A Python is for jobs that really run, all else for simulated ones.
    """
    names = [name for name in annotations if name.startswith(PLAN_PREFIX)]
    if foreign := [name for name in names if (name == PYTHON) == is_simulated]:
        lacking = "simulated jobs run no Python; leave the annotation out, or start the emulator without --executor"
        if not is_simulated:
            lacking = "tasks really run here and follow no plans; start the emulator with --executor simulated"
        raise unsupported(f"{foreign[0]}: {lacking}")
    if not is_simulated:
        python = Path(annotations[PYTHON]) if names else None
        if python is not None and not (python.is_absolute() and interpreter_of(python, os.environ)):
            raise invalid(PYTHON, f"{annotations[PYTHON]!r} is no Python of this machine: give the absolute path")
        return
    # Compiles schemas: only if needed.
    from modelarts_emulator.execution.simulated.plan import PlanError, from_annotations

    try:
        from_annotations(annotations)
    except PlanError as error:
        raise invalid("annotations", str(error)) from None


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
    program: Program,
    store: AccountStore,
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
        "inputs": channels.resolve_inputs(store, given.get("inputs") or [], config.get("inputs") if managed else None),
        "outputs": channels.resolve_outputs(
            store, given.get("outputs") or [], config.get("outputs") if managed else None
        ),
        "engine": engine_of_job(program),
        "local_code_dir": _local_code_dir(given),
        "working_dir": _working_dir(given),
        "environments": _environments(given.get("environments") or {}),
        "policies": (policies := _policies(given, managed)),
    }
    if policies:
        tags = [] if program.is_custom_image else program.engine.get("tags") or []
        check_search(catalogue.search_algorithms, tags, policies["auto_search"], parameters)
    return {name: value for name, value in shown.items() if value is not None}


def _policies(given: Mapping[str, Any], managed: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The job's `policies` as the service shows them, None without any.

    A job that says nothing of policies searches as the stored algorithm that it names says.
    """
    if "policies" in given:
        auto_search = (given["policies"] or {}).get("auto_search")
        return {"auto_search": auto_search} if auto_search else {}
    stored = ((managed or {}).get("advanced_config") or {}).get("auto_search")
    return {"auto_search": stored} if stored else None


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


def _spec(store: AccountStore, given: Mapping[str, Any], resource: dict[str, Any]) -> dict[str, Any]:
    log_url = (given.get("log_export_path") or {}).get("obs_url")
    if log_url:
        require_bucket(store, "spec.log_export_path.obs_url", log_url)
    spec = {"resource": resource, "log_export_path": {"obs_url": log_url} if log_url else {}, "is_hosted_log": True}
    for name in ("auto_stop", "schedule_policy"):
        if given.get(name):
            spec[name] = given[name]
    return spec


def _environments(given: Mapping[str, str]) -> dict[str, str] | None:
    for name, value in given.items():
        if "\0" in value:
            raise invalid("algorithm.environments", f"{name} holds a NUL character")
    return dict(given) or None


def _local_code_dir(given: Mapping[str, Any]) -> str | None:
    path = given.get("local_code_dir") or None
    if path is not None and not (channels.is_directory(path) and HOME in PurePosixPath(path).parents):
        raise ServiceError("ModelArts.2857", f"Invalid local_code_dir: {path!r} is not a directory below /home.")
    return path


def _working_dir(given: Mapping[str, Any]) -> str | None:
    path = given.get("working_dir") or None
    if path is not None and path != "/" and not channels.is_directory(path):
        raise ServiceError("ModelArts.2859", f"Invalid working_dir: {path!r} is not an absolute directory.")
    return path


def _describe_run(
    catalogue: Catalogue, run_id: str, name: str, account_id: str, document: Mapping[str, Any]
) -> JobSpec:
    """What the run executes; `document` is the job's, with all that it refers to."""
    algorithm, spec = document["algorithm"], document["spec"]
    engine, resource = algorithm["engine"], spec["resource"]
    # Without effect in engines that are compatible with v1, says the page "Creating a Training Job".
    has_own_folders = not engine.get("v1_compatible", False)
    node = node_resources(resource["flavor_id"], catalogue.flavors[resource["flavor_id"]].get("flavor_info", {}))
    annotations = document["metadata"].get("annotations") or {}
    return JobSpec(
        job_id=run_id,
        account_id=account_id,
        name=name,
        node_count=resource["node_count"],
        code_dir=algorithm.get("code_dir"),
        boot_file=algorithm.get("boot_file"),
        command=algorithm.get("command"),
        local_code_dir=algorithm.get("local_code_dir") if has_own_folders else None,
        working_dir=algorithm.get("working_dir") if has_own_folders else None,
        parameters=tuple((entry["name"], entry.get("value") or "") for entry in algorithm["parameters"]),
        inputs=_channels(algorithm["inputs"]),
        outputs=_channels(algorithm["outputs"]),
        environments=algorithm.get("environments") or {},
        log_export_url=spec["log_export_path"].get("obs_url"),
        service_environments={"MA_NUM_GPUS": str(node.gpu_count)},
        engine={name: engine[name] for name in ENGINE if engine.get(name)},
        annotations={name: value for name, value in annotations.items() if name not in PRESETS},
        resources=node,
    )


def _channels(entries: Sequence[Mapping[str, Any]]) -> tuple[Channel, ...]:
    return tuple(
        Channel(
            entry["name"],
            entry["remote"]["obs"]["obs_url"],
            entry["local_dir"],
            entry.get("access_method") or "parameter",
            bool(entry.get("prefetch_to_local")),
        )
        for entry in entries
    )


def _look_up(node: Any, path: Sequence[str]) -> Any:
    for part in path:
        if not node:
            return None
        node = node.get(part)
    return node


def _is_given(value: Any) -> bool:
    """Whether the value asks for anything: 0, false and what is empty, all through, ask for nothing."""
    inner = value.values() if isinstance(value, dict) else value
    return any(map(_is_given, inner)) if isinstance(value, (dict, list)) else bool(value)


def _priority(spec: Mapping[str, Any]) -> int:
    """The job's rank in the queue, 1 unless given; raises ServiceError (2788) for one that is not 1 to 3."""
    given = (spec.get("schedule_policy") or {}).get("priority")
    if given is not None and given not in (1, 2, 3):
        raise invalid("spec.schedule_policy.priority", f"{given} is not 1, 2 or 3")
    return int(given or 1)
