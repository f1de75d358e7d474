"""Create a job at most once, even if a response is lost.

A second request after a lost response could start a second job, so the name is looked up first. A job is ours if it
was created after our first attempt, by the service's clock, and matches the request. A random name is proof enough.

This assumes two rules that the service's pages do not confirm: names are unique in a project (ModelArts.2751), and a
search finds a job at once. If the first is false, a repeated request could create a second job; if the second is
false, it raises Conflict.
"""

import math
import time
from typing import TYPE_CHECKING, Protocol, TypeVar

from modelarts_api.codes import JOB_NAME_TAKEN
from modelarts_toolkit._async.connection import AsyncConnection
from modelarts_toolkit.errors import ApiError, Conflict, NotFound, ServiceFailure
from modelarts_toolkit.http.deadlines import call_within_async
from modelarts_toolkit.http.transport import ServiceTime
from modelarts_toolkit.jobs.polling import TRANSIENT, AsyncClock, OutageBudget, Pace
from modelarts_toolkit.jobs.reading import entries, read
from modelarts_toolkit.jobs.request_body import is_made_of
from modelarts_toolkit.jobs.state import JobState

if TYPE_CHECKING:
    from modelarts_api.v2.models import CreateTrainingJobRequestDict, ListTrainingJobsRequestDict, TrainingJob

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

POLL = (1.0, 10.0)
OUTAGE_S = 120.0
CLOCK_ERROR_S = 2.0  # the Date header has whole seconds, and the response takes time
LONGEST_PAUSE_S = 60.0  # whatever Retry-After says
MAY_WORK_LATER = frozenset({502, 503, 504})


class AsyncCreation(Protocol[T_co]):
    """A request that creates something, and the search for the result if its response was lost.

    `is_name_unique`: the name is random, so that nobody else has it; `purpose` describes the request in messages.
    """

    @property
    def purpose(self) -> str: ...

    @property
    def is_name_unique(self) -> bool: ...

    async def send(self) -> T_co:
        """Send the request."""

    def is_name_taken(self, error: ApiError) -> bool:
        """Whether the service rejected the request because its name belongs to something else."""

    async def find(self, since: float, limit_s: float) -> T_co | None:
        """Find the result of an attempt since then (Unix seconds of the service's clock); None if there is none.

        Each call may take `limit_s` seconds.
        """


class AsyncJobCreation:
    """The creation of a training job."""

    def __init__(
        self, connection: AsyncConnection, request: "CreateTrainingJobRequestDict", *, is_name_unique: bool
    ) -> None:
        self._connection = connection
        self._request = request
        self._name = str(read(lambda: request["metadata"]["name"], str))
        self.is_name_unique = is_name_unique
        self.purpose = f"creating job {self._name}"

    async def send(self) -> "TrainingJob":
        """As `Creation.send`."""
        return await self._connection.v2.training_jobs.create_training_job(self._request)

    def is_name_taken(self, error: ApiError) -> bool:
        """As `Creation.is_name_taken`."""
        return error.error_code == JOB_NAME_TAKEN

    async def find(self, since: float, limit_s: float) -> "TrainingJob | None":
        """As `Creation.find`: the job of this name."""
        query: ListTrainingJobsRequestDict = {
            "limit": 50,
            "offset": 0,
            "sort_by": "create_time",
            "order": "desc",
            "filters": [{"key": "name", "operator": "like", "value": [self._name]}],
        }
        api = self._connection.v2.training_jobs
        response = await call_within_async(limit_s, lambda: api.list_training_jobs(query))
        for job in entries(lambda: response.items):
            is_named = JobState.of_job(job).name == self._name  # the filter is fuzzy
            if is_named and (self.is_name_unique or is_made_of(job, self._request, since)):
                return job
        return None


async def create(
    creation: AsyncCreation[T],
    clock: AsyncClock,
    service_time: ServiceTime,
    timeout: float | None = None,  # noqa: ASYNC109 - the job is looked up at its end
    retries: int | None = None,
) -> T:
    """Send the request; after a lost response, find its result or send it again.

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
                found = await creation.find(since, outage.call_limit_s())
                if found is not None:
                    return found
            if pending_error is not None:
                raise pending_error
            return await call_within_async(outage.call_limit_s(), creation.send)
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
        await clock.sleep(min(pause_s, remaining_s))


def _may_be_ours(creation: AsyncCreation[object], error: ApiError, *, outcome_unknown: bool) -> bool:
    """Whether an earlier attempt, or this one behind a gateway, may have succeeded despite the error."""
    if creation.is_name_taken(error):
        return outcome_unknown or creation.is_name_unique
    return creation.is_name_unique and isinstance(error, NotFound | Conflict)
