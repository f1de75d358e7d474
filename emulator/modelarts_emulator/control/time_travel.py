"""Moves the clock through every moment at which something happens, for jobs that are simulated."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from modelarts_emulator.clock import STATE, Clock
from modelarts_emulator.engine.supervisor import Supervisor
from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.storage.files import replace_file

if TYPE_CHECKING:
    from modelarts_emulator.execution.simulated.executor import SimulatedExecutor

MAX_STEP_S = 10 * 366 * 24 * 3600.0
LAST_MOMENT = 253_402_300_799.0  # 9999-12-31: the service's responses have no years of five digits


@dataclass(frozen=True, slots=True)
class TimeTravel:
    """Moves `clock`, in seconds since 1970; what was done to it is kept in `folder` and holds after a restart."""

    clock: Callable[[], float]
    simulator: SimulatedExecutor | None
    supervisor: Supervisor
    folder: Path
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    @property
    def now(self) -> float:
        return self.clock()

    @property
    def is_frozen(self) -> bool:
        return isinstance(self.clock, Clock) and self.clock.is_frozen

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

    async def reset(self) -> None:
        """Set the clock to real time again, if it was moved or frozen."""
        async with self._turn:
            if isinstance(self.clock, Clock):
                self.clock.reset()
            (self.folder / STATE).unlink(missing_ok=True)

    def _movable(self) -> tuple[Clock, SimulatedExecutor]:
        if self.simulator is None or not isinstance(self.clock, Clock):
            raise EmulatorError(
                "the clock cannot be moved, because jobs that really run take real time:"
                " start the emulator with --executor simulated"
            )
        return self.clock, self.simulator

    async def move(self, target: Callable[[float], float]) -> None:
        """Make it what `target` makes of now; raises ValueError for a past moment, or one beyond ten years."""
        clock, simulator = self._movable()
        async with self._turn:
            was_frozen, now = clock.is_frozen, clock()
            moment = target(now)
            if not (now <= moment <= min(now + MAX_STEP_S, LAST_MOMENT)):
                raise ValueError(f"the clock moves forward from now ({now:.3f}), by ten years at most")
            clock.freeze()
            try:
                await self._walk(clock, simulator, moment)
            finally:
                if not was_frozen:
                    clock.resume()
                self._keep(clock)

    async def _walk(self, clock: Clock, simulator: SimulatedExecutor, target: float) -> None:
        """Pass through every moment at which something happens, in order, and stop there until it has happened."""
        await self.supervisor.settle()
        while (moment := self._next(simulator)) <= target:
            clock.advance_to(moment)
            await self.supervisor.settle()
        clock.advance_to(target)
        await self.supervisor.settle()

    def _next(self, simulator: SimulatedExecutor) -> float:
        moments = [simulator.next_change(), self.supervisor.next_deadline()]
        return min((moment for moment in moments if moment is not None and moment > self.clock()), default=math.inf)

    def _keep(self, clock: Clock) -> None:
        ahead, held = clock.state
        replace_file(self.folder / STATE, json.dumps({"ahead": ahead, "held": held}).encode(), is_durable=False)
