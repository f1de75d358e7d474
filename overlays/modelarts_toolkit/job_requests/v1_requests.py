"""Requests for jobs and versions of version 1, made from user input or from earlier versions."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, cast

from modelarts_toolkit.job_requests.request_body import object_of, repeats, unique_name, value_text, with_text
from modelarts_toolkit.job_requests.rerun import fitting
from modelarts_toolkit.own_files import own_table
from modelarts_toolkit.reading import entries, read

if TYPE_CHECKING:
    from modelarts_api.v1.models import (
        CreateTrainingJobRequestDict,
        CreateTrainingJobVersionRequestDict,
        DataSourceRequestDict,
        FlavorRequestDict,
        TrainingConfigRequestDict,
        TrainingJobVersion,
        TrainingVersionConfigRequestDict,
    )

_FIELDS = own_table(__package__, "v1_fields.json")
REPLACES: Mapping[str, Sequence[str]] = _FIELDS["replaces"]  # by field of `config`, the fields that it replaces there
SAID_TWICE: Mapping[str, Sequence[str]] = _FIELDS["said_twice"]  # fields of a response that it replaces in a request


class VersionChanges(TypedDict, total=False):
    """The settings that a further version can have in place of an earlier one's, fields of `config`."""

    worker_server_num: int
    app_url: str
    boot_file_url: str
    engine_id: int
    model_id: int
    user_image_url: str
    user_command: str
    data_url: str
    dataset_id: str
    dataset_version_id: str
    data_source: "Sequence[DataSourceRequestDict]"
    spec_id: int
    flavor: "FlavorRequestDict"
    pool_id: str
    train_url: str
    log_url: str


def job_request(body: "CreateTrainingJobRequestDict", *, unique: bool = False) -> "CreateTrainingJobRequestDict":
    """Return the request as it is sent: hyperparameters as text, and with `unique` a name with a suffix."""
    request = cast("CreateTrainingJobRequestDict", object_of(body))
    if unique:
        request["job_name"] = unique_name(read(lambda: request["job_name"], str), "job_name")
    config = cast("TrainingConfigRequestDict", object_of(read(lambda: request["config"], object)))
    if isinstance(parameters := read(lambda: config["parameter"], object), Sequence):
        config["parameter"] = [with_text(object_of(each)) for each in parameters]
    request["config"] = config
    return request


def version_request(
    before: "TrainingJobVersion", changes: VersionChanges, parameters: Mapping[str, Any]
) -> "CreateTrainingJobVersionRequestDict":
    """Return the request for a version that follows `before`, with its settings and these changes."""
    from modelarts_api.v1.models import TrainingVersionConfigRequest

    document = dict(before.to_dict())
    for name, others in SAID_TWICE.items():
        if document.get(name):
            for other in others:
                document.pop(other, None)
    if document.get("pool_type") == "SYSTEM_DEFINED":
        document.pop("pool_id", None)
    settings = fitting(document, TrainingVersionConfigRequest)
    gone = {name for field in changes for name in REPLACES.get(field, ())}
    kept = {name: value for name, value in settings.items() if name not in gone}
    config = cast("TrainingVersionConfigRequestDict", kept)
    config["pre_version_id"] = before.version_id
    values: dict[str, bool | float | str] = {
        each["label"]: each["value"] for each in entries(lambda: config["parameter"], dict)
    }
    values.update(parameters)
    config["parameter"] = [{"label": name, "value": value_text(value)} for name, value in values.items()]
    return {"config": {**config, **changes}}


def is_same(
    version: "TrainingJobVersion", config: "TrainingConfigRequestDict | TrainingVersionConfigRequestDict"
) -> bool:
    """Whether a version matches the request in all fields of the response."""
    asked = {name: value for name, value in config.items() if name != "flavor"}
    is_on_flavor = repeats(read(lambda: version.flavor_code, str), read(lambda: config["flavor"]["code"], str))
    has_all = bool(read(lambda: config["model_id"], int)) or len(entries(lambda: version.parameter)) == len(
        entries(lambda: config["parameter"], object)
    )
    return is_on_flavor and has_all and repeats(version.to_dict(), asked)
