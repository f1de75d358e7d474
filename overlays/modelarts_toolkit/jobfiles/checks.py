"""What is wrong with the request for a job, as far as the documents say: all at once, before anything is sent."""

import re
import typing
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from types import UnionType
from typing import Any, Literal, NamedTuple

from modelarts_api.types import Unset
from modelarts_runtime.model import Model
from modelarts_toolkit.errors import ObsError
from modelarts_toolkit.jobfiles.file import Path_
from modelarts_toolkit.jobs.rerun import fields_of
from modelarts_toolkit.storage.buckets import Location

# Source: the page "Creating a Training Job".
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
DESCRIPTION_LENGTH = 256  # characters
CHANNEL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")

_KINDS: Mapping[type, str] = {str: "a text", int: "an integer", float: "a number", bool: "true or false"}


class Problem(NamedTuple):
    """A value that the service would reject; `path` leads to it."""

    path: Path_
    text: str

    def __str__(self) -> str:
        return f"{dotted(self.path)}: {self.text}" if self.path else self.text


def check_request(request: Mapping[str, Any]) -> list[Problem]:
    """List what is wrong with the request: unknown and missing fields, wrong types, names, paths and combinations."""
    from modelarts_api.v2.models import CreateTrainingJobRequest

    return [*check_fields(request, CreateTrainingJobRequest), *_check_rules(request)]


def dotted(path: Path_) -> str:
    """The path as people write it, such as `algorithm.inputs[0].name`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


def check_fields(value: Any, kind: Any) -> list[Problem]:
    """List what of a request does not fit the fields and types of a kind of request."""
    return [*_check(value, kind, ())]


def _check(value: Any, kind: Any, path: Path_) -> Iterator[Problem]:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, UnionType):
        if not any(each in _KINDS and _is_of(value, each) for each in arguments):
            yield from _check(value, arguments[0], path)  # besides it there is only what stands for the same
    elif origin is Literal:
        if value not in arguments:
            yield Problem(path, f"must be {' or '.join(map(repr, arguments))}, not {value!r}{_near(value, arguments)}")
    elif isinstance(kind, type) and issubclass(kind, Model):
        yield from _check_fields(value, kind, path)
    elif origin in (list, Sequence, typing.Sequence) or kind is list:
        if not isinstance(value, list | tuple):
            yield Problem(path, f"must be a list, not {value_kind(value)}")
        else:
            for index, each in enumerate(value):
                yield from _check(each, arguments[0], (*path, index))
    elif origin is dict:
        if not isinstance(value, Mapping):
            yield Problem(path, f"must be a mapping, not {value_kind(value)}")
        else:
            for name, each in value.items():
                yield from _check(each, arguments[1], (*path, name))
    elif kind in _KINDS and not _is_of(value, kind):
        yield Problem(path, f"must be {_KINDS[kind]}, not {value_kind(value)}{_quotes(value, kind)}")


def _check_fields(value: Any, kind: Any, path: Path_) -> Iterator[Problem]:
    if not isinstance(value, Mapping):
        yield Problem(path, f"must be a mapping of fields, not {value_kind(value)}")
        return
    fields = dict(fields_of(kind))
    for name, each in value.items():
        if name in fields:
            yield from _check(each, fields[name], (*path, name))
        else:
            known = "" if _near(name, fields) else f"; the fields are {', '.join(fields)}"
            yield Problem((*path, name), f"unknown field{_near(name, fields)}{known}")
    for name, hint in fields.items():
        if name not in value and is_required(hint):
            yield Problem((*path, name), "is missing")


def is_required(hint: Any) -> bool:
    """Whether a field of this type has to be there."""
    return Unset not in typing.get_args(hint)


def _check_rules(request: Mapping[str, Any]) -> Iterator[Problem]:
    """What types cannot say; each rule skips what has a wrong type, which has been said already."""
    metadata, algorithm, spec = (_mapping(request.get(name)) for name in ("metadata", "algorithm", "spec"))
    if isinstance(name := metadata.get("name"), str) and not NAME.fullmatch(name):
        yield Problem(("metadata", "name"), f"use 1 to 64 letters, digits, _ and -, not {name!r}")
    description = metadata.get("description")
    if isinstance(description, str) and len(description) > DESCRIPTION_LENGTH:
        yield Problem(("metadata", "description"), f"has {len(description)} characters, at most {DESCRIPTION_LENGTH}")
    if request.get("spec") and request.get("tasks"):
        yield Problem(("tasks",), "excludes spec: give one of them")
    ways = [name for name in ("id", "subscription_id", "boot_file") if algorithm.get(name)]
    if len(ways) > 1:
        yield Problem(("algorithm", ways[1]), f"excludes {ways[0]}: name the algorithm in one way")
    image = _mapping(algorithm.get("engine")).get("image_url")
    if not ways and not algorithm.get("command") and not request.get("tasks") and request.get("kind") in (None, "job"):
        yield Problem(("algorithm",), "says nothing to run: give a boot file, a command with an image, or an algorithm")
    if algorithm.get("boot_file") and not algorithm.get("engine"):
        yield Problem(("algorithm", "engine"), "is missing: modelarts engine list shows the engines")
    if algorithm.get("command") and not image and not algorithm.get("boot_file"):
        yield Problem(("algorithm", "engine", "image_url"), "is missing: a command runs in an image")
    resource = _mapping(spec.get("resource"))
    if not request.get("tasks") and not resource.get("flavor_id") and not resource.get("pool_id"):
        yield Problem(("spec", "resource", "flavor_id"), "is missing: modelarts flavor list shows the flavors")
    nodes = resource.get("node_count")
    if isinstance(nodes, int) and nodes < 1:
        yield Problem(("spec", "resource", "node_count"), f"must be at least 1, not {nodes}")
    yield from _check_code(algorithm)
    for direction in ("inputs", "outputs"):
        yield from _check_channels(algorithm, direction)
    if isinstance(log_url := _mapping(spec.get("log_export_path")).get("obs_url"), str):
        yield from _check_url(("spec", "log_export_path", "obs_url"), log_url)


def _check_code(algorithm: Mapping[str, Any]) -> Iterator[Problem]:
    code, boot = algorithm.get("code_dir"), algorithm.get("boot_file")
    if isinstance(code, str):
        problems = [*_check_url(("algorithm", "code_dir"), code, f"code: {code.rstrip('/')}")]
        yield from problems
        if problems:
            return  # the boot file is below it
    if not isinstance(boot, str) or not boot:
        return
    yield from _check_url(("algorithm", "boot_file"), boot)
    if not isinstance(code, str):
        yield Problem(("algorithm", "code_dir"), "is missing: a boot file is in a code directory")
    elif not _plain(boot).startswith(_plain(code).rstrip("/") + "/"):
        yield Problem(("algorithm", "boot_file"), f"must be inside the code directory {code}")


def _check_channels(algorithm: Mapping[str, Any], direction: str) -> Iterator[Problem]:
    channels = algorithm.get(direction)
    names: set[str] = set()
    for index, each in enumerate(channels if isinstance(channels, list | tuple) else ()):
        name, url = (
            _mapping(each).get("name"),
            _mapping(_mapping(_mapping(each).get("remote")).get("obs")).get("obs_url"),
        )
        if isinstance(name, str):
            if not CHANNEL_NAME.fullmatch(name):
                yield Problem(("algorithm", direction, index, "name"), f"use letters, digits, _ and -, not {name!r}")
            if name in names:
                yield Problem(("algorithm", direction, index, "name"), f"{name} is there twice")
            names.add(name)
        if isinstance(url, str):
            place = ("algorithm", direction, index, "remote", "obs", "obs_url")
            yield from _check_url(place, url, f"{direction}: {{{name}: {url}}}")


def _check_url(path: Path_, url: str, local: str | None = None) -> Iterator[Problem]:
    """Check an OBS path; `local` is what a job file says instead if a local path is meant."""
    try:
        Location.parse(url)
    except ObsError as error:
        hint = (
            f'; for a local path, write "{local}" at the top level of a job file' if local and "://" not in url else ""
        )
        yield Problem(path, f"{error}{hint}")


def _plain(url: str) -> str:
    return f"/{url.removeprefix('obs://').lstrip('/')}"


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _is_of(value: Any, kind: Any) -> bool:
    if isinstance(value, bool):
        return kind is bool
    return isinstance(value, int | float) if kind is float else isinstance(value, kind)


def _near(name: Any, known: Any) -> str:
    near = get_close_matches(str(name), list(map(str, known)), 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _quotes(value: Any, kind: Any) -> str:
    if kind is str and isinstance(value, bool | int | float):
        return ": write it in quotes"
    return ": remove the quotes" if isinstance(value, str) and kind is not str and value.isdigit() else ""


def value_kind(value: Any) -> str:
    """What a value is, for messages: nothing, a list, a mapping, or the value itself."""
    if value is None:
        return "nothing"
    if isinstance(value, list | Mapping):
        return "a list" if isinstance(value, list) else "a mapping"
    return repr(value)
