"""From a job file and options to the request for a job, and the local folders that it needs in object storage.

A file has the fields of the request as the service spells them (`metadata`, `algorithm`, `spec`, ...), or short ones,
as docs/cli.md shows them. The short ones go before the others, and options before both.
`-` and `_` mean the same in keys; the keys of the vendor's `ma-cli ma-job submit` are other names of the short ones.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from modelarts_api.v2.models import CreateTrainingJobRequest, InputRequest, OutputRequest
from modelarts_toolkit.job_requests.channels import channel_at, channel_name, made_folder
from modelarts_toolkit.job_requests.request_body import request_of, value_text, with_parameters
from modelarts_toolkit.jobfiles.checks import Problem, remove_unfit, value_kind
from modelarts_toolkit.jobfiles.file import JobFile, Path_
from modelarts_toolkit.jobfiles.settings import DEFAULT_INPUT, FIELDS, JobSettings, merged, settings_of
from modelarts_toolkit.reading import entries, part, read
from modelarts_toolkit.storage.local_files import IgnoreRules, files_below

if TYPE_CHECKING:
    from modelarts_api.v2.models import JobAlgorithmRequestInput, JobMetadataRequestDict, JobResourceRequestDict
    from modelarts_toolkit.job_requests.job_request import JobRequest

WIRE = ("kind", "metadata", "algorithm", "spec", "tasks", "endpoints")
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

    request: "JobRequest"
    staging: str | None = None
    code: Path | None = None
    boot: str | None = None
    engine: str | None = None
    inputs: dict[str, Path] = field(default_factory=dict)
    outputs: dict[str, Path] = field(default_factory=dict)
    has_own_name: bool = True
    problems: list[Problem] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name of the job."""
        return self.request["metadata"]["name"]

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

    def staged(self, place: str, run_id: str) -> tuple["JobRequest", list[Staged]]:
        """The request with URLs below a place in object storage, and what has to be uploaded there.

        Code goes to a folder named after its content, so a waiting job keeps the code that it was submitted with.
        Inputs have one folder for each local path, in which only changed files are sent; outputs one per run.
        """
        place = place.rstrip("/")
        request = deepcopy(self.request)
        uploads: list[Staged] = []
        if not self.needs_staging:
            return request, uploads
        algorithm = request.setdefault("algorithm", {})
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
            algorithm["inputs"] = [*algorithm.setdefault("inputs", []), channel_at(name, url)]
        for name in self.outputs:
            url = made_folder(f"{place}/outputs", self.name, run_id, name)
            algorithm["outputs"] = [*algorithm.setdefault("outputs", []), channel_at(name, url)]
        return request, uploads


def plan_of(file: JobFile | None, options: Mapping[str, object]) -> JobPlan:
    """The plan that a file and options describe, with everything that is wrong with them."""
    settings, wire, problems = settings_of(file.document if file is not None else {}, WIRE)
    own, _, wrong_options = settings_of(options)
    request: Any = request_of(cast("JobRequest", deepcopy(wire)))
    problems += [*wrong_options, *remove_unfit(request, CreateTrainingJobRequest)]
    folder = Path(file.name).parent if file is not None and file.places and Path(file.name).is_file() else Path()
    return _Planner(JobPlan(request, problems=problems), folder, own).plan(merged(settings, own))


@dataclass(frozen=True, slots=True)
class _Planner:
    """Puts settings into a request; paths of a file are relative to it, those of options to the current folder."""

    _plan: JobPlan
    _folder: Path
    _options: JobSettings

    def plan(self, settings: JobSettings) -> JobPlan:
        """Return the plan."""
        plan, request = self._plan, self._plan.request
        if str(settings.get("uid", VENDOR_UID)) != str(VENDOR_UID):
            self._reject(("uid",), f"must be {VENDOR_UID}: the documented API cannot run an image as another user")
        request.setdefault("kind", "job")
        has_tasks = bool(entries(lambda: request["tasks"], object))
        algorithm = request.setdefault("algorithm", {})
        for name, (first, *others, last) in FIELDS.items():
            if name in settings and not (has_tasks and first == "spec"):
                place: Any = cast("dict[str, Any]", request).setdefault(first, {})
                for each in others:
                    place = place.setdefault(each, {})
                place[last] = cast("dict[str, Any]", settings)[name]
        plan.engine = str(settings["engine"]) if "engine" in settings else None
        self._put_code(algorithm, settings)
        self._put_channels(algorithm, settings)
        self._put_values(algorithm, settings)
        if not algorithm:
            del request["algorithm"]
        if not has_tasks:
            self._put_nodes(request.setdefault("spec", {}).setdefault("resource", {}), settings)
        plan.has_own_name = self._put_name(request.setdefault("metadata", {"name": ""}), settings)
        plan.staging = settings.get("staging")
        return plan

    def _put_name(self, metadata: "JobMetadataRequestDict", settings: JobSettings) -> bool:
        """Put the name, else that of the boot file or the folder; whether it has one of its own."""
        name = settings.get("name") or read(lambda: metadata["name"], str)
        base = Path(self._plan.boot or "").stem or (self._plan.code or self._folder).resolve().name
        metadata["name"] = name or _plain_name(base)[:NAME_LENGTH] or "job"
        return bool(name)

    def _put_nodes(self, resource: "JobResourceRequestDict", settings: JobSettings) -> None:
        nodes = settings.get("nodes", 1)
        if isinstance(nodes, str) and not nodes.isdecimal():
            self._reject(("nodes",), f"must be an integer, not {nodes!r}")
        elif "nodes" in settings:
            resource["node_count"] = int(nodes)
        resource.setdefault("node_count", 1)

    def _put_code(self, algorithm: "JobAlgorithmRequestInput", settings: JobSettings) -> None:
        code = settings["code"] if "code" in settings else read(lambda: algorithm["code_dir"], str)
        boot = settings["boot"] if "boot" in settings else read(lambda: algorithm["boot_file"], str)
        local = self._local("code", settings.get("code"), is_own="code" in self._options)
        self._plan.boot = boot
        if local is not None:
            algorithm.pop("code_dir", None)
            self._plan.code = local
            if not local.is_dir():
                self._reject(("code",), f"folder {local} does not exist")
            elif boot is not None and (inside := _relative(boot, local)) is None:
                self._reject(("boot",), f"file {boot} does not exist in {local}")
            elif boot is not None:
                self._plan.boot = inside
            return
        if any(each.path in (("code",), ("algorithm", "code_dir")) for each in self._plan.problems):
            code = f"{PREFIX}code"  # stands for what was rejected, so that the boot file is not rejected, too
        if code is not None:
            algorithm["code_dir"] = code = f"{str(code).rstrip('/')}/"
        if boot is not None:
            is_url = boot.startswith((PREFIX, "/"))
            algorithm["boot_file"] = boot if is_url or code is None else f"{code}{boot}"

    def _put_channels(self, algorithm: "JobAlgorithmRequestInput", settings: JobSettings) -> None:
        given = {**settings.get("inputs", {})}
        if "data_url" in settings:
            given.setdefault(DEFAULT_INPUT, settings["data_url"])
        inputs = [each for each in entries(lambda: algorithm["inputs"], dict) if channel_name(each) not in given]
        inputs += [channel_at(*each) for each in self._places("inputs", given, self._plan.inputs)]
        if inputs:
            algorithm["inputs"] = inputs
        given = {**settings.get("outputs", {})}
        outputs = [each for each in entries(lambda: algorithm["outputs"], dict) if channel_name(each) not in given]
        outputs += [channel_at(*each) for each in self._places("outputs", given, self._plan.outputs)]
        if outputs:
            algorithm["outputs"] = outputs

    def _places(
        self, direction: str, given: Mapping[str, object], folders: dict[str, Path]
    ) -> Iterator[tuple[str, str | Mapping[str, object]]]:
        """The channels that are not local: of each its name, and its URL or its fields."""
        options: Mapping[str, object] = self._options
        own = options.get(direction)
        for name, value in given.items():
            if isinstance(value, Mapping):
                fields = dict(value)
                kind = InputRequest if direction == "inputs" else OutputRequest
                self._plan.problems += remove_unfit(fields, kind, (direction, name))
                yield name, fields
            elif not isinstance(value, str | Path):
                remedy = "write a local folder, or obs://bucket/folder/"
                self._reject((direction, name), f"must be a path, not {value_kind(value)}: {remedy}")
            elif (local := self._local(direction, value, is_own=isinstance(own, Mapping) and name in own)) is None:
                yield name, str(value)
            else:
                folders[name] = local
                if direction == "inputs" and not local.exists():
                    self._reject((direction, name), f"file or folder {local} does not exist")

    def _put_values(self, algorithm: "JobAlgorithmRequestInput", settings: JobSettings) -> None:
        if values := self._texts("parameters", settings.get("parameters", {})):
            algorithm["parameters"] = with_parameters(entries(lambda: algorithm["parameters"], dict), values)
        if variables := self._texts("env", settings.get("env", {})):
            algorithm["environments"] = {**(part(lambda: algorithm["environments"]) or {}), **variables}

    def _texts(self, setting: str, values: Mapping[str, object]) -> dict[str, str]:
        """The values as text; numbers and booleans become JSON."""
        found = {name: value_text(value) for name, value in values.items()}
        for name in (name for name, value in found.items() if not isinstance(value, str)):
            self._reject((setting, name), f"must be a text, not {value_kind(values[name])}")
        return {name: value for name, value in found.items() if isinstance(value, str)}

    def _reject(self, path: Path_, text: str) -> None:
        self._plan.problems.append(Problem(path, text))

    def _local(self, setting: str, value: object, *, is_own: bool) -> Path | None:
        """The local path that is meant, None for one in object storage (obs://bucket/key or /bucket/key).

        A path that starts with / is local if it exists; as an output on the command line, if it could be made.
        """
        if value is None or str(value).startswith(PREFIX):
            return None
        given = Path(str(value)).expanduser()
        if given.is_absolute() and not given.exists():
            return given if setting == "outputs" and is_own and given.parent.is_dir() else None
        return given if is_own else self._folder / given


def content_hash(folder: Path, ignore: Iterable[str] = ()) -> str:
    """A name for what an upload of the folder sends: the paths and contents of its files."""
    whole = hashlib.sha256()
    for path in files_below(folder, IgnoreRules(folder, ignore, is_code=True)):
        with (folder / path).open("rb") as file:
            whole.update(f"{path}\0{hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return whole.hexdigest()[:HASH_LENGTH]


def _relative(boot: str, code: Path) -> str | None:
    """The boot file's path in the code folder, given as that or as a path; None if it is elsewhere."""
    for candidate in (code / boot, Path(boot)):
        if candidate.is_file() and candidate.resolve().is_relative_to(code.resolve()):
            return candidate.resolve().relative_to(code.resolve()).as_posix()
    return None


def _plain_name(text: str) -> str:
    return "".join(each if each.isascii() and (each.isalnum() or each in "_-") else "-" for each in text)
