"""From a job file and options to the request for a training job of version 1.

A file has the fields of the request (`job_name`, `job_desc`, `config`, ...), the short keys of `settings`, or both;
`app_url`, `data_url` and `train_url` can be local folders, as `code`, `inputs` and `outputs` can.
"""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, cast

from modelarts_toolkit.jobfiles.channels import channel_name, input_url, output_url
from modelarts_toolkit.jobfiles.checks import Problem, check_fields, remove_unfit
from modelarts_toolkit.jobfiles.file import JobFile, Path_
from modelarts_toolkit.jobfiles.plan import PREFIX, Plan, Staged, plan_of_settings
from modelarts_toolkit.jobfiles.settings import DEFAULT_INPUT, DEFAULT_OUTPUT, JobSettings, merged, settings_of
from modelarts_toolkit.jobs.reading import entries, read

if TYPE_CHECKING:
    from modelarts_api.v1.models import CreateTrainingJobRequestDict, ParameterRequestDict, TrainingConfigRequestDict
    from modelarts_api.v2.models import ParameterRequestInput
    from modelarts_toolkit.jobs.job_request import JobRequest

WIRE = ("job_name", "job_desc", "config", "workspace_id", "notification")


@dataclass(slots=True)
class V1Plan(Plan["CreateTrainingJobRequestDict"]):
    """A request of version 1, and what happens before and after it; `request` is the one of version 2 for the same."""

    own: "CreateTrainingJobRequestDict" = field(kw_only=True)  # fields that version 2 does not have

    @property
    def engine_path(self) -> Path_:
        """As `Plan.engine_path`."""
        return ("config", "engine_id")

    def staged(self, place: str, run_id: str) -> tuple["CreateTrainingJobRequestDict", list[Staged]]:
        """As `Plan.staged`."""
        request, uploads = self._staged(place, run_id)
        return self._request(request), uploads

    def check(self, request: "CreateTrainingJobRequestDict") -> list[Problem]:
        """As `Plan.check`."""
        from modelarts_api.v1.models import CreateTrainingJobRequest

        problems = check_fields(request, CreateTrainingJobRequest)
        is_model = read(lambda: request["config"]["model_id"], int)
        is_image = read(lambda: request["config"]["user_image_url"], str)
        if not is_model and not is_image and not read(lambda: request["config"]["boot_file_url"], str):
            text = "says nothing to run: give code and a boot file, a model_id, or an image"
            problems.append(Problem(("config",), text))
        return problems

    def _request(self, request: "JobRequest") -> "CreateTrainingJobRequestDict":
        """The request of version 1 for one of version 2."""
        resource = request["spec"]["resource"]
        inputs = entries(lambda: request["algorithm"]["inputs"], dict)
        outputs = entries(lambda: request["algorithm"]["outputs"], dict)
        config: TrainingConfigRequestDict = {"worker_server_num": resource["node_count"]}
        if code := _path(read(lambda: request["algorithm"]["code_dir"], str)):
            config["app_url"] = code
        if boot := _path(read(lambda: request["algorithm"]["boot_file"], str)):
            config["boot_file_url"] = boot
        if image := read(lambda: request["algorithm"]["engine"]["image_url"], str):
            config["user_image_url"] = image
        if command := read(lambda: request["algorithm"]["command"], str):
            config["user_command"] = command
        if data := _path(next((input_url(each) for each in inputs if channel_name(each) == DEFAULT_INPUT), None)):
            config["data_url"] = data
        if train := _path(next((output_url(each) for each in outputs if channel_name(each) == DEFAULT_OUTPUT), None)):
            config["train_url"] = train
        if log := _path(read(lambda: request["spec"]["log_export_path"]["obs_url"], str)):
            config["log_url"] = log
        if flavor := read(lambda: resource["flavor_id"], str):
            config["flavor"] = {"code": flavor}
        if pool := read(lambda: resource["pool_id"], str):
            config["pool_id"] = pool
        if parameters := entries(lambda: request["algorithm"]["parameters"], dict):
            config["parameter"] = [_parameter(each) for each in parameters]
        body: CreateTrainingJobRequestDict = {"job_name": self.name, "config": config}
        if description := read(lambda: request["metadata"]["description"], str):
            body["job_desc"] = description
        return {**body, **self.own, "config": {**config, **self.own["config"]}}


def v1_plan_of(file: JobFile | None, options: Mapping[str, object]) -> V1Plan:
    """The plan that a file and options describe, with everything that is wrong with them."""
    from modelarts_api.v1.models import CreateTrainingJobRequest

    settings, wire, problems = settings_of(file.document if file is not None else {}, WIRE)
    own, _, wrong_options = settings_of(options)
    fields_given: Any = deepcopy(wire)
    problems += [*wrong_options, *remove_unfit(fields_given, CreateTrainingJobRequest)]
    request: CreateTrainingJobRequestDict = fields_given
    taken = _taken(request, request.setdefault("config", cast("TrainingConfigRequestDict", {})))
    settings, own = (_with_engine(each) for each in (merged(taken, settings), own))
    problems += _unsupported(merged(settings, own))
    start: JobRequest = {"metadata": {"name": ""}}
    plan = plan_of_settings(file, _supported(settings), _supported(own), start, problems)
    if (engine := plan.engine) is not None and engine.isdigit():
        request["config"]["engine_id"], plan.engine = int(engine), None
    return V1Plan(**{each.name: getattr(plan, each.name) for each in fields(Plan)}, own=request)


def _taken(request: "CreateTrainingJobRequestDict", config: "TrainingConfigRequestDict") -> JobSettings:
    """The settings for which version 1 has fields, taken out of the request."""
    found: JobSettings = {}
    if name := request.pop("job_name", ""):  # type: ignore[misc]  # it is put back
        found["name"] = name
    if description := request.pop("job_desc", ""):
        found["description"] = description
    if code := config.pop("app_url", ""):
        found["code"] = code
    if boot := config.pop("boot_file_url", ""):
        found["boot"] = boot
    if engine := config.pop("engine_id", 0):
        found["engine"] = engine
    if (nodes := config.pop("worker_server_num", None)) is not None:  # type: ignore[misc]
        found["nodes"] = nodes
    if image := config.pop("user_image_url", ""):
        found["image"] = image
    if command := config.pop("user_command", ""):
        found["command"] = command
    if pool := config.pop("pool_id", ""):
        found["pool_id"] = pool
    if log := config.pop("log_url", ""):
        found["log_url"] = log
    if data := config.pop("data_url", ""):
        found["inputs"] = {DEFAULT_INPUT: data}
    if train := config.pop("train_url", ""):
        found["outputs"] = {DEFAULT_OUTPUT: train}
    if flavor := read(lambda: config["flavor"]["code"], str):
        found["flavor"] = flavor
        del config["flavor"]
    if parameters := entries(lambda: config.pop("parameter"), dict):
        found["parameters"] = dict(map(_named, parameters))
    return found


def _named(parameter: "ParameterRequestDict") -> tuple[str, object]:
    value = read(lambda: parameter["value"], object)
    return read(lambda: parameter["label"], str) or "", value


def _parameter(parameter: "ParameterRequestInput") -> "ParameterRequestDict":
    return {"label": parameter["name"], "value": parameter["value"]}


def _with_engine(settings: JobSettings) -> JobSettings:
    """The settings with one for the engine, whose name and version the vendor's tool takes apart."""
    found = settings.copy()
    names = [name for name in (found.pop("framework_version", ""), found.pop("framework_type", "")) if name]
    return {"engine": names[0], **found} if names else found


def _unsupported(settings: JobSettings) -> Iterator[Problem]:
    """What version 1 does not have: some settings, further channels, and channels with fields of version 2."""
    for name in ("env", "working_dir", "local_code_dir"):
        if settings.get(name):
            yield Problem((name,), "version 1 of the API has no such setting")
    for direction, known, given in (
        ("inputs", DEFAULT_INPUT, settings.get("inputs", {})),
        ("outputs", DEFAULT_OUTPUT, settings.get("outputs", {})),
    ):
        for name, value in given.items():
            if isinstance(value, Mapping):
                text = "version 1 of the API takes a place alone: write a local folder, or obs://bucket/folder/"
                yield Problem((direction, name), text)
            elif name != known:
                yield Problem((direction, name), f"version 1 of the API has only {known}")


def _supported(settings: JobSettings) -> JobSettings:
    """The settings without what `_unsupported` lists."""
    found = settings.copy()
    for name in ("env", "working_dir", "local_code_dir"):
        found.pop(name, None)  # type: ignore[misc]
    found["inputs"] = _plain_places(found.get("inputs", {}))
    found["outputs"] = _plain_places(found.get("outputs", {}))
    return found


def _plain_places(channels: Mapping[str, object]) -> Mapping[str, object]:
    return {name: value for name, value in channels.items() if not isinstance(value, Mapping)}


def wire_path(url: str) -> str:
    """The path of a URL as version 1 writes it, such as /bucket/code/."""
    return f"/{url.removeprefix(PREFIX)}" if url.startswith(PREFIX) else url


def _path(url: str | None) -> str:
    return wire_path(url) if url else ""
