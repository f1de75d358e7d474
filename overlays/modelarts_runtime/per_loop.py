"""What processes and event loops cannot share: connections, and locks."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

T = TypeVar("T")


class PerLoop(Generic[T]):
    """One object for each process, and for each event loop in it; `make` makes it on first use.

    A child that was forked gets its own. It takes no lock, because a thread of the parent might have held it.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: dict[tuple[int, AbstractEventLoop | None], T] = {}

    def of_process(self) -> T:
        """The object of synchronous calls, whether or not an event loop runs."""
        return self._of((os.getpid(), None))

    def of_loop(self) -> T:
        """The object of the event loop that runs; of another library than asyncio, that of the process."""
        return self._of((os.getpid(), _running_loop()))

    def made(self, *, is_async: bool) -> list[T]:
        """The object that `of_loop`, or else `of_process`, has made here, if it has."""
        owner = (os.getpid(), _running_loop() if is_async else None)
        return [self._made[owner]] if owner in self._made else []

    def _of(self, owner: tuple[int, AbstractEventLoop | None]) -> T:
        if owner not in self._made:
            for pid, loop in [*self._made]:
                if loop is not None and loop.is_closed():
                    self._made.pop((pid, loop), None)
            return self._made.setdefault(owner, self._make())
        return self._made[owner]


def _running_loop() -> AbstractEventLoop | None:
    import asyncio  # not at the top: synchronous calls do without it

    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
