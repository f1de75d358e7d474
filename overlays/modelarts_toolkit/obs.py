"""Files to and from object storage, through the S3 protocol that OBS and the emulator speak.

URLs are `obs://bucket/key` or, as in request bodies, `/bucket/key`; one that ends in `/` means everything below it.
"""

import asyncio
import contextlib
import errno
import os
import re
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from anyio.from_thread import start_blocking_portal

from .buckets import Location, connect, retry_lost_responses, translate_errors
from .config import Config
from .errors import ObsError
from .local_files import files_below, path_below

if TYPE_CHECKING:
    from obstore.store import S3Store

    from .s3 import BucketRequests, ListedObject

A = TypeVar("A")
B = TypeVar("B")
T = TypeVar("T")

WORKERS = 8  # files at a time
PART = 8 * 1024 * 1024  # bytes of a part of an upload, and in memory for each file
NAMES_IN_ERROR = 10

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object; `size` is in bytes."""

    url: str
    size: int
    last_modified: datetime


@dataclass(frozen=True, slots=True)
class Transfer:
    """What was transferred."""

    files: int
    bytes: int


class Obs:
    """Object storage, addressed by URL; objects are streamed, whatever their size.

    Ctrl-C stops a transfer at once.
    """

    def __init__(self, config: Config) -> None:
        self._storage = _Storage(config)

    def __repr__(self) -> str:
        return f"Obs({self._storage.endpoint!r})"

    def upload(self, source: str | os.PathLike[str], url: str) -> Transfer:
        """Upload a file to the key (or into the folder), or the files of a folder, with its subfolders, below the URL.

        Of a folder, `.git`, `.venv`, `__pycache__` and what its `.modelartsignore` names (the rules of gitignore)
        are left out.
        An object appears when it is complete.
        Raises FileNotFoundError if the source does not exist, ObsError for errors of object storage.
        """
        return _run(self._storage.upload, Path(source), Location.parse(url))

    def download(self, url: str, folder: str | os.PathLike[str]) -> Transfer:
        """Download an object into the folder, or everything below the URL with its subfolders.

        A file appears when it is complete.
        Raises ObsError if there is nothing, and at the end for keys that cannot be files in the folder.
        """
        return _run(self._storage.download, Location.parse(url), Path(folder))

    def list(self, url: str) -> list[StoredObject]:
        """List the objects below a folder, subfolders included, or the one object that the URL names."""
        return _run(self._storage.list, Location.parse(url))

    def delete(self, url: str) -> int:
        """Delete the object, or all objects below a folder (`.../`); return how many there were.

        Raises ObsError for a whole bucket.
        """
        return _run(self._storage.delete, Location.parse(url))

    def create_bucket(self, bucket: str) -> bool:
        """Create a bucket, given as name or URL; False if we had it already, or a response got lost.

        Raises ObsError if the name is not allowed, or belongs to somebody else.
        """
        return _run(self._storage.create_bucket, bucket)


class AsyncObs:
    """The asynchronous twin of `Obs`; cancelling a call stops it at once."""

    def __init__(self, config: Config) -> None:
        self._storage = _Storage(config)

    def __repr__(self) -> str:
        return f"AsyncObs({self._storage.endpoint!r})"

    async def upload(self, source: str | os.PathLike[str], url: str) -> Transfer:
        """As `Obs.upload`."""
        return await _run_async(self._storage.upload, Path(source), Location.parse(url))

    async def download(self, url: str, folder: str | os.PathLike[str]) -> Transfer:
        """As `Obs.download`."""
        return await _run_async(self._storage.download, Location.parse(url), Path(folder))

    async def list(self, url: str) -> list[StoredObject]:
        """As `Obs.list`."""
        return await _run_async(self._storage.list, Location.parse(url))

    async def delete(self, url: str) -> int:
        """As `Obs.delete`."""
        return await _run_async(self._storage.delete, Location.parse(url))

    async def create_bucket(self, bucket: str) -> bool:
        """As `Obs.create_bucket`."""
        return await _run_async(self._storage.create_bucket, bucket)


class _Storage:
    """What `Obs` and `AsyncObs` do, as coroutines of an event loop that reads and writes files, too."""

    def __init__(self, config: Config) -> None:
        config.require("obs_endpoint", "access_key", "secret_key")
        self._config = config
        self.endpoint = config.obs_endpoint
        self._stores: dict[str, S3Store] = {}

    async def upload(self, source: Path, place: Location) -> Transfer:
        store = self._store(place.bucket)

        async def put(file: Path, key: str) -> int:
            size = _readable_size(file)
            with translate_errors(Location(place.bucket, key), self.endpoint):
                # obstore reads the file; cancelling drops the connection, and the store what it got of the object
                await retry_lost_responses(lambda: store.put_async(key, file, chunk_size=PART, max_concurrency=2))
            return size

        files = _keys_of(source, place)
        if rejected := [key for _, key in files if not _is_plain(key)]:
            remedy = "rename the files, or name them in .modelartsignore"
            raise ObsError(f"cannot upload names with control characters: {_names(rejected)}: {remedy}", url=str(place))
        return await _transfer(put, files)

    async def download(self, place: Location, folder: Path) -> Transfer:
        store = self._store(place.bucket)
        found = await self._find(place)
        if not found:
            raise ObsError(f"there is nothing at {place}: upload it first, or correct the path", url=str(place))
        rejected: list[str] = []
        files = []
        for stored in found:
            try:
                files.append((stored.key, path_below(folder, _relative(stored.key, place))))
            except ValueError:
                rejected.append(stored.key)

        async def get(key: str, file: Path) -> int:
            try:
                _prepare(file)
                with translate_errors(Location(place.bucket, key), self.endpoint):
                    return await retry_lost_responses(lambda: _fetch(store, key, file))
            except OSError as error:
                if error.errno != errno.ENAMETOOLONG:
                    raise
                rejected.append(key)
                return 0

        done = await _transfer(get, files)
        if rejected:
            others = len(found) - len(rejected)
            raise ObsError(
                f"{len(rejected)} of {len(found)} objects cannot be files in {folder}: {_names(rejected)}"
                f" (the other {others} were downloaded): rename these objects",
                url=str(place),
            )
        return done

    async def list(self, place: Location) -> list[StoredObject]:
        return [
            StoredObject(f"obs://{place.bucket}/{stored.key}", stored.size, stored.last_modified)
            for stored in await self._find(place)
        ]

    async def delete(self, place: Location) -> int:
        if not place.key:
            raise ObsError(f"refusing to delete the whole bucket {place}: give a path inside it", url=str(place))
        found = await self._find(place, object_only=not place.is_folder, with_markers=True)
        plain = [stored.key for stored in found if _is_plain(stored.key)]
        if plain:
            with translate_errors(place, self.endpoint):
                await retry_lost_responses(lambda: self._store(place.bucket).delete_async(plain))
        async with self._requests(place) as requests:
            for stored in found:
                if not _is_plain(stored.key):
                    await requests.delete(stored.key)
        return sum(not stored.is_folder_marker for stored in found)

    async def create_bucket(self, bucket: str) -> bool:
        place = Location.parse(bucket if "/" in bucket else f"obs://{bucket}/")
        if place.key:
            raise ObsError(f"{place} is a path inside a bucket: give the bucket's name only", url=bucket)
        async with self._requests(place) as requests:
            return await requests.create()

    async def _find(
        self, place: Location, *, object_only: bool = False, with_markers: bool = False
    ) -> "Sequence[ListedObject]":
        """The objects meant by a URL; a URL without `/` at its end means an object first, a folder second."""
        async with self._requests(place) as requests:
            if not place.is_folder:
                found = [stored async for stored in requests.list(place.key, limit=1) if stored.key == place.key]
                if found or object_only:
                    return found
            prefix = place.key if place.is_folder else f"{place.key}/"
            return [stored async for stored in requests.list(prefix) if with_markers or not stored.is_folder_marker]

    def _store(self, bucket: str) -> "S3Store":
        if bucket not in self._stores:
            self._stores[bucket] = connect(self._config, bucket)
        return self._stores[bucket]

    def _requests(self, place: Location) -> "BucketRequests":
        from .s3 import BucketRequests

        return BucketRequests(self._config, place.bucket)


def _run(function: Callable[..., Awaitable[T]], *arguments: object) -> T:
    """Run the coroutine in the event loop of another thread; an exception, Ctrl-C too, cancels it."""
    with start_blocking_portal() as portal:
        return portal.call(function, *arguments)


async def _run_async(function: Callable[..., Awaitable[T]], *arguments: object) -> T:
    """As `_run`; neither files nor the other thread's start and end block the caller's event loop."""
    manager = start_blocking_portal()
    portal = await asyncio.to_thread(manager.__enter__)
    try:
        return await asyncio.wrap_future(portal.start_task_soon(function, *arguments))
    finally:
        await asyncio.to_thread(manager.__exit__, None, None, None)


async def _transfer(move: Callable[[A, B], Awaitable[int]], pairs: "Sequence[tuple[A, B]]") -> Transfer:
    """Move every pair, several at a time; the first error cancels the rest."""
    slots = asyncio.Semaphore(WORKERS)

    async def one(first: A, second: B) -> int:
        async with slots:
            return await move(first, second)

    try:
        async with asyncio.TaskGroup() as group:
            moves = [group.create_task(one(*pair)) for pair in pairs]
    except BaseExceptionGroup as errors:
        error = errors.exceptions[0]
    else:
        return Transfer(len(moves), sum(moved.result() for moved in moves))
    raise error


def _readable_size(file: Path) -> int:
    """The size in bytes; an unreadable file raises OSError here, and does not look like an error of object storage."""
    with file.open("rb"):
        return file.stat().st_size


def _prepare(file: Path) -> None:
    """Make the file's folder; a name that the file system rejects raises OSError before anything is downloaded."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        file.lstat()


async def _fetch(store: "S3Store", key: str, file: Path) -> int:
    """Write the object to a temporary file, rename it, and return its size in bytes."""
    part, size = file.with_name(f".{secrets.token_hex(8)}.part"), 0
    try:
        with part.open("xb") as target:
            async for chunk in (await store.get_async(key)).stream(min_chunk_size=PART):
                size += target.write(chunk)
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
    return size


def _keys_of(source: Path, place: Location) -> "Sequence[tuple[Path, str]]":
    """The files to upload with their keys."""
    if source.is_file():
        return [(source, place.key + source.name if place.is_folder else place.key)]
    if not source.is_dir():
        raise FileNotFoundError(f"there is no file or folder {source}")
    prefix = place.key if place.is_folder else f"{place.key}/"
    return [(source / path, prefix + path) for path in files_below(source)]


def _relative(key: str, place: Location) -> str:
    """The part of a key that names the local file."""
    return key.rpartition("/")[2] if key == place.key else key.removeprefix(place.key.rstrip("/")).removeprefix("/")


def _is_plain(key: str) -> bool:
    """Whether obstore takes the key as it is."""
    return not _CONTROL.search(key) and not {"", ".", ".."} & set(key.split("/"))


def _names(keys: "Sequence[str]") -> str:
    """The first of the keys, and how many more there are."""
    more = len(keys) - NAMES_IN_ERROR
    return ", ".join(repr(key) for key in sorted(keys)[:NAMES_IN_ERROR]) + (f" and {more} more" if more > 0 else "")
