"""Coroutines of object storage in an event loop of another thread, so that they can be interrupted."""

import asyncio
import atexit
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from anyio.from_thread import start_blocking_portal

T = TypeVar("T")

EXIT_PAUSE_S = 0.05

_last_end = -EXIT_PAUSE_S  # of a call of obstore, by time.monotonic()


# A thread of obstore that hands over a result may still need the interpreter when it ends: the process would abort then
# (github.com/PyO3/pyo3-async-runtimes, issue 40). Nothing tells when such threads are done; they need a moment only.
@atexit.register
def _await_threads() -> None:
    time.sleep(max(0.0, _last_end + EXIT_PAUSE_S - time.monotonic()))


def run(function: Callable[..., Awaitable[T]], *arguments: object) -> T:
    """Run the coroutine in the event loop of another thread; an exception, Ctrl-C too, cancels it."""
    with start_blocking_portal() as portal:
        return portal.call(function, *arguments)


async def run_async(function: Callable[..., Awaitable[T]], *arguments: object) -> T:
    """As `run`; neither files nor the other thread's start and end block the caller's event loop."""
    manager = start_blocking_portal()
    portal = await asyncio.to_thread(manager.__enter__)
    try:
        return await asyncio.wrap_future(portal.start_task_soon(function, *arguments))
    finally:
        await asyncio.to_thread(manager.__exit__, None, None, None)


@contextmanager
def library_threads() -> Iterator[None]:
    """Remember when the calls of obstore in this block have ended."""
    try:
        yield
    finally:
        _note_end()


def _note_end() -> None:
    global _last_end
    _last_end = time.monotonic()
