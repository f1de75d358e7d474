"""Polling in workflows: clocks, pauses, time limits, and retries while calls fail."""

import asyncio
import logging
import math
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from modelarts_toolkit.errors import ConnectionFailed, ServiceFailure, ToolkitError, TooManyRequests

if TYPE_CHECKING:
    from modelarts_api.v2.models import Stage
    from modelarts_toolkit.jobs.info import JobInfo

logger = logging.getLogger("modelarts_toolkit")

T = TypeVar("T")
Send: TypeAlias = Callable[[], T]
AsyncSend: TypeAlias = Callable[[], Awaitable[T]]
Find: TypeAlias = Callable[[float, float], T | None]
AsyncFind: TypeAlias = Callable[[float, float], Awaitable[T | None]]

TRANSIENT = (ConnectionFailed, ServiceFailure, TooManyRequests)
OUTAGE_S = 300.0  # a workflow gives up if all of its calls fail for this time
SHORTEST_CALL_S = 1.0  # the last call before giving up gets at least this time
RESERVE_S = 1.0  # of a timeout, for the last call; of short ones RESERVE_SHARE
RESERVE_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class Clock:
    """A timer and the sleep that belongs to it."""

    now: Callable[[], float]
    sleep: Callable[[float], object]


class AsyncClock(Clock):
    """A timer and the asynchronous sleep that belongs to it."""

    sleep: Callable[[float], Awaitable[object]]


BLOCKING = Clock(time.monotonic, time.sleep)
ASYNCIO = AsyncClock(time.monotonic, asyncio.sleep)


@dataclass(frozen=True, slots=True)
class Progress:
    """The result of a poll.

    `elapsed` is the time since the start of the wait, in seconds; `job` is the object that is waited for.
    If the poll failed, `error` gives the reason, and the rest is from the last successful poll; `job` is None if there
    was none. `stage` is the stage of a job that takes longer to start, if the service has stages.
    """

    phase: str | None
    secondary_phase: str | None
    elapsed: float
    job: "JobInfo | None" = field(repr=False)
    error: ToolkitError | None = None
    stage: "Stage | None" = None


OnProgress = Callable[[Progress], object]


@dataclass(slots=True)
class OutageBudget:
    """Lets a workflow continue for a limited time while its calls fail, and logs each failure.

    The time counts from the start of the first failed call; a successful call ends the outage.
    """

    _clock: Clock
    _purpose: str
    _seconds: float = OUTAGE_S
    _since: float | None = None
    _has_failed: bool = False

    def call_limit_s(self) -> float:
        """Return the time limit of the next call."""
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
        """Log the error and return the remaining seconds; raise the error if no time is left."""
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

    GROWTH = 1.15  # per pause without news, so that an event is noticed late by 15 % of the time so far, at most

    def __init__(self, bounds: tuple[float, float]) -> None:
        try:
            self.shortest, self.longest = bounds
        except (TypeError, ValueError):
            raise TypeError(f"poll must be (shortest, longest) seconds, not {bounds!r}") from None
        if not 0 < self.shortest <= self.longest:
            raise ValueError(f"poll must be (shortest, longest) seconds with 0 < shortest <= longest, not {bounds}")
        self._pause = self.shortest

    def after(self, *, news: bool) -> float:
        """Return the pause after a poll."""
        pause = self.shortest if news else self._pause
        self._pause = min(pause * self.GROWTH, self.longest)
        return pause


class TimeLimit:
    """The rest of a timeout in seconds; None means no limit, 0 or less means one call without a limit."""

    def __init__(self, clock: Clock, timeout_s: float | None) -> None:
        """Raise TypeError for anything but a number or None."""
        if timeout_s is not None and not isinstance(timeout_s, int | float):
            raise TypeError(f"timeout must be a number of seconds or None, not {type(timeout_s).__name__}")
        self.timeout_s = timeout_s
        self._clock = clock
        self._is_single = timeout_s is not None and timeout_s <= 0
        self._end = math.inf if timeout_s is None else clock.now() + timeout_s
        self._last_call = self._end - (0 if timeout_s is None else min(RESERVE_S, RESERVE_SHARE * timeout_s))

    def call_limit_s(self) -> float:
        """Return the time limit of the next call."""
        return math.inf if self._is_single else max(self._end - self._clock.now(), 0.001)

    @property
    def is_over(self) -> bool:
        """Whether it is too late for another call."""
        return self.pause_s(math.inf) < 0.001

    def pause_s(self, wanted_s: float) -> float:
        """Return the pause before the next call, shortened so that the last call is in time."""
        return min(wanted_s, self._last_call - self._clock.now())
