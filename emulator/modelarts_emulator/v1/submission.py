"""The submission of a version: a request becomes settings, and settings that can run become a run.

Own code gets its hyperparameters as `--<label>=<value>`, and the OBS paths of its data and results as
`--data_url=obs://...` and `--train_url=obs://...`: it copies the objects itself. A custom image gets the same as
environment variables.
A container of version 1 has its home in `/home/work`: the command and the hyperparameters may name it.
Sources: pages "Creating a Training Job", "Creating a Version of a Training Job", "Creating a Training Job
Configuration" and "Developing a Custom Script", examples of custom images.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from modelarts_emulator.engine.runs import Run, new_id, node_resources
from modelarts_emulator.execution.container import HOME, JOB_DIR, addresses
from modelarts_emulator.execution.protocol import JobSpec
from modelarts_emulator.obs_paths import inspect_code, require_bucket, require_content
from modelarts_emulator.settings.accounts import Identity
from modelarts_emulator.settings.catalogue import Catalogue, too_many_nodes
from modelarts_emulator.storage.names import parse_obs_url
from modelarts_emulator.storage.protocol import AccountStore
from modelarts_emulator.v1.conventions import invalid
from modelarts_emulator.v1.specifications import WHERE_SPECS, engine_view, fits, spec_view, specs_of_code

OWN_CODE = ("app_url", "boot_file_url")
IMAGE = ("user_image_url", "user_command")
PROGRAMS = "app_url and boot_file_url, or user_image_url and user_command"
DEFAULT_ENGINE_ID = 1  # by the tables of the pages
TEXTS = ("app_url", "boot_file_url", "user_image_url", "user_command", "train_url", "log_url")
CHANNELS = ("data_url", "train_url")
WHERE_ENGINES = "GET /v1/{project_id}/job/ai-engines lists them"
# What version 1 calls these variables: page "Error Message 'Permission denied' ..." says what replaced which.
ALIASES = {"DLS_TASK_NUMBER": "MA_NUM_HOSTS", "DLS_TASK_INDEX": "VC_TASK_INDEX"}
HOST_PORT = 6666  # of the same page
# Of the manual's page modelarts_23_0087, "Creating a Training Job Using a Custom Image".
PATH_VARIABLES = {"DLS_APP_URL": "app_url", "DLS_DATA_URL": "data_url", "DLS_TRAIN_URL": "train_url"}
# The documented paths of version 1, as they are in a container, whose home is that of version 2.
HOME_MENTION = re.compile(r"(?<![\w./-])/home/work(/run_train\.sh|/user-job-dir)?(?![\w.-])")
PLACES = {
    None: HOME,
    "/user-job-dir": JOB_DIR,
    "/run_train.sh": shlex.quote(str(Path(__file__).with_name("run_train.sh"))),
}


def read_settings(catalogue: Catalogue, given: Mapping[str, Any]) -> dict[str, Any]:
    """What the request asks for, under the names of the responses; raises ServiceError for what is wrong with it.

    `engine` and `spec` are as the lists of engines and specifications print them, `max_num` is the specification's.
    Nothing is looked up in object storage.
    """
    _reject_unsupported(given)
    settings: dict[str, Any] = {name: given.get(name) or None for name in TEXTS}
    settings["worker_server_num"] = given["worker_server_num"]
    settings["engine"] = engine = _engine(catalogue, given, settings["user_image_url"])
    spec = _spec(catalogue, given)
    settings["spec"] = spec_view(catalogue, spec)
    if engine is not None and not fits(catalogue, catalogue.v1_engines[engine["engine_id"]], spec):
        raise invalid("spec_id", f"engine {engine['engine_id']} does not run on {spec['flavor_id']}, which has GPUs")
    settings["parameter"] = _parameters(given.get("parameter") or [])
    settings["data_source"] = sources = _data_sources(given)
    settings["data_url"] = sources[0]["data_url"] if sources else None
    if "\\u0000" in json.dumps(settings):
        raise invalid("config", "it holds a NUL character, which no program can be given")
    return settings


def read_submission(catalogue: Catalogue, store: AccountStore, given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a version that can run; raises ServiceError for the first thing that keeps it from running."""
    settings = read_settings(catalogue, given)
    _check_program(catalogue, store, settings)
    if settings["data_url"] is None:
        raise invalid("data_url", "the training data is missing: give data_url or data_source")
    require_content(store, "data_url", settings["data_url"])
    for name in ("train_url", "log_url"):
        if settings[name]:
            require_bucket(store, name, settings[name])
    return settings


def make_run(catalogue: Catalogue, identity: Identity, job_name: str, settings: Mapping[str, Any], now: int) -> Run:
    """The run of a new version; its id is also the resource id that the version is charged under."""
    run_id = f"job{new_id().replace('-', '')}"
    return Run(
        id=run_id,
        project_id=identity.project_id,
        node_count=settings["worker_server_num"],
        create_time=now,
        spec=_job_spec(catalogue, run_id, job_name, identity.domain_id, settings),
        flavor_id=settings["spec"]["spec_code"],
    )


def output_place(settings: Mapping[str, Any]) -> str:
    """Bucket and key of the results, the same for every way to write them; empty for none."""
    if not settings["train_url"]:
        return ""
    bucket, key = parse_obs_url(settings["train_url"])
    return f"/{bucket}/{key.rstrip('/')}".rstrip("/") + "/"


def _reject_unsupported(given: Mapping[str, Any]) -> None:
    """Raise ServiceError for what the emulator does not have; an empty value asks for nothing."""
    if given.get("model_id"):
        raise invalid("model_id", f"the emulator has no built-in algorithms: give {PROGRAMS}")
    if pool := given.get("pool_id"):
        raise invalid("pool_id", f"dedicated pool {pool} does not exist: give spec_id or flavor instead")
    for name in ("dataset_id", "dataset_version_id"):
        if given.get(name):
            raise invalid(name, f"dataset {given[name]} does not exist: give data_url instead")
    if any(any(volume.values()) for volume in given.get("volumes") or []):
        raise invalid("volumes", "volumes are for dedicated pools, which the emulator does not have")


def _engine(catalogue: Catalogue, given: Mapping[str, Any], image: str | None) -> dict[str, Any] | None:
    """The engine that runs the code; None for a custom image."""
    engine_id = given.get("engine_id")
    if image is not None:
        if engine_id is not None:
            raise invalid("engine_id", "a custom image (user_image_url) has no engine")
        return None
    engine_id = DEFAULT_ENGINE_ID if engine_id is None else engine_id
    found = catalogue.v1_engines.get(engine_id)
    if found is None:
        raise invalid("engine_id", f"engine {engine_id} does not exist: {WHERE_ENGINES}")
    return engine_view(found) | {"pod_version": found.get("pod_version")}


def _spec(catalogue: Catalogue, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """The specification by its number or by the code of its flavor, as the catalogue has it."""
    spec_id, code = given.get("spec_id"), (given.get("flavor") or {}).get("code") or None
    nodes = given["worker_server_num"]
    if spec_id is None:
        if code is None:
            raise invalid("spec_id", "the size of the machines is missing: give spec_id or flavor.code")
        found = specs_of_code(catalogue, code)
        if not found:
            raise invalid("flavor.code", f"specification {code} does not exist: {WHERE_SPECS}")
        spec = next((entry for entry in found if entry["max_num"] >= nodes), found[-1])
    else:
        if spec_id not in catalogue.v1_specs:
            raise invalid("spec_id", f"specification {spec_id} does not exist: {WHERE_SPECS}")
        spec = catalogue.v1_specs[spec_id]
        if code not in (None, spec["flavor_id"]):
            raise invalid("flavor.code", f"specification {spec_id} is {spec['flavor_id']}: give one of the two")
    if nodes > (most := spec_view(catalogue, spec)["max_num"]):
        reason = too_many_nodes(catalogue.flavors[spec["flavor_id"]], nodes, most)
        raise invalid("worker_server_num", reason)
    return spec


def _parameters(given: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """The hyperparameters, whose values are text: numbers and booleans as JSON writes them."""
    parameters: dict[str, str] = {}
    for entry in given:
        label, value = entry.get("label") or "", entry.get("value")
        if not label or "=" in label:
            raise invalid("parameter.label", f"{label!r} is not a name: use at least one character, and no '='")
        if label in parameters:
            raise invalid("parameter.label", f"{label} is given twice")
        if label in CHANNELS:
            raise invalid("parameter.label", f"{label} is set by the member of this name, not by a parameter")
        parameters[label] = str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)
    return [{"label": label, "value": value} for label, value in parameters.items()]


def _data_sources(given: Mapping[str, Any]) -> list[dict[str, str]]:
    """The source of the data, from `data_url` or `data_source`; empty if none is given."""
    given_sources = given.get("data_source") or []
    for entry in given_sources:
        if entry.get("type") not in (None, "", "obs") or entry.get("dataset_id") or entry.get("dataset_version"):
            raise invalid("data_source", "datasets do not exist here: give data_url instead")
    urls = [entry.get("data_url") for entry in given_sources]
    if not all(urls):
        raise invalid("data_source.data_url", "it is missing")
    if url := given.get("data_url"):
        urls.append(url)
    if len(set(urls)) > 1 or len(given_sources) > 1:
        raise invalid("data_source", "the emulator passes one source of data to a job: give one")
    return [{"type": "obs", "data_url": url} for url in urls[:1]]


def _check_program(catalogue: Catalogue, store: AccountStore, settings: Mapping[str, Any]) -> None:
    """Raise ServiceError unless the settings name one program: a custom image, or own code."""
    given = {name for name in (*OWN_CODE, *IMAGE) if settings[name]}
    needed, has_image = OWN_CODE, bool(given & set(IMAGE))
    if has_image:
        needed = IMAGE
        if "boot_file_url" in given:
            raise invalid("boot_file_url", "a custom image (user_image_url) runs user_command instead")
    if missing := [name for name in needed if name not in given]:
        raise invalid(missing[0], f"it is missing: give {PROGRAMS}")
    if has_image and {"\n", "\r"} & set(settings["user_command"]):
        raise invalid("user_command", "it must be one line")
    if settings["app_url"]:
        inspect_code(store, settings["app_url"], settings["boot_file_url"], catalogue.limits, OWN_CODE)


def _job_spec(
    catalogue: Catalogue, run_id: str, job_name: str, account_id: str, settings: Mapping[str, Any]
) -> JobSpec:
    """What the run executes; `settings` are those of `read_settings`."""
    flavor_id, node_count = settings["spec"]["spec_code"], settings["worker_server_num"]
    parameters = {entry["label"]: _in_container(entry["value"]) for entry in settings["parameter"]}
    urls = {name: _with_protocol(settings[name]) for name in CHANNELS if settings[name]}
    has_image = settings["user_image_url"] is not None
    return JobSpec(
        job_id=run_id,
        account_id=account_id,
        name=job_name,
        node_count=node_count,
        code_dir=settings["app_url"],
        boot_file=None if has_image else settings["boot_file_url"],
        command=_in_container(settings["user_command"]) if has_image else None,
        parameters=tuple((parameters | urls).items()),
        parameters_as_variables=has_image,
        log_export_url=settings["log_url"],
        environments={},
        service_environments={"MA_NUM_GPUS": str(settings["spec"]["gpu_num"])}
        | _hosts(run_id, job_name, node_count)
        | {variable: _with_protocol(settings[name]) for variable, name in PATH_VARIABLES.items() if settings[name]},
        variable_aliases=ALIASES,
        engine=_engine_of_run(settings),
        annotations={},
        resources=node_resources(flavor_id, catalogue.flavors[flavor_id].get("flavor_info", {})),
    )


def _with_protocol(path: str) -> str:
    return "obs://{}/{}".format(*parse_obs_url(path))


def _hosts(run_id: str, job_name: str, node_count: int) -> dict[str, str]:
    """The address of every node, under the names of version 1: a single one has a name of its own besides."""
    hosts = [f"{host}:{HOST_PORT}" for host in addresses(run_id, node_count)]
    alone = {f"BATCH_{job_name}.0_HOSTS": hosts[0]} if node_count == 1 else {}
    return {f"BATCH_CUSTOM{index}_HOSTS": host for index, host in enumerate(hosts)} | alone


def _in_container(text: str) -> str:
    """The text with every mention of `/home/work` as the container has it."""
    return HOME_MENTION.sub(lambda mention: PLACES[mention[1]], text)


def _engine_of_run(settings: Mapping[str, Any]) -> dict[str, str]:
    engine = settings["engine"]
    if engine is None:
        return {"image_url": settings["user_image_url"]}
    return {name: str(engine[name]) for name in ("engine_id", "engine_name", "engine_version")}
