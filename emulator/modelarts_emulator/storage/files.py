"""Files and directories, with the standard library only.

Files are complete or not there: a reader sees the old content or the new one, never a part. `replace_file` and
`create_file` write small files at once, which nobody but the owner may read, for they may hold secrets. A `DraftFile`
is written piece by piece, and locked while its writer lives, so that `sweep` finds those of dead writers.

Directories may be deeper than any path, and other processes may change them meanwhile.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Self, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

Result = TypeVar("Result")

_ABSENT = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.ENXIO}
_PIECE_BYTES = 1 << 20
_WRITEBACK_BYTES = 8 << 20
"""The disk is asked to write after each such piece of a draft, so that `flush` finds little left to do."""


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
        self._is_moved = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._stream.closed:
            self._stream.close()
            if not self._is_moved:
                self.path.unlink(missing_ok=True)

    def move(self, path: str | os.PathLike[str]) -> None:
        """Give the file another path, in place of the file that is there."""
        os.replace(self.path, path)  # noqa: PTH105 - pathlib is slower, and objects wait for this
        self._is_moved = True

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
                # Linux begins to write the pages; it drops none that the disk does not have.
                os.posix_fadvise(self._stream.fileno(), self._begun, waiting, os.POSIX_FADV_DONTNEED)
            self._begun = self._size

    def flush(self) -> None:
        """Make what was written survive a crash of the machine."""
        os.fsync(self._stream.fileno())


def acquire_lock(file: int, timeout_s: float, kind: int = fcntl.LOCK_EX) -> bool:
    """Wait for the lock of an open file; whether it was there in time."""
    deadline, pause_s = time.monotonic() + timeout_s, 0.0005
    while True:
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(file, kind | fcntl.LOCK_NB)
            return True
        if time.monotonic() > deadline:
            return False
        time.sleep(pause_s)
        pause_s = min(pause_s * 2, 0.01)


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
        draft.move(path)
    if is_durable:
        sync_folder(path.parent)


def create_file(path: Path, data: bytes) -> bool:
    """Create the file durably; False if it exists. Of several processes that do so at once, one gets True."""
    with _draft(path, data, is_durable=True) as draft:
        try:
            os.link(draft.path, path)
        except FileExistsError:
            return False
    sync_folder(path.parent)
    return True


@contextlib.contextmanager
def _draft(path: Path, data: bytes, is_durable: bool) -> Iterator[DraftFile]:
    """Write a complete file next to the path; it is removed at the end unless it has got another name."""
    with DraftFile(path.parent, f".{path.name}.", 0o600) as draft:
        draft.write(data)
        if is_durable:
            draft.flush()
        yield draft


def sync_folder(folder: Path) -> None:
    """Let the names in the folder survive a power cut."""
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(OSError):  # not every file system can, and the file itself is on the disk
            os.fsync(file)
    finally:
        os.close(file)


def is_absent(error: OSError) -> bool:
    """Whether the error says that there is nothing to read at a path (now)."""
    return error.errno in _ABSENT


def open_regular(path: str | os.PathLike[str]) -> FileIO:
    """Open a regular file for reading without waiting, as a FIFO would; raises FileNotFoundError for anything else."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if is_absent(error):
            raise FileNotFoundError(error.errno, error.strerror, os.fspath(path)) from None
        raise
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise FileNotFoundError(errno.ENOENT, "not a regular file", os.fspath(path))
    return FileIO(file)


def pieces(stream: BinaryIO | FileIO, size: int = sys.maxsize) -> Iterator[bytes]:
    """Yield the next bytes of the stream, at most `size`, a megabyte at a time."""
    while size > 0 and (data := stream.read(min(_PIECE_BYTES, size))):
        size -= len(data)
        yield data


def make_directories(path: str) -> None:
    """Make a directory and those above it; raises FileExistsError or NotADirectoryError if a file is in the way."""
    pending = [path]
    while pending:
        current = pending[-1]
        try:
            os.mkdir(current)  # noqa: PTH102 - text is quicker, and Path.mkdir recurses
        except FileNotFoundError:
            if (parent := os.path.dirname(current)) == current:  # noqa: PTH120
                raise
            pending.append(parent)
            continue
        except FileExistsError:
            if not os.path.isdir(current):  # noqa: PTH112
                raise
        pending.pop()


def in_folder(folder: str, act: Callable[[], Result]) -> Result:
    """Do what needs the folder, which is made first if it does not exist."""
    try:
        return act()
    except FileNotFoundError:
        make_directories(folder)
        return act()


def remove_empty(folder: str) -> bool:
    """Remove a directory in which there are only directories; whether it is gone. A file is never removed."""
    found = [folder]
    for current in found:  # grows while it is read
        try:
            with os.scandir(current) as entries:
                for entry in entries:
                    if not entry.is_dir(follow_symlinks=False):
                        return False
                    found.append(entry.path)
        except FileNotFoundError:
            continue
        except OSError:
            return False
    for current in reversed(found):
        try:
            os.rmdir(current)  # noqa: PTH106
        except FileNotFoundError:
            continue
        except OSError:
            return False  # something was put there meanwhile
    return True


UNDELIVERED = ".undelivered"
"""A file beside the folders of jobs: a message has promised that outputs remain in one of them."""


def remove_tree(folder: Path) -> None:
    """Remove the folder with all that is in it, also where a script took away the right to; follows no link."""
    # Every directory is moved to the top before it is emptied: no tree is too deep, neither for the length of a path
    # nor for a stack. What cannot be removed now remains, and the rest does not.
    pending = [folder]
    for directory in pending:
        with contextlib.suppress(OSError):
            if directory.is_symlink() or not directory.is_dir():
                directory.unlink()
                continue
            directory.chmod(0o700)
            with os.scandir(directory) as entries:
                found = list(entries)
            for entry in found:
                with contextlib.suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(_moved(Path(entry.path), folder))
                    else:
                        Path(entry.path).unlink()
            directory.rmdir()
    for directory in reversed(pending):
        with contextlib.suppress(OSError):
            directory.rmdir()


def _moved(directory: Path, top: Path) -> Path:
    """Move the directory to the top, unless the disk is too full even for that; returns where it is."""
    with contextlib.suppress(OSError):
        directory.chmod(0o700)  # its entry for its parent directory changes
        return directory.rename(top / uuid.uuid4().hex)
    return directory


class Trash:
    """A folder for files and directories to remove: they leave their place at once, and the disk later.

    To remove a directory can take milliseconds, in which the file system waits; to rename it takes microseconds. The
    trash is on the same file system as all that is discarded.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._remover: ThreadPoolExecutor | None = None
        self._is_closing = threading.Event()

    def discard(self, path: str) -> None:
        """Move the file or directory to the trash, if it is there."""
        target = f"{self._folder}/{uuid.uuid4().hex}"
        try:
            os.rename(path, target)  # noqa: PTH104 - text, because a reset waits for thousands
        except FileNotFoundError:
            if os.path.lexists(path):
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                os.rename(path, target)  # noqa: PTH104

    def empty(self) -> None:
        """Remove what is in the trash, in a thread of its own; also what a crash has left there."""
        if self._remover is None:
            from concurrent.futures import ThreadPoolExecutor  # controllers of tasks discard nothing, and start quickly

            self._remover = ThreadPoolExecutor(max_workers=1, thread_name_prefix="trash")
            self._is_closing = threading.Event()
        with contextlib.suppress(RuntimeError):  # the interpreter ends: the next process removes it
            self._remover.submit(_empty, self._folder, self._is_closing)

    def close(self) -> None:
        """Stop removing; the next process that uses this trash removes the rest."""
        if self._remover is not None:
            self._is_closing.set()
            self._remover.shutdown(cancel_futures=True)
            self._remover = None


def _empty(folder: Path, is_closing: threading.Event) -> None:
    for path in folder.iterdir() if folder.is_dir() else ():
        if is_closing.is_set():
            return
        remove_tree(path)
