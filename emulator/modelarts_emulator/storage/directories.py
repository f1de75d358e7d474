"""File-system work that neither deep trees nor other processes can break: no recursion, no waiting, no lost files."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import uuid
from io import FileIO
from pathlib import Path

_ABSENT = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.ENXIO}


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


def move(source: str, path: str) -> None:
    """Move a file to `path`, over one that is there, making the directories above it."""
    make_directories(os.path.dirname(path))  # noqa: PTH120
    os.replace(source, path)  # noqa: PTH105


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
