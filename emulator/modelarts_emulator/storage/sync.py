"""Copies trees between a local folder and a bucket."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections import Counter
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
from modelarts_emulator.storage.files import is_absent, make_directories, open_regular, pieces
from modelarts_emulator.storage.links import Links, is_within
from modelarts_emulator.storage.names import check_key, relative_path

if TYPE_CHECKING:
    from modelarts_emulator.storage.protocol import Store

_CHUNK = 1 << 20
_SHARED_CHUNK = 64 << 20
"""Bytes that the kernel copies at a time; in between a job can be stopped."""
_MOST_BUSY = 3
"""Consecutive 503 responses after which an upload gives up: each may have taken long."""
_MOST_LINKS = 100
"""How many links to one directory are followed: links in linked directories multiply."""
_TOP = "the folder itself"
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
    links: Links | None = None,
) -> int:
    """Copy all files below `folder` to keys below `prefix`; returns how many.

    `seen` has size and time of files that were copied before: one that is unchanged is left out, one that is copied is
    added. `links` follows links, by default as this process sees them.
    Raises NoSuchBucket at once. Raises StoreError at the end with what could not be copied; its cause is the OSError
    of a full disk if that was among them. Gives up after three consecutive 503 responses.
    """
    if prefix and not prefix.endswith("/"):
        prefix += "/"
    seen = {} if seen is None else seen
    count = busy = 0
    problems: list[tuple[str, Exception]] = []
    for path, name in _files(str(folder), prefix, problems, links or Links()):
        try:
            with open_regular(path) as stream:
                status = os.fstat(stream.fileno())
                state = state_of(status)
                if seen.get(folder / name) == state:
                    continue
                store.put(bucket, prefix + name, pieces(stream))
        except FileNotFoundError:
            continue  # a temporary file, gone before it could be copied, or now a FIFO
        except NoSuchBucket:
            raise
        except (StoreError, OSError) as error:
            problems.append((name, error))
            busy = busy + 1 if isinstance(error, ServiceUnavailable) else 0
            if busy == _MOST_BUSY:
                break
        else:
            busy = 0
            seen[folder / name] = state
            count += 1
    if problems:
        full = next((error for _, error in problems if getattr(error, "errno", None) in DISK_FULL), None)
        raise StoreError("InternalError", _summary(problems)) from full
    return count


def state_of(status: os.stat_result) -> tuple[int, int]:
    """The size and time that show `upload` whether a file has changed."""
    return status.st_size, status.st_mtime_ns


def _summary(problems: Sequence[tuple[str, Exception]]) -> str:
    """Say how many files were left out, and name the first ones with their errors, on one line."""
    shown = [f"{_shortened(name)}: {error}" for name, error in problems[:_NAMED_FILES]]
    more = [f"and {len(problems) - _NAMED_FILES} more"] if len(problems) > _NAMED_FILES else []
    text = f"{len(problems)} file(s) could not be uploaded: {'; '.join(shown + more)}"
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def _shortened(name: str) -> str:
    return name if len(name) <= _SHOWN else f"{name[: _SHOWN // 2]}...{name[-_SHOWN // 2 :]}"


def _files(folder: str, prefix: str, problems: list[tuple[str, Exception]], links: Links) -> Iterator[tuple[str, str]]:
    """Yield the paths of regular files with their names below `folder`; links are followed.

    What is no file is added to `problems` instead, as are a file without a valid key, a directory that lies too deep,
    a link to a directory around it, and one to a directory to which too many lead.
    """
    pending: list[tuple[str, str, tuple[str, ...]]] = []
    try:
        pending.append((links.follow(links.seen(folder)), "", ()))
    except FileNotFoundError:
        return  # the folder was removed
    except OSError as error:
        problems.append((_TOP, error))
    followed: Counter[str] = Counter()
    while pending:
        directory, base, above = pending.pop()
        below = []
        try:
            with os.scandir(links.place(directory)) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError as error:
            if base == "" or not is_absent(error):  # else gone since it was seen
                problems.append((base or _TOP, error))
            continue
        for entry in entries:
            name, path, chain = base + entry.name, f"{directory}/{entry.name}", above
            try:
                check_key(prefix + name)
                if entry.is_symlink():
                    path, chain = links.follow(path), (*above, directory)
                    followed[path] += 1
                place = links.place(path)
                if entry.is_file(follow_symlinks=False) or os.path.isfile(place):  # noqa: PTH113
                    yield place, name
                elif not (entry.is_dir(follow_symlinks=False) or os.path.isdir(place)):  # noqa: PTH112
                    raise OSError("it is neither a file nor a folder")
                elif any(is_within(passed, path) for passed in chain):
                    raise OSError(f"it is a link to {path}, which it lies in")
                elif followed[path] > _MOST_LINKS:
                    raise OSError(f"more than {_MOST_LINKS} links lead to {path}")
                else:
                    check_key(f"{prefix}{name}/x")
                    below.append((path, f"{name}/", chain))
            except (InvalidKey, OSError) as error:
                problems.append((name, error))
        pending += reversed(below)
