"""A visualization tool without a process: its states follow the clock, so that tests take no time."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path

from modelarts_emulator.storage.protocol import Store
from modelarts_emulator.visualization.tool import ToolState

__all__ = ["START_S", "STOP_S", "SimulatedTool"]

START_S = 2.0  # from the start until the tool serves
STOP_S = 1.0  # from the request to stop until the tool has ended
HOST = "visualization.invalid"  # RFC 6761: a name that no machine ever has


class SimulatedTool:
    """Serves nothing; `clock` is in seconds since 1970. It ends as soon as it is closed, or `STOP_S` after `stop`."""

    def __init__(self, clock: Callable[[], float], _store: Store, _bucket: str, _prefix: str, _folder: Path) -> None:
        self._clock = clock
        self._served_at = clock() + START_S
        self._ended_at: float | None = None
        self._url = f"https://{HOST}/{secrets.token_hex(16)}/"

    def look(self) -> ToolState:
        now = self._clock()
        if self._ended_at is not None:
            return ToolState("ended" if now >= self._ended_at else "stopping")
        return ToolState("serving", self._url) if now >= self._served_at else ToolState("starting")

    def stop(self) -> None:
        if self._ended_at is None:
            self._ended_at = self._clock() + STOP_S

    def next_change(self) -> float | None:
        if self._ended_at is not None:
            return self._ended_at
        return self._served_at if self._clock() < self._served_at else None

    def close(self) -> None:
        self._ended_at = self._clock()
