"""Creating a job at most once, although a response may get lost.

Sending a creation again after a lost response could start a second job.
So the name is looked up first: the job is ours if it was created after our first attempt, by the service's clock, and
repeats all that the request said. A random name, which nobody else can know, is proof enough.

Two assumptions about the service, which its pages do not confirm, carry this: names are unique in a project
(ModelArts.2751), and a search finds a job as soon as it was created.
Without the first, a request that was repeated could create a second job; without the second, it is a Conflict.
"""

import json
import math
import secrets
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from modelarts_runtime.model import Model

from .errors import ApiError, Conflict, NotFound, ServiceFailure
from .flows import TRANSIENT, Call, Clock, Flow, OutageBudget, Pace
from .job_state import value_at
from .transport import ServiceTime

if TYPE_CHECKING:
    from modelarts_api.v2.models import CreateTrainingJobRequest, CreateTrainingJobRequestDict, TrainingJob

JobRequest: TypeAlias = "CreateTrainingJobRequest | CreateTrainingJobRequestDict"
"""What describes a job to be created: a model, or a dict of the same fields."""

POLL = (1.0, 10.0)
OUTAGE_S = 120.0
LONGEST_PAUSE_S = 60.0  # whatever Retry-After says
CLOCK_ERROR_S = 2.0  # the Date header has whole seconds, and the response was under way

NAME_LENGTH = 64  # characters, the most that a job's name may have
SUFFIX_BYTES = 4

NAME_TAKEN = "ModelArts.2751"
MAY_WORK_LATER = frozenset({502, 503, 504})

# Parts of `algorithm` that a response repeats; it may leave out others.
_REPEATED = ("parameters", "inputs", "outputs", "environments")
_ENTRY_NAMES = ("name", "key", "label")  # what identifies an entry of a list
_NOT_COMPARED = frozenset({"description", "i18n_description"})  # of channels: the service may return a placeholder


class Creation(Protocol):
    """A request that creates something, and how to find what it created if its response was lost."""

    purpose: str
    is_name_unique: bool  # random, so that nobody else can have it

    def send(self) -> Any:
        """Send the request: the response, of the asynchronous client an awaitable of it."""

    def find(self, since: float, limit_s: float) -> Flow[Any]:
        """What an attempt since then (Unix seconds of the service's clock) created; None if there is nothing.

        Each call may take `limit_s` seconds.
        """

    def is_name_taken(self, error: ApiError) -> bool:
        """Whether the service rejected the request because its name belongs to something else."""


def submitting(
    api: Any,
    body: JobRequest,
    clock: Clock,
    service_time: ServiceTime,
    *,
    unique: bool = False,
    timeout: float | None = None,
    retries: int | None = None,
) -> "Flow[TrainingJob]":
    """Create the job; after a lost response, find it or create it again.

    With `unique` the name gets a random suffix; `timeout` and `retries` are those of `creating`.
    Raises the service's error; Conflict (ModelArts.2751) only if the name belongs to another job.
    """
    if not isinstance(body, Mapping | Model):
        kind = type(body).__name__
        raise TypeError(f"a job is described by a CreateTrainingJobRequest or a mapping, not by {kind}")
    creation = JobCreation(api, request_of(body, unique=unique), is_name_unique=unique)
    job: TrainingJob = yield from creating(creation, clock, service_time, timeout, retries)
    return job


def creating(
    creation: Creation,
    clock: Clock,
    service_time: ServiceTime,
    timeout: float | None = None,
    retries: int | None = None,
) -> Flow[Any]:
    """Send the request; after a lost response, find what it created or send it again.

    Gives up after `timeout` seconds (OUTAGE_S by default) or after `retries` repetitions, and raises the last error.
    Raises ValueError for a timeout that is not positive.
    """
    if timeout is not None and timeout <= 0:
        raise ValueError(f"timeout must be a positive number of seconds, not {timeout:g}")
    outage = OutageBudget(clock, creation.purpose, OUTAGE_S if timeout is None else timeout)
    began, pace, repetitions_left = time.time(), Pace(POLL), math.inf if retries is None else retries
    outcome_unknown = False
    pending_error: Exception | None = None  # to be raised if nothing was created
    while True:
        try:
            if outcome_unknown:
                since = began + service_time.ahead() - CLOCK_ERROR_S
                found = yield from creation.find(since, outage.call_limit_s())
                if found is not None:
                    return found
            if pending_error is not None:
                raise pending_error
            return (yield Call(creation.send, outage.call_limit_s()))
        except TRANSIENT as error:
            if error is pending_error:
                raise
            if pending_error is not None and repetitions_left <= 0:
                raise pending_error from None
            outcome_unknown = True
            if repetitions_left <= 0:
                pending_error = error
                continue
            if isinstance(error, ServiceFailure) and error.status not in MAY_WORK_LATER:
                pending_error = error
            repetitions_left -= 1
            remaining_s = outage.record_failure(error)
            asked_s = (error.retry_after if isinstance(error, ApiError) else None) or 0.0
            pause_s = max(pace.after(news=False), min(asked_s, LONGEST_PAUSE_S))
            if pause_s >= remaining_s:
                pending_error, repetitions_left = pending_error or error, 0
        except ApiError as error:
            if pending_error is not None or not _may_be_ours(creation, error, outcome_unknown=outcome_unknown):
                raise (pending_error or error) from None
            pending_error, outcome_unknown = error, True
            continue
        yield clock.sleep(min(pause_s, remaining_s))


def _may_be_ours(creation: Creation, error: ApiError, *, outcome_unknown: bool) -> bool:
    """Whether the request may have been carried out all the same, by an earlier attempt or behind a gateway."""
    if creation.is_name_taken(error):
        return outcome_unknown or creation.is_name_unique
    return creation.is_name_unique and isinstance(error, NotFound | Conflict)


def request_of(body: JobRequest, *, unique: bool = False) -> dict[str, Any]:
    """The request as it goes over the wire; the one that is given is not changed.

    Hyperparameters and environment variables that are numbers or booleans become text, as JSON writes them.
    With `unique` the name gets a random suffix; raises ValueError if there is none.
    """
    request: dict[str, Any] = {**(body.to_dict() if isinstance(body, Model) else body)}
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
    return dict(value.to_dict() if isinstance(value, Model) else value if isinstance(value, Mapping) else {})


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

    def __init__(self, api: Any, request: Mapping[str, Any], *, is_name_unique: bool) -> None:
        self._api = api
        self._request = request
        self.is_name_unique = is_name_unique
        self._name = _member(request, ("metadata", "name"))
        self.purpose = f"creating job {self._name}"

    def send(self) -> Any:
        """As `Creation.send`."""
        return self._api.training_jobs.create_training_job(self._request)

    def is_name_taken(self, error: ApiError) -> bool:
        """As `Creation.is_name_taken`."""
        return error.error_code == NAME_TAKEN

    def find(self, since: float, limit_s: float) -> "Flow[TrainingJob | None]":
        """As `Creation.find`."""
        from modelarts_api.v2.models import TrainingJob

        query = {
            "limit": 50,
            "offset": 0,
            "sort_by": "create_time",
            "order": "desc",
            "filters": [{"key": "name", "operator": "like", "value": [self._name]}],
        }
        response = yield Call(lambda: self._api.training_jobs.list_training_jobs(query), limit_s)
        jobs = [job for job in response.items or () if isinstance(job, TrainingJob)]
        named = (job for job in jobs if value_at(job, "metadata", "name") == self._name)  # the filter is fuzzy
        return next((job for job in named if self.is_name_unique or _is_ours(job, self._request, since)), None)


def _is_ours(job: "TrainingJob", request: Mapping[str, Any], since: float) -> bool:
    """Whether the job was created since then, and repeats the request as far as the service says it."""
    if not is_since(value_at(job, "metadata", "create_time"), since):
        return False
    found = job.to_dict()
    made, asked = _object(found.get("algorithm")), _object(request.get("algorithm"))
    has_defaults = asked.get("id") or asked.get("subscription_id")
    is_complete = all(
        (made.get(name) or not asked.get(name))
        and (has_defaults or name == "environments" or len(made.get(name) or ()) == len(asked.get(name) or ()))
        for name in _REPEATED
    )
    metadata = _object(request.get("metadata"))
    is_described = metadata.get("description") in (None, "", value_at(job, "metadata", "description"))
    return is_complete and is_described and repeats(found, request)


def repeats(found: Any, asked: Any) -> bool:
    """Whether a response has what a request asked for; what the response leaves out is not compared."""
    if found in (None, "") or asked in (None, "", [], {}):
        return True
    if isinstance(asked, Mapping):
        if isinstance(found, list):  # environments, as one of two pages has them
            found = {key: value for each in found for key, value in _object(each).items()}
        return isinstance(found, Mapping) and all(
            repeats(found.get(name), value) for name, value in asked.items() if name not in _NOT_COMPARED
        )
    if isinstance(asked, list | tuple):
        return isinstance(found, list) and _has_entries(found, asked)
    return _plain_text(found) == _plain_text(asked)


def _has_entries(found: Sequence[Any], asked: Sequence[Any]) -> bool:
    """Whether a list has all entries; those with a name may stand anywhere among others."""
    for name in _ENTRY_NAMES:
        if all(isinstance(entry, Mapping) and entry.get(name) for entry in asked):
            by_name = {entry.get(name): entry for entry in found if isinstance(entry, Mapping)}
            return all(entry[name] in by_name and repeats(by_name[entry[name]], entry) for entry in asked)
    return len(found) == len(asked) and all(map(repeats, found, asked))


def _plain_text(value: Any) -> str:
    """A value as it is compared: numbers as text, `obs://bucket/folder/` as `/bucket/folder`."""
    text = value_text(value)
    if isinstance(text, str) and text.startswith(("obs://", "/")):
        return text.removeprefix("obs:/").rstrip("/")
    return str(text)


def is_since(create_time_ms: Any, since: float) -> bool:
    """Whether something was created since then (Unix seconds)."""
    return isinstance(create_time_ms, int | float) and create_time_ms / 1000 >= since


def _member(document: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        document = document.get(name) if isinstance(document, Mapping) else None
    return document
