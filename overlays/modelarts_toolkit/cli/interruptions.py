"""Signals that end a command, which can first save its results."""

import os
import select
import signal
import threading
import time
from types import FrameType, TracebackType
from typing import Any, Self

SIGHUP, SIGALRM = (getattr(signal, name, None) for name in ("SIGHUP", "SIGALRM"))  # Windows has neither
SIGNALS = (signal.SIGINT, signal.SIGTERM, SIGHUP, SIGALRM)
TIMED_OUT = 124  # exit status, as of timeout(1)
REPEATED_S = 1.0  # timeout(1), shells and terminals may send the same signal twice


class Interrupted(Exception):  # noqa: N818 - not an error
    """A signal arrived, or the time limit has passed; `status` is the exit status for it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.status = _status(number)
        self.is_timeout = number == SIGALRM
        self.is_ctrl_c = number == signal.SIGINT


class Interruptions:
    """Remembers the first signal in a `with` block; `check` and `sleep` raise it once. A second one ends the process.

    Other code is never interrupted halfway. The process may still be killed, so cleanup must not depend on it.
    Signals that were ignored at the start, as by nohup, stay ignored.
    """

    def __init__(self) -> None:
        self._number: int | None = None
        self._since = 0.0
        self._is_raised = False
        self._previous: dict[int, Any] = {}
        self._terminals = [descriptor for descriptor in (1, 2) if os.isatty(descriptor)]

    def __enter__(self) -> Self:
        self._woken, self._waker = os.pipe()
        if threading.current_thread() is threading.main_thread():
            for number in filter(None, SIGNALS):
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._previous[number] = signal.signal(number, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.set_limit(None)
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        os.close(self._woken)
        os.close(self._waker)

    def set_limit(self, seconds: float | None) -> None:
        """Interrupt after this time; None removes the limit."""
        if SIGALRM in self._previous:
            signal.setitimer(signal.ITIMER_REAL, seconds or 0)

    def check(self) -> None:
        """Raise Interrupted once, after the first signal."""
        if self._number is not None and not self._is_raised:
            self._is_raised = True
            raise Interrupted(self._number)

    def sleep(self, seconds: float) -> None:
        """Wait until the time has passed or a signal arrives; then check."""
        select.select([] if self._is_raised else [self._woken], [], [], seconds)
        self.check()

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        if number == SIGHUP:
            self._leave_terminal()
        if self._number is None:
            self._number, self._since = number, time.monotonic()
            os.write(self._waker, b"x")
        elif number in (signal.SIGINT, signal.SIGTERM) and time.monotonic() > self._since + REPEATED_S:
            os.write(2, b"Interrupted.\n")
            os._exit(_status(number))

    def _leave_terminal(self) -> None:
        """Discard output to the closed terminal; writing to it would be an error."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for descriptor in self._terminals:
            os.dup2(nowhere, descriptor)
        os.close(nowhere)


def _status(number: int) -> int:
    return TIMED_OUT if number == SIGALRM else 128 + number
