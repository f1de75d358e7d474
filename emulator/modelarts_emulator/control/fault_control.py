"""The faults of an emulator that runs in another thread of this process."""

from __future__ import annotations

import asyncio
import builtins
from collections.abc import Coroutine
from typing import Any, TypeVar

from modelarts_emulator.control.fault_routes import add_fault, fault_views
from modelarts_emulator.control.faults import Faults
from modelarts_emulator.control.task_faults import TaskFaults

__all__ = ["FaultControl"]


Response = TypeVar("Response")


class FaultControl:
    """Adds, lists and clears faults from any thread but the emulator's own, as `/_emulator/faults` does."""

    def __init__(self, faults: Faults, tasks: TaskFaults, loop: asyncio.AbstractEventLoop) -> None:
        self._faults = faults
        self._tasks = tasks
        self._loop = loop

    def add(self, **members: Any) -> dict[str, Any]:
        """Put a fault in place and show it; `members` are those of the body, a ValueError says what is wrong."""
        return self._wait(add_fault(self._faults, self._tasks, members))

    def list(self) -> list[dict[str, Any]]:
        """The faults in place, with how many calls each has seen (`calls`) and changed (`applied`)."""
        return self._wait(self._list())

    def clear(self) -> None:
        """Remove all faults."""
        self._loop.call_soon_threadsafe(self._faults.clear)

    async def _list(self) -> builtins.list[dict[str, Any]]:
        return fault_views(self._faults)

    def _wait(self, work: Coroutine[Any, Any, Response]) -> Response:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()
