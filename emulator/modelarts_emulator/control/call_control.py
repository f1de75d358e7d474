"""The recorded calls of an emulator that runs in another thread of this process."""

from __future__ import annotations

import asyncio
import builtins

from modelarts_emulator.control.calls import Calls, RecordedCall

__all__ = ["CallControl"]


class CallControl:
    """Lists and clears recorded calls from any thread but the emulator's own, as `/_emulator/calls` does."""

    def __init__(self, calls: Calls, loop: asyncio.AbstractEventLoop) -> None:
        self._calls = calls
        self._loop = loop

    def list(self, operation: str | None = None, document: str | None = None) -> list[RecordedCall]:
        """The newest calls, oldest first: all, or those of one operation (`createTrainingJob`) or document (`v2`).

        Raises ValueError for a name that no operation or document has.
        """
        return asyncio.run_coroutine_threadsafe(self._list(operation, document), self._loop).result()

    def clear(self) -> None:
        """Forget all calls."""
        self._loop.call_soon_threadsafe(self._calls.clear)

    async def _list(self, operation: str | None, document: str | None) -> builtins.list[RecordedCall]:
        return self._calls.list(operation, document)
