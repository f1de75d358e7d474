"""What is wrong with the request for a job, as far as the documents say: all at once, before anything is sent."""

import re
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, dropwhile, takewhile
from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from modelarts_api.types import Unset
from modelarts_api.v2.models import CreateTrainingJobRequest
from modelarts_runtime.model import Model
from modelarts_toolkit.errors import ObsError
from modelarts_toolkit.job_requests.channels import channel_name, channel_url, plain_folder
from modelarts_toolkit.job_requests.rerun import fields_of
from modelarts_toolkit.jobfiles.file import Path_
from modelarts_toolkit.own_files import own_table
from modelarts_toolkit.reading import entries, part, read
from modelarts_toolkit.storage.buckets import Location
from modelarts_toolkit.texts import nearest

if TYPE_CHECKING:
    from modelarts_api.v2.models import CreateTrainingJobRequestDict
    from modelarts_toolkit.job_requests.job_request import JobRequest

# Source: the page "Creating a Training Job".
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
NEAR = "; did you mean {!r}?"
DESCRIPTION_LENGTH = 256  # characters
CHANNEL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")

_KINDS: Mapping[type, str] = {str: "a text", int: "an integer", float: "a number", bool: "true or false"}

_SHELL_WORDS = own_table(__package__, "shell_words.toml")
_SHELL = {name: re.compile(pattern, re.VERBOSE) for name, pattern in _SHELL_WORDS.items()}


class Problem(NamedTuple):
    """A value that the service would reject; `path` leads to it."""

    path: Path_
    text: str

    def __str__(self) -> str:
        return f"{dotted(self.path)}: {self.text}" if self.path else self.text


def check_request(request: "CreateTrainingJobRequestDict") -> list[Problem]:
    """List what is wrong with the request: unknown and missing fields, wrong types, names, paths and combinations."""
    return [*check_fields(request, CreateTrainingJobRequest), *_check_rules(request)]


def warnings_about(request: "JobRequest") -> list[Problem]:
    """List what the service was seen to reject, and no page forbids, and what it accepts but loses without a word."""
    host, slash, _ = (read(lambda: request["algorithm"]["engine"]["image_url"], str) or "").partition("/")
    pool = read(lambda: request["spec"]["resource"]["pool_id"], str)
    flavor = read(lambda: request["spec"]["resource"]["flavor_id"], str)
    found = []
    if slash and "." in host:
        text = f"leave out the registry's host ({host}): with it, the image was not found (2810)"
        found.append(Problem(("algorithm", "engine", "image_url"), text))
    if pool and flavor and ".cpu." in flavor:
        text = f"leave out {flavor}: a pool of CPUs takes no flavor_id (2781)"
        found.append(Problem(("spec", "resource", "flavor_id"), text))
    command = read(lambda: request["algorithm"]["command"], str)
    inputs = entries(lambda: request["algorithm"]["inputs"], dict)
    outputs = entries(lambda: request["algorithm"]["outputs"], dict)
    parameters = entries(lambda: request["algorithm"]["parameters"], dict)
    given = [each.get("name") for each in (*inputs, *outputs, *parameters) if each.get("access_method") != "env"]
    if command and given and (reason := why_no_arguments(command)):
        text = f"the service adds --{given[0]}=... behind the last command, and {reason}: end with the training script"
        found.append(Problem(("algorithm", "command"), f"{text}, or give channels access_method: env"))
    folders = [(index, plain_folder(url)) for index, each in enumerate(outputs) if (url := channel_url(each))]
    for (_, earlier), (index, folder) in combinations(folders, 2):
        if folder.startswith(earlier) or earlier.startswith(folder):
            text = f"{earlier} is an output too: files of one name overwrite each other; use separate folders"
            found.append(Problem(("algorithm", "outputs", index, "remote", "obs", "obs_url"), text))
    return found


def why_no_arguments(command: str) -> str | None:
    """Why no training script gets the arguments that the service adds to the command line of a custom image, if none.

    Page "Developing Code for Training Using a Custom Image": the last command has to run the training script.
    """
    text = command.strip()
    tokens = [found for found in _SHELL["token"].finditer(text) if found.lastgroup]
    if "\n" in text:
        return "this one has several lines: join them with &&"
    if not tokens or _SHELL["token"].sub("", text):
        return "in this one is a quote without its end"
    if tokens[-1].lastgroup == "end":
        return f"this one ends with {tokens[-1][0]!r}"
    words = [each[0] for each in takewhile(lambda each: each.lastgroup == "word", reversed(tokens))][::-1]
    program, *operands = [*dropwhile(_SHELL["before_program"].fullmatch, words)] or words[-1:]
    name = program.rpartition("/")[2]
    operands = [*dropwhile(_SHELL["option"].fullmatch, operands)]
    interpreter = _SHELL["interpreter"].fullmatch(name)
    if (
        _SHELL["no_script"].fullmatch(name)
        or _SHELL["before_program"].fullmatch(name)
        or (interpreter and not operands)
    ):
        return f"here that is {name}"
    has_text = interpreter and interpreter["shell"] and re.fullmatch("-[a-z]*c", operands[0])
    if has_text and (len(operands) < 3 or not re.search(r"\$[@*\d]", operands[1])):
        return f'the text of {name} {operands[0]} gets none without "$@" in it and one more word behind it'
    return None


def dotted(path: Path_) -> str:
    """The path as people write it, such as `algorithm.inputs[0].name`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


def check_fields(value: object, kind: Any, path: Path_ = ()) -> list[Problem]:
    """List what of a request, or of its part at a path, does not fit the fields and types of a kind of request."""
    return [*_check(value, kind, path)]


def remove_unfit(value: dict[str, Any], kind: Any, path: Path_ = ()) -> list[Problem]:
    """Remove from the value what does not fit, and list it with its places; fields may be missing."""
    return [each for each in check_fields(value, kind, path) if _is_removed(value, each.path[len(path) :])]


def _is_removed(value: Any, path: Path_) -> bool:
    """Remove what is at the path; an entry of a list becomes empty, because others have its number as their place."""
    for name in path[:-1]:
        value = value[name]
    if isinstance(value, list):
        value[int(path[-1])] = {}
        return True
    if is_there := bool(path) and path[-1] in value:
        del value[path[-1]]
    return is_there


def _check(value: Any, kind: Any, path: Path_) -> Iterator[Problem]:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, UnionType):
        if not any(each in _KINDS and _is_of(value, each) for each in arguments):
            yield from _check(value, arguments[0], path)  # besides it there is only what stands for the same
    elif origin is Literal:
        if value not in arguments:
            near = nearest(value, arguments, NEAR)
            yield Problem(path, f"must be {' or '.join(map(repr, arguments))}, not {value!r}{near}")
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
            hint = nearest(name, fields, NEAR) or f"; the fields are {', '.join(fields)}"
            yield Problem((*path, name), f"unknown field{hint}")
    for name, hint in fields.items():
        if name not in value and is_required(hint):
            yield Problem((*path, name), "is missing")


def is_required(hint: Any) -> bool:
    """Whether a field of this type is required."""
    return Unset not in typing.get_args(hint)


def _check_rules(request: "CreateTrainingJobRequestDict") -> Iterator[Problem]:
    """What types cannot say."""
    kind, has_tasks = read(lambda: request["kind"], str), bool(entries(lambda: request["tasks"], object))
    if (name := read(lambda: request["metadata"]["name"], str)) is not None and not NAME.fullmatch(name):
        yield Problem(("metadata", "name"), f"use 1 to 64 letters, digits, _ and -, not {name!r}")
    length = len(read(lambda: request["metadata"]["description"], str) or "")
    if length > DESCRIPTION_LENGTH:
        yield Problem(("metadata", "description"), f"has {length} characters, at most {DESCRIPTION_LENGTH}")
    spec = part(lambda: request["spec"])
    if has_tasks and spec:
        yield Problem(("tasks",), "excludes spec: give one of them")
    command = read(lambda: request["algorithm"]["command"], str)
    boot = read(lambda: request["algorithm"]["boot_file"], str)
    named = {
        "id": read(lambda: request["algorithm"]["id"], str),
        "subscription_id": read(lambda: request["algorithm"]["subscription_id"], str),
        "boot_file": boot,
    }
    ways = [way for way, value in named.items() if value]
    if len(ways) > 1:
        yield Problem(("algorithm", ways[1]), f"excludes {ways[0]}: name the algorithm in one way")
    if not ways and not command and not has_tasks and kind in (None, "job"):
        yield Problem(("algorithm",), "says nothing to run: give a boot file, a command with an image, or an algorithm")
    if boot and not part(lambda: request["algorithm"]["engine"]):
        yield Problem(("algorithm", "engine"), "is missing: modelarts engine list shows the engines")
    if command and not boot and not read(lambda: request["algorithm"]["engine"]["image_url"], str):
        yield Problem(("algorithm", "engine", "image_url"), "is missing: a command runs in an image")
    has_machine = read(lambda: request["spec"]["resource"]["flavor_id"], str) or read(
        lambda: request["spec"]["resource"]["pool_id"], str
    )
    if not has_tasks and not has_machine:
        yield Problem(("spec", "resource", "flavor_id"), "is missing: modelarts flavor list shows the flavors")
    nodes = read(lambda: request["spec"]["resource"]["node_count"], int)
    if nodes is not None and nodes < 1:
        yield Problem(("spec", "resource", "node_count"), f"must be at least 1, not {nodes}")
    yield from _check_code(read(lambda: request["algorithm"]["code_dir"], str), boot)
    inputs = entries(lambda: request["algorithm"]["inputs"], dict)
    yield from _check_channels("inputs", [(channel_name(each), channel_url(each)) for each in inputs])
    outputs = entries(lambda: request["algorithm"]["outputs"], dict)
    yield from _check_channels("outputs", [(channel_name(each), channel_url(each)) for each in outputs])
    if (log_url := read(lambda: request["spec"]["log_export_path"]["obs_url"], str)) is not None:
        yield from _check_url(("spec", "log_export_path", "obs_url"), log_url)


def _check_code(code: str | None, boot: str | None) -> Iterator[Problem]:
    if code is not None:
        problems = [*_check_url(("algorithm", "code_dir"), code, f"code: {code.rstrip('/')}")]
        yield from problems
        if problems:
            return  # the boot file is below it
    if not boot:
        return
    yield from _check_url(("algorithm", "boot_file"), boot)
    if code is None:
        yield Problem(("algorithm", "code_dir"), "is missing: a boot file is in a code directory")
    elif not plain_folder(boot).removesuffix("/").startswith(plain_folder(code)):
        yield Problem(("algorithm", "boot_file"), f"must be inside the code directory {code}")


def _check_channels(direction: str, channels: Iterable[tuple[str | None, str | None]]) -> Iterator[Problem]:
    """Check the names and places of the channels."""
    names: set[str] = set()
    for index, (name, url) in enumerate(channels):
        if name is not None:
            if not CHANNEL_NAME.fullmatch(name):
                yield Problem(("algorithm", direction, index, "name"), f"use letters, digits, _ and -, not {name!r}")
            if name in names:
                yield Problem(("algorithm", direction, index, "name"), f"{name} is there twice")
            names.add(name)
        if url is not None:
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


def _is_of(value: Any, kind: Any) -> bool:
    if isinstance(value, bool):
        return kind is bool
    return isinstance(value, int | float) if kind is float else isinstance(value, kind)


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
