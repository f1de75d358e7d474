"""Create a job at most once, even if a response is lost.

A second request after a lost response could start a second job, so the name is looked up first. A job is ours if it
was created after our first attempt, by the service's clock, and matches the request. A random name is proof enough.

This assumes two rules that the service's pages do not confirm: names are unique in a project (ModelArts.2751), and a
search finds a job at once. If the first is false, a repeated request could create a second job; if the second is
false, it raises Conflict.
"""

import math
import time
from dataclasses import dataclass
from typing import Generic, TypeVar

from modelarts_toolkit.errors import ApiError, Conflict, NotFound, ServiceFailure
from modelarts_toolkit.http.deadlines import call_within_async
from modelarts_toolkit.http.transport import ServiceTime
from modelarts_toolkit.jobs.polling import TRANSIENT, AsyncClock, AsyncFind, AsyncSend, OutageBudget, Pace

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

POLL = (1.0, 10.0)
OUTAGE_S = 120.0
CLOCK_ERROR_S = 2.0  # the Date header has whole seconds, and the response takes time
LONGEST_PAUSE_S = 60.0  # whatever Retry-After says
MAY_WORK_LATER = frozenset({502, 503, 504})


@dataclass(frozen=True, slots=True)
class AsyncCreation(Generic[T_co]):
    """A request that creates something, and the search for the result if its response was lost.

    `purpose` describes the request in messages. `find` gets a time (Unix seconds of the service's clock) and returns
    the result of an attempt since then, None if there is none; each of its calls may take the seconds of its second
    argument. `name_taken` is the code of the rejection of a name that belongs to something else.
    `is_name_unique`: the name is random, so that nobody else has it.
    """

    purpose: str
    send: AsyncSend[T_co]
    find: AsyncFind[T_co]
    name_taken: str = ""
    is_name_unique: bool = False


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
    if error.error_code and error.error_code == creation.name_taken:
        return outcome_unknown or creation.is_name_unique
    return creation.is_name_unique and isinstance(error, NotFound | Conflict)
