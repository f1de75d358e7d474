"""Run coroutines of object storage in a separate event loop, so that they can be interrupted."""

import asyncio
import atexit
import os
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import TypeVar

from modelarts_toolkit.errors import ObsError

T = TypeVar("T")

EXIT_PAUSE_S = 0.05

_last_end = -EXIT_PAUSE_S  # of a call of obstore, by time.monotonic()
_user: int | None = None  # the process that calls obstore, whose threads a child does not have


# A thread of obstore may still need the interpreter after it has passed on a result. If Python ends then, the process
# aborts (github.com/PyO3/pyo3-async-runtimes, issue 40). Nothing reports the end of these threads, so wait a moment.
@atexit.register
def _await_threads() -> None:
    time.sleep(max(0.0, _last_end + EXIT_PAUSE_S - time.monotonic()))


def run(function: Callable[..., Coroutine[object, object, T]], *arguments: object) -> T:
    """Run the coroutine; Ctrl-C cancels it, and raises KeyboardInterrupt.

    It runs in this thread, whose signal handler cancels it, or in another thread if an event loop runs here already, as
    in a notebook.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        # with its own factory, the runner does not change the result of `asyncio.get_event_loop` for the user
        with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
            return runner.run(function(*arguments))
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, name="modelarts-obs", daemon=True)
    thread.start()
    call = asyncio.run_coroutine_threadsafe(function(*arguments), loop)
    try:
        return call.result()
    except BaseException:
        call.cancel()
        raise
    finally:
        asyncio.run_coroutine_threadsafe(_others_ended(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def run_async(function: Callable[..., Coroutine[object, object, T]], *arguments: object) -> T:
    """As `run`, in the caller's event loop."""
    return await function(*arguments)


async def _others_ended() -> None:
    """Wait until a call that was cancelled has ended."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    await asyncio.gather(*others, return_exceptions=True)


@contextmanager
def library_threads() -> Iterator[None]:
    """Remember when the calls of obstore in this block have ended; in a child of their process raises ObsError."""
    global _last_end, _user
    _user = _user or os.getpid()
    if _user != os.getpid():
        raise ObsError(
            "object storage was used before this process was forked, and its library cannot continue in a child: "
            'start processes with multiprocessing\'s method "spawn", or use object storage only after the fork',
            url="obs://",
        )
    try:
        yield
    finally:
        _last_end = time.monotonic()
