"""What is known of objects and buckets beyond bytes: a small JSON file for each that has any, apart from the objects.

The sidecar of an object says what is known of each state of its file, by `state_of`: of the one that is there and of
the one that is about to replace it. So bytes and metadata change at the same moment, when the file is replaced, and a
file that was replaced by hand has none.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from modelarts_emulator.storage.directories import make_directories, move

__all__ = ["Sidecars"]

USUAL_BYTES = 4096  # of a sidecar, unless there is much metadata
BUCKET = ""  # stands for the bucket itself in place of a key


class Sidecars:
    """Sidecars below `root`, by bucket and key; whoever writes or deletes one holds the store's write lock.

    The one that is being written lies in the folder `drafts` of the same file system.
    """

    def __init__(self, root: Path, drafts: Path) -> None:
        self._root = os.fspath(root)
        self._draft = f"{drafts}/sidecar"

    def read(self, bucket: str, key: str = BUCKET) -> dict[str, Any]:
        """The sidecar; empty if there is none, or if a crash of the machine cut it off."""
        try:
            file = os.open(self._path(bucket, key), os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return {}
        try:
            data = os.read(file, USUAL_BYTES)
            while len(data) % USUAL_BYTES == 0 and (more := os.read(file, USUAL_BYTES)):
                data += more
            found: dict[str, Any] = json.loads(data)
        except ValueError:
            return {}
        finally:
            os.close(file)
        return found

    def exists(self, bucket: str, key: str) -> bool:
        """Whether there is a sidecar."""
        return os.path.exists(self._path(bucket, key))  # noqa: PTH110 - asked for every prefix

    def write(self, bucket: str, key: str, value: Mapping[str, Any]) -> None:
        """Make or replace the sidecar, whole for every reader."""
        path, data = self._path(bucket, key), json.dumps(value).encode()
        try:
            file = os.open(self._draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
        except FileNotFoundError:
            make_directories(os.path.dirname(self._draft))  # noqa: PTH120
            self.write(bucket, key, value)
            return
        try:
            if os.write(file, data) < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            try:
                os.replace(self._draft, path)  # noqa: PTH105
            except FileNotFoundError:
                move(self._draft, path)
        except BaseException:
            os.unlink(self._draft)  # noqa: PTH108
            raise
        finally:
            os.close(file)

    def delete(self, bucket: str, key: str) -> None:
        """Remove the sidecar, if there is one."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._path(bucket, key))  # noqa: PTH108

    def forget(self, bucket: str) -> None:
        """Remove the sidecars of a bucket and of its objects."""
        shutil.rmtree(f"{self._root}/{bucket}", ignore_errors=True)

    def _path(self, bucket: str, key: str) -> str:
        name = hashlib.sha256(key.encode()).hexdigest()
        return f"{self._root}/{bucket}/{name[:2]}/{name[2:]}.json"
