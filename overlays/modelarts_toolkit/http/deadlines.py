"""Time limits of complete calls.

httpx's timeouts limit each wait for the network, not a whole call. A slow server, a login, or a pause between retries
can make the call longer.
"""

import asyncio
import contextlib
import contextvars
import math
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future, wait
from typing import TypeVar

from modelarts_toolkit.errors import ConnectionFailed

T = TypeVar("T")

_deadline: contextvars.ContextVar[float] = contextvars.ContextVar("deadline", default=math.inf)  # of time.monotonic


def remaining_s() -> float | None:
    """Return the seconds until the deadline of the current call, at least 0.001; None without a deadline."""
    deadline = _deadline.get()
    return None if deadline == math.inf else max(deadline - time.monotonic(), 0.001)


def call_within(limit_s: float, function: Callable[[], T]) -> T:
    """Call the function; raise ConnectionFailed if it does not return within the limit.

    It runs in a thread, which then continues until its own timeouts; the transport shortens them to the limit.
    """
    if limit_s == math.inf:
        return function()
    result: Future[T] = Future()

    def call() -> None:
        try:
            with _limited(limit_s):
                result.set_result(function())
        except BaseException as error:
            result.set_exception(error)

    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=[call], name="modelarts-call", daemon=True).start()
    if not wait([result], limit_s).done:
        raise _expired(limit_s)
    return result.result()


async def call_within_async(limit_s: float, function: Callable[[], Awaitable[T]]) -> T:
    """As `call_within`; a call that takes too long is cancelled."""
    if limit_s == math.inf:
        return await function()
    try:
        with _limited(limit_s):
            async with asyncio.timeout(limit_s) as scope:
                return await function()
    except TimeoutError:
        if scope.expired():
            raise _expired(limit_s) from None
        raise


@contextlib.contextmanager
def _limited(limit_s: float) -> Iterator[None]:
    token = _deadline.set(time.monotonic() + limit_s)
    try:
        yield
    finally:
        _deadline.reset(token)


def _expired(limit_s: float) -> ConnectionFailed:
    return ConnectionFailed(f"no complete response within {limit_s:.3g} s")
