"""One writer at a time, of all threads and processes that use a store."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from modelarts_emulator.storage.directories import make_directories
from modelarts_emulator.storage.errors import ServiceUnavailable

LOCK_TIMEOUT_S = 30.0
"""Writers hold the lock for less than a millisecond; one that is stopped (SIGSTOP) must not hold up all others."""


class WriteLock:
    """The lock of the store at `root`."""

    def __init__(self, root: Path, timeout_s: float = LOCK_TIMEOUT_S) -> None:
        self._root = os.fspath(root)
        self._timeout_s = timeout_s

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        """Hold the lock; raises ServiceUnavailable if another writer keeps it."""
        file = self._open()
        try:
            self._acquire(file)
            yield
        finally:
            os.close(file)

    def _open(self) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        try:
            return os.open(f"{self._root}/.lock", flags, 0o600)
        except FileNotFoundError:
            make_directories(self._root)
            return os.open(f"{self._root}/.lock", flags, 0o600)

    def _acquire(self, file: int) -> None:
        deadline, pause_s = time.monotonic() + self._timeout_s, 0.0005
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise ServiceUnavailable(
                        f"another process has been writing to the object store for {self._timeout_s:g} s: "
                        "end it, or try again"
                    ) from None
                time.sleep(pause_s)
                pause_s = min(pause_s * 2, 0.01)
            else:
                return
