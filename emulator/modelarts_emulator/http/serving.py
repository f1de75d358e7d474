"""The HTTP servers of both ports: uvicorn's, as the emulator uses it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterator
from email.utils import formatdate
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.server import ServerState

from modelarts_emulator.http.connections import ConnectionProtocol, Expectations
from modelarts_emulator.http.errors import EmulatorError

__all__ = ["Server", "server_config", "wait_for_first", "wait_until_stopped"]

GRACEFUL_SHUTDOWN_S = 2
"""What responses under way may still take when the emulator stops."""


class _DatedState(ServerState):
    """What the connections of a server share; the headers of every response are its date, by `clock`."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._second: int | None = None
        self._headers: list[tuple[bytes, bytes]] = []
        super().__init__()

    @property
    def default_headers(self) -> list[tuple[bytes, bytes]]:
        """The date, which is formatted once a second."""
        if (second := int(self._clock())) != self._second:
            self._headers = [(b"date", formatdate(second, usegmt=True).encode())]
            self._second = second
        return self._headers

    @default_headers.setter
    def default_headers(self, _: object) -> None:
        """Nothing: uvicorn sets its own once a second."""


class Server(uvicorn.Server):
    """uvicorn without its signal handlers, because the emulator has its own; responses are dated by `clock`."""

    def __init__(self, config: uvicorn.Config, clock: Callable[[], float]) -> None:
        super().__init__(config)
        self.server_state = _DatedState(clock)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def server_config(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        Expectations(app),
        http=ConnectionProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        # Longer than clients keep idle connections, so that they, not the emulator, close them.
        timeout_keep_alive=75,
        timeout_graceful_shutdown=GRACEFUL_SHUTDOWN_S,
    )


async def wait_until_stopped(stop: asyncio.Event, *services: asyncio.Task[None]) -> None:
    """Wait for `stop`; raises what ended a service before, or EmulatorError if it ended without an error."""
    stopping = asyncio.create_task(stop.wait())
    ended, _ = await asyncio.wait([stopping, *services], return_when=asyncio.FIRST_COMPLETED)
    if stopping in ended:
        return
    stopping.cancel()
    for task in ended:
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error
    raise EmulatorError("a part of the emulator ended by itself: start the emulator again")


async def wait_for_first(*coroutines: Coroutine[Any, Any, Any]) -> None:
    """Wait for the one that ends first and cancel the others."""
    tasks = [asyncio.create_task(coroutine) for coroutine in coroutines]
    ended, others = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in others:
        task.cancel()
    for task in ended:
        task.result()
