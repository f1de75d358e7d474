"""Files that hold one JSON object each, and are complete and on the disk, or not there at all.

A reader sees the old object or the new one, never a part. After a write has returned, a power cut does not undo it.
"""

from __future__ import annotations

import errno
import json
import os
import stat
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from modelarts_emulator.storage.files import create_file, replace_file

__all__ = ["MAX_BYTES", "UnreadableFile", "read", "read_bytes", "retry", "write", "write_once"]

T = TypeVar("T")

MAX_BYTES = 128 << 20
"""The largest file that is read: several times what the largest request makes of a job's specification."""

_ALTERED = {errno.EISDIR, errno.EACCES, errno.EPERM, errno.ELOOP, errno.ENXIO}
_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 5.0


class UnreadableFile(ValueError):  # noqa: N818 - a finding about a file, not a failure of the caller
    """The file is not one that was written here: something else made or altered it."""


def write(path: Path, value: Mapping[str, Any]) -> None:
    """Make or replace the file; raises OSError and leaves the old file and no draft if that fails."""
    replace_file(path, json.dumps(value).encode())


def write_once(path: Path, value: Mapping[str, Any]) -> bool:
    """Make the file unless it exists; False if it does. Of several writers exactly one gets True."""
    return create_file(path, json.dumps(value).encode())


def read(path: Path, max_bytes: int = MAX_BYTES) -> dict[str, Any] | None:
    """The object, or None without a file; raises UnreadableFile, and OSError if it cannot be read right now."""
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
    """At most `max_bytes` bytes from the offset on, or None without a file; raises as `read`.

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
