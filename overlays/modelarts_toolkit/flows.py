"""One logic for synchronous and asynchronous callers.

A flow is a generator that yields each step it takes and gets the step's result back:

    job = yield Call(lambda: api.training_jobs.show_training_job_details(job_id), limit_s=30)
    yield clock.sleep(2)

The driver makes a `Call`, and ends it when its limit has passed.
Any other step has already happened if it comes from `Api` or the blocking clock, and is its own result; from `AsyncApi`
or the asyncio clock it is a coroutine that the driver awaits.
Errors surface at the `yield` either way, so that a flow handles them with an ordinary `try`.
"""

import asyncio
import logging
import math
import time
from collections.abc import AsyncIterable, AsyncIterator, Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias, TypeVar

from .deadlines import call_within, call_within_async
from .errors import ConnectionFailed, ServiceFailure, ToolkitError, TooManyRequests

logger = logging.getLogger("modelarts_toolkit")

T = TypeVar("T")
Flow: TypeAlias = Generator[Any, Any, T]

TRANSIENT = (ConnectionFailed, ServiceFailure, TooManyRequests)
OUTAGE_S = 300.0  # a workflow gives up when all of its calls have failed for this time
SHORTEST_CALL_S = 1.0  # also the last call before the end of an outage gets this time


@dataclass(frozen=True, slots=True)
class Clock:
    """Seconds that only go forward, and the sleep that belongs to them."""

    now: Callable[[], float]
    sleep: Callable[[float], Any]


BLOCKING = Clock(time.monotonic, time.sleep)
ASYNCIO = Clock(time.monotonic, asyncio.sleep)


@dataclass(frozen=True, slots=True)
class Call:
    """A step that calls the service, and fails with ConnectionFailed after `limit_s` seconds."""

    function: Callable[[], Any]
    limit_s: float = math.inf


@dataclass(frozen=True, slots=True)
class Emit:
    """A step that hands something to the caller of `stream` and has no result."""

    items: Iterable[Any]


def collected(items: Iterable[T] | AsyncIterable[T], limit: int | None = None) -> Any:
    """A step: the first items of an iterator, as a list; of an asynchronous one an awaitable of it.

    Raises ValueError for a negative limit.
    """
    if limit is not None and limit < 0:
        raise ValueError(f"limit must be 0 or more, or None for all, not {limit}")
    if not isinstance(items, AsyncIterable):
        return list(islice(items, limit))

    async def collect() -> list[T]:
        found: list[T] = []
        if limit != 0:
            async for item in items:
                found.append(item)
                if len(found) == limit:
                    break
        return found

    return collect()


def run(flow: Flow[T]) -> T:
    """Drive a flow of blocking steps."""
    resume, outcome = flow.send, None
    with closing(flow):
        while True:
            try:
                step = resume(outcome)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            resume, outcome = _settle(flow, step)


async def run_async(flow: Flow[T]) -> T:
    """Drive a flow whose steps are awaitables."""
    resume, outcome = flow.send, None
    with closing(flow):
        while True:
            try:
                step = resume(outcome)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            resume, outcome = await _settle_async(flow, step)


def stream(flow: Flow[None]) -> Iterator[Any]:
    """Drive like `run`, and yield what the flow emits."""
    for items in batches(flow):
        yield from items


def batches(flow: Flow[None]) -> Iterator[Iterable[Any]]:
    """Drive like `run`, and yield what each step emits, which the caller takes before the next one."""
    resume, outcome = flow.send, None
    with closing(flow):
        while True:
            try:
                step = resume(outcome)
            except StopIteration:
                return
            if isinstance(step, Emit):
                yield step.items
                resume, outcome = flow.send, None
            else:
                resume, outcome = _settle(flow, step)


async def stream_async(flow: Flow[None]) -> AsyncIterator[Any]:
    """Drive like `run_async`, and yield what the flow emits."""
    resume, outcome = flow.send, None
    with closing(flow):
        while True:
            try:
                step = resume(outcome)
            except StopIteration:
                return
            if isinstance(step, Emit):
                for item in step.items:
                    yield item
                resume, outcome = flow.send, None
            else:
                resume, outcome = await _settle_async(flow, step)


def _settle(flow: Flow[Any], step: Any) -> tuple[Callable[[Any], Any], Any]:
    """Make the call of a step: what the flow does next, and with what value."""
    if not isinstance(step, Call):
        return flow.send, step
    try:
        return flow.send, call_within(step.limit_s, step.function)
    except Exception as error:
        return flow.throw, error


async def _settle_async(flow: Flow[Any], step: Any) -> tuple[Callable[[Any], Any], Any]:
    """Await a step: what the flow does next, and with what value."""
    try:
        if isinstance(step, Call):
            return flow.send, await call_within_async(step.limit_s, step.function)
        return flow.send, await step
    except Exception as error:
        return flow.throw, error


class OutageBudget:
    """Lets a workflow go on while its calls fail, but not for ever, and logs each failure.

    The time counts from the begin of the first call that failed; a call that succeeds ends the outage.
    """

    def __init__(self, clock: Clock, purpose: str, seconds: float = OUTAGE_S) -> None:
        self._clock = clock
        self._purpose = purpose
        self._seconds = seconds
        self._since: float | None = None
        self._has_failed = False

    def call_limit_s(self) -> float:
        """How long the next call may take."""
        self._since = self._clock.now() if self._since is None else self._since
        return max(self._remaining_s(), min(SHORTEST_CALL_S, self._seconds))

    def record_success(self) -> None:
        """End the outage."""
        if self._has_failed and self._since is not None:
            logger.warning(
                "%s: the service responds again after %.0f s", self._purpose, self._clock.now() - self._since
            )
        self._since, self._has_failed = None, False

    def record_failure(self, error: ToolkitError) -> float:
        """Log the error, and return the seconds that are left; raise it when the time is over."""
        self._since = self._clock.now() if self._since is None else self._since
        self._has_failed = True
        remaining_s = self._remaining_s()
        if remaining_s <= 0:
            raise error
        logger.warning("%s: %s; trying again for %.0f s", self._purpose, error, remaining_s)
        return remaining_s

    def _remaining_s(self) -> float:
        assert self._since is not None  # noqa: S101 - both callers have set it
        return self._since + self._seconds - self._clock.now()


class Pace:
    """Pauses between polls: short after news, longer with silence, within bounds (seconds)."""

    GROWTH = 1.15  # from pause to pause in silence: what happens is noticed some 15 % of the time so far later, at most

    def __init__(self, bounds: tuple[float, float]) -> None:
        try:
            self.shortest, self.longest = bounds
        except (TypeError, ValueError):
            raise TypeError(f"poll must be (shortest, longest) seconds, not {bounds!r}") from None
        if not 0 < self.shortest <= self.longest:
            raise ValueError(f"poll must be (shortest, longest) seconds with 0 < shortest <= longest, not {bounds}")
        self._pause = self.shortest

    def after(self, *, news: bool) -> float:
        pause = self.shortest if news else self._pause
        self._pause = min(pause * self.GROWTH, self.longest)
        return pause
