"""Files that are complete or not there: a reader sees the old content or the new one, never a part. Standard library.

`replace_file` and `create_file` write small files at once, which nobody but the owner may read, for they may hold
secrets. A `DraftFile` is written piece by piece, and locked while its writer lives, so that `sweep` finds those of dead
writers.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import uuid
from collections.abc import Iterable, Iterator
from io import FileIO
from pathlib import Path
from typing import Self

__all__ = ["DraftFile", "create_file", "replace_file", "sweep"]

_NO_HARD_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV}
_WRITEBACK_BYTES = 8 << 20
"""Bytes that are written before the disk is asked to begin with them, so that `flush` finds little left to do."""


class DraftFile:
    """A new, locked file in `folder`: a context manager that removes it, unless it was moved away."""

    def __init__(self, folder: Path, prefix: str = "", mode: int = 0o666) -> None:
        while True:
            self.path = folder / f"{prefix}{uuid.uuid4().hex}"
            # Unbuffered: closing it writes nothing, so it cannot fail on a full disk.
            self._stream = FileIO(os.fspath(self.path), "x", opener=lambda path, flags: os.open(path, flags, mode))
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


def sweep(paths: Iterable[Path]) -> None:
    """Remove the drafts among `paths` whose writers died."""
    for path in paths:
        with contextlib.suppress(FileNotFoundError, BlockingIOError), path.open("rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()


def replace_file(path: Path, data: bytes, is_durable: bool = True) -> None:
    """Create or replace the file; raises OSError and leaves the old file and no draft if that fails.

    If it is to be durable, a power cut after the return does not undo it.
    """
    with _draft(path, data, is_durable) as draft:
        draft.path.replace(path)
    if is_durable:
        _sync_folder(path.parent)


def create_file(path: Path, data: bytes) -> bool:
    """Create the file durably; False if it exists. Of several processes that do so at once, one gets True."""
    with _draft(path, data, is_durable=True) as draft:
        if not _publish(draft.path, path):
            return False
    _sync_folder(path.parent)
    return True


@contextlib.contextmanager
def _draft(path: Path, data: bytes, is_durable: bool) -> Iterator[DraftFile]:
    """Write a complete file beside the path; it is removed at the end unless it has got another name."""
    with DraftFile(path.parent, f".{path.name}.", 0o600) as draft:
        draft.write(data)
        if is_durable:
            draft.flush()
        yield draft


def _publish(draft: Path, path: Path) -> bool:
    """Give the draft its name unless the name is taken; False if it is."""
    try:
        os.link(draft, path)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        return _rename_once(draft, path)
    return True


def _rename_once(draft: Path, path: Path) -> bool:
    """As `_publish`, on a file system without hard links: a lock of the folder, which ends with its process."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        if os.path.lexists(path):
            return False
        draft.rename(path)
        return True
    finally:
        os.close(folder)


def _sync_folder(folder: Path) -> None:
    """Let the names in the folder survive a power cut."""
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(OSError):  # not every file system can, and the file itself is on the disk
            os.fsync(file)
    finally:
        os.close(file)
