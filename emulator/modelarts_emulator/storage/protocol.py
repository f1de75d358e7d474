"""What an object store offers to the emulator, whatever keeps the objects.

All calls block until they are done, and may be made from any thread.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Protocol, Self

from modelarts_emulator.storage.errors import AccessDenied, PreconditionFailed
from modelarts_emulator.storage.files import DraftFile

_CHUNK_BYTES = 1 << 20
DEFAULT_CONTENT_TYPE = "binary/octet-stream"


@dataclass(frozen=True, slots=True)
class Attributes:
    """What is kept with an object beside its bytes: `metadata` is the user's own, `headers` are standard HTTP ones."""

    content_type: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Condition:
    """The condition of a write: there is no object (`if_none_match`), or it has this ETag (`if_match`, `*` is any)."""

    if_none_match: bool = False
    if_match: str | None = None


PLAIN, ALWAYS = Attributes(), Condition()


@dataclass(frozen=True, slots=True)
class Bucket:
    """A bucket; `created` in Unix seconds; `owner` is the id of an account, empty for a bucket of all accounts."""

    name: str
    created: float
    location: str
    owner: str = ""

    def check_owner(self, account_id: str) -> None:
        """Raise AccessDenied if the bucket belongs to another account than this one."""
        if self.owner not in ("", account_id):
            raise AccessDenied(f"bucket {self.name!r} belongs to another account")


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """What is known of an object without reading it; `modified` in Unix seconds, `etag` without quotes.

    `metadata` is the user's own (`x-amz-meta-*`), `headers` are returned with the object (`Cache-Control`, ...).
    A listing leaves out content type, metadata and headers.
    """

    key: str
    size: int
    modified: float
    etag: str
    content_type: str = DEFAULT_CONTENT_TYPE
    metadata: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    def check_etag(self, if_match: str) -> None:
        """Raise PreconditionFailed unless the object has this ETag; `*` is any."""
        if if_match not in ("*", self.etag):
            raise PreconditionFailed(f"object {self.key!r} has another ETag")

    @property
    def attributes(self) -> Attributes:
        """What a copy of the object keeps beside its bytes."""
        return Attributes(self.content_type, self.metadata, self.headers)


@dataclass(frozen=True, slots=True)
class Listing:
    """One page: objects and common prefixes in the order of keys; `next_marker` is None on the last page."""

    objects: list[ObjectInfo]
    prefixes: list[str]
    next_marker: str | None


class Draft(Protocol):
    """An object that is being written: a context manager that leaves nothing behind unless `commit` was called."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def write(self, data: bytes | bytearray) -> None:
        """Append bytes."""

    def commit(
        self,
        attributes: Attributes = PLAIN,
        condition: Condition = ALWAYS,
        is_flushed: bool = False,
        etag: str | None = None,
    ) -> ObjectInfo:
        """Make it the object, or change nothing; raises PreconditionFailed, NoSuchKey for an ETag of no object.

        With `is_flushed`, a crash of the machine after the return does not undo it. A store that cannot keep the given
        `etag` makes one of its own.
        """
        raise NotImplementedError


class ObjectDraft(DraftFile):
    """An object that is being written to a file; `finish` takes the complete file and makes it the object."""

    def __init__(self, folder: Path, finish: Callable[..., ObjectInfo]) -> None:
        super().__init__(folder)
        self._finish = finish

    def commit(self, *arguments: Any, **named: Any) -> ObjectInfo:
        """Make it the object, as `Draft.commit` says."""
        return self._finish(self, *arguments, **named)


class Store(Protocol):
    """Buckets of objects; every call may raise StoreError.

    A call that is given a bucket raises NoSuchBucket if there is none. A call that is given a key raises InvalidKey
    for a key that is empty, too long or not UTF-8, a call that writes also for a key that cannot be a path. A key that
    ends in `/` is a "folder" object, which has no bytes.
    `url` opens the same store in another process; `scratch` is a local folder for what is not an object yet.
    """

    url: str
    scratch: Path

    def prepare(self) -> None:
        """Check that the store can be used, and remove what writers that were killed have left behind."""

    def close(self) -> None:
        """Release threads and connections."""

    def buckets(self) -> list[Bucket]:
        """Return all buckets, by name."""
        raise NotImplementedError

    def create_bucket(self, name: str, location: str = "", owner: str = "") -> None:
        """Create a bucket; raises InvalidBucketName or BucketAlreadyOwnedByYou."""

    def head_bucket(self, name: str) -> Bucket:
        """Return what is known of a bucket."""
        raise NotImplementedError

    def has_bucket(self, name: str) -> bool:
        """Whether there is such a bucket."""
        raise NotImplementedError

    def delete_bucket(self, name: str) -> None:
        """Delete an empty bucket; raises BucketNotEmpty."""

    def check_clear(self) -> None:
        """Raise AccessDenied if `clear` would delete what is not the emulator's."""
        return

    def clear(self) -> None:
        """Delete all buckets with all their objects; raises AccessDenied as `check_clear`."""

    def list(self, bucket: str, prefix: str = "", delimiter: str = "", marker: str = "", limit: int = 1000) -> Listing:
        """Return a page of objects with the prefix that come after the marker, in the order of their keys' bytes.

        Keys that share the part up to the first delimiter behind the prefix are one common prefix.
        """
        raise NotImplementedError

    def sizes(self, bucket: str, prefix: str = "") -> Iterator[tuple[str, int]]:
        """Yield key and size in bytes of all objects with the prefix, in order, as cheaply as the store can."""
        raise NotImplementedError

    def head(self, bucket: str, key: str) -> ObjectInfo:
        """Return what is known of an object; raises NoSuchKey."""
        raise NotImplementedError

    def get(self, bucket: str, key: str) -> tuple[ObjectInfo, BinaryIO]:
        """Return an object and a seekable stream of its bytes as they are now; raises NoSuchKey.

        If the stream has a `fileno`, that is a file of this machine, which can be copied by the kernel.
        """
        raise NotImplementedError

    def has_folder(self, bucket: str, key: str) -> bool:
        """Whether the key, with or without `/` at the end, is a directory here (perhaps an empty one)."""
        raise NotImplementedError

    def check(self, bucket: str, key: str) -> None:
        """Raise NoSuchBucket or InvalidKey unless an object could be written there."""

    def draft(self, bucket: str, key: str) -> Draft:
        """Begin to write an object; nothing happens to the key before the draft's `commit`."""
        raise NotImplementedError

    def delete(self, bucket: str, key: str, if_match: str | None = None) -> None:
        """Delete an object; nothing happens if there is none.

        With `if_match`, raise PreconditionFailed for another ETag (`*` is any), NoSuchKey if there is no object.
        """

    # The same for all stores, unless one has a quicker way

    def read(self, bucket: str, key: str) -> bytes:
        """Return all bytes of an object; raises NoSuchKey."""
        _, stream = self.get(bucket, key)
        with stream:
            return stream.read()

    def local_folder(self, bucket: str, prefix: str) -> Path | None:  # noqa: ARG002 - used by stores that have one
        """Return the folder of this machine that holds the objects below the prefix as files, if the store has one.

        It need not exist yet. Raises InvalidKey if no object can be below the prefix, which is empty or ends in `/`.
        """
        return None

    def put(self, bucket: str, key: str, data: bytes | Iterable[bytes], attributes: Attributes = PLAIN) -> ObjectInfo:
        """Create or replace an object; readers see the old one or the new one, never a part."""
        with self.draft(bucket, key) as draft:
            for chunk in [data] if isinstance(data, bytes) else data:
                draft.write(chunk)
            return draft.commit(attributes)

    def copy(
        self,
        source: tuple[str, str],
        target: tuple[str, str],
        attributes: Attributes | None = None,
        check: Callable[[ObjectInfo], None] = lambda _: None,
        condition: Condition = ALWAYS,
    ) -> ObjectInfo:
        """Create or replace an object from another one, with its attributes or those given.

        `check` may raise StoreError for a source that is not as expected; the condition is about the target.
        """
        info, stream = self.get(*source)
        md5 = hashlib.md5(usedforsecurity=False)
        with stream, self.draft(*target) as draft:
            check(info)
            while data := stream.read(_CHUNK_BYTES):
                md5.update(data)
                draft.write(data)
            return draft.commit(attributes or info.attributes, condition, is_flushed=True, etag=md5.hexdigest())
