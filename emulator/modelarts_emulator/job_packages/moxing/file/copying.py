"""Copying and moving files and directories, between local paths and object storage in every direction.

Copying deletes nothing. A file appears under its name when it is complete, never before.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import uuid
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any, Iterable

from moxing import objects
from moxing.client import CHUNK_BYTES, Location, MoxFileNameDuplicateException, MoxFileNotExistsException, Response
from moxing.file import directories
from moxing.file.directories import Path, is_url, join, local, parse
from moxing.objects import Entry

log = logging.getLogger("moxing")

THREADS = 16


def copy(src_url: Path, dst_url: Path, client_id: Any = None) -> None:  # noqa: ARG001 - a documented parameter
    """Copy one file; what is at the target is replaced, and directories above it are made.

    Raises IsADirectoryError if either is a directory, FileNotFoundError if there is no source.
    """
    _require_file(src_url, "copy it with copy_parallel")
    _require_file(dst_url, "name the file in it")
    _copy_file(src_url, dst_url)


def copy_parallel(
    src_url: Path,
    dst_url: Path,
    file_list: Iterable[str] | None = None,
    threads: int = THREADS,
    is_processing: bool = True,  # noqa: ARG001 - threads serve here, whatever is asked for
    use_queue: bool = True,  # noqa: ARG001 - the same
) -> None:
    """Copy all that is in a directory into another one, which is made if it is missing; a file is copied as a file.

    `file_list` names the files to copy, relative to the source; all if None. What else is in the target stays.
    Raises FileNotFoundError if there is no source, MoxFileNameDuplicateException or ValueError if keys cannot be local
    paths (then nothing was copied), else the first error, after which no other copy is begun.
    """
    if not directories.is_directory(src_url):
        if not directories.exists(src_url):
            raise _missing(src_url)
        copy(src_url, dst_url)
        return
    entries = _entries(src_url)
    if file_list is not None:
        entries = _selected(src_url, entries, file_list)
    if not is_url(dst_url):
        _check_names(src_url, dst_url, entries)
    files = [entry.name for entry in entries if not entry.is_directory]
    directories.make_dirs(dst_url)
    _make_empty_directories(dst_url, entries, files)
    with ThreadPoolExecutor(max(1, threads), thread_name_prefix="mox-copy") as pool:
        copies = [pool.submit(_copy_file, join(src_url, name), join(dst_url, name)) for name in files]
        try:
            for done in as_completed(copies):
                done.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def rename(src_url: Path, dst_url: Path) -> None:
    """Move a file or directory; the source is deleted when all of it was copied.

    Raises ValueError for a directory that is moved into itself, else as `copy_parallel`.
    """
    source, target = parse(src_url), parse(dst_url)
    if source is None and target is None:
        os.rename(local(src_url), local(dst_url))
        return
    if not directories.is_directory(src_url) or (source is not None and objects.find_object(source) is not None):
        copy(src_url, dst_url)
        directories.remove(src_url)
        return
    if source is not None and target is not None:
        above, below = objects.directory(source), objects.directory(target)
        if above.bucket == below.bucket and below.key.startswith(above.key):
            raise ValueError(f"cannot move {src_url} into itself")
    entries = _entries(src_url)
    copy_parallel(src_url, dst_url)
    if source is None:
        shutil.rmtree(local(src_url))
        return
    folder = objects.directory(source)
    names = [f"{entry.name}/" if entry.is_directory else entry.name for entry in entries]
    directories.remove_files([Location(folder.bucket, folder.key + name) for name in ["", *names] if folder.key + name])


def _copy_file(src_url: Path, dst_url: Path) -> None:
    """Copy one file; the source is known to be a file."""
    source, target = parse(src_url), parse(dst_url)
    if source is not None and target is not None:
        if source == target:
            raise ValueError(f"cannot copy {source} to itself")
        objects.copy_object(source, target)
    elif target is not None:
        with open(local(src_url), "rb") as file:
            objects.put_file(file, target)
    elif source is not None:
        _download(source, local(dst_url))
    else:
        os.makedirs(os.path.dirname(os.path.abspath(local(dst_url))), exist_ok=True)
        shutil.copyfile(local(src_url), local(dst_url))


def _download(source: Location, path: str) -> None:
    """Fetch an object into a file beside the target and put it in place when it is complete."""
    folder = os.path.dirname(os.path.abspath(path))
    draft = os.path.join(folder, f".mox-{uuid.uuid4().hex}")
    with objects.ObjectReader(source) as reader:
        try:
            os.makedirs(folder, exist_ok=True)
            with open(draft, "xb") as file:
                shutil.copyfileobj(reader, file, CHUNK_BYTES)
            os.replace(draft, path)
        except (FileExistsError, IsADirectoryError, NotADirectoryError) as error:
            raise MoxFileNameDuplicateException(
                f"cannot download {source} to {path}: a file and a directory would have the same path"
            ) from error
        finally:
            with contextlib.suppress(OSError):
                os.remove(draft)


def _entries(url: Path) -> list[Entry]:
    location = parse(url)
    if location is not None:
        return list(objects.list_entries(location, True))
    return list(directories.list_local(local(url), True))


def _selected(src_url: Path, entries: list[Entry], file_list: Iterable[str]) -> list[Entry]:
    """Return the files that are named; raises FileNotFoundError for those that are not there."""
    files = {entry.name: entry for entry in entries if not entry.is_directory}
    wanted = list(dict.fromkeys(file_list))
    missing = [name for name in wanted if name not in files]
    if missing:
        raise FileNotFoundError(f"{len(missing)} of file_list are not in {src_url}: {', '.join(missing[:3])}")
    return [files[name] for name in wanted]


def _make_empty_directories(dst_url: Path, entries: list[Entry], files: list[str]) -> None:
    above = {name[: index + 1] for name in files for index, letter in enumerate(name) if letter == "/"}
    for entry in entries:
        if entry.is_directory and f"{entry.name}/" not in above:
            directories.make_dirs(join(dst_url, entry.name))


def _check_names(src_url: Path, dst_url: Path, entries: list[Entry]) -> None:
    """Raise if the names cannot all be paths below the target."""
    unusable = [
        entry for entry in entries if not {"", ".", ".."}.isdisjoint(entry.name.split("/")) or "\0" in entry.name
    ]
    if unusable:
        named = [entry for entry in unusable if not entry.is_directory] or unusable
        shown = ", ".join(repr(entry.name) for entry in named[:3])
        raise ValueError(f"{len(named)} names in {src_url} cannot be files in {dst_url}: {shown}; rename them first")
    seen: set[str] = set()
    for entry in entries:
        if entry.name in seen:
            raise MoxFileNameDuplicateException(
                f"{entry.name!r} in {src_url} is both a file and a directory, which no local path can be: rename one"
            )
        seen.add(entry.name)


def _require_file(url: Path, remedy: str) -> None:
    """Raise IsADirectoryError for a directory; what is not there may become a file."""
    location = parse(url)
    if location is None:
        is_folder = os.path.isdir(local(url))
    else:
        is_folder = (
            location.key.endswith("/")
            or not location.key
            or (objects.find_object(location) is None and objects.is_directory(location))
        )
    if is_folder:
        raise IsADirectoryError(f"{os.fspath(url)!r} is a directory: {remedy}")


def _missing(url: Path) -> FileNotFoundError:
    message = f"{os.fspath(url)!r} does not exist"
    return MoxFileNotExistsException(message, Response(404, "NoSuchKey")) if is_url(url) else FileNotFoundError(message)
