"""Files to and from object storage, through the S3 protocol that OBS and the emulator speak.

URLs are `obs://bucket/key` or, as in request bodies, `/bucket/key`; one that ends in `/` means everything below it.
"""

import asyncio
import os
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from html import unescape
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, TypeVar

from .buckets import Location, answered, connect, explained
from .config import Config
from .errors import ObsError
from .transport import proxy_for, retrying

if TYPE_CHECKING:
    from obstore.store import S3Store

P1 = TypeVar("P1")
P2 = TypeVar("P2")

WORKERS = 8  # files at a time
PART = 8 * 1024 * 1024  # bytes in memory for each file


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object; `size` is in bytes."""

    url: str
    size: int
    last_modified: datetime


@dataclass(frozen=True, slots=True)
class Transfer:
    """What was moved."""

    files: int
    bytes: int


class Obs:
    """Object storage, addressed by URL; objects stream through, whatever their size."""

    def __init__(self, config: Config) -> None:
        config.require("obs_endpoint", "access_key", "secret_key")
        self._config = config
        self._endpoint = config.obs_endpoint
        self._stores: dict[str, S3Store] = {}

    def __repr__(self) -> str:
        return f"Obs({self._endpoint!r})"

    def upload(self, source: str | os.PathLike[str], url: str) -> Transfer:
        """A file to the key (or into the folder), or what is in a folder, with its subfolders, below the URL.

        Raises FileNotFoundError for a source that is not there, ObsError for what the store refuses.
        """
        return self._upload(Path(source), Location.parse(url), threading.Event())

    def download(self, url: str, folder: str | os.PathLike[str]) -> Transfer:
        """An object into the folder, or everything below the URL with its subfolders.

        Each file appears when it is complete.
        Raises ObsError if there is nothing, or a key that would not stay in the folder.
        """
        return self._download(Location.parse(url), Path(folder), threading.Event())

    def list(self, url: str) -> list[StoredObject]:
        """The objects below a folder, subfolders included, or the one object that the URL names."""
        place = Location.parse(url)
        return [
            StoredObject(f"obs://{place.bucket}/{meta['path']}", meta["size"], meta["last_modified"])
            for meta in self._find(place)
        ]

    def delete(self, url: str) -> int:
        """Delete the object, or all objects below a folder (`.../`); how many there were.

        Raises ObsError for a whole bucket: name a folder in it.
        """
        place = Location.parse(url)
        if not place.key:
            raise ObsError(f"{place} is a whole bucket: name what to delete in it", url=url)
        keys = [meta["path"] for meta in self._find(place, object_only=not place.is_folder)]
        if keys:
            with explained(place, self._endpoint):
                answered(lambda: self._store(place.bucket).delete(keys))
        return len(keys)

    def create_bucket(self, bucket: str) -> bool:
        """Create a bucket, given as name or URL; False if we had it already, or an answer got lost.

        Raises ObsError if the name is not allowed, or belongs to somebody else.
        """
        import httpx
        from obstore import sign

        place = Location.parse(bucket if "/" in bucket else f"obs://{bucket}/")
        if place.key:
            raise ObsError(f"{bucket} is no bucket but a place in one", url=bucket)
        url = sign(self._store(place.bucket), "PUT", "", timedelta(minutes=5))
        region = self._config.region
        body = (
            f"<CreateBucketConfiguration><LocationConstraint>{region}</LocationConstraint></CreateBucketConfiguration>"
        )
        try:
            with httpx.Client(transport=retrying(proxy_for(url)), timeout=30) as client:
                answer = client.put(url, content=body if region else b"")
        except httpx.TransportError as error:
            raise ObsError(f"cannot create {place}: {error}", url=str(place)) from error
        if answer.is_success:
            return True
        if answer.status_code == 409 and "BucketAlreadyOwnedByYou" in answer.text:
            return False
        said = re.search(r"<Message>(.*?)</Message>", answer.text, re.DOTALL)
        reason = unescape(said[1]) if said else answer.text[:300]
        raise ObsError(f"cannot create {place}: {answer.status_code} {reason}", url=str(place))

    def _upload(self, source: Path, place: Location, stop: threading.Event) -> Transfer:
        store = self._store(place.bucket)
        files = list(_local_files(source, place))

        def put(file: Path, key: str) -> int:
            with file.open("rb"):  # a file that cannot be read is no refusal of the store's
                size = file.stat().st_size
            with explained(Location(place.bucket, key), self._endpoint):
                answered(lambda: store.put(key, file, chunk_size=PART, max_concurrency=2))
            return size

        return _all(put, files, stop)

    def _download(self, place: Location, folder: Path, stop: threading.Event) -> Transfer:
        store = self._store(place.bucket)
        found = self._find(place)
        if not found:
            raise ObsError(f"there is nothing at {place}: upload it first, or correct the path", url=str(place))
        files = [(meta["path"], _inside(folder, place, meta["path"])) for meta in found]

        def get(key: str, file: Path) -> int:
            file.parent.mkdir(parents=True, exist_ok=True)
            part = file.with_name(f".{file.name}.part")

            def fetch() -> int | None:
                size = 0
                with part.open("wb") as target:
                    for chunk in store.get(key).stream(min_chunk_size=PART):
                        if stop.is_set():
                            return None
                        size += target.write(chunk)
                return size

            try:
                with explained(Location(place.bucket, key), self._endpoint):
                    size = answered(fetch)
                if size is None:
                    return 0
                part.replace(file)
            finally:
                part.unlink(missing_ok=True)
            return size

        return _all(get, files, stop)

    def _find(self, place: Location, *, object_only: bool = False) -> "Sequence[Any]":
        """The objects meant by a URL; a URL without `/` at its end means an object first, a folder second."""
        store = self._store(place.bucket)
        with explained(place, self._endpoint):
            if not place.is_folder:
                try:
                    return [store.head(place.key)]
                except FileNotFoundError:
                    if object_only:
                        return []
            prefix = place.key.rstrip("/") or None
            found = answered(lambda: [meta for chunk in store.list(prefix) for meta in chunk])
        return _without_markers(found, place)

    def _store(self, bucket: str) -> "S3Store":
        if bucket not in self._stores:
            self._stores[bucket] = connect(self._config, bucket)
        return self._stores[bucket]


class AsyncObs:
    """As `Obs`; each call runs in a thread, where the library does not hold up Python, and stops when cancelled."""

    def __init__(self, config: Config) -> None:
        self._obs = Obs(config)

    def __repr__(self) -> str:
        return f"Async{self._obs!r}"

    async def upload(self, source: str | os.PathLike[str], url: str) -> Transfer:
        """As `Obs.upload`."""
        return await _stoppable(self._obs._upload, Path(source), Location.parse(url))

    async def download(self, url: str, folder: str | os.PathLike[str]) -> Transfer:
        """As `Obs.download`."""
        return await _stoppable(self._obs._download, Location.parse(url), Path(folder))

    async def list(self, url: str) -> list[StoredObject]:
        """As `Obs.list`."""
        return await asyncio.to_thread(self._obs.list, url)

    async def delete(self, url: str) -> int:
        """As `Obs.delete`."""
        return await asyncio.to_thread(self._obs.delete, url)

    async def create_bucket(self, bucket: str) -> bool:
        """As `Obs.create_bucket`."""
        return await asyncio.to_thread(self._obs.create_bucket, bucket)


async def _stoppable(transfer: Callable[[P1, P2, threading.Event], Transfer], first: P1, second: P2) -> Transfer:
    stop = threading.Event()
    try:
        return await asyncio.to_thread(transfer, first, second, stop)
    finally:
        stop.set()


def _all(move: Callable[[P1, P2], int], pairs: "Sequence[tuple[P1, P2]]", stop: threading.Event) -> Transfer:
    """Move every pair, several at a time; the first error stops the rest."""

    def unless_stopped(pair: tuple[P1, P2]) -> int:
        try:
            return 0 if stop.is_set() else move(*pair)
        except BaseException:
            stop.set()
            raise

    with ThreadPoolExecutor(WORKERS) as pool:
        moves = [pool.submit(unless_stopped, pair) for pair in pairs]
        try:
            sizes = [moved.result() for moved in moves]
        except BaseException:  # Ctrl-C, too: leaving the pool waits for what is not stopped
            stop.set()
            raise
    return Transfer(len(sizes), sum(sizes))


def _local_files(source: Path, place: Location) -> "Iterator[tuple[Path, str]]":
    """The files to upload with their keys."""
    if source.is_file():
        yield source, place.key + source.name if place.is_folder else place.key
        return
    if not source.is_dir():
        raise FileNotFoundError(f"there is no file or folder {source}")
    prefix = place.key if place.is_folder else f"{place.key}/"
    for folder, folders, names in os.walk(source):
        folders.sort()
        for name in sorted(names):
            file = Path(folder, name)
            yield file, prefix + file.relative_to(source).as_posix()


def _without_markers(found: "Sequence[Any]", place: Location) -> "Sequence[Any]":
    """The listing without the empty objects `folder/` that consoles make; the library shows them without the slash.

    One that has nothing below it looks like an empty file, and is taken for one.
    """
    folders = {place.key.rstrip("/")}
    for meta in found:
        folders.update(str(parent) for parent in PurePosixPath(meta["path"]).parents)
    return [meta for meta in found if meta["size"] or meta["path"] not in folders]


def _inside(folder: Path, place: Location, key: str) -> Path:
    """Where an object goes; never outside the folder, whatever its key says."""
    is_single = key == place.key
    relative = PurePosixPath(key).name if is_single else key.removeprefix(place.key.rstrip("/")).lstrip("/")
    parts = relative.split("/")
    if any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts):
        raise ObsError(f'the key "{key}" cannot be a file in {folder}', url=str(place))
    return folder.joinpath(*parts)
