"""One logic for synchronous and asynchronous callers.

A flow is a generator that yields each step it takes and gets the step's result back:

    job = yield api.training_jobs.show_training_job_details(job_id)
    yield clock.sleep(2)

Given `Api` and the blocking clock, a step has already happened when it is yielded, and is its own result.
Given `AsyncApi` and the asyncio clock, it is a coroutine that the driver awaits.
Errors surface at the `yield` either way, so that a flow handles them with an ordinary `try`.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from .errors import ConnectionFailed, ServiceFailure, ToolkitError, TooManyRequests

T = TypeVar("T")
Flow: TypeAlias = Generator[Any, Any, T]

TRANSIENT = (ConnectionFailed, ServiceFailure, TooManyRequests)


@dataclass(frozen=True, slots=True)
class Clock:
    """Seconds that only go forward, and the sleep that belongs to them."""

    now: Callable[[], float]
    sleep: Callable[[float], Any]


BLOCKING = Clock(time.monotonic, time.sleep)
ASYNCIO = Clock(time.monotonic, asyncio.sleep)


@dataclass(frozen=True, slots=True)
class Emit:
    """A step that hands something to the caller of `stream` and has no result."""

    items: Iterable[Any]


def run(flow: Flow[T]) -> T:
    """Drive a flow whose steps have happened when they are yielded."""
    result = None
    with closing(flow):
        while True:
            try:
                result = flow.send(result)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]


async def run_async(flow: Flow[T]) -> T:
    """Drive a flow whose steps are awaitables."""
    resume, outcome = flow.send, None
    with closing(flow):
        while True:
            try:
                step = resume(outcome)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            resume, outcome = await _settle(flow, step)


def stream(flow: Flow[None]) -> Iterator[Any]:
    """Drive like `run`, and yield what the flow emits."""
    result = None
    with closing(flow):
        while True:
            try:
                step = flow.send(result)
            except StopIteration:
                return
            if isinstance(step, Emit):
                yield from step.items
            result = step


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
                resume, outcome = await _settle(flow, step)


async def _settle(flow: Flow[Any], step: Any) -> tuple[Callable[[Any], Any], Any]:
    """Await a step: how the flow goes on, and with what."""
    try:
        return flow.send, await step
    except Exception as error:
        return flow.throw, error


class Patience:
    """Lets a long flow live through an outage, but not for ever.

    The transport has already retried each call; this is for the minutes in which a service restarts.
    """

    def __init__(self, clock: Clock, seconds: float = 300) -> None:
        self._clock = clock
        self._seconds = seconds
        self._since: float | None = None

    def restore(self) -> None:
        """A call went through."""
        self._since = None

    def excuse(self, error: ToolkitError) -> None:
        """Raises the error once calls have failed for longer than we are patient."""
        now = self._clock.now()
        self._since = now if self._since is None else self._since
        if now - self._since > self._seconds:
            raise error


class Pace:
    """Pauses between polls: short after news, longer with silence, within bounds (seconds)."""

    def __init__(self, bounds: tuple[float, float]) -> None:
        self.shortest, self.longest = bounds
        if not 0 < self.shortest <= self.longest:
            raise ValueError(f"poll must be (shortest, longest) seconds with 0 < shortest <= longest, not {bounds}")
        self._pause = self.shortest

    def after(self, *, news: bool) -> float:
        pause = self.shortest if news else self._pause
        self._pause = min(pause * 1.3, self.longest)
        return pause
