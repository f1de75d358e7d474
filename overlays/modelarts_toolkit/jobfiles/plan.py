"""From a job file and options to the request for a job, and the local folders that it needs in object storage.

A file has the fields of the request as the service spells them (`metadata`, `algorithm`, `spec`, ...), or short ones:

    name: digits
    code: .                       # a local folder, or obs://bucket/code/
    boot: train.py
    engine: "pytorch_1.8*"
    flavor: modelarts.vm.cpu.8u
    inputs: {data_url: ./data}
    outputs: {train_url: ./out}
    parameters: {lr: 0.1}

The short ones go before the others, and options before both.
`-` and `_` mean the same in keys; the keys of the vendor's `ma-cli ma-job submit` are other names of the short ones.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, cast

from modelarts_toolkit.errors import ConfigError
from modelarts_toolkit.jobfiles.checks import Problem, check_request, value_kind
from modelarts_toolkit.jobfiles.file import JobFile, Path_
from modelarts_toolkit.jobs.request_body import request_of
from modelarts_toolkit.storage.local_files import IgnoreRules, files_below

WIRE = ("kind", "metadata", "algorithm", "spec", "tasks", "endpoints")
MERGED = ("inputs", "outputs", "parameters", "env")  # by their names, the others are replaced as a whole
SETTINGS = (
    "name",
    "description",
    "code",
    "boot",
    "command",
    "image",
    "engine",
    "framework_type",
    "framework_version",
    "flavor",
    "nodes",
    "pool_id",
    "data_url",
    "log_url",
    "uid",
    "working_dir",
    "local_code_dir",
    "staging",
    *MERGED,
)
# Other names of settings; source of the vendor's: the page "Submitting a ModelArts Training Job" of ma-cli.
ALIASES: Mapping[str, str] = {
    "code_dir": "code",
    "boot_file": "boot",
    "user_command": "command",
    "image_url": "image",
    "train_instance_type": "flavor",
    "train_instance_count": "nodes",
    "input": "inputs",
    "output": "outputs",
    "parameter": "parameters",
    "hyperparameters": "parameters",
    "env_variables": "env",
    "environments": "env",
}
DEFAULT_INPUT, DEFAULT_OUTPUT = (
    "data_url",
    "train_url",
)  # of channels without a name, as the vendor's examples call them
VENDOR_UID = 1000  # of an image's user; the documented API has no field for another one
PREFIX = "obs://"
HASH_LENGTH = 16  # characters
NAME_LENGTH = 48  # characters, of a name that is made up


class Staged(NamedTuple):
    """A local file or folder, and where it is uploaded to."""

    path: Path
    url: str
    is_code: bool = False
    ignore: tuple[str, ...] = ()


@dataclass(slots=True)
class JobPlan:
    """A request, and what happens before and after it.

    `code` and `inputs` are local folders or files that are uploaded first, `outputs` those into which the outputs are
    downloaded at the end; by the name of their channel. `engine` is a pattern that no request can have.
    With `problems`, whose paths are settings, the job cannot be submitted.
    """

    request: dict[str, Any]
    staging: str | None = None
    code: Path | None = None
    boot: str | None = None
    engine: str | None = None
    inputs: dict[str, Path] = field(default_factory=dict)
    outputs: dict[str, Path] = field(default_factory=dict)
    has_own_name: bool = True
    problems: list[Problem] = field(default_factory=list)

    @property
    def ignore(self) -> tuple[str, ...]:
        """Inputs and outputs inside the code folder, which are not code, as patterns."""
        if self.code is None:
            return ()
        code = self.code.resolve()
        others = [path.resolve() for path in (*self.inputs.values(), *self.outputs.values())]
        return tuple(f"/{path.relative_to(code).as_posix()}" for path in others if code in path.parents)

    @property
    def needs_staging(self) -> bool:
        """Whether the plan has local folders, which need a place in object storage."""
        return bool(self.code or self.inputs or self.outputs)

    def staged(self, place: str, run_id: str) -> tuple[dict[str, Any], list[Staged]]:
        """The request with URLs below a place in object storage, and what has to be uploaded there.

        Code goes to a folder named after its content, so that a job that waits keeps the code that it was submitted
        with. Inputs have one folder for each local path, in which only changed files are sent; outputs one per run.
        """
        place = place.rstrip("/")
        request = deepcopy(self.request)
        uploads: list[Staged] = []
        if not self.needs_staging:
            return request, uploads
        algorithm: dict[str, Any] = request.setdefault("algorithm", {})
        if self.code is not None:
            # the folder keeps its name, which is part of its path in the container
            folder = _plain_name(self.code.resolve().name) or "code"
            url = f"{place}/code/{folder}/{content_hash(self.code, self.ignore)}/{folder}/"
            uploads.append(Staged(self.code, url, True, self.ignore))
            algorithm["code_dir"] = url
            if self.boot is not None:
                algorithm["boot_file"] = f"{url}{self.boot}"
        for name, path in self.inputs.items():
            label = hashlib.sha256(str(path.absolute()).encode()).hexdigest()[:HASH_LENGTH]
            url = f"{place}/inputs/{label}/{path.absolute().name}{'/' if path.is_dir() else ''}"
            uploads.append(Staged(path, url))
            algorithm.setdefault("inputs", []).append(_channel(name, url))
        for name in self.outputs:
            url = f"{place}/outputs/{self.name}-{run_id}/{name}/"
            algorithm.setdefault("outputs", []).append(_channel(name, url))
        return request, uploads

    engine_path: ClassVar[Path_] = ("algorithm", "engine")

    def check(self, request: dict[str, Any]) -> list[Problem]:
        """List what is wrong with the request of this plan, as far as the documents say."""
        if self.engine:
            request["algorithm"] = {**request.get("algorithm", {}), "engine": {"engine_id": self.engine}}
        body: Any = request
        return check_request(cast("dict[str, Any]", request_of(body)))

    @property
    def name(self) -> str:
        """The name of the job."""
        return str(self.request["metadata"].get("name", ""))


def settings_of(file: JobFile, fields: Sequence[str] = WIRE) -> tuple[dict[str, Any], dict[str, Any], list[Problem]]:
    """The settings of a file, those of the request's `fields` that it has, and what is wrong with them."""
    settings: dict[str, Any] = {}
    wire: dict[str, Any] = {}
    problems = []
    for key, value in file.document.items():
        plain = key.replace("-", "_")
        name = ALIASES.get(plain, plain)
        if key in fields:
            wire[key] = value
        elif name not in SETTINGS:
            near = get_close_matches(plain, [*fields, *SETTINGS, *ALIASES], 1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; the keys are {', '.join((*fields, *SETTINGS))}"
            problems.append(Problem((key,), f"unknown key{hint}"))
            name = ALIASES.get(near[0], near[0]) if near else ""  # so that it is not reported as missing, too
        if name in SETTINGS and value is not None:
            try:
                settings[name] = by_name(name, value) if name in MERGED else value
            except ConfigError as error:
                problems.append(Problem((name,), str(error)))
    return settings, wire, problems


def by_name(setting: str, value: Any) -> dict[str, Any]:
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


def plan_of(file: JobFile | None, options: Mapping[str, Any]) -> JobPlan:
    """The plan that a file and options describe, with everything that is wrong with them."""
    settings, wire, problems = settings_of(file) if file is not None else ({}, {}, [])
    return plan_of_settings(file, settings, options, wire, problems)


def plan_of_settings(
    file: JobFile | None,
    settings: dict[str, Any],
    options: Mapping[str, Any],
    wire: Mapping[str, Any] | None = None,
    problems: Iterable[Problem] = (),
) -> JobPlan:
    """The plan that the settings and fields of a file and options describe, as `plan_of`."""
    found = [*problems]
    for name, value in options.items():
        if value not in (None, (), {}):
            try:
                settings[name] = {**settings.get(name, {}), **by_name(name, value)} if name in MERGED else value
            except ConfigError as error:
                found.append(Problem((name,), str(error)))
    if str(settings.pop("uid", VENDOR_UID)) != str(VENDOR_UID):
        text = f"must be {VENDOR_UID}: the documented API cannot run an image as another user"
        found.append(Problem(("uid",), text))
    folder = Path(file.name).parent if file is not None and file.places and Path(file.name).is_file() else Path()
    return _Planner(deepcopy(dict(wire or {})), folder, set(options), found).plan(settings)


class _Planner:
    """Puts settings into a request; paths of a file are relative to it, those of options to the current folder."""

    def __init__(self, request: dict[str, Any], folder: Path, own: set[str], problems: list[Problem]) -> None:
        self._request = request
        self._folder = folder
        self._own = own  # settings that options gave
        self._plan = JobPlan(request, problems=problems)

    def plan(self, settings: Mapping[str, Any]) -> JobPlan:
        plan, metadata, algorithm = self._plan, self._part("metadata"), self._part("algorithm")
        self._request.setdefault("kind", "job")
        _put(metadata, name=settings.get("name"), description=settings.get("description"))
        _put(
            algorithm,
            command=settings.get("command"),
            working_dir=settings.get("working_dir"),
            local_code_dir=settings.get("local_code_dir"),
        )
        self._put_engine(algorithm, settings)
        self._put_code(algorithm, settings)
        self._put_channels(algorithm, settings)
        if parameters := settings.get("parameters"):
            kept = [each for each in algorithm.get("parameters") or () if each.get("name") not in parameters]
            algorithm["parameters"] = kept + [{"name": name, "value": value} for name, value in parameters.items()]
        if variables := settings.get("env"):
            algorithm["environments"] = {**(algorithm.get("environments") or {}), **variables}
        spec = self._part("spec") if not self._request.get("tasks") else {}
        resource = {**(spec.get("resource") or {})}
        _put(resource, flavor_id=settings.get("flavor"), pool_id=settings.get("pool_id"))
        resource["node_count"] = _number(settings.get("nodes", resource.get("node_count", 1)))
        if not self._request.get("tasks"):
            spec["resource"] = resource
        if log_url := settings.get("log_url"):
            spec["log_export_path"] = {**(spec.get("log_export_path") or {}), "obs_url": log_url}
        if not algorithm:
            del self._request["algorithm"]
        if not metadata.get("name"):
            plan.has_own_name = False
            metadata["name"] = _default_name(plan, self._folder)
        plan.staging = settings.get("staging")
        return plan

    def _part(self, name: str) -> dict[str, Any]:
        part = self._request.setdefault(name, {})
        if not isinstance(part, dict):
            self._plan.problems.append(Problem((name,), "must be a mapping of fields"))
            self._request[name] = part = {}
        return part

    def _put_engine(self, algorithm: dict[str, Any], settings: Mapping[str, Any]) -> None:
        engine = {**(algorithm.get("engine") or {})}
        _put(
            engine,
            engine_name=settings.get("framework_type"),
            engine_version=settings.get("framework_version"),
            image_url=settings.get("image"),
        )
        if wanted := settings.get("engine"):
            engine = {}
            self._plan.engine = str(wanted)
        if engine:
            algorithm["engine"] = engine

    def _put_code(self, algorithm: dict[str, Any], settings: Mapping[str, Any]) -> None:
        code, boot = settings.get("code", algorithm.get("code_dir")), settings.get("boot", algorithm.get("boot_file"))
        local = self._local("code", settings.get("code"))
        self._plan.boot = None if boot is None else str(boot)
        if local is not None:
            algorithm.pop("code_dir", None)
            self._plan.code = local
            if not local.is_dir():
                self._plan.problems.append(Problem(("code",), f"folder {local} does not exist"))
            elif boot is not None and (inside := _relative(str(boot), local)) is None:
                self._plan.problems.append(Problem(("boot",), f"file {boot} does not exist in {local}"))
            elif boot is not None:
                self._plan.boot = inside
            return
        if code is not None:
            algorithm["code_dir"] = code = f"{str(code).rstrip('/')}/"
        if boot is not None:
            is_url = str(boot).startswith((PREFIX, "/"))
            algorithm["boot_file"] = str(boot) if is_url or code is None else f"{code}{boot}"

    def _put_channels(self, algorithm: dict[str, Any], settings: Mapping[str, Any]) -> None:
        for direction, folders in (("inputs", self._plan.inputs), ("outputs", self._plan.outputs)):
            given = dict(settings.get(direction) or {})
            if direction == "inputs" and settings.get("data_url"):
                given.setdefault(DEFAULT_INPUT, settings["data_url"])
            wire = [each for each in algorithm.get(direction) or () if _name(each) not in given]
            for name, value in given.items():
                if isinstance(value, Mapping):
                    wire.append({"name": name, **value})
                    continue
                if not isinstance(value, str | Path):
                    remedy = "write a local folder, or obs://bucket/folder/"
                    problem = Problem((direction, name), f"must be a path, not {value_kind(value)}: {remedy}")
                    self._plan.problems.append(problem)
                    continue
                local = self._local(direction, value)
                if local is None:
                    wire.append(_channel(name, str(value)))
                    continue
                folders[name] = local
                if direction == "inputs" and not local.exists():
                    problem = Problem((direction, name), f"file or folder {local} does not exist")
                    self._plan.problems.append(problem)
            if wire:
                algorithm[direction] = wire

    def _local(self, setting: str, value: Any) -> Path | None:
        """The local path that is meant, None for one in object storage (obs://bucket/key or /bucket/key).

        A path that starts with / is local if it exists; as an output on the command line, if it could be made.
        """
        if value is None or str(value).startswith(PREFIX):
            return None
        given = Path(str(value)).expanduser()
        if given.is_absolute() and not given.exists():
            is_new = setting == "outputs" and setting in self._own and given.parent.is_dir()
            return given if is_new else None
        return given if setting in self._own else self._folder / given


def content_hash(folder: Path, ignore: Iterable[str] = ()) -> str:
    """A name for what an upload of the folder sends: the paths and contents of its files."""
    whole = hashlib.sha256()
    for path in files_below(folder, IgnoreRules(folder, ignore, is_code=True)):
        with (folder / path).open("rb") as file:
            whole.update(f"{path}\0{hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return whole.hexdigest()[:HASH_LENGTH]


def _channel(name: str, url: str) -> dict[str, Any]:
    return {"name": name, "remote": {"obs": {"obs_url": url}}}


def _name(channel: Any) -> Any:
    return channel.get("name") if isinstance(channel, Mapping) else None


def _put(part: dict[str, Any], **values: Any) -> None:
    part.update({name: value for name, value in values.items() if value is not None})


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, str) and value.isdigit() else value


def _relative(boot: str, code: Path) -> str | None:
    """The boot file's path in the code folder, given as that or as a path; None if it is elsewhere."""
    for candidate in (code / boot, Path(boot)):
        if candidate.is_file() and candidate.resolve().is_relative_to(code.resolve()):
            return candidate.resolve().relative_to(code.resolve()).as_posix()
    return None


def _default_name(plan: JobPlan, folder: Path) -> str:
    """A name from the boot file, else from the folder with the code."""
    base = Path(plan.boot or "").stem or (plan.code or folder).resolve().name or "job"
    return _plain_name(base)[:NAME_LENGTH] or "job"


def _plain_name(text: str) -> str:
    return "".join(each if each.isascii() and (each.isalnum() or each in "_-") else "-" for each in text)
