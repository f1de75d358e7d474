"""One writer at a time, of all threads and processes that use a store, and a note of what it is doing.

The note lies in the lock's file: whoever takes the lock next finishes what a writer that was killed left half done.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from modelarts_emulator.storage.directories import make_directories
from modelarts_emulator.storage.errors import ServiceUnavailable

LOCK_TIMEOUT_S = 30.0
"""Writers hold the lock for less than a millisecond; one that is stopped (SIGSTOP) must not hold up all others."""

_MAX_NOTE = 16 * 1024  # bytes; a key has at most 1,024, which JSON may write as six times as many

CleanUp = Callable[[str, str, Sequence[str]], None]
"""Takes bucket, key and ETags, of which all but the current one are to be forgotten."""


class WriteLock:
    """The lock of the store at `root`."""

    def __init__(self, root: Path, clean_up: CleanUp, timeout_s: float = LOCK_TIMEOUT_S) -> None:
        self._root = os.fspath(root)
        self._clean_up = clean_up
        self._timeout_s = timeout_s

    @contextlib.contextmanager
    def hold(self) -> Iterator[Journal]:
        """Hold the lock; raises ServiceUnavailable if another writer keeps it."""
        file = self._open()
        try:
            self._acquire(file)
            journal = Journal(file, self._clean_up)
            journal.finish()
            try:
                yield journal
            finally:
                journal.finish()
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


class Journal:
    """The note in the lock's file."""

    def __init__(self, file: int, clean_up: CleanUp) -> None:
        self._file = file
        self._clean_up = clean_up
        self._noted = os.pread(file, _MAX_NOTE, 0)

    def note(self, bucket: str, key: str, etags: Sequence[str]) -> None:
        """Note that, when the lock is released, all these states of an object but the current one are history."""
        self._noted = json.dumps([bucket, key, etags]).encode()
        with contextlib.suppress(OSError):  # on a full disk, objects can still be deleted
            os.pwrite(self._file, self._noted, 0)

    def finish(self) -> None:
        """Do what the note says, if there is one."""
        if not self._noted:
            return
        with contextlib.suppress(ValueError, TypeError, OSError):  # a note that was cut off: nothing was begun
            self._clean_up(*json.loads(self._noted))
        self._noted = b""
        os.ftruncate(self._file, 0)
