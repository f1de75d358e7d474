"""ETags and attributes of objects, and the records of buckets, in small files next to the objects."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
import stat
import time
from collections.abc import Mapping
from dataclasses import fields
from typing import NamedTuple

from modelarts_emulator.storage.files import in_folder
from modelarts_emulator.storage.objects import Attributes

BUCKET = ""  # the key of a bucket's own sidecar, and the only state of a bucket
_ATTRIBUTES = [field.name for field in fields(Attributes)]
_SEEN = 50_000  # files of which it is kept what their sidecars say, half a kilobyte each
_SETTLED_NS = 100_000_000  # after which any other change of a directory has another time
_USUAL_BYTES = 4096  # of a sidecar, unless there is much metadata


class Known(NamedTuple):
    """ETag, attributes (as JSON) and checksum of the bytes of one state of an object, each empty if not known."""

    etag: str
    attributes: str
    checksum: str = ""

    @classmethod
    def of(cls, etag: str | None, attributes: Attributes, checksum: str) -> Known:
        kept = {name: value for name in _ATTRIBUTES if (value := getattr(attributes, name))}
        return cls(etag or "", json.dumps(kept) if kept else "", checksum)

    @property
    def is_any(self) -> bool:
        return bool(self.etag or self.attributes)


def _identity(status: os.stat_result) -> tuple[int, ...]:
    """Return what differs for another file at the same path, and for a file that was changed."""
    return status.st_ino, status.st_ctime_ns, status.st_mtime_ns, status.st_size


def _line(state: str, known: Known) -> bytes:
    return f"{state}/{known.checksum} {known.etag} {known.attributes}\n".encode()


class Sidecars:
    """Metadata in a small text file for each bucket, and for each object that has any.

    Each line is `<state>/<checksum> <ETag> <attributes>`, where the state is size and time of the object's file. A
    write adds the line of the new file before it replaces the old one, so bytes and metadata change at the same moment,
    and a file that is replaced by hand has no metadata. By the checksum, a copy of the file that has another time keeps
    its metadata. The caller of `add`, `write` and `delete` holds the write lock.
    """

    def __init__(self, root: str, drafts: str) -> None:
        self._root = root
        self._draft = f"{drafts}/sidecar"
        self._seen: dict[tuple[str, str], tuple[tuple[int, ...], Known]] = {}

    def known(self, bucket: str, key: str, state: str, status: os.stat_result) -> Known | None:
        """Return what is known of the file with this status, or of the bucket's directory, in the state.

        It is read once: whoever replaces a file or a bucket has written the sidecar before, or removed the old one.
        """
        seen = self._seen.get((bucket, key))
        if seen is not None and seen[0] == _identity(status):
            return seen[1]
        known = self.read(bucket, key).get(state)
        is_settled = key == BUCKET and time.time_ns() - status.st_ctime_ns > _SETTLED_NS
        if known is not None and (is_settled or stat.S_ISREG(status.st_mode)):
            self.remember(bucket, key, status, known)
        return known

    def remember(self, bucket: str, key: str, status: os.stat_result, known: Known) -> None:
        """Keep what is known of the file with this status."""
        if len(self._seen) >= _SEEN:
            self._seen.clear()
        self._seen[bucket, key] = _identity(status), known

    def read(self, bucket: str, key: str) -> dict[str, Known]:
        """Return ETag and attributes by state; a line that a crash of the machine cut off is left out."""
        try:
            file = os.open(self._path(bucket, key), os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return {}
        try:
            data = os.read(file, _USUAL_BYTES)
            while len(data) % _USUAL_BYTES == 0 and (more := os.read(file, _USUAL_BYTES)):
                data += more
        finally:
            os.close(file)
        found = {}
        for line in data.decode("ascii", "replace").split("\n")[:-1]:
            label, _, known = line.partition(" ")
            etag, separator, attributes = known.partition(" ")
            if separator:
                state, _, checksum = label.partition("/")
                found[state] = Known(etag, attributes, checksum)
        return found

    def exists(self, bucket: str, key: str) -> bool:
        """Whether there is a sidecar."""
        return os.path.exists(self._path(bucket, key))  # noqa: PTH110 - asked for every prefix

    def add(self, bucket: str, key: str, state: str, known: Known, old: Mapping[str, Known]) -> None:
        """Write what is known of this state, and keep what is known of the old one."""
        # To replace a file takes ext4 up to a millisecond, and all writers wait for it.
        if not self._append(self._path(bucket, key), _line(state, known)):
            self.write(bucket, key, {**old, state: known})

    def _append(self, path: str, line: bytes) -> bool:
        """Append to the sidecar; False if there is none, if it is damaged or long, or if the disk is full."""
        try:
            file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        try:
            size = os.fstat(file).st_size
            if not 0 < size <= _USUAL_BYTES - len(line) or os.pread(file, 1, size - 1) != b"\n":
                return False
            # Readers leave out a line that is cut off, and `write` replaces it.
            return os.write(file, line) == len(line)
        finally:
            os.close(file)

    def write(self, bucket: str, key: str, states: Mapping[str, Known]) -> None:
        """Create or replace the sidecar; a reader sees the old one or the new one."""
        path, data = self._path(bucket, key), b"".join(_line(state, known) for state, known in states.items())
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
        file = in_folder(os.path.dirname(self._draft), lambda: os.open(self._draft, flags, 0o666))  # noqa: PTH120
        try:
            if os.write(file, data) < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            in_folder(os.path.dirname(path), lambda: os.replace(self._draft, path))  # noqa: PTH105, PTH120
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
        return f"{self._root}/{bucket}/{name[:2]}/{name[2:]}"
