"""Signals that ask a command to end, so that it can first bring home what it has."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any, Self

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
TIMED_OUT = 124  # exit status, as that of timeout(1)
REPEATED_S = 1.0  # timeout(1), shells and terminals may send the same signal twice


class Interrupted(KeyboardInterrupt):
    """A signal asked the command to end, or its time is over; `status` is the exit status that says so."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.status = TIMED_OUT if number == signal.SIGALRM else 128 + number


class Interruptions:
    """Raises Interrupted in a `with` block: for the first signal only where it is allowed, for a second one at once.

    Signals that the command was started to ignore, as by nohup, are ignored.
    """

    def __init__(self) -> None:
        self._number: int | None = None
        self._since = 0.0
        self._is_allowed = False
        self._previous: dict[int, Any] = {}
        self._terminals = [descriptor for descriptor in (1, 2) if os.isatty(descriptor)]

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (*SIGNALS, signal.SIGALRM):
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._previous[number] = signal.signal(number, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    @contextlib.contextmanager
    def allowed(self, limit_s: float | None = None) -> Iterator[None]:
        """Raise Interrupted in this block, also after `limit_s` seconds; at once if a signal came before."""
        try:
            self._is_allowed = True
            if self._number is not None:
                raise Interrupted(self._number)
            if limit_s is not None and signal.SIGALRM in self._previous:
                signal.setitimer(signal.ITIMER_REAL, limit_s)
            yield
        finally:
            self._is_allowed = False
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        if number == signal.SIGHUP:
            self._leave_terminal()
        if self._number is None:
            self._number, self._since = number, time.monotonic()
            if self._is_allowed:
                self._is_allowed = False
                raise Interrupted(number)
        elif number in (signal.SIGINT, signal.SIGTERM) and time.monotonic() > self._since + REPEATED_S:
            raise Interrupted(number)

    def _leave_terminal(self) -> None:
        """Write to nowhere what would be written to a terminal that is gone, which would be an error."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for descriptor in self._terminals:
            os.dup2(nowhere, descriptor)
        os.close(nowhere)
