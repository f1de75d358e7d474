"""Files that are being written: locked while their writer lives, so that those of dead writers can be found."""

from __future__ import annotations

import contextlib
import fcntl
import os
import uuid
from collections.abc import Callable, Iterable
from io import FileIO
from pathlib import Path
from typing import Any, Self

from modelarts_emulator.storage.protocol import ObjectInfo

_WRITEBACK_BYTES = 8 << 20
"""Bytes that are written before the disk is asked to begin with them, so that `flush` finds little left to do."""


class DraftFile:
    """A new, locked file in `folder`: a context manager that removes it, unless it was moved away."""

    def __init__(self, folder: Path, prefix: str = "") -> None:
        while True:
            self.path = folder / f"{prefix}{uuid.uuid4().hex}"
            # Unbuffered: closing it writes nothing, so it cannot fail on a full disk.
            self._stream = FileIO(os.fspath(self.path), "x")
            fcntl.flock(self._stream, fcntl.LOCK_EX)
            if os.fstat(self._stream.fileno()).st_nlink:
                break
            self._stream.close()  # removed by a sweep before it was locked
        self._size = self._begun = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()
        self.path.unlink(missing_ok=True)

    def fileno(self) -> int:
        """The file descriptor."""
        return self._stream.fileno()

    def write(self, data: bytes | bytearray) -> None:
        """Append."""
        left = memoryview(data)
        while left:
            left = left[self._stream.write(left) or 0 :]
        self._size += len(data)
        if (waiting := self._size - self._begun) >= _WRITEBACK_BYTES:
            if hasattr(os, "posix_fadvise"):  # not on macOS
                # What waits for the disk is not forgotten, whatever the name says: Linux begins to write it.
                os.posix_fadvise(self._stream.fileno(), self._begun, waiting, os.POSIX_FADV_DONTNEED)
            self._begun = self._size

    def flush(self) -> None:
        """Make what was written survive a crash of the machine."""
        os.fsync(self._stream.fileno())


class ObjectDraft(DraftFile):
    """An object that is being written to a file; `finish` takes the complete file and makes it the object."""

    def __init__(self, folder: Path, finish: Callable[..., ObjectInfo]) -> None:
        super().__init__(folder)
        self._finish = finish

    def commit(self, *attributes: Any, **conditions: Any) -> ObjectInfo:
        """Make it the object, as `Draft.commit` of the protocol says."""
        return self._finish(self, *attributes, **conditions)


def sweep(paths: Iterable[Path]) -> None:
    """Remove the drafts among `paths` whose writers died."""
    for path in paths:
        with contextlib.suppress(FileNotFoundError, BlockingIOError), path.open("rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()
