"""Files that are complete or not there: a reader sees the old content or the new one, never a part.

Nobody but the owner may read them, for they may hold secrets. Standard library only.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import uuid
from collections.abc import Iterator
from pathlib import Path

__all__ = ["create_file", "replace_file"]

_NO_HARD_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV}


def replace_file(path: Path, data: bytes, is_durable: bool = True) -> None:
    """Create or replace the file; raises OSError and leaves the old file and no draft if that fails.

    If it is to be durable, a power cut after the return does not undo it.
    """
    with _draft(path, data, is_durable) as draft:
        draft.replace(path)
    if is_durable:
        _sync_folder(path.parent)


def create_file(path: Path, data: bytes) -> bool:
    """Create the file durably; False if it exists. Of several processes that do so at once, one gets True."""
    with _draft(path, data, is_durable=True) as draft:
        if not _publish(draft, path):
            return False
    _sync_folder(path.parent)
    return True


@contextlib.contextmanager
def _draft(path: Path, data: bytes, is_durable: bool) -> Iterator[Path]:
    """Write a complete file beside the path; it is removed at the end unless it has got another name."""
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(file, "wb") as stream:
            stream.write(data)
            stream.flush()
            if is_durable:
                os.fsync(file)
        yield draft
    finally:
        draft.unlink(missing_ok=True)


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
