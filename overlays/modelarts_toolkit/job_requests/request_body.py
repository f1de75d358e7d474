"""Bodies of requests for jobs, and whether a job matches a request."""

import json
import secrets
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from modelarts_runtime.model import Model
from modelarts_toolkit.reading import read

if TYPE_CHECKING:
    from modelarts_api.v2.models import (
        CreateTrainingJobRequestDict,
        JobAlgorithmRequestInput,
        JobMetadataRequestDict,
        ParameterRequestInput,
        TrainingJob,
    )
    from modelarts_toolkit.job_requests.job_request import JobRequest

T = TypeVar("T")

NAME_LENGTH = 64  # characters, the most that a job's name may have
SUFFIX_BYTES = 4
LONGEST_BEFORE_SUFFIX = NAME_LENGTH - 1 - 2 * SUFFIX_BYTES

# Parts of `algorithm` that a response repeats. It may leave out others, such as `spec.auto_stop`, which only the
# table of the request documents.
_REPEATED = ("command", "parameters", "inputs", "outputs", "environments")
_ENTRY_NAMES = ("name", "key", "label")  # what identifies an entry of a list
_NOT_COMPARED = frozenset({"description", "i18n_description"})  # of channels: the service may return a placeholder


def request_of(body: "JobRequest", *, unique: bool = False) -> "CreateTrainingJobRequestDict":
    """Return the request as it is sent; `body` is not changed.

    Hyperparameters and environment variables that are numbers or booleans become text, as JSON writes them.
    With `unique` the name gets a random suffix; raises ValueError without a name.
    """
    request = cast("JobRequest", object_of(body))
    metadata = cast("JobMetadataRequestDict", object_of(read(lambda: request["metadata"], object)))
    if unique:
        name = unique_name(read(lambda: metadata["name"], str), "metadata.name")
        request["metadata"] = {**metadata, "name": name}
    if algorithm := cast("JobAlgorithmRequestInput", object_of(read(lambda: request["algorithm"], object))):
        parameters = read(lambda: algorithm["parameters"], object)
        if isinstance(parameters, list | tuple):
            algorithm["parameters"] = [with_text(object_of(entry) or entry) for entry in parameters]
        if environments := object_of(read(lambda: algorithm["environments"], object)):
            algorithm["environments"] = {name: value_text(value) for name, value in environments.items()}
        request["algorithm"] = algorithm
    return cast("CreateTrainingJobRequestDict", request)


def object_of(value: Any) -> dict[str, Any]:
    """Copy the mapping or model as a mapping; empty for anything else."""
    return dict(value.to_dict() if isinstance(value, Model) else value if isinstance(value, Mapping) else {})


def with_text(parameter: Any) -> Any:
    """Return the hyperparameter with its value as text."""
    is_valued = isinstance(parameter, dict) and "value" in parameter
    return {**parameter, "value": value_text(parameter["value"])} if is_valued else parameter


def unique_name(name: Any, field: str) -> str:
    """Add a random suffix to the name; raises ValueError without a name."""
    if not isinstance(name, str) or not name:
        raise ValueError(f"a unique name starts with a given name: set {field}")
    return f"{name[:LONGEST_BEFORE_SUFFIX]}-{secrets.token_hex(SUFFIX_BYTES)}"


def with_parameters(
    parameters: "Sequence[ParameterRequestInput]", values: Mapping[str, str | float]
) -> "list[ParameterRequestInput]":
    """Return the hyperparameters with these values; those of the same names are replaced."""
    kept = [each for each in parameters if each.get("name") not in values]
    new: list[ParameterRequestInput] = [{"name": name, "value": value} for name, value in values.items()]
    return kept + new


def value_text(value: T) -> T | str:
    """Return the value of a hyperparameter or variable; numbers and booleans become JSON text."""
    return json.dumps(value) if isinstance(value, bool | int | float) else value


def is_made_of(job: "TrainingJob", request: Mapping[str, Any], since: float) -> bool:
    """Whether the job was created since then and matches the request in all fields of the response."""
    if not is_since(read(lambda: job.metadata.create_time, int), since):
        return False
    found = job.to_dict()
    made, asked = object_of(found.get("algorithm")), object_of(request.get("algorithm"))
    has_defaults = asked.get("id") or asked.get("subscription_id")
    is_complete = all(
        (made.get(name) or not asked.get(name))
        and (has_defaults or name == "environments" or len(made.get(name) or ()) == len(asked.get(name) or ()))
        for name in _REPEATED
    )
    metadata = object_of(request.get("metadata"))
    is_described = metadata.get("description") in (None, "", read(lambda: job.metadata.description, str))
    return is_complete and is_described and repeats(found, request)


def is_since(create_time_ms: int | None, since: float) -> bool:
    """Whether something was created since then (Unix seconds)."""
    return isinstance(create_time_ms, int | float) and create_time_ms / 1000 >= since


def repeats(found: Any, asked: Any) -> bool:
    """Whether a response has what a request asked for; what the response leaves out is not compared."""
    if found in (None, "") or asked in (None, "", [], {}):
        return True
    if isinstance(asked, Mapping):
        if isinstance(found, list):  # environments, in the form of one of two pages
            found = {key: value for each in found for key, value in object_of(each).items()}
        return isinstance(found, Mapping) and all(
            repeats(found.get(name), value) for name, value in asked.items() if name not in _NOT_COMPARED
        )
    if isinstance(asked, list | tuple):
        return isinstance(found, list) and _has_entries(found, asked)
    return _plain_text(found) == _plain_text(asked)


def _has_entries(found: Sequence[Any], asked: Sequence[Any]) -> bool:
    """Whether a list has all entries; those with a name may be in any order among others."""
    for name in _ENTRY_NAMES:
        if all(isinstance(entry, Mapping) and entry.get(name) for entry in asked):
            by_name = {entry.get(name): entry for entry in found if isinstance(entry, Mapping)}
            return all(entry[name] in by_name and repeats(by_name[entry[name]], entry) for entry in asked)
    return len(found) == len(asked) and all(map(repeats, found, asked))


def _plain_text(value: Any) -> str:
    """Return a value in the form to compare: numbers as text, `obs://bucket/folder/` as `/bucket/folder`."""
    text = value_text(value)
    if isinstance(text, str) and text.startswith(("obs://", "/")):
        return text.removeprefix("obs:/").rstrip("/")
    return str(text)
