"""Transfer files to and from object storage, with the S3 protocol of OBS and the emulator."""

import asyncio
import errno
import hashlib
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from modelarts_toolkit.errors import ObsError
from modelarts_toolkit.http.transport import Verify
from modelarts_toolkit.settings.config import Config
from modelarts_toolkit.storage.buckets import Location, connect, retry_lost_responses, translate_errors
from modelarts_toolkit.storage.event_loops import library_threads
from modelarts_toolkit.storage.local_files import mark_writer, path_below, size_of_other
from modelarts_toolkit.storage.uploads import (
    PART,
    LocalFile,
    OnUpload,
    Sender,
    Upload,
    UploadProgress,
    checksum_of,
    is_plain,
    names,
)

if TYPE_CHECKING:
    from obstore.store import S3Store

    from modelarts_toolkit.storage.bucket_requests import BucketRequests, FolderPage, StoredBucket, StoredObject

A = TypeVar("A")
B = TypeVar("B")

WORKERS = 8  # files at a time
# Errors of the file system for impossible names: too long, a file in place of a folder, a folder with this name.
_NAME_REJECTED = (errno.ENAMETOOLONG, errno.ENOTDIR, errno.EEXIST, errno.EISDIR, errno.ELOOP, errno.EILSEQ)
FOLDER_ENTRIES = 1000  # the most in one response
FEW = 4  # keys: up to this number are deleted one by one, over the open connection


@dataclass(frozen=True, slots=True)
class Transfer:
    """The result of a transfer.

    An upload also has the number of `unchanged` files and of `removed` stale objects, and the paths `left_out` by the
    rules of `.gitignore`, `.modelartsignore` and this library, except version control and caches.
    """

    files: int
    bytes: int
    unchanged: int = 0
    removed: int = 0
    left_out: tuple[str, ...] = ()


class Storage:
    """The operations of `Obs` and `AsyncObs`, as coroutines; they also read and write files in the event loop."""

    def __init__(self, config: Config, verify: Verify) -> None:
        config.require("obs_endpoint", "access_key", "secret_key")
        self._config = config
        self._verify = verify
        self.endpoint = config.obs_endpoint
        self._store: Callable[[str], S3Store] = cache(partial(connect, config, verify=verify))
        self._opaque: set[str] = set()  # buckets whose ETags are not checksums

    async def upload(
        self,
        source: Path,
        place: Location,
        is_sync: bool,
        is_code: bool,
        ignore: Iterable[str],
        on_progress: OnUpload | None,
    ) -> Transfer:
        store = self._store(place.bucket)

        def report_found(count: int, total_bytes: int) -> None:
            task = asyncio.current_task()
            if task is not None and task.cancelling():  # Ctrl-C cannot interrupt the search in another way
                raise asyncio.CancelledError
            if on_progress is not None:
                on_progress(UploadProgress(str(place), 0, 0, count, total_bytes))

        upload = Upload(source, place, is_sync=is_sync, is_code=is_code, ignore=ignore, on_found=report_found)
        total_bytes = sum(file.size for file in upload.files)
        files = sent = unchanged = done_bytes = 0
        async with self._requests(place) as requests:
            remote = await upload.remote_objects(requests)
            sender = Sender(store, place.bucket, self.endpoint, self._opaque)
            under_way: dict[str, int] = {}

            def report(file: LocalFile, sent_bytes: int) -> None:
                nonlocal done_bytes
                done_bytes += sent_bytes - under_way.get(file.key, 0)
                under_way[file.key] = sent_bytes
                if on_progress is not None:
                    url = f"obs://{place.bucket}/{file.key}"
                    on_progress(UploadProgress(url, files, done_bytes, len(upload.files), total_bytes))

            async def put(file: LocalFile, found: "StoredObject | None") -> int:
                nonlocal files, unchanged
                is_sent = await sender.send(file, found, partial(report, file))
                files, unchanged = files + 1, unchanged + (not is_sent)
                report(file, file.size)
                return file.size if is_sent else 0

            with library_threads():
                sent = (await _transfer(put, [(file, remote.get(file.key)) for file in upload.files])).bytes
            stale = upload.stale(remote) if is_sync else []
            await self._delete(place, requests, stale)
        return Transfer(files - unchanged, sent, unchanged, len(stale), upload.left_out)

    async def download(self, place: Location, folder: Path, writer: str | None, is_overwriting: bool) -> Transfer:
        store = self._store(place.bucket)
        async with self._requests(place) as requests:
            found = {stored.key: stored async for stored in self._find(requests, place)}
            if not found:
                raise ObsError(f"there is nothing at {place}: upload it first, or correct the path", url=str(place))
            files, rejected = _targets(found, place, folder)
            kept = []
            replaceable = {file for _, file in files if is_overwriting or size_of_other(file, writer) is not None}
            for key, file in () if is_overwriting else files:
                with library_threads():
                    is_kept = await _is_kept(file, writer, found[key], _content(store, requests, found[key]))
                kept += [_relative(key, place)] * is_kept
            if kept:
                raise ObsError(
                    f"files of others would be replaced in {folder}, so nothing was downloaded: {names(kept)}:"
                    " choose another folder, or replace them with --overwrite (in Python overwrite=True)",
                    url=str(place),
                )

            async def get(key: str, file: Path) -> int:
                try:
                    file.parent.mkdir(parents=True, exist_ok=True)
                    with translate_errors(Location(place.bucket, key), self.endpoint):
                        return await retry_lost_responses(
                            lambda: _fetch(_content(store, requests, found[key]), file, writer, file in replaceable)
                        )
                except OSError as error:
                    if error.errno not in _NAME_REJECTED:
                        raise
                    rejected.append(key)
                    return 0

            with library_threads():
                done = await _transfer(get, files)
        if rejected:
            rest = "; the others were downloaded" if len(rejected) < len(found) else ""
            raise ObsError(
                f"{len(rejected)} of {len(found)} objects cannot be files in {folder}: {names(sorted(rejected))}"
                f": rename these objects, or choose another folder{rest}",
                url=str(place),
            )
        return done

    async def list(self, place: Location) -> "list[StoredObject]":
        async with self._requests(place) as requests:
            return [stored async for stored in self._find(requests, place)]

    async def list_folder(self, place: Location) -> "FolderPage":
        async with self._requests(place) as requests:
            return await requests.list_folder(place.key if place.is_folder else f"{place.key}/", FOLDER_ENTRIES)

    async def exists(self, place: Location) -> bool:
        async with self._requests(place) as requests, aclosing(self._find(requests, place)) as found:
            return await anext(found, None) is not None

    async def list_buckets(self) -> "Sequence[StoredBucket]":
        async with self._requests(Location("", "")) as requests:
            return await requests.buckets()

    async def delete(self, place: Location) -> int:
        if not place.key:
            raise ObsError(f"cannot delete the whole bucket {place}: give a path inside it", url=str(place))
        async with self._requests(place) as requests:
            every = self._find(requests, place, object_only=not place.is_folder, with_markers=True)
            found = [stored async for stored in every]
            await self._delete(place, requests, [stored.key for stored in found])
        return sum(not stored.is_folder_marker for stored in found)

    async def _delete(self, place: Location, requests: "BucketRequests", keys: "Sequence[str]") -> None:
        plain = [key for key in keys if is_plain(key)]
        if len(plain) > FEW:
            with library_threads(), translate_errors(place, self.endpoint):
                await retry_lost_responses(lambda: self._store(place.bucket).delete_async(plain))
        for key in keys:
            if len(plain) <= FEW or not is_plain(key):
                await requests.delete(key)

    async def create_bucket(self, bucket: str) -> bool:
        async with self._requests(_bucket(bucket)) as requests:
            return await requests.create()

    async def delete_bucket(self, bucket: str) -> bool:
        async with self._requests(_bucket(bucket)) as requests:
            return await requests.delete_bucket()

    async def _find(
        self, requests: "BucketRequests", place: Location, *, object_only: bool = False, with_markers: bool = False
    ) -> "AsyncGenerator[StoredObject, None]":
        """Yield the objects of a URL; a URL without `/` at its end is an object if that exists, else a folder."""
        if not place.is_folder:
            found = [stored async for stored in requests.list(place.key, limit=1) if stored.key == place.key]
            for stored in found:
                yield stored
            if found or object_only:
                return
        async for stored in requests.list(place.key if place.is_folder else f"{place.key}/"):
            if with_markers or not stored.is_folder_marker:
                yield stored

    def _requests(self, place: Location) -> "BucketRequests":
        from modelarts_toolkit.storage.bucket_requests import BucketRequests

        return BucketRequests(self._config, place.bucket, self._verify)


def _bucket(name: str) -> Location:
    """Parse a bucket's name or URL; raises ObsError for a path inside a bucket."""
    place = Location.parse(name if "/" in name else f"obs://{name}/")
    if place.key:
        raise ObsError(f"{place} is a path inside a bucket: give the bucket's name only", url=name)
    return place


async def _transfer(move: Callable[[A, B], Awaitable[int]], pairs: "Sequence[tuple[A, B]]") -> Transfer:
    """Call `move` for every pair, WORKERS at a time; the first error cancels the rest."""
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


async def _content(store: "S3Store", requests: "BucketRequests", stored: "StoredObject") -> "AsyncIterator[Any]":
    if is_plain(stored.key):
        async for chunk in (await store.get_async(stored.key)).stream(min_chunk_size=PART):
            yield chunk
    else:
        for start in range(0, stored.size, PART):
            yield await requests.get(stored.key, start, PART)


async def _is_kept(file: Path, writer: str | None, stored: "StoredObject", content: "AsyncIterator[Any]") -> bool:
    """Whether there is another file than the object, which `writer` did not write, or somebody has changed."""
    size = size_of_other(file, writer)
    if size is None or size != stored.size:
        return size is not None
    checksum, md5 = await checksum_of(file, lambda _: None), hashlib.md5(usedforsecurity=False)
    if checksum.etag == stored.etag:
        return False
    async for chunk in content:
        md5.update(chunk)
    return md5.hexdigest() != checksum.md5


async def _fetch(content: "AsyncIterator[Any]", file: Path, writer: str | None, is_replaceable: bool) -> int:
    """Write a temporary file, rename it, and return its bytes; raises FileExistsError for a new file of others."""
    part, size = file.with_name(f".{secrets.token_hex(8)}.part"), 0
    try:
        with part.open("xb") as target:
            async for chunk in content:
                size += target.write(chunk)
        if writer is not None:
            mark_writer(part, writer)
        if not is_replaceable and size_of_other(file, writer) is not None:
            raise FileExistsError(errno.EEXIST, "it was written meanwhile", str(file))
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
    return size


def _targets(keys: Iterable[str], place: Location, folder: Path) -> tuple[list[tuple[str, Path]], list[str]]:
    """Return the file for each key, and the keys that cannot be files, such as a folder of another key.

    Creates the folder; raises OSError if that fails.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files: dict[str, Path] = {}
    rejected = []
    for key in keys:
        try:
            files[key] = path_below(folder, _relative(key, place))
        except ValueError:
            rejected.append(key)
    folders = {parent for file in files.values() for parent in file.parents}
    rejected += [key for key, file in files.items() if file in folders]
    return [(key, file) for key, file in files.items() if file not in folders], rejected


def _relative(key: str, place: Location) -> str:
    """Return the part of a key that names the local file."""
    return key.rpartition("/")[2] if key == place.key else key.removeprefix(place.key.rstrip("/")).removeprefix("/")
