"""What the supervisor needs of a visualization tool: started, looked at, stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from modelarts_emulator.storage.protocol import Store

__all__ = ["StartTool", "Tool", "ToolState"]


@dataclass(frozen=True, slots=True)
class ToolState:
    """How far a tool is; `url` is where it serves, `error` why it has ended by itself."""

    phase: Literal["starting", "serving", "stopping", "ended"]
    url: str = ""
    error: str = ""


class Tool(Protocol):
    """One tool that was started. No call blocks for long; all may be made from any thread, one at a time."""

    def look(self) -> ToolState:
        """How far the tool is now; also lets it read what is new in object storage, if it does not read that itself."""
        raise NotImplementedError

    def stop(self) -> None:
        """Begin to stop the tool."""

    def next_change(self) -> float | None:
        """When the state changes by itself, in seconds since 1970; None if it does not, or nobody knows when."""
        raise NotImplementedError

    def close(self) -> None:
        """End the tool now, and delete what it has left behind."""


StartTool = Callable[[Store, str, str, Path], Tool]
"""Starts a tool that shows what lies in a bucket below a prefix; it may use the folder, which does not exist yet."""
