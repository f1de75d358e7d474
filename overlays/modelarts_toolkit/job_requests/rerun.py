"""Make a request from a response, to run a job again."""

import typing
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, cast

from modelarts_runtime.model import Model, attributes_of
from modelarts_toolkit.job_requests.channels import new_run_id, replace_made_folders
from modelarts_toolkit.local_emulator import PYTHON, PYTHON_CHOSEN_BY
from modelarts_toolkit.reading import present, read

if TYPE_CHECKING:
    from modelarts_api.v2.models import TrainingJob
    from modelarts_toolkit.job_requests.job_request import JobRequest

# A stored algorithm has these itself; the page says to leave them out next to its id.
_OF_THE_ALGORITHM = ("name", "code_dir", "boot_file", "engine", "command", "subscription_id", "item_version_id")
_OF_A_PARAMETER = ("name", "value")  # its description and constraint are the algorithm's

_LEFT_OUT: Any = object()


def as_request(job: "TrainingJob", *, name: str | None = None, run_id: str | None = None) -> "JobRequest":
    """Return the request for a job like this one; you can change it before you send it.

    `name` is the new job's name, because names are unique in a project; the default is this job's name.
    Fields that only the service sets are left out, fields that a stored algorithm has itself, and the Python of this
    machine with which an emulator trained.
    In place of the folders that the toolkit made for this job's outputs, the new job gets folders of its own, each time
    new ones unless `run_id` is the same; a folder that the request of this job named stays.
    """
    from modelarts_api.v2.models import CreateTrainingJobRequest

    document = job.to_dict()
    algorithm = document.get("algorithm")
    if isinstance(algorithm, dict):
        _simplify(algorithm)
    for annotation in (PYTHON, PYTHON_CHOSEN_BY):
        with suppress(LookupError, TypeError):
            del document["metadata"]["annotations"][annotation]
    body = fitting(document, CreateTrainingJobRequest)
    if name is not None:
        body["metadata"] = {**body.get("metadata", {}), "name": name}
    body.setdefault("kind", "job")
    request = cast("JobRequest", body)
    replace_made_folders(request, read(lambda: present(job.metadata).name, str) or "", run_id or new_run_id())
    return request


def fitting(document: Mapping[str, Any], kind: type[Model]) -> dict[str, Any]:
    """Return the fields of a response that this request also has, without nulls, empty texts and empty objects."""
    found = _fitting(document, kind)
    return {} if found is _LEFT_OUT else cast("dict[str, Any]", found)


def _simplify(algorithm: dict[str, Any]) -> None:
    """Keep one way to name what the job runs, and only the values of hyperparameters."""
    if algorithm.get("id"):
        redundant: tuple[str, ...] = _OF_THE_ALGORITHM
    elif algorithm.get("subscription_id"):
        redundant = ("id", "name", "code_dir", "boot_file", "engine", "command")
    else:
        redundant = ("id", "name", *(("code_dir", "boot_file") if not algorithm.get("boot_file") else ()))
    for field in redundant:
        algorithm.pop(field, None)
    if isinstance(parameters := algorithm.get("parameters"), list):
        algorithm["parameters"] = [
            {field: parameter[field] for field in _OF_A_PARAMETER if parameter.get(field) is not None}
            for parameter in parameters
            if isinstance(parameter, dict)
        ]
    if isinstance(environments := algorithm.get("environments"), list):
        algorithm["environments"] = {
            key: value for each in environments if isinstance(each, dict) for key, value in each.items()
        }


def _fitting(value: object, kind: Any) -> Any:
    """Return the part of the value that fits a request's type, without nulls, empty texts and empty objects."""
    if value in (None, "", {}):
        return _LEFT_OUT
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, UnionType):
        return next((found for each in arguments if (found := _fitting(value, each)) is not _LEFT_OUT), _LEFT_OUT)
    if origin is Literal:
        return value if value in arguments else _LEFT_OUT
    if isinstance(kind, type) and issubclass(kind, Model):
        fields: Any = fields_of  # mypy does not take a class with a hash of its own for hashable
        if not isinstance(value, Mapping):
            return _LEFT_OUT
        found = {name: _fitting(value[name], hint) for name, hint in fields(kind) if name in value}
        return {name: part for name, part in found.items() if part is not _LEFT_OUT} or _LEFT_OUT
    if origin in (list, Sequence) and isinstance(value, list):
        return [part for item in value if (part := _fitting(item, arguments[0])) is not _LEFT_OUT]
    if origin is dict and isinstance(value, Mapping):
        found = {name: _fitting(item, arguments[1]) for name, item in value.items()}
        return {name: part for name, part in found.items() if part is not _LEFT_OUT}
    is_number = kind is float and type(value) is int  # JSON does not distinguish 8 from 8.0
    return value if isinstance(kind, type) and (type(value) is kind or is_number) else _LEFT_OUT


@cache
def fields_of(kind: Any) -> tuple[tuple[str, Any], ...]:
    """Return the wire names of a request's fields, with their types."""
    hints = typing.get_type_hints(kind)
    return tuple((name, hints[attribute]) for attribute, name in attributes_of(kind))
