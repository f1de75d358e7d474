"""What can be done with training jobs of version 1, written once for both clients: flows of generated operations.

A job is given by its id or its name, one of its versions by its id or name (`V0002`), or both as `sum/V0002`; without a
version, the newest is meant. A response that names job and version will do, too.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from modelarts_runtime.model import Model

from .errors import ApiError, ConfigError
from .flows import Call, Clock, Flow, collected
from .job_state import value_at
from .logs import following_source
from .requests import fitting
from .submitting import creating, is_since, repeats, unique_name, value_text
from .v1_logs import VersionLogs, VersionReader
from .waiting import OnProgress, waiting_on

if TYPE_CHECKING:
    from modelarts_api.v1.models import (
        CreatedTrainingJob,
        CreatedTrainingJobVersion,
        CreateTrainingJobRequest,
        CreateTrainingJobRequestDict,
        CreateTrainingJobVersionRequest,
        TrainingJob,
        TrainingJobVersion,
    )

    from .transport import ServiceTime

    JobBody: TypeAlias = CreateTrainingJobRequest | CreateTrainingJobRequestDict
    Versions: TypeAlias = list[TrainingJobVersion]

AnyV1Job: TypeAlias = "int | str | Model"
AnyVersion: TypeAlias = "int | str | None"

PAGE = 100  # jobs of a search

# What is said once: fields of `config` that a field takes the place of.
_DATA, _DATASET = ("data_url", "data_source"), ("dataset_id", "dataset_version_id")
REPLACES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("flavor", "spec_id", "pool_id"), ("flavor", "spec_id", "pool_id")),
    **dict.fromkeys(_DATA, (*_DATA, *_DATASET)),
    **dict.fromkeys(_DATASET, _DATA),
    **dict.fromkeys(("app_url", "boot_file_url", "engine_id"), ("model_id", "user_image_url", "user_command")),
    "model_id": ("app_url", "boot_file_url", "engine_id", "user_image_url", "user_command"),
    "user_image_url": ("model_id", "engine_id"),
}
NAME_TAKEN = "ModelArts.0103"


class VersionKey(NamedTuple):
    """The ids by which the service knows a version."""

    job_id: int
    version_id: int


def searching(
    api: Any, name: str | None, status: int | None, limit: int | None, limit_s: float = math.inf
) -> "Flow[list[TrainingJob]]":
    """Find jobs whose names contain `name` and whose newest version has this status, newest first, `limit` at most."""
    query: dict[str, Any] = {"sort_by": "create_time", "order": "desc", "per_page": min(limit or PAGE, PAGE)}
    if name:
        query["search_content"] = name
    if status is not None:
        query["status"] = str(status)
    found: list[TrainingJob] = yield Call(
        lambda: collected(api.training_jobs.iter_training_jobs(**query), limit), limit_s
    )
    return found


def resolving_job(api: Any, job: AnyV1Job) -> Flow[int]:
    """Find the id of a job; raises ConfigError for a name that no job has."""
    if isinstance(job, Model):
        job = value_at(job, "job_id")
    if isinstance(job, int) or (isinstance(job, str) and job.isascii() and job.isdigit()):
        return int(job)
    if not isinstance(job, str):
        raise TypeError(f"a job is given by its id, its name or a response about it, not as {type(job).__name__}")
    for found in (yield from searching(api, job, None, None)):
        if found.job_name == job:
            return int(found.job_id)
    raise ConfigError(f'version 1 of the API has no job "{job}": give the id or the name of one')


def resolving(api: Any, job: AnyV1Job, version: AnyVersion = None) -> Flow[VersionKey]:
    """Find the ids of a version; raises ConfigError if there is none of this name."""
    if isinstance(job, Model) and version is None:
        version = value_at(job, "version_id")
    elif isinstance(job, str) and version is None:
        job, _, part = job.partition("/")
        version = part or None
    job_id = yield from resolving_job(api, job)
    if isinstance(version, int) or (version is not None and version.isascii() and version.isdigit()):
        return VersionKey(job_id, int(version))
    found = yield from listing_versions(api, job_id)
    if version is not None:
        found = [each for each in found if str(each.version_name).upper() == version.upper()]
    if not found:
        what = "no version yet" if version is None else f"no version {version}"
        raise ConfigError(f"job {job} has {what}: modelarts v1 version list {job} shows those that there are")
    return VersionKey(job_id, max(each.version_id for each in found))


def listing_versions(api: Any, job: AnyV1Job, limit_s: float = math.inf) -> "Flow[Versions]":
    """List the versions of a job, oldest first."""
    job_id = yield from resolving_job(api, job)
    found: Versions = yield Call(
        lambda: collected(api.training_job_versions.iter_training_job_versions(job_id)), limit_s
    )
    return sorted(found, key=lambda version: version.version_id)


def showing(api: Any, job: AnyV1Job, version: AnyVersion = None) -> "Flow[TrainingJobVersion]":
    """Show a version of a job."""
    key = yield from resolving(api, job, version)
    shown: TrainingJobVersion = yield api.training_job_versions.show_training_job_version(*key)
    return shown


def stopping(api: Any, job: AnyV1Job, version: AnyVersion = None) -> "Flow[TrainingJobVersion]":
    """Stop a version of a job; returns it as it is then."""
    key = yield from resolving(api, job, version)
    yield api.training_job_versions.stop_training_job_version(*key)
    shown: TrainingJobVersion = yield api.training_job_versions.show_training_job_version(*key)
    return shown


def deleting(api: Any, job: AnyV1Job) -> Flow[None]:
    """Delete a job with all its versions; results stay in object storage."""
    job_id = yield from resolving_job(api, job)
    yield api.training_jobs.delete_training_job(job_id)


def deleting_version(api: Any, job: AnyV1Job, version: AnyVersion) -> Flow[None]:
    """Delete a version of a job."""
    key = yield from resolving(api, job, version)
    yield api.training_job_versions.delete_training_job_version(*key)


def waiting_for(
    api: Any,
    job: AnyV1Job,
    version: AnyVersion,
    clock: Clock,
    timeout: float | None,
    poll: tuple[float, float],
    on_progress: OnProgress | None,
) -> "Flow[TrainingJobVersion]":
    """Wait for the end of a version: the completed version, or JobFailed, JobStopped, WaitTimeout."""
    began = clock.now()
    key = yield from resolving(api, job, version)
    rest = None if timeout is None else max(timeout - (clock.now() - began), 0)
    reader = VersionReader(lambda: api, *key)
    done: TrainingJobVersion = yield from waiting_on(reader, clock, timeout=rest, poll=poll, on_progress=on_progress)
    return done


def reading_logs(
    api: Any,
    job: AnyV1Job,
    version: AnyVersion,
    clock: Clock,
    *,
    task: str | None,
    all_tasks: bool,
    poll: tuple[float, float],
    follow: bool,
) -> Flow[None]:
    """Emit the records of a version's log: those there are, or with `follow` all until the version has ended."""
    key = yield from resolving(api, job, version)
    source = VersionLogs(VersionReader(lambda: api, *key), task=task, all_tasks=all_tasks)
    yield from following_source(source, clock, poll=poll, follow=follow)


def submitting(
    api: Any,
    body: "JobBody",
    clock: Clock,
    service_time: "ServiceTime",
    *,
    unique: bool = False,
    timeout: float | None = None,
    retries: int | None = None,
) -> "Flow[CreatedTrainingJob]":
    """Create a job, and with it its first version; after a lost response, find it or create it again.

    With `unique` the name gets a random suffix; `timeout` and `retries` are those of `creating`.
    Raises the service's error.
    """
    creation = _JobCreation(api, job_request(body, unique=unique), is_name_unique=unique)
    created: CreatedTrainingJob = yield from creating(creation, clock, service_time, timeout, retries)
    return created


def job_request(body: "JobBody", *, unique: bool = False) -> dict[str, Any]:
    """The request as it goes over the wire: hyperparameters as text, the name with a suffix if it is to be unique."""
    request: dict[str, Any] = {**(body.to_dict() if isinstance(body, Model) else body)}
    if unique:
        request["job_name"] = unique_name(request.get("job_name"), "job_name")
    config = dict(_plain(request.get("config")))
    if isinstance(parameters := config.get("parameter"), Sequence):
        config["parameter"] = [{**_plain(each), "value": value_text(_plain(each).get("value"))} for each in parameters]
    request["config"] = config
    return request


def submitting_version(
    api: Any,
    job: AnyV1Job,
    changes: Mapping[str, Any],
    clock: Clock,
    service_time: "ServiceTime",
    *,
    parameters: Mapping[str, Any] | None = None,
    version: AnyVersion = None,
    retries: int | None = None,
) -> "Flow[CreatedTrainingJobVersion]":
    """Create a version with the settings of an earlier one (the newest, by default) and these changes.

    `changes` are fields of the request's `config`, `parameters` other values of hyperparameters.
    """
    before = yield from showing(api, job, version)
    body = version_request(before, changes, parameters or {})
    creation = _VersionCreation(api, before.job_id or (yield from resolving_job(api, job)), body)
    created: CreatedTrainingJobVersion = yield from creating(creation, clock, service_time, retries=retries)
    return created


def version_request(
    before: "TrainingJobVersion", changes: Mapping[str, Any], parameters: Mapping[str, Any]
) -> "CreateTrainingJobVersionRequest":
    """The request for a version that succeeds another one, with its settings but for these changes."""
    from modelarts_api.v1.models import CreateTrainingJobVersionRequest, TrainingVersionConfigRequest

    config = settings_of(before, TrainingVersionConfigRequest)
    kept = [each for each in config.get("parameter") or () if each["label"] not in parameters]
    changed = [{"label": name, "value": value} for name, value in parameters.items()]
    config["parameter"] = [{**each, "value": value_text(each["value"])} for each in [*kept, *changed]]
    config = {**replaced(config, changes), **changes, "pre_version_id": before.version_id}
    return CreateTrainingJobVersionRequest.from_dict({"config": config})


def replaced(config: Mapping[str, Any], changes: Iterable[str]) -> dict[str, Any]:
    """The settings without those that changes of these fields take the place of."""
    gone = {name for field in changes for name in REPLACES.get(field, ())}
    return {name: value for name, value in config.items() if name not in gone}


def settings_of(details: Any, kind: Any) -> dict[str, Any]:
    """The settings of a version or a configuration as far as a request has room for them, each said once."""
    document = details.to_dict()
    if document.get("data_source"):
        document.pop("data_url", None)
    if document.get("model_id"):
        for name in ("app_url", "boot_file_url", "engine_id"):
            document.pop(name, None)
    if document.get("spec_id"):
        document.pop("flavor", None)
    if document.get("pool_type") == "SYSTEM_DEFINED":
        document.pop("pool_id", None)
    found: dict[str, Any] = fitting(document, kind)
    return found


class _JobCreation:
    """The creation of a job."""

    def __init__(self, api: Any, request: Mapping[str, Any], *, is_name_unique: bool) -> None:
        self._api = api
        self._request = request
        self.is_name_unique = is_name_unique
        self.purpose = f"creating job {request.get('job_name')}"

    def send(self) -> Any:
        return self._api.training_jobs.create_training_job(self._request)

    def is_name_taken(self, error: ApiError) -> bool:
        return error.error_code == NAME_TAKEN

    def find(self, since: float, limit_s: float) -> "Flow[CreatedTrainingJob | None]":
        """The job of this name that was created since then, if its newest version is what was asked for."""
        from modelarts_api.v1.models import CreatedTrainingJob

        name = self._request.get("job_name")
        for found in (yield from searching(self._api, name, None, PAGE, limit_s)):
            if found.job_name == name and (self.is_name_unique or (yield from self._is_ours(found, since, limit_s))):
                return CreatedTrainingJob.from_dict(found.to_dict())
        return None

    def _is_ours(self, job: "TrainingJob", since: float, limit_s: float) -> Flow[bool]:
        config = self._request["config"]
        if not is_since(job.create_time, since) or not repeats(job.job_desc, self._request.get("job_desc")):
            return False
        if not job.version_id:
            return True
        show = self._api.training_job_versions.show_training_job_version
        version = yield Call(lambda: show(job.job_id, job.version_id), limit_s)
        return _is_same(version, config)


class _VersionCreation:
    """The creation of a further version of a job."""

    is_name_unique = False  # a version has none

    def __init__(self, api: Any, job_id: int, body: "CreateTrainingJobVersionRequest") -> None:
        self._api = api
        self._job_id = job_id
        self._body = body
        self.purpose = f"creating a version of job {job_id}"

    def send(self) -> Any:
        return self._api.training_job_versions.create_training_job_version(self._job_id, self._body)

    def is_name_taken(self, _: ApiError) -> bool:
        return False

    def find(self, since: float, limit_s: float) -> "Flow[CreatedTrainingJobVersion | None]":
        """The version that was created since then with the same predecessor and settings."""
        from modelarts_api.v1.models import CreatedTrainingJobVersion

        config = self._body.to_dict()["config"]
        for version in reversed((yield from listing_versions(self._api, self._job_id, limit_s))):
            is_next = version.pre_version_id == config["pre_version_id"]
            if is_next and is_since(version.create_time, since) and _is_same(version, config):
                return CreatedTrainingJobVersion.from_dict({**version.to_dict(), "job_id": self._job_id})
        return None


def _is_same(version: "TrainingJobVersion", config: Mapping[str, Any]) -> bool:
    """Whether a version has what was asked for, as far as the service says it."""
    found = version.to_dict()
    asked = {name: value for name, value in config.items() if name != "flavor"}
    is_on_flavor = repeats(found.get("flavor_code"), _plain(config.get("flavor")).get("code"))
    parameters = len(found.get("parameter") or ()), len(config.get("parameter") or ())
    return is_on_flavor and repeats(found, asked) and (bool(config.get("model_id")) or parameters[0] == parameters[1])


def _plain(value: Any) -> Mapping[str, Any]:
    return value.to_dict() if isinstance(value, Model) else value if isinstance(value, Mapping) else {}
