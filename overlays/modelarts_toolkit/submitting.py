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
from typing import TYPE_CHECKING, Any, TypeAlias

from modelarts_api.model import Model

from .errors import ApiError, Conflict, ServiceFailure
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
    request = request_of(body, unique=unique)
    name = _member(request, ("metadata", "name"))
    began, outage, pace = time.time(), OutageBudget(clock, f"creating job {name}", OUTAGE_S), Pace(POLL)
    outcome_unknown = False
    pending_error: ApiError | None = None
    while True:
        try:
            if outcome_unknown:
                found = yield from _created(api, request, began, service_time)
                if found is not None:
                    return found
            if pending_error is not None:
                raise pending_error
            created: TrainingJob = yield api.training_jobs.create_training_job(request)
            return created
        except TRANSIENT as error:
            if error is pending_error:
                raise
            outcome_unknown = True
            if isinstance(error, ServiceFailure) and error.status not in MAY_WORK_LATER:
                pending_error = error
            outage.record_failure(error)
        except Conflict as error:
            if not outcome_unknown or error is pending_error or error.error_code != NAME_TAKEN:
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
        name = metadata.get("name")
        if not isinstance(name, str) or not name:
            raise ValueError("a unique name needs a name to begin with: give metadata.name")
        suffix = f"-{secrets.token_hex(SUFFIX_BYTES)}"
        request["metadata"] = {**metadata, "name": name[: NAME_LENGTH - len(suffix)] + suffix}
    if algorithm:
        parameters, environments = algorithm.get("parameters"), _object(algorithm.get("environments"))
        if isinstance(parameters, list | tuple):
            algorithm["parameters"] = [_with_text(_object(entry) or entry) for entry in parameters]
        if environments:
            algorithm["environments"] = {name: _text(value) for name, value in environments.items()}
        request["algorithm"] = algorithm
    return request


def _object(value: Any) -> dict[str, Any]:
    """A copy of the mapping or model; empty for anything else."""
    return value.to_dict() if isinstance(value, Model) else dict(value) if isinstance(value, Mapping) else {}


def _with_text(parameter: Any) -> Any:
    is_valued = isinstance(parameter, dict) and "value" in parameter
    return {**parameter, "value": _text(parameter["value"])} if is_valued else parameter


def _text(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, bool | int | float) else value


def _created(
    api: Any, request: Mapping[str, Any], began: float, service_time: ServiceTime
) -> "Flow[TrainingJob | None]":
    """The job that an attempt since `began` (Unix seconds of our clock) created, if there is one."""
    from modelarts_api.v2.models import TrainingJob

    name = _member(request, ("metadata", "name"))
    query = {
        "limit": 50,
        "offset": 0,
        "sort_by": "create_time",
        "order": "desc",
        "filters": [{"key": "name", "operator": "like", "value": [name]}],
    }
    response = yield api.training_jobs.list_training_jobs(query)
    since = began + service_time.ahead() - CLOCK_ERROR_S
    jobs = (job for job in response.items or () if isinstance(job, TrainingJob))
    return next((job for job in jobs if _is_ours(job, request, since)), None)


def _is_ours(job: "TrainingJob", request: Mapping[str, Any], since: float) -> bool:
    if value_at(job, "metadata", "name") != _member(request, ("metadata", "name")):
        return False  # the filter is fuzzy
    created = value_at(job, "metadata", "create_time")  # milliseconds
    if not isinstance(created, int | float) or created / 1000 < since:
        return False
    asked = {path: value for path in _ECHOED if (value := _member(request, path)) is not None}
    return all(value_at(job, *path) in (None, value) for path, value in asked.items())


def _member(document: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        document = document.get(name) if isinstance(document, Mapping) else None
    return document
