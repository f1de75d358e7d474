"""From a job file and options to the request for a training job of version 1.

A file has the fields of the request (`job_name`, `job_desc`, `config`, ...), the short keys of `plan`, or both;
`app_url`, `data_url` and `train_url` can be local folders, as `code`, `inputs` and `outputs` can.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from modelarts_toolkit.errors import ConfigError
from modelarts_toolkit.jobfiles.checks import Problem, check_fields
from modelarts_toolkit.jobfiles.file import JobFile, Path_
from modelarts_toolkit.jobfiles.plan import (
    DEFAULT_INPUT,
    DEFAULT_OUTPUT,
    PREFIX,
    JobPlan,
    Staged,
    plan_of_settings,
    settings_of,
)

PROGRAM_FIELDS = ("boot_file_url", "model_id", "user_image_url")
WIRE = ("job_name", "job_desc", "config", "workspace_id", "notification")

# The short keys of what version 1 has fields for.
_SHORT: Mapping[str, str] = {
    "app_url": "code",
    "boot_file_url": "boot",
    "engine_id": "engine",
    "worker_server_num": "nodes",
    "user_image_url": "image",
    "user_command": "command",
    "pool_id": "pool_id",
    "log_url": "log_url",
}
# What `algorithm` of version 2 may have beyond these, and the short key of each.
UNSUPPORTED = {"environments": "env", "working_dir": "working_dir", "local_code_dir": "local_code_dir"}


@dataclass(slots=True)
class V1Plan(JobPlan):
    """A request of version 1, and what happens before and after it; `request` is the one of version 2 for the same."""

    others: dict[str, Any] = field(default_factory=dict)  # fields of the request that version 2 does not have
    config: dict[str, Any] = field(default_factory=dict)  # likewise, of its config

    engine_path: ClassVar[Path_] = ("config", "engine_id")

    def staged(self, place: str, run_id: str) -> tuple[dict[str, Any], list[Staged]]:
        """The request with URLs below a place in object storage, and what has to be uploaded there."""
        request, uploads = JobPlan.staged(self, place, run_id)
        return self._request(request), uploads

    def check(self, request: dict[str, Any]) -> list[Problem]:
        """As `JobPlan.check`."""
        from modelarts_api.v1.models import CreateTrainingJobRequest

        problems = check_fields(request, CreateTrainingJobRequest)
        if not any(request["config"].get(name) for name in PROGRAM_FIELDS):
            text = "says nothing to run: give code and a boot file, a model_id, or an image"
            problems.append(Problem(("config",), text))
        return problems

    def _request(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The request of version 1 for one of version 2."""
        algorithm, resource = request.get("algorithm", {}), request.get("spec", {}).get("resource", {})
        engine = algorithm.get("engine", {})
        config: dict[str, Any] = {
            "worker_server_num": resource.get("node_count"),
            "app_url": wire_path(algorithm.get("code_dir")),
            "boot_file_url": wire_path(algorithm.get("boot_file")),
            "user_image_url": engine.get("image_url"),
            "user_command": algorithm.get("command"),
            "data_url": wire_path(_only(algorithm, "inputs", DEFAULT_INPUT)),
            "train_url": wire_path(_only(algorithm, "outputs", DEFAULT_OUTPUT)),
            "log_url": wire_path(request.get("spec", {}).get("log_export_path", {}).get("obs_url")),
            "flavor": {"code": resource["flavor_id"]} if resource.get("flavor_id") else None,
            "pool_id": resource.get("pool_id"),
            "parameter": [
                {"label": each["name"], "value": each.get("value")} for each in algorithm.get("parameters", ())
            ],
        }
        metadata = request["metadata"]
        body = {"job_name": metadata.get("name"), "job_desc": metadata.get("description"), **self.others}
        return {
            **{name: value for name, value in body.items() if value is not None},
            "config": {name: value for name, value in config.items() if value not in (None, [])} | self.config,
        }


def v1_plan_of(file: JobFile | None, options: Mapping[str, Any]) -> V1Plan:
    """The plan that a file and options describe, with everything that is wrong with them."""
    settings, wire, problems = settings_of(file, WIRE) if file is not None else ({}, {}, [])
    config = wire.pop("config", {})
    if not isinstance(config, dict):
        raise ConfigError("config must be a mapping of fields")
    taken = {short: config.pop(name) for name, short in _SHORT.items() if name in config}
    if isinstance(flavor := config.get("flavor"), Mapping) and set(flavor) == {"code"}:
        taken["flavor"] = config.pop("flavor")["code"]
    for name, setting, channel in (
        ("data_url", "inputs", DEFAULT_INPUT),
        ("train_url", "outputs", DEFAULT_OUTPUT),
    ):
        if config.get(name) is not None:
            taken[setting] = {channel: config.pop(name)}
    for name, short in (("job_name", "name"), ("job_desc", "description")):
        if name in wire:
            taken[short] = wire.pop(name)
    parameters = config.pop("parameter", None)
    if parameters:
        taken["parameters"] = {each["label"]: each.get("value") for each in parameters}
    plan = plan_of_settings(file, _with_engine({**taken, **settings}), _with_engine(options), problems=problems)
    plan.problems += [*_described_channels(settings), *_unsupported(plan)]
    if (engine := plan.engine) is not None and engine.isdigit():
        config["engine_id"], plan.engine = int(engine), None
    common = {each.name: getattr(plan, each.name) for each in fields(JobPlan)}
    return V1Plan(**common, others=wire, config=config)


def _with_engine(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with one for the engine, whose name and version the vendor's tool takes apart."""
    found = dict(settings)
    names = [name for key in ("framework_version", "framework_type") if (name := found.pop(key, None))]
    return {"engine": names[0], **found} if names else found


def _described_channels(settings: Mapping[str, Any]) -> Iterator[Problem]:
    """Channels with fields of version 2: version 1 has a place alone."""
    for direction in ("inputs", "outputs"):
        for name, value in settings.get(direction, {}).items():
            if isinstance(value, Mapping):
                text = "version 1 of the API takes a place alone: write a local folder, or obs://bucket/folder/"
                yield Problem((direction, name), text)


def _unsupported(plan: JobPlan) -> Iterator[Problem]:
    """What version 1 does not have: some settings, and further channels."""
    algorithm = plan.request.get("algorithm", {})
    for name, setting in UNSUPPORTED.items():
        if algorithm.get(name):
            yield Problem((setting,), "version 1 of the API has no such setting")
    for direction, known, local in (
        ("inputs", DEFAULT_INPUT, plan.inputs),
        ("outputs", DEFAULT_OUTPUT, plan.outputs),
    ):
        for name in (*local, *(each["name"] for each in algorithm.get(direction) or ())):
            if name != known:
                yield Problem((direction, name), f"version 1 of the API has only {known}")


def _only(algorithm: Mapping[str, Any], direction: str, name: str) -> str | None:
    """The URL of the one channel that version 1 has."""
    channels = {each["name"]: each["remote"]["obs"]["obs_url"] for each in algorithm.get(direction) or ()}
    return channels.get(name)


def wire_path(url: str | None) -> str | None:
    """The path of a URL as version 1 writes it, such as /bucket/code/."""
    return f"/{url.removeprefix(PREFIX)}" if url and url.startswith(PREFIX) else url
