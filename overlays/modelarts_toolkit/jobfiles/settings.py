"""The short keys of job files: what they may hold, their other names, where they stand in the request and in a file."""

import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike, fspath
from typing import Any, TypedDict, cast

from modelarts_toolkit.errors import ConfigError
from modelarts_toolkit.jobfiles.checks import Problem, check_fields
from modelarts_toolkit.jobfiles.file import JobFile, Path_
from modelarts_toolkit.own_files import own_table
from modelarts_toolkit.texts import nearest


class JobSettings(TypedDict, total=False):
    """The short keys of a job file, also the arguments of `submit_file` and `check_file`."""

    name: str
    description: str
    code: str | PathLike[str]
    boot: str
    command: str
    image: str
    engine: str | int
    framework_type: str
    framework_version: str
    flavor: str
    nodes: int | str
    pool_id: str
    data_url: str | PathLike[str]
    log_url: str
    uid: int | str
    working_dir: str
    local_code_dir: str
    staging: str
    inputs: Mapping[str, object]
    outputs: Mapping[str, object]
    parameters: Mapping[str, object]
    env: Mapping[str, object]


SETTINGS = tuple(JobSettings.__annotations__)
MERGED = ("inputs", "outputs", "parameters", "env")  # by their names, the others are replaced as a whole
_TABLES = own_table(__package__, "settings.json")
# Other names of settings; source of the vendor's: the page "Submitting a ModelArts Training Job" of ma-cli.
ALIASES: Mapping[str, str] = _TABLES["aliases"]
# Where a setting stands in the request, and the fields that are settings as they are.
PLACES: Mapping[str, Path_] = {name: tuple(place) for name, place in _TABLES["places"].items()}
FIELDS: Mapping[str, Sequence[str]] = _TABLES["fields"]
DEFAULT_INPUT, DEFAULT_OUTPUT = "data_url", "train_url"  # of channels without a name, as in the vendor's examples
_KINDS = typing.get_type_hints(JobSettings)


def settings_of(
    given: Mapping[str, object], fields: Sequence[str] = ()
) -> tuple[JobSettings, dict[str, object], list[Problem]]:
    """The settings among the keys, those of the request's `fields` among them, and what is wrong with the settings."""
    settings: dict[str, object] = {}
    wire: dict[str, object] = {}
    problems: list[Problem] = []
    for key, value in given.items():
        plain = key.replace("-", "_")
        name = ALIASES.get(plain, plain)
        if key in fields:
            wire[key] = value
        elif name not in SETTINGS:
            near = nearest(plain, [*fields, *SETTINGS, *ALIASES], "{}")
            hint = f"; did you mean {near!r}?" if near else f"; the keys are {', '.join((*fields, *SETTINGS))}"
            problems.append(Problem((key,), f"unknown key{hint}"))
            name = ALIASES.get(near, near)  # so that it is not also reported as missing
        if name in SETTINGS and value not in (None, ()):
            try:
                found = by_name(name, value) if name in MERGED else value
                found = fspath(found) if isinstance(found, PathLike) else found
            except ConfigError as error:
                problems.append(Problem((name,), str(error)))
                continue
            wrong = [] if name in MERGED else check_fields(found, _KINDS[name], (name,))
            problems += wrong
            if not wrong:
                settings[name] = found
    return cast("JobSettings", settings), wire, problems


def by_name(setting: str, value: object) -> dict[str, Any]:
    """The channels, hyperparameters or variables by their names, from a mapping or from NAME=VALUE.

    Raises ConfigError for anything else.
    """
    if isinstance(value, Mapping):
        return {str(name): each for name, each in value.items()}
    found: dict[str, Any] = {}
    for each in [value] if isinstance(value, str) else value if isinstance(value, list | tuple) else [None]:
        if isinstance(each, Mapping):
            found |= {str(name): one for name, one in each.items()}
            continue
        name, equals, rest = str(each).partition("=")
        default = {"inputs": DEFAULT_INPUT, "outputs": DEFAULT_OUTPUT}.get(setting)
        if isinstance(each, str) and default and (not equals or "/" in name):
            name, equals, rest = default, "=", each
        if not isinstance(each, str) or not equals or not name:
            raise ConfigError(f"write NAME=VALUE, or a mapping of names, not {each!r}")
        found[name] = rest
    return found


def merged(settings: JobSettings, options: JobSettings) -> JobSettings:
    """The settings with options, which replace them, or with MERGED ones those of the same names."""
    before, after = cast("dict[str, Any]", settings), cast("dict[str, Any]", options)
    both = {name: {**before[name], **after[name]} for name in MERGED if name in before and name in after}
    return cast("JobSettings", {**before, **after, **both})


def located(problem: Problem, document: JobFile | None) -> str:
    """The problem, with its place in the file, or the option that gave the value."""
    if document is None:
        return str(problem)
    path = problem.path
    for length in range(len(path), 0, -1):
        candidate, rest = cast("tuple[str, ...]", path[:length]), path[length:]
        keys = [*_spellings(candidate)]
        for key in keys:
            if key in document.replaced:
                return f"--{key.replace('_', '-')}: {problem}"
        if candidate in document.places:
            return f"{document.place(candidate)}: {problem}"
        for key in keys:
            if (key,) in document.places:
                return f"{document.place((key, *rest))}: {problem}"
    return f"{document.name}: {problem}"


def without_repeats(wrong: Iterable[Problem], others: Iterable[Problem]) -> Iterator[Problem]:
    """The problems of values that were left out, and those others that do not follow from them."""
    known = [*wrong]
    yield from known
    paths = {path for each in known for path in _places(each.path) if path}
    for other in others:
        if not any(path[:length] in paths for path in _places(other.path) for length in range(1, len(path) + 1)):
            yield other


def _places(path: Path_) -> Iterator[Path_]:
    """The path, and what it stands for in the request if it begins with a setting."""
    yield path
    if path and (place := PLACES.get(str(path[0]))):
        yield place if path[0] in MERGED else (*place, *path[1:])


def _spellings(path: tuple[str, ...]) -> Iterator[str]:
    """The keys that give what is at a path, as a file or the command line may spell them."""
    settings = [name for name, place in PLACES.items() if place == path]
    for name in settings or path[:1] * (len(path) == 1):
        for spelling in (name, *(alias for alias, meant in ALIASES.items() if meant == name)):
            yield spelling
            yield spelling.replace("_", "-")
