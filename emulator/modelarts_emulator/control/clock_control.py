"""The clock of an emulator that runs in another thread of this process."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from modelarts_emulator.execution.simulated.time_travel import Timekeeper

__all__ = ["ClockControl"]


class ClockControl:
    """Moves the emulator's clock from any thread but the emulator's own; each call returns when all has happened.

    Moving raises RealTimeError unless jobs are simulated, and ValueError for a time that cannot be.
    """

    def __init__(self, timekeeper: Timekeeper, loop: asyncio.AbstractEventLoop) -> None:
        self._timekeeper = timekeeper
        self._loop = loop

    @property
    def now(self) -> float:
        """Seconds since 1970."""
        return self._timekeeper.now

    @property
    def is_held(self) -> bool:
        """Whether time stands still."""
        return self._timekeeper.is_held

    def hold(self) -> None:
        """Let time stand still, at the next whole second."""
        self._wait(self._timekeeper.hold())

    def go_on(self) -> None:
        """Let time pass again."""
        self._wait(self._timekeeper.go_on())

    def advance(self, seconds: float) -> None:
        """Let this much time pass at once, and everything happen that happens in it."""
        self._wait(self._timekeeper.advance(seconds))

    def move_to(self, moment: float) -> None:
        """Make it this moment, in seconds since 1970."""
        self._wait(self._timekeeper.move_to(moment))

    def _wait(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result()
