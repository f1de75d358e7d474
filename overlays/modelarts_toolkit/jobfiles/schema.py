"""The JSON Schema of job files, for editors, made of the keys and the types of the request.

It does not say which keys are required, because options can give them, and has no rules about several fields.
"""

import typing
from collections.abc import Sequence
from types import UnionType
from typing import Any, Literal

from modelarts_api.v2.models import CreateTrainingJobRequest
from modelarts_runtime.model import Model
from modelarts_toolkit.job_requests.rerun import fields_of
from modelarts_toolkit.jobfiles.checks import CHANNEL_NAME, DESCRIPTION_LENGTH, NAME, is_required
from modelarts_toolkit.jobfiles.file import Path_, is_text
from modelarts_toolkit.jobfiles.plan import VENDOR_UID, WIRE
from modelarts_toolkit.jobfiles.settings import ALIASES, SETTINGS

_Schema = dict[str, Any]

_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}
_TEXT: _Schema = {"type": "string"}
_PLACE = "^([^=]|$)"  # NAME=PLACE, or a place alone
_SCALAR: _Schema = {"type": ["string", "number", "boolean"]}  # of a value that is sent as it is written


def job_file_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a file for `submit_file`, `check_file` and `modelarts job submit`."""
    request = _schema_of(CreateTrainingJobRequest, ())["properties"]
    metadata, algorithm = request["metadata"]["properties"], request["algorithm"]["properties"]
    metadata["name"]["pattern"] = f"^({NAME.pattern})?$"
    metadata["description"]["maxLength"] = DESCRIPTION_LENGTH
    nodes = request["spec"]["properties"]["resource"]["properties"]["node_count"]
    nodes["minimum"] = 1
    inputs, outputs = (_channel(algorithm[direction]) for direction in ("inputs", "outputs"))
    special: dict[str, _Schema] = {
        "name": metadata["name"],
        "description": metadata["description"],
        "nodes": {"anyOf": [nodes, {"type": "string", "pattern": "^0*[1-9][0-9]*$"}]},
        "engine": {"type": ["string", "integer"]},
        "uid": {"enum": [VENDOR_UID, str(VENDOR_UID), None]},
        "parameters": _by_name(_SCALAR, "^[^=]+="),
        "env": _by_name(_SCALAR, "^[^=]+="),
        "inputs": _by_name(inputs, _PLACE, CHANNEL_NAME.pattern),
        "outputs": _by_name(outputs, _PLACE, CHANNEL_NAME.pattern),
    }
    properties = {name: {"anyOf": [special.get(name, _TEXT), {"type": "null"}]} for name in SETTINGS}
    others = {alias: {"$ref": f"#/properties/{name}"} for alias, name in ALIASES.items()}
    dashed = {key.replace("_", "-"): {"$ref": f"#/properties/{key}"} for key in (*properties, *others) if "_" in key}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Job file of modelarts-toolkit",
        "type": "object",
        "properties": {**properties, **others, **dashed, **{name: request[name] for name in WIRE}},
        "additionalProperties": False,
    }


def _schema_of(kind: Any, path: Path_) -> _Schema:
    """The schema of a type, as `check_fields` understands it, at a path of the request."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, UnionType):
        plain = [_schema_of(each, path) for each in arguments if each in _TYPES]
        return {"anyOf": plain} if len(plain) > 1 else _schema_of(arguments[0], path)
    if origin is Literal:
        return {"enum": list(arguments)}
    if isinstance(kind, type) and issubclass(kind, Model):
        return _object(kind, path)
    if origin in (list, Sequence):
        return {"type": "array", "items": _schema_of(arguments[0], (*path, 0))}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema_of(arguments[1], (*path, ""))}
    if kind is str and is_text(path):
        return {**_SCALAR}
    return {"type": _TYPES[kind]} if kind in _TYPES else {}


def _object(kind: Any, path: Path_) -> _Schema:
    """The schema of a part of the request; only in lists fields are required, elsewhere short keys can give them."""
    fields = dict(fields_of(kind))
    return {
        "type": "object",
        "properties": {name: _schema_of(hint, (*path, name)) for name, hint in fields.items()},
        "required": [name for name, hint in fields.items() if 0 in path and is_required(hint)],
        "additionalProperties": False,
    }


def _channel(channels: _Schema) -> _Schema:
    """The value of a channel in a mapping: a place, or the fields of a channel without its name."""
    one = channels["items"]
    return {"anyOf": [_TEXT, {**one, "required": [name for name in one["required"] if name != "name"]}]}


def _by_name(value: _Schema, text: str, names: str = ".*") -> _Schema:
    """What `by_name` reads: a mapping, a text NAME=VALUE, or a list of these."""
    mapping = {"type": "object", "additionalProperties": value, "propertyNames": {"pattern": f"^{names}$"}}
    either: list[_Schema] = [mapping, {"type": "string", "pattern": text}]
    return {"anyOf": [*either, {"type": "array", "items": {"anyOf": either}}]}
