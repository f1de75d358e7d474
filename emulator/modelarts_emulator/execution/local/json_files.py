"""Files that hold one JSON object each, and are complete and on the disk, or not there at all.

A reader sees the old object or the new one, never a part. After a write has returned, a power cut does not undo it.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import stat
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

__all__ = ["MAX_BYTES", "UnreadableFile", "read", "read_bytes", "retry", "write", "write_once"]

T = TypeVar("T")

MAX_BYTES = 128 << 20
"""The largest file that is read: several times what the largest request makes of a job's specification."""

_NO_HARD_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV}
_ALTERED = {errno.EISDIR, errno.EACCES, errno.EPERM, errno.ELOOP, errno.ENXIO}
_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 5.0


class UnreadableFile(ValueError):  # noqa: N818 - a finding about a file, not a failure of the caller
    """The file is not one that was written here: something else made or altered it."""


def write(path: Path, value: Mapping[str, Any]) -> None:
    """Make or replace the file; raises OSError and leaves the old file and no draft if that fails."""
    draft = _draft(path, value)
    try:
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    _sync_folder(path.parent)


def write_once(path: Path, value: Mapping[str, Any]) -> bool:
    """Make the file unless it exists; False if it does. Of several writers exactly one gets True."""
    draft = _draft(path, value)
    try:
        if not _publish(draft, path):
            return False
    finally:
        draft.unlink(missing_ok=True)
    _sync_folder(path.parent)
    return True


def read(path: Path, max_bytes: int = MAX_BYTES) -> dict[str, Any] | None:
    """The object, or None if there is no file; raises UnreadableFile, and OSError if it cannot be read right now."""
    data = read_bytes(path, max_bytes + 1)
    if data is None:
        return None
    if len(data) > max_bytes:
        raise UnreadableFile(f"{path.name} has more than {max_bytes} bytes")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(f"{path.name} does not hold JSON") from error
    if not isinstance(value, dict):
        raise UnreadableFile(f"{path.name} does not hold a JSON object")
    return value


def read_bytes(path: Path, max_bytes: int, offset: int = 0) -> bytes | None:
    """At most so many bytes from the offset on, or None if there is no file; raises as `read`.

    It never waits, whatever stands at the path.
    """
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno in _ALTERED:
            raise UnreadableFile(f"{path.name} cannot be opened: {error.strerror}") from error
        raise
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise UnreadableFile(f"{path.name} is not a regular file")
        with os.fdopen(file, "rb", closefd=False) as stream:
            stream.seek(offset)
            return stream.read(max_bytes)
    finally:
        os.close(file)


def retry(action: Callable[[], T], timeout_s: float, on_wait: Callable[[OSError], None] = lambda _: None) -> T:
    """Repeat the action while it raises OSError, as it does on a full disk, with pauses of 0.1 to 5 s.

    `on_wait` is called before the first pause. Raises the last error after `timeout_s` seconds, and at once
    FileNotFoundError: then the folder was removed, which waiting does not bring back.
    """
    deadline = time.monotonic() + timeout_s
    pause = _FIRST_PAUSE_S
    while True:
        try:
            return action()
        except FileNotFoundError:
            raise
        except OSError as error:
            if time.monotonic() >= deadline:
                raise
            if pause == _FIRST_PAUSE_S:
                on_wait(error)
        time.sleep(min(pause, max(0.0, deadline - time.monotonic())))
        pause = min(2 * pause, _LONGEST_PAUSE_S)


def _draft(path: Path, value: Mapping[str, Any]) -> Path:
    """A complete and durable file beside the path; nothing is left of it if that fails."""
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    # Environment variables of a job may be secrets: nobody else reads these files.
    file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(file, "w", encoding="ascii") as stream:
            json.dump(value, stream)
            stream.flush()
            os.fsync(file)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    return draft


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
