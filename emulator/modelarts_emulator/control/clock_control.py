"""The clock of an emulator that runs in another thread of this process."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from modelarts_emulator.execution.simulated.time_travel import TimeTravel

__all__ = ["ClockControl"]


class ClockControl:
    """Moves the emulator's clock from any thread but the emulator's own; each call returns when all has happened.

    Moving raises RealTimeError unless jobs are simulated, and ValueError for a time that cannot be.
    """

    def __init__(self, time_travel: TimeTravel, loop: asyncio.AbstractEventLoop) -> None:
        self._time_travel = time_travel
        self._loop = loop

    @property
    def now(self) -> float:
        """Seconds since 1970."""
        return self._time_travel.now

    @property
    def is_frozen(self) -> bool:
        """Whether the clock is frozen."""
        return self._time_travel.is_frozen

    def freeze(self) -> None:
        """Let time stand still, at the next whole second."""
        self._wait(self._time_travel.freeze())

    def resume(self) -> None:
        """Let time pass again."""
        self._wait(self._time_travel.resume())

    def advance(self, seconds: float) -> None:
        """Let this much time pass at once, and everything happen that happens in it."""
        self._wait(self._time_travel.advance(seconds))

    def advance_to(self, moment: float) -> None:
        """Make it this moment, in seconds since 1970."""
        self._wait(self._time_travel.advance_to(moment))

    def _wait(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result()
