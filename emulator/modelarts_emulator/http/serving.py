"""The HTTP servers of both ports: uvicorn's, as the emulator uses it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from modelarts_emulator.http.connections import ConnectionProtocol, ResponseHeaders
from modelarts_emulator.http.errors import EmulatorError

__all__ = ["Server", "server_config", "wait_for_first", "wait_until_stopped"]

GRACEFUL_SHUTDOWN_S = 2
"""What responses under way may still take when the emulator stops."""


class Server(uvicorn.Server):
    """uvicorn without its signal handlers, because the emulator has its own."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def server_config(app: ASGIApp, clock: Callable[[], float]) -> uvicorn.Config:
    """How uvicorn serves the application, whose responses are dated by `clock`, in seconds since 1970."""
    return uvicorn.Config(
        ResponseHeaders(app, clock),
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
