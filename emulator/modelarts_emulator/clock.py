"""The emulator's clock: real time, unless somebody freezes it or moves it on.

Everything that the service dates (jobs, tokens, events) asks this clock, so that a test can let an hour pass at once.
It never goes back, unless it is reset, so that later events have later times.
Only simulated jobs can do in a moment what takes an hour, so with any other executor the clock is the real one.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from pathlib import Path

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
