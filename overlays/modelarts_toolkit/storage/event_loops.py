"""Coroutines of object storage in an event loop of their own, so that they can be interrupted."""

import asyncio
import atexit
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import TypeVar

T = TypeVar("T")

EXIT_PAUSE_S = 0.05

_last_end = -EXIT_PAUSE_S  # of a call of obstore, by time.monotonic()


# A thread of obstore that hands over a result may still need the interpreter when it ends: the process would abort then
# (github.com/PyO3/pyo3-async-runtimes, issue 40). Nothing tells when such threads are done; they need a moment only.
@atexit.register
def _await_threads() -> None:
    time.sleep(max(0.0, _last_end + EXIT_PAUSE_S - time.monotonic()))


def run(function: Callable[..., Coroutine[object, object, T]], *arguments: object) -> T:
    """Run the coroutine; Ctrl-C cancels it, and raises KeyboardInterrupt.

    It runs in this thread, whose signal handler then cancels it; in another one if an event loop runs here already, as
    in a notebook.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        # with a factory of its own, the runner leaves alone what `asyncio.get_event_loop` returns to the user
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
    """Remember when the calls of obstore in this block have ended."""
    try:
        yield
    finally:
        _note_end()


def _note_end() -> None:
    global _last_end
    _last_end = time.monotonic()
