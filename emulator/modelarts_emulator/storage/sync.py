"""Copies trees between a local folder and a bucket."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterator, MutableMapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from modelarts_emulator.storage.errors import (
    DISK_FULL,
    InvalidKey,
    NoSuchBucket,
    NoSuchKey,
    ServiceUnavailable,
    StoreError,
)
from modelarts_emulator.storage.files import make_directories, open_regular, pieces
from modelarts_emulator.storage.names import check_key, relative_path

if TYPE_CHECKING:
    from modelarts_emulator.storage.protocol import Store

_CHUNK = 1 << 20
_SHARED_CHUNK = 64 << 20
"""Bytes that the kernel copies at a time; in between a job can be stopped."""
_MOST_BUSY = 3
"""Consecutive 503 responses after which an upload gives up: each may have taken long."""
_NAMED_FILES = 5
"""How many files an error names."""
_SHOWN = 200
"""How many characters of a file's name an error shows."""


def download(store: Store, bucket: str, prefix: str, folder: Path) -> int:
    """Copy the object `prefix`, or all objects below the folder `prefix`, into `folder`; returns how many."""
    make_directories(os.fspath(folder))
    if prefix and not prefix.endswith("/"):
        with contextlib.suppress(NoSuchKey):
            _copy_out(store, bucket, prefix, folder / prefix.rpartition("/")[2])
            return 1
        prefix += "/"
    count = 0
    for key, _ in store.sizes(bucket, prefix):
        inner = key[len(prefix) :]
        with contextlib.suppress(NoSuchKey):  # deleted since it was listed: as if it had been deleted before
            if inner:
                _copy_out(store, bucket, key, folder / relative_path(inner))
            count += 1
    return count


def _copy_out(store: Store, bucket: str, key: str, target: Path) -> None:
    if key.endswith("/"):
        make_directories(os.fspath(target))
        return
    _, source = store.get(bucket, key)
    with source:
        make_directories(os.fspath(target.parent))
        with target.open("wb") as stream:
            _copy(source, stream)
        # A script that was executable where the user dropped it stays so.
        target.chmod(target.stat().st_mode | os.fstat(source.fileno()).st_mode & 0o111)


def _copy(source: BinaryIO, target: BinaryIO) -> None:
    """Copy all bytes; where the file system can, both files share them until one is changed."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):  # no file, or on two file systems: what is left is copied below
            while os.copy_file_range(source.fileno(), target.fileno(), _SHARED_CHUNK):
                pass
    shutil.copyfileobj(source, target, _CHUNK)


def upload(
    store: Store,
    folder: Path,
    bucket: str,
    prefix: str,
    seen: MutableMapping[Path, tuple[int, int]] | None = None,
) -> int:
    """Copy all files below `folder` to keys below `prefix`; returns how many.

    `seen` has size and time of files that were copied before: one that is unchanged is left out, one that is copied is
    added.
    Raises NoSuchBucket at once. Raises StoreError at the end with the files that could not be copied; its cause is the
    OSError of a full disk if that was among them. Gives up after three consecutive 503 responses.
    """
    if prefix and not prefix.endswith("/"):
        prefix += "/"
    seen = {} if seen is None else seen
    count = busy = 0
    problems: list[tuple[str, Exception]] = []
    for path, key in _files(folder, prefix, problems):
        try:
            with open_regular(path) as stream:
                status = os.fstat(stream.fileno())
                state = state_of(status)
                if seen.get(path) == state:
                    continue
                store.put(bucket, key, pieces(stream))
        except FileNotFoundError:
            continue  # a temporary file, gone before it could be copied, or now a FIFO
        except NoSuchBucket:
            raise
        except (StoreError, OSError) as error:
            problems.append((key[len(prefix) :], error))
            busy = busy + 1 if isinstance(error, ServiceUnavailable) else 0
            if busy == _MOST_BUSY:
                break
        else:
            busy = 0
            seen[path] = state
            count += 1
    if problems:
        full = next((error for _, error in problems if getattr(error, "errno", None) in DISK_FULL), None)
        raise StoreError("InternalError", _summary(problems)) from full
    return count


def state_of(status: os.stat_result) -> tuple[int, int]:
    """The size and time that show `upload` whether a file has changed."""
    return status.st_size, status.st_mtime_ns


def _summary(problems: Sequence[tuple[str, Exception]]) -> str:
    """Say how many files were left out, and name the first ones with their errors."""
    shown = [f"{_shortened(name)}: {error}" for name, error in problems[:_NAMED_FILES]]
    more = [f"and {len(problems) - _NAMED_FILES} more"] if len(problems) > _NAMED_FILES else []
    return f"{len(problems)} file(s) could not be uploaded: {'; '.join(shown + more)}"


def _shortened(name: str) -> str:
    return name if len(name) <= _SHOWN else f"{name[: _SHOWN // 2]}...{name[-_SHOWN // 2 :]}"


def _files(folder: Path, prefix: str, problems: list[tuple[str, Exception]]) -> Iterator[tuple[Path, str]]:
    """Yield regular files with their keys; links to files are followed, links to directories are not.

    Files without a valid key are added to `problems` instead, a directory that lies too deep as a whole.
    """
    pending = [(str(folder), prefix)]
    while pending:
        directory, base = pending.pop()
        below = []
        try:
            with os.scandir(directory) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except (FileNotFoundError, NotADirectoryError):
            continue  # gone since it was seen
        except OSError as error:
            problems.append((base[len(prefix) :], error))
            continue
        for entry in entries:
            key = base + entry.name
            try:
                check_key(key)
                if entry.is_dir(follow_symlinks=False):
                    check_key(f"{key}/x")
                    below.append((entry.path, f"{key}/"))
                elif os.path.isfile(entry.path):  # noqa: PTH113 - False for a loop of links
                    yield Path(entry.path), key
            except (InvalidKey, OSError) as error:
                problems.append((key[len(prefix) :], error))
        pending += reversed(below)
