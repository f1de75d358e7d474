"""The emulator's clock: real time, unless somebody freezes it or moves it on.

Everything that the service dates (jobs, tokens, events) asks this clock, so that a test can let an hour pass at once.
It never goes back, unless it is reset, because what has happened stays before what happens next.
Only simulated jobs can do in a moment what takes an hour, so with any other executor the clock is the real one.
"""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.storage.files import replace_file

if TYPE_CHECKING:
    from modelarts_emulator.execution.simulated.executor import SimulatedExecutor

MAX_STEP_S = 10 * 366 * 24 * 3600.0
LAST_MOMENT = 253_402_300_799.0  # 9999-12-31: the service's responses have no years of five digits
STATE = "clock.json"


class Clock:
    """Seconds since 1970: `clock()`."""

    def __init__(self, source: Callable[[], float] = time.time) -> None:
        self._source = source
        self._ahead = 0.0
        self._frozen_at: float | None = None

    def __call__(self) -> float:
        return self._source() + self._ahead if self._frozen_at is None else self._frozen_at

    @property
    def is_frozen(self) -> bool:
        """Whether the clock is frozen until `advance_to` or `resume`."""
        return self._frozen_at is not None

    def freeze(self) -> None:
        """Let time stand still."""
        self._frozen_at = self()

    @property
    def state(self) -> tuple[float, float | None]:
        """How many seconds it is ahead of its source, and the moment at which it stands, if it does."""
        return self._ahead, self._frozen_at

    def restore(self, ahead: float, held: float | None) -> None:
        """Be as another clock of this `state` was; never earlier than now."""
        self._ahead = max(self._ahead, ahead)
        self._frozen_at = None if held is None else max(held, self())

    def reset(self) -> None:
        """Tell the source's time again, even if that is earlier: for when nothing is left that was dated."""
        self._ahead, self._frozen_at = 0.0, None

    def resume(self) -> None:
        """Let time pass again, from the moment at which it stands."""
        if self._frozen_at is not None:
            self._ahead = self._frozen_at - self._source()
            self._frozen_at = None

    def advance_to(self, moment: float) -> None:
        """Make it this moment; raises ValueError for one that is past, or none at all."""
        if not math.isfinite(moment) or moment < self():
            raise ValueError("the clock cannot go back: give a future moment")
        if self._frozen_at is None:
            self._ahead += moment - self()
        else:
            self._frozen_at = moment


def restore(clock: Callable[[], float], folder: Path) -> None:
    """Let the clock be as it was when the emulator last served this folder."""
    if isinstance(clock, Clock) and (folder / STATE).exists():
        clock.restore(**json.loads((folder / STATE).read_text("utf-8")))


class Supervisor(Protocol):
    """What moving the clock needs of whatever changes jobs."""

    async def settle(self) -> None:
        """Do everything that is due at the present moment."""

    def next_deadline(self) -> float | None:
        """The next moment at which the supervisor would act by itself."""


class TimeTravel:
    """Moves `clock`, in seconds since 1970; what was done to it is kept in `folder` and holds after a restart."""

    def __init__(
        self,
        clock: Callable[[], float],
        simulator: SimulatedExecutor | None,
        supervisor: Supervisor,
        folder: Path,
    ) -> None:
        self._clock = clock
        self._simulator = simulator
        self._supervisor = supervisor
        self._state = folder / STATE
        self._turn = asyncio.Lock()

    @property
    def now(self) -> float:
        return self._clock()

    @property
    def is_frozen(self) -> bool:
        return isinstance(self._clock, Clock) and self._clock.is_frozen

    async def freeze(self) -> None:
        """Let time stand still, at the next whole second; as all that follows, raises EmulatorError if it is real."""
        clock, _ = self._movable()
        async with self._turn:
            clock.freeze()
            clock.advance_to(math.ceil(clock()))
            self._keep(clock)

    async def resume(self) -> None:
        """Let time pass again, from the moment at which it stands."""
        clock, _ = self._movable()
        async with self._turn:
            clock.resume()
            self._keep(clock)

    async def advance(self, seconds: float) -> None:
        """Let this much time pass at once; raises ValueError for less than nothing, and for more than ten years."""
        if not 0 <= seconds <= MAX_STEP_S:
            raise ValueError(f"advance: give a number of seconds from 0 to {MAX_STEP_S:.0f} (ten years)")
        await self._move(lambda now: now + seconds)

    async def advance_to(self, moment: float) -> None:
        """Make it this moment; raises ValueError for one that is past or too far away."""
        await self._move(lambda _: moment)

    async def reset(self) -> None:
        """Set the clock to real time again, if it was moved or frozen."""
        async with self._turn:
            if isinstance(self._clock, Clock):
                self._clock.reset()
            self._state.unlink(missing_ok=True)

    def _movable(self) -> tuple[Clock, SimulatedExecutor]:
        if self._simulator is None or not isinstance(self._clock, Clock):
            raise EmulatorError(
                "the clock cannot be moved, because jobs that really run take real time:"
                " start the emulator with --executor simulated"
            )
        return self._clock, self._simulator

    async def _move(self, target: Callable[[float], float]) -> None:
        clock, simulator = self._movable()
        async with self._turn:
            was_frozen, now = clock.is_frozen, clock()
            moment = target(now)
            if not (now <= moment <= min(now + MAX_STEP_S, LAST_MOMENT)):
                raise ValueError(f"to: give a moment between now ({now:.3f}) and ten years from now, in seconds")
            clock.freeze()
            try:
                await self._walk(clock, simulator, moment)
            finally:
                if not was_frozen:
                    clock.resume()
                self._keep(clock)

    async def _walk(self, clock: Clock, simulator: SimulatedExecutor, target: float) -> None:
        """Pass through every moment at which something happens, in order, and stop there until it has happened."""
        await self._supervisor.settle()
        while (moment := self._next(simulator)) <= target:
            clock.advance_to(moment)
            await self._supervisor.settle()
        clock.advance_to(target)
        await self._supervisor.settle()

    def _next(self, simulator: SimulatedExecutor) -> float:
        moments = [simulator.next_change(), self._supervisor.next_deadline()]
        return min((moment for moment in moments if moment is not None and moment > self._clock()), default=math.inf)

    def _keep(self, clock: Clock) -> None:
        ahead, held = clock.state
        replace_file(self._state, json.dumps({"ahead": ahead, "held": held}).encode(), is_durable=False)
