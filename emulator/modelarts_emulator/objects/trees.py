"""Copies whole trees between a folder and a bucket; the two halves of staging a job."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import InvalidKey, NoSuchKey, StoreError
from .names import relative_path

if TYPE_CHECKING:
    from .store import ObjectStore

_CHUNK = 1 << 20


def download(store: ObjectStore, bucket: str, prefix: str, folder: Path) -> int:
    """Copy the object `prefix`, or all objects below the folder `prefix`, into `folder`; returns how many."""
    folder.mkdir(parents=True, exist_ok=True)
    if prefix and not prefix.endswith("/"):
        with contextlib.suppress(NoSuchKey):
            _copy_out(store, bucket, prefix, folder / prefix.rpartition("/")[2])
            return 1
        prefix += "/"
    count = 0
    for key in store.keys(bucket, prefix):
        if inner := key[len(prefix) :]:
            _copy_out(store, bucket, key, folder / relative_path(inner))
        count += 1
    return count


def _copy_out(store: ObjectStore, bucket: str, key: str, target: Path) -> None:
    if key.endswith("/"):
        target.mkdir(parents=True, exist_ok=True)
        return
    _, source = store.open(bucket, key)
    with source:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as stream:
            shutil.copyfileobj(source, stream, _CHUNK)
        # A script that was executable where the user dropped it stays so.
        target.chmod(target.stat().st_mode | os.fstat(source.fileno()).st_mode & 0o111)


def upload(
    store: ObjectStore, folder: Path, bucket: str, prefix: str, seen: MutableMapping[Path, tuple[int, int]]
) -> int:
    """Copy all files below `folder`, but those that are as `seen` says, to keys below `prefix`; returns how many."""
    if prefix and not prefix.endswith("/"):
        prefix += "/"
    count = 0
    problems: list[str] = []
    for path in _files(folder):
        try:
            status = path.stat()
            state = (status.st_size, status.st_mtime_ns)
            if seen.get(path) == state:
                continue
            with path.open("rb") as stream:
                store.write(bucket, prefix + path.relative_to(folder).as_posix(), _chunks(stream.fileno()))
        except FileNotFoundError:
            continue  # a temporary file, gone before it could be copied
        except (InvalidKey, OSError, UnicodeEncodeError) as error:
            problems.append(f"{path.relative_to(folder)}: {error}")
        else:
            seen[path] = state
            count += 1
    if problems:
        raise StoreError(f"{len(problems)} file(s) could not be uploaded, the first being {problems[0]}")
    return count


def _files(folder: Path) -> Iterator[Path]:
    """Regular files, also through links to files; directories are not followed through links."""
    for parent, directories, names in os.walk(folder):
        directories.sort()
        for name in sorted(names):
            path = Path(parent, name)
            if path.is_file():
                yield path


def _chunks(file: int) -> Iterator[bytes]:
    while chunk := os.read(file, _CHUNK):
        yield chunk
