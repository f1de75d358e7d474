"""Coroutines of object storage in an event loop of their own, so that they can be interrupted."""

import asyncio
import atexit
import contextvars
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from threading import Thread
from typing import Generic, TypeVar

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
        return _run_here(function(*arguments))
    call = _ThreadCall(function(*arguments))
    try:
        return call.outcome.result()
    except BaseException:
        call.cancel()
        call.join()
        raise


async def run_async(function: Callable[..., Coroutine[object, object, T]], *arguments: object) -> T:
    """As `run`; files that are read and written do not block the caller's event loop."""
    call = _ThreadCall(function(*arguments))
    try:
        return await asyncio.wrap_future(call.outcome)
    except BaseException:
        call.cancel()
        await asyncio.to_thread(call.join)
        raise


def _run_here(coroutine: Coroutine[object, object, T]) -> T:
    # with a factory of its own, the runner leaves alone what `asyncio.get_event_loop` returns to the user
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        return runner.run(coroutine)


class _ThreadCall(Generic[T]):
    """A coroutine that runs in the event loop of another thread; `outcome` is its result or error."""

    def __init__(self, coroutine: Coroutine[object, object, T]) -> None:
        self._coroutine = coroutine
        self._started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = Future()
        self.outcome: Future[T] = Future()
        self.outcome.set_running_or_notify_cancel()  # from here on, only the thread ends it
        context = contextvars.copy_context()
        self._thread = Thread(target=context.run, args=(self._run,), name="modelarts-obs", daemon=True)
        self._thread.start()

    def cancel(self) -> None:
        """Cancel the coroutine, unless it has ended."""
        if self._started.cancel():  # it will not begin
            return
        loop, task = self._started.result()
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(task.cancel)

    def join(self) -> None:
        """Wait until the thread has ended."""
        self._thread.join()

    def _run(self) -> None:
        try:
            result = _run_here(self._main())
        except BaseException as error:
            self.outcome.set_exception(error)
        else:
            self.outcome.set_result(result)

    async def _main(self) -> T:
        loop, task = asyncio.get_running_loop(), asyncio.create_task(self._coroutine)
        self._started.set_result((loop, task))
        return await task


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
