"""Uploads: select files, send them, and check that they arrived."""

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from modelarts_toolkit.errors import ObsError
from modelarts_toolkit.storage.buckets import Location, retry_lost_responses, translate_errors
from modelarts_toolkit.storage.local_files import IgnoreRules, files_below
from modelarts_toolkit.texts import first_of

if TYPE_CHECKING:
    from obstore.store import S3Store

    from modelarts_toolkit.storage.bucket_requests import BucketRequests, StoredObject

PART = 8 * 1024 * 1024  # bytes of a part of an upload, and in memory for each file
SENT_AT_ONCE = 1024 * 1024  # bytes of a large file between two reports of its progress
FOUND_AT_ONCE = 500  # files between two reports while a folder is searched
MD5_FIELD = "modelarts-md5"  # metadata of an object: the MD5 of its content, if the ETag has none

# Of a code directory; source: the page "Creating a Training Job".
CODE_FILES = 1000
CODE_BYTES = 5 * 1024**3
CODE_DEPTH = 32

# The minimum of remote objects to compare with the files; listing more takes longer than comparing saves.
LISTED = 10_000

NAMES_IN_ERROR = 10

_REJECTED = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")  # control characters, and bytes that are not UTF-8


@dataclass(frozen=True, slots=True)
class UploadProgress:
    """The progress of an upload; `url` is the object that is being sent, `files` counts the complete ones.

    `bytes` includes the sent part of a large object. Unchanged files, which are not sent, count as well.
    While the files of a folder are being found, `files` is 0, `url` is that of the folder, and the totals grow.
    """

    url: str
    files: int
    bytes: int
    total_files: int
    total_bytes: int


OnUpload = Callable[[UploadProgress], object]
OnBytes = Callable[[int], object]
OnFound = Callable[[int, int], object]


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file to upload; `size` is in bytes."""

    path: Path
    key: str
    size: int


@dataclass(frozen=True, slots=True)
class Checksum:
    """The MD5 of a file, and its ETag in a store that computes ETags as S3 does."""

    md5: str
    etag: str


class Upload:
    """One upload of a file or a folder to a place in object storage; `prefix` is the key of a folder.

    With `is_code`, the limits of a code directory apply.
    Raises ObsError for names that cannot be keys, and for a code directory that is too large.
    """

    def __init__(
        self,
        source: Path,
        place: Location,
        *,
        is_code: bool,
        is_sync: bool,
        ignore: Iterable[str] = (),
        on_found: OnFound | None = None,
    ) -> None:
        """Find the files; report their number and bytes after each FOUND_AT_ONCE more."""
        self._place = place
        self._is_code = is_code
        self._is_sync = is_sync
        self._rules: IgnoreRules | None = None
        self.prefix: str | None = None
        self.left_out: tuple[str, ...] = ()
        if source.is_file():
            key = place.key + source.name if place.is_folder else place.key
            self.files = [LocalFile(source, key, _size(source))]
        elif source.is_dir():
            self.prefix = place.key if place.is_folder else f"{place.key}/"
            self._rules = rules = IgnoreRules(source, ignore, is_code=is_code)
            paths = files_below(source, rules)
            self.files = []
            total_bytes = 0
            for path in paths:
                self.files.append(file := LocalFile(source / path, self.prefix + path, _size(source / path)))
                total_bytes += file.size
                if on_found is not None and len(self.files) % FOUND_AT_ONCE == 0:
                    on_found(len(self.files), total_bytes)
            self.left_out = tuple(rules.left_out)
        elif source.exists():
            raise self._error(f"{source} is a named pipe, a socket or a device: name a file or a folder")
        else:
            raise FileNotFoundError(f"{source} does not exist: correct the path of the file or folder to upload")
        self._check(source)

    def _check(self, source: Path) -> None:
        rejected = [file.key for file in self.files if not is_plain(file.key)]
        if rejected:
            remedy = "rename the files, or name them in .modelartsignore"
            raise self._error(
                f"cannot upload names that are not UTF-8 or have control characters: {names(rejected)}: {remedy}"
            )
        if self._is_sync and (not self.prefix or not self.files):
            reason = "has no files to upload" if self.prefix else "is not a folder below a bucket"
            what = source if self.prefix else self._place
            raise self._error(f"sync removes what is not in {source}, but {what} {reason}: check both paths")
        self._check_code({file.key: file.size for file in self.files})

    def _check_code(self, sizes: Mapping[str, int]) -> None:
        """Raise ObsError if these objects are too many, too large or too deep for a code directory."""
        if not self._is_code:
            return
        start = len(self.prefix or "")
        depth, deepest = max(((key.count("/", start), key) for key in sizes), default=(0, ""))
        for number, limit, what in (
            (len(sizes), CODE_FILES, "files"),
            (sum(sizes.values()), CODE_BYTES, "bytes"),
            (depth, CODE_DEPTH, f"levels ({deepest})"),
        ):
            if number > limit:
                stale = f", or delete what is stale at {self._place}" if len(sizes) > len(self.files) else ""
                remedy = f"name what jobs do not need in .modelartsignore{stale}"
                raise self._error(f"a code directory has at most {limit} {what}, not {number}: {remedy}")

    async def remote_objects(self, requests: "BucketRequests") -> "dict[str, StoredObject]":
        """List existing objects while that saves time; raises ObsError if a code directory would get too large."""
        found: dict[str, StoredObject] = {}
        is_whole = self._is_sync or self._is_code
        prefix = self.files[0].key if self.prefix is None and self.files else self.prefix or ""
        async for stored in requests.list(prefix, limit=1 if self.prefix is None else None):
            found[stored.key] = stored
            if not is_whole and len(found) >= max(LISTED, 10 * len(self.files)):
                break
        remaining = (
            {} if self._is_sync else {key: stored.size for key, stored in found.items() if not key.endswith("/")}
        )
        self._check_code(remaining | {file.key: file.size for file in self.files})
        return found

    def stale(self, found: Iterable[str]) -> list[str]:
        """Return the keys below the prefix without a local file, except those that .modelartsignore protects."""
        assert self.prefix is not None and self._rules is not None  # noqa: S101, PT018 - checked for sync
        kept = {file.key for file in self.files}
        return [
            key
            for key in found
            if key not in kept and not key.endswith("/") and not self._rules.match(key.removeprefix(self.prefix))
        ]

    def _error(self, message: str) -> ObsError:
        return ObsError(message, url=str(self._place))


@dataclass(frozen=True, slots=True)
class Sender:
    """Sends files to a bucket, unless they are there already, and checks that they have arrived."""

    _store: "S3Store"
    _bucket: str
    _endpoint: str | None
    _opaque: set[str]  # collects the buckets whose ETags are not checksums, such as encrypted ones

    async def send(self, file: LocalFile, remote: "StoredObject | None", on_bytes: OnBytes) -> bool:
        """Send the file; returns False if the remote object has the same content.

        `on_bytes` receives the number of sent bytes of a large file; after a lost response it starts again at 0.
        Raises ObsError if the stored object differs from the file.
        """
        checksum = await checksum_of(file.path, on_bytes)
        if remote is not None and remote.size == file.size and await self._is_same(remote, checksum):
            return False
        place = Location(self._bucket, file.key)
        with translate_errors(place, self._endpoint):
            # a cancelled call drops the connection, and the store drops the part; obstore reads small files itself
            result = await retry_lost_responses(
                lambda: self._store.put_async(
                    file.key,
                    file.path if file.size <= PART else read_parts(file.path, on_bytes),
                    attributes={MD5_FIELD: checksum.md5},
                    chunk_size=PART,
                    max_concurrency=2,
                )
            )
        etag = (result["e_tag"] or "").strip('"')
        is_comparable = re.fullmatch(r"[0-9a-f]{32}" + checksum.etag[32:], etag)
        if self._bucket not in self._opaque and is_comparable and etag != checksum.etag:
            await self._check_content(place, checksum)
        return True

    async def _is_same(self, remote: "StoredObject", checksum: Checksum) -> bool:
        if remote.etag == checksum.etag:
            return True
        with translate_errors(Location(self._bucket, remote.key), self._endpoint):
            try:
                head = await retry_lost_responses(lambda: self._store.get_async(remote.key, options={"head": True}))
            except FileNotFoundError:  # deleted since it was listed
                return False
        is_tagged = (head.meta["e_tag"] or "").strip('"') == checksum.etag
        return is_tagged or head.attributes.get(MD5_FIELD) == checksum.md5

    async def _check_content(self, place: Location, checksum: Checksum) -> None:
        """Compare the object with the file; if they are the same, the bucket's ETags are not checksums."""
        md5 = hashlib.md5(usedforsecurity=False)
        with translate_errors(place, self._endpoint):
            async for chunk in (await self._store.get_async(place.key)).stream(min_chunk_size=PART):
                md5.update(chunk)
        if md5.hexdigest() != checksum.md5:
            raise ObsError(f"{place} differs from the file: it changed during the upload; upload it again", str(place))
        self._opaque.add(self._bucket)


async def read_parts(path: Path, on_bytes: OnBytes) -> AsyncIterator[bytes]:
    """Yield the file's content; before each part, report the bytes yielded so far."""
    done = 0
    with path.open("rb") as file:
        while part := await asyncio.to_thread(file.read, SENT_AT_ONCE):
            on_bytes(done)
            yield part
            done += len(part)


async def checksum_of(path: Path, on_bytes: OnBytes) -> Checksum:
    """Read the file in threads, part by part, so that reading can be cancelled; report 0 bytes before each part."""
    whole = hashlib.md5(usedforsecurity=False)
    parts: list[bytes] = []
    with path.open("rb") as file:
        while part := await asyncio.to_thread(file.read, PART):
            if len(part) < PART and not parts:  # most files
                whole.update(part)
                break
            on_bytes(0)
            await asyncio.to_thread(whole.update, part)
            parts.append(await asyncio.to_thread(_digest, part))
    if len(parts) < 2:
        return Checksum(whole.hexdigest(), whole.hexdigest())
    return Checksum(whole.hexdigest(), f"{_digest(b''.join(parts)).hex()}-{len(parts)}")


def _digest(content: bytes) -> bytes:
    return hashlib.md5(content, usedforsecurity=False).digest()


def _size(file: Path) -> int:
    """Return the size in bytes; an unreadable file raises OSError here, not later as an error of object storage."""
    with file.open("rb"):
        return file.stat().st_size


def is_plain(key: str) -> bool:
    """Whether obstore accepts the key unchanged."""
    return not _REJECTED.search(key) and not {"", ".", ".."} & set(key.split("/"))


def names(keys: Sequence[str]) -> str:
    """List the first keys, and the number of others."""
    return first_of([repr(key) for key in sorted(keys)], NAMES_IN_ERROR)
