"""What a version of a training job executes, for its run.

Own code gets its hyperparameters as `--<label>=<value>`, and the OBS paths of its data and results as
`--data_url=obs://...` and `--train_url=obs://...`: it copies the objects itself. A custom image gets the same as
environment variables.
A container of version 1 has its home in `/home/work`: the command and the hyperparameters may name it.
Sources: pages "Creating a Training Job" and "Developing a Custom Script", examples of custom images.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from modelarts_emulator.execution.container import HOME, JOB_DIR, addresses
from modelarts_emulator.execution.protocol import Channel, JobSpec, spec_to_json
from modelarts_emulator.settings.catalogue import Catalogue, node_resources
from modelarts_emulator.storage.names import parse_obs_url
from modelarts_emulator.v1 import builtin

__all__ = ["describe_run"]

CHANNELS = ("data_url", "train_url")
# What version 1 calls these variables: page "Error Message 'Permission denied' ..." says what replaced which.
ALIASES = {"DLS_TASK_NUMBER": "MA_NUM_HOSTS", "DLS_TASK_INDEX": "VC_TASK_INDEX"}
HOST_PORT = 6666  # of the same page
# Where the documented places of version 1 are in a container, whose home is that of version 2.
HOME_MENTION = re.compile(r"(?<![\w./-])/home/work(/run_train\.sh|/user-job-dir)?(?![\w.-])")
PLACES = {
    None: HOME,
    "/user-job-dir": JOB_DIR,
    "/run_train.sh": shlex.quote(str(Path(__file__).with_name("run_train.sh"))),
}


def describe_run(catalogue: Catalogue, run_id: str, job_name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The run's specification as JSON values; `settings` are those of `training_settings`."""
    flavor_id, node_count = settings["spec"]["spec_code"], settings["worker_server_num"]
    algorithm = builtin.find(settings["model_id"]) if settings["model_id"] is not None else None
    parameters = {entry["label"]: _in_container(entry["value"]) for entry in settings["parameter"]}
    urls = {name: obs_url(settings[name]) for name in CHANNELS if settings[name]}
    program: dict[str, Any]
    if algorithm is not None:
        program = _built_in(algorithm, parameters, urls)
    else:
        has_image = settings["user_image_url"] is not None
        program = {
            "code_dir": settings["app_url"],
            "boot_file": None if has_image else settings["boot_file_url"],
            "command": _in_container(settings["user_command"]) if has_image else None,
            "parameters": tuple((parameters | urls).items()),
        }
    job_spec = JobSpec(
        job_id=run_id,
        name=job_name,
        node_count=node_count,
        log_export_url=settings["log_url"],
        environments={},
        service_environments={"MA_NUM_GPUS": str(settings["spec"]["gpu_num"])} | _hosts(run_id, node_count),
        variable_aliases=ALIASES,
        engine=_engine(settings),
        annotations={},
        resources=node_resources(flavor_id, catalogue.flavors[flavor_id].get("flavor_info", {})),
        **program,
    )
    return spec_to_json(job_spec)


def _hosts(run_id: str, node_count: int) -> dict[str, str]:
    """The address of every node, under the names of version 1."""
    hosts = enumerate(addresses(run_id, node_count))
    return {f"BATCH_CUSTOM{index}_HOSTS": f"{host}:{HOST_PORT}" for index, host in hosts}


def obs_url(path: str) -> str:
    """The path as `obs://bucket/key`, the form that scripts get; raises ValueError if it is no OBS path."""
    bucket, key = parse_obs_url(path)
    return f"obs://{bucket}/{key}"


def _in_container(text: str) -> str:
    """The text with every mention of `/home/work` as the container has it."""
    return HOME_MENTION.sub(lambda mention: PLACES[mention[1]], text)


def _built_in(
    algorithm: builtin.BuiltInAlgorithm, parameters: Mapping[str, str], urls: Mapping[str, str]
) -> dict[str, Any]:
    """A built-in algorithm reads and writes folders that the platform fills and uploads: the command's variables."""
    values = {entry.label: entry.value for entry in algorithm.parameters} | dict(parameters)
    arguments = [f"--{label}={value}" for label, value in values.items()]
    folders = [f'--{name}="${name}"' for name in urls]
    command = [shlex.join(["python", "-u", str(algorithm.script), *arguments]), *folders]
    return {
        "command": " ".join(command),
        "inputs": tuple(Channel(name, urls[name]) for name in ("data_url",) if name in urls),
        "outputs": tuple(Channel(name, urls[name]) for name in ("train_url",) if name in urls),
    }


def _engine(settings: Mapping[str, Any]) -> dict[str, str]:
    engine = settings["engine"]
    if engine is None:
        return {"image_url": settings["user_image_url"]}
    return {name: str(engine[name]) for name in ("engine_id", "engine_name", "engine_version")}
