"""Creating a job at most once, although a response may get lost.

Sending a creation again after a lost response could start a second job.
So the name is looked up first: the job is ours if it was created after our first attempt, by the service's clock, and
has what the request asked for.

Two assumptions about the service, which its pages do not confirm, carry this: names are unique in a project
(ModelArts.2751), and a search finds a job as soon as it was created.
Without the first, a request that was repeated could create a second job; without the second, it is a Conflict.
"""

import json
import secrets
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from modelarts_runtime.model import Model

from .errors import ApiError, ServiceFailure
from .flows import TRANSIENT, Clock, Flow, OutageBudget, Pace
from .job_state import value_at
from .transport import ServiceTime

if TYPE_CHECKING:
    from modelarts_api.v2.models import CreateTrainingJobRequest, CreateTrainingJobRequestDict, TrainingJob

JobRequest: TypeAlias = "CreateTrainingJobRequest | CreateTrainingJobRequestDict"
"""What describes a job to be created: a model, or a dict of the same fields."""

POLL = (1.0, 10.0)
OUTAGE_S = 120.0
CLOCK_ERROR_S = 2.0  # the Date header has whole seconds, and the response was under way

NAME_LENGTH = 64  # characters, the most that a job's name may have
SUFFIX_BYTES = 4

NAME_TAKEN = "ModelArts.2751"
MAY_WORK_LATER = frozenset({502, 503, 504})

# What a job repeats of its request, which distinguishes it from somebody else's job of the same name.
_ECHOED = (
    ("kind",),
    ("metadata", "description"),
    ("algorithm", "id"),
    ("algorithm", "code_dir"),
    ("algorithm", "boot_file"),
    ("algorithm", "command"),
    ("spec", "resource", "flavor_id"),
    ("spec", "resource", "node_count"),
)


class Creation(Protocol):
    """A request that creates something, and how to find what it created if its response was lost."""

    purpose: str

    def send(self) -> Any:
        """Send the request: the response, of the asynchronous client an awaitable of it."""

    def find(self, since: float) -> Flow[Any]:
        """What an attempt since then (Unix seconds of the service's clock) created; None if there is nothing."""

    def is_name_taken(self, error: ApiError) -> bool:
        """Whether the service rejected the request because its name belongs to something else."""


def submitting(
    api: Any,
    body: JobRequest,
    clock: Clock,
    service_time: ServiceTime,
    *,
    unique: bool = False,
) -> "Flow[TrainingJob]":
    """Create the job; after a lost response, find it or create it again.

    With `unique` the name gets a random suffix.
    Raises the service's error; Conflict (ModelArts.2751) only if the name belongs to another job.
    """
    if not isinstance(body, Mapping | Model):
        kind = type(body).__name__
        raise TypeError(f"a job is described by a CreateTrainingJobRequest or a mapping, not by {kind}")
    job: TrainingJob = yield from creating(JobCreation(api, request_of(body, unique=unique)), clock, service_time)
    return job


def creating(creation: Creation, clock: Clock, service_time: ServiceTime) -> Flow[Any]:
    """Send the request; after a lost response, find what it created or send it again."""
    began, outage, pace = time.time(), OutageBudget(clock, creation.purpose, OUTAGE_S), Pace(POLL)
    outcome_unknown = False
    pending_error: ApiError | None = None
    while True:
        try:
            if outcome_unknown:
                found = yield from creation.find(began + service_time.ahead() - CLOCK_ERROR_S)
                if found is not None:
                    return found
            if pending_error is not None:
                raise pending_error
            return (yield creation.send())
        except TRANSIENT as error:
            if error is pending_error:
                raise
            outcome_unknown = True
            if isinstance(error, ServiceFailure) and error.status not in MAY_WORK_LATER:
                pending_error = error
            outage.record_failure(error)
        except ApiError as error:
            if not outcome_unknown or error is pending_error or not creation.is_name_taken(error):
                raise
            pending_error = error  # our own first attempt may have come through meanwhile
            continue
        yield clock.sleep(pace.after(news=False))


def request_of(body: JobRequest, *, unique: bool = False) -> dict[str, Any]:
    """The request as it goes over the wire; the one that is given is not changed.

    Hyperparameters and environment variables that are numbers or booleans become text, as JSON writes them.
    With `unique` the name gets a random suffix; raises ValueError if there is none.
    """
    request: dict[str, Any] = body.to_dict() if isinstance(body, Model) else dict(body)
    metadata, algorithm = _object(request.get("metadata")), _object(request.get("algorithm"))
    if unique:
        request["metadata"] = {**metadata, "name": unique_name(metadata.get("name"), "metadata.name")}
    if algorithm:
        parameters, environments = algorithm.get("parameters"), _object(algorithm.get("environments"))
        if isinstance(parameters, list | tuple):
            algorithm["parameters"] = [_with_text(_object(entry) or entry) for entry in parameters]
        if environments:
            algorithm["environments"] = {name: value_text(value) for name, value in environments.items()}
        request["algorithm"] = algorithm
    return request


def _object(value: Any) -> dict[str, Any]:
    """A copy of the mapping or model; empty for anything else."""
    return value.to_dict() if isinstance(value, Model) else dict(value) if isinstance(value, Mapping) else {}


def _with_text(parameter: Any) -> Any:
    is_valued = isinstance(parameter, dict) and "value" in parameter
    return {**parameter, "value": value_text(parameter["value"])} if is_valued else parameter


def unique_name(name: Any, field: str) -> str:
    """The name with a random suffix; raises ValueError if there is none."""
    if not isinstance(name, str) or not name:
        raise ValueError(f"a unique name needs a name to begin with: give {field}")
    suffix = f"-{secrets.token_hex(SUFFIX_BYTES)}"
    return name[: NAME_LENGTH - len(suffix)] + suffix


def value_text(value: Any) -> Any:
    """The value of a hyperparameter or variable as text: numbers and booleans as JSON writes them."""
    return json.dumps(value) if isinstance(value, bool | int | float) else value


class JobCreation:
    """The creation of a training job of version 2."""

    def __init__(self, api: Any, request: Mapping[str, Any]) -> None:
        self._api = api
        self._request = request
        self._name = _member(request, ("metadata", "name"))
        self.purpose = f"creating job {self._name}"

    def send(self) -> Any:
        """As `Creation.send`."""
        return self._api.training_jobs.create_training_job(self._request)

    def is_name_taken(self, error: ApiError) -> bool:
        """As `Creation.is_name_taken`."""
        return error.error_code == NAME_TAKEN

    def find(self, since: float) -> "Flow[TrainingJob | None]":
        """As `Creation.find`."""
        from modelarts_api.v2.models import TrainingJob

        query = {
            "limit": 50,
            "offset": 0,
            "sort_by": "create_time",
            "order": "desc",
            "filters": [{"key": "name", "operator": "like", "value": [self._name]}],
        }
        response = yield self._api.training_jobs.list_training_jobs(query)
        jobs = (job for job in response.items or () if isinstance(job, TrainingJob))
        return next((job for job in jobs if _is_ours(job, self._request, since)), None)


def _is_ours(job: "TrainingJob", request: Mapping[str, Any], since: float) -> bool:
    if value_at(job, "metadata", "name") != _member(request, ("metadata", "name")):
        return False  # the filter is fuzzy
    if not is_since(value_at(job, "metadata", "create_time"), since):
        return False
    asked = {path: value for path in _ECHOED if (value := _member(request, path)) is not None}
    return all(value_at(job, *path) in (None, value) for path, value in asked.items())


def is_since(create_time_ms: Any, since: float) -> bool:
    """Whether something was created since then (Unix seconds)."""
    return isinstance(create_time_ms, int | float) and create_time_ms / 1000 >= since


def _member(document: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        document = document.get(name) if isinstance(document, Mapping) else None
    return document
