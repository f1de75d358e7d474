"""Objects in a folder: a bucket is a folder, an object is a file, and a file that a user drops in is an object.

Standard library only: a task's controller works on the folder directly, also while no emulator runs.
What a file cannot say (content type, user metadata, "folder" objects) lies in `.meta`, unfinished writes in `.drafts`;
no bucket can have such a name. Links are followed for reading; nothing is ever written outside a bucket's folder.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
import stat
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from . import trees
from .errors import (
    BucketAlreadyOwnedByYou,
    BucketNotEmpty,
    InvalidBucketName,
    InvalidKey,
    NoSuchBucket,
    NoSuchKey,
    PreconditionFailed,
    StoreError,
)
from .listing import Listing, ObjectInfo, Walk
from .names import is_bucket_name, parse_obs_url, relative_path
from .sidecars import Sidecars

__all__ = ["Bucket", "Draft", "Listing", "ObjectInfo", "ObjectStore", "StoreError", "parse_obs_url"]

_DRAFT_LIFETIME = 24 * 3600
_FOLDER_ETAG = hashlib.md5(b"", usedforsecurity=False).hexdigest()


@dataclass(frozen=True, slots=True)
class Bucket:
    """A bucket; `created` in Unix seconds, the folder's age if nothing better is known."""

    name: str
    created: float
    location: str


class ObjectStore:
    """Buckets and objects below `root`; several processes may use one root at the same time.

    Every method that is given a bucket raises NoSuchBucket, every one that is given a key InvalidKey.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._drafts = root / ".drafts"
        self._sidecars = Sidecars(root / ".meta")

    # Buckets

    def buckets(self) -> list[Bucket]:
        """All buckets by name."""
        if not self.root.is_dir():
            return []
        found = [path for path in self.root.iterdir() if is_bucket_name(path.name) and path.is_dir()]
        return [self.stat_bucket(path.name) for path in sorted(found)]

    def create_bucket(self, name: str, location: str = "") -> None:
        """Make a bucket; raises InvalidBucketName or BucketAlreadyOwnedByYou."""
        if not is_bucket_name(name):
            raise InvalidBucketName(
                f"{name!r} is no bucket name: use 3 to 63 lower-case letters, digits, '-' and '.', "
                "beginning and ending with a letter or digit"
            )
        self.root.mkdir(parents=True, exist_ok=True)
        try:
            (self.root / name).mkdir()
        except FileExistsError:
            raise BucketAlreadyOwnedByYou(f"there is a bucket {name} already") from None
        self._sidecars.write(name, "", "", {"created": time.time(), "location": location})

    def stat_bucket(self, name: str) -> Bucket:
        """What is known of a bucket."""
        folder = self._folder(name)
        sidecar = self._sidecars.read(name, "", "") or {}
        return Bucket(name, float(sidecar.get("created") or folder.stat().st_mtime), str(sidecar.get("location") or ""))

    def has_bucket(self, name: str) -> bool:
        """Whether there is such a bucket."""
        return is_bucket_name(name) and os.path.isdir(f"{self.root}/{name}")  # noqa: PTH112 - asked with every request

    def delete_bucket(self, name: str) -> None:
        """Delete an empty bucket, with directories that hold no object; raises BucketNotEmpty."""
        folder = self._folder(name)
        if self.list(name, limit=1).objects:
            raise BucketNotEmpty(f"bucket {name} still has objects; delete them first")
        if folder.is_symlink():
            folder.unlink()
        elif not _remove_directories(folder):
            raise BucketNotEmpty(f"bucket {name} has files that are no objects; remove them from {folder} first")
        self._sidecars.forget(name)

    def clear(self) -> None:
        """Delete all buckets with what is in them; where links lead to is left alone."""
        for bucket in self.buckets():
            folder = self._folder(bucket.name)
            if folder.is_symlink():
                folder.unlink()
            else:
                shutil.rmtree(folder)
            self._sidecars.forget(bucket.name)

    # Reading

    def list(self, bucket: str, prefix: str = "", delimiter: str = "", marker: str = "", limit: int = 1000) -> Listing:
        """A page of objects with the prefix that come after the marker, in the order of their keys' bytes."""
        page = self._walk(bucket, prefix, marker).page(delimiter, limit)
        objects = []
        for key in page.keys:
            # Gone since it was seen: as if it had been deleted before.
            with contextlib.suppress(NoSuchKey, InvalidKey):
                objects.append(self.stat(bucket, key))
        return Listing(objects, page.prefixes, page.next_marker)

    def keys(self, bucket: str, prefix: str = "") -> Iterator[str]:
        """All keys with the prefix, in order, without what pages cost."""
        return self._walk(bucket, prefix, "").keys()

    def _walk(self, bucket: str, prefix: str, marker: str) -> Walk:
        self._check_bucket(bucket)
        folder = f"{self.root}/{bucket}"
        return Walk(folder, prefix, marker, lambda key: self._sidecars.exists(bucket, key, _FOLDER_ETAG))

    def stat(self, bucket: str, key: str) -> ObjectInfo:
        """What is known of an object; raises NoSuchKey."""
        path = self._path(bucket, key)
        try:
            return self._info(bucket, key, path.stat())
        except (FileNotFoundError, NotADirectoryError):
            raise _no_such_key(bucket, key) from None

    def open(self, bucket: str, key: str) -> tuple[ObjectInfo, BinaryIO]:
        """An object and its bytes, which stay the same while the stream is open; raises NoSuchKey."""
        path = self._path(bucket, key)
        if key.endswith("/"):
            return self.stat(bucket, key), Path(os.devnull).open("rb")
        try:
            stream = path.open("rb")
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            raise _no_such_key(bucket, key) from None
        try:
            return self._info(bucket, key, os.fstat(stream.fileno())), stream
        except BaseException:
            stream.close()
            raise

    def read(self, bucket: str, key: str) -> bytes:
        """All bytes of an object; raises NoSuchKey."""
        _, stream = self.open(bucket, key)
        with stream:
            return stream.read()

    def has_folder(self, bucket: str, key: str) -> bool:
        """Whether the key, with or without `/` at the end, is a directory here (perhaps an empty one)."""
        folder = self._folder(bucket)
        return not key.strip("/") or (folder / relative_path(key)).is_dir()

    def _info(self, bucket: str, key: str, status: os.stat_result) -> ObjectInfo:
        if key.endswith("/"):
            etag, size = _FOLDER_ETAG, 0
            sidecar = self._sidecars.read(bucket, key, etag) if stat.S_ISDIR(status.st_mode) else None
            if sidecar is None:
                raise _no_such_key(bucket, key)
        else:
            if not stat.S_ISREG(status.st_mode):
                raise _no_such_key(bucket, key)
            etag, size = etag_of(status), status.st_size
            sidecar = self._sidecars.read(bucket, key, etag) or {}
        content_type = str(sidecar.get("content_type") or "binary/octet-stream")
        metadata, headers = dict(sidecar.get("metadata") or {}), dict(sidecar.get("headers") or {})
        return ObjectInfo(key, size, status.st_mtime, etag, content_type, metadata, headers)

    # Writing

    def write(
        self,
        bucket: str,
        key: str,
        data: bytes | Iterable[bytes],
        content_type: str | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> ObjectInfo:
        """Make or replace an object; readers see the old one or the new one, never a part."""
        with self.draft(bucket, key) as draft:
            for chunk in [data] if isinstance(data, bytes) else data:
                draft.write(chunk)
            return draft.commit(content_type, metadata)

    def draft(self, bucket: str, key: str) -> Draft:
        """An object in the making; nothing happens to the key before its `commit`."""
        self._folder(bucket)
        relative_path(key)
        self._drafts.mkdir(parents=True, exist_ok=True)
        return Draft(self, bucket, key, self._drafts / uuid.uuid4().hex)

    def delete(self, bucket: str, key: str) -> None:
        """Delete an object; nothing happens if there is none."""
        path = self._path(bucket, key)
        self._check_confined(bucket, path)
        with contextlib.suppress(NoSuchKey):
            info = self.stat(bucket, key)
            self._sidecars.delete(bucket, key, info.etag)
        if not key.endswith("/"):
            with contextlib.suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):
                path.unlink()
            path = path.parent
        self._prune(bucket, path)

    def sweep(self) -> None:
        """Remove drafts of writers that never came back."""
        for path in self._drafts.glob("*"):
            with contextlib.suppress(FileNotFoundError):
                if path.stat().st_mtime < time.time() - _DRAFT_LIFETIME:
                    path.unlink()

    # Trees

    def download_tree(self, bucket: str, prefix: str, folder: Path) -> int:
        """Copy the object `prefix`, or all objects below the folder `prefix`, into `folder`; returns how many."""
        return trees.download(self, bucket, prefix, folder)

    def upload_tree(
        self, folder: Path, bucket: str, prefix: str, seen: MutableMapping[Path, tuple[int, int]] | None = None
    ) -> int:
        """Copy all files below `folder` to keys below `prefix`; returns how many.

        With `seen`, files that it says were copied as they are now are left out, and it is brought up to date.
        Raises StoreError, after having tried all files, if one could not be copied.
        """
        return trees.upload(self, folder, bucket, prefix, {} if seen is None else seen)

    # Paths

    def _check_bucket(self, bucket: str) -> None:
        if not self.has_bucket(bucket):
            raise NoSuchBucket(f"there is no bucket {bucket!r}; create it first")

    def _folder(self, bucket: str) -> Path:
        self._check_bucket(bucket)
        return self.root / bucket

    def _path(self, bucket: str, key: str) -> Path:
        return self._folder(bucket) / relative_path(key)

    def _check_confined(self, bucket: str, path: Path) -> None:
        """Raise InvalidKey if a link leads the path's directory out of the bucket."""
        folder = path.parent
        while not folder.exists():
            folder = folder.parent
        if not folder.resolve().is_relative_to(self._folder(bucket).resolve()):
            raise InvalidKey(f"{path.name!r} would be written through a link that leads out of bucket {bucket}")

    def _place(self, bucket: str, key: str, draft: Path, exclusively: bool) -> None:
        """Move the finished draft to its place; raises InvalidKey if something else than an object is in the way."""
        path = self._path(bucket, key)
        self._check_confined(bucket, path)
        for _ in range(20):
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                if exclusively:
                    os.link(draft, path)
                    draft.unlink()
                else:
                    draft.replace(path)
            except FileNotFoundError:
                self._folder(bucket)
                continue  # someone pruned the directory that was just made
            except (NotADirectoryError, FileExistsError, IsADirectoryError):
                if path.is_file():
                    raise PreconditionFailed(f"there is an object {key!r} already") from None
                if path.is_dir() and _remove_directories(path):
                    continue
                raise InvalidKey(
                    f"key {key!r} collides with another: a file cannot be a directory at the same time, "
                    "so no key of this store may continue another one with '/'"
                ) from None
            return
        raise StoreError(f"key {key!r}: its directory disappears again and again")

    def _place_folder(self, bucket: str, key: str) -> None:
        path = self._path(bucket, key)
        self._check_confined(bucket, path)
        try:
            path.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise InvalidKey(f"key {key!r} collides with the object of that name without '/'") from None

    def _prune(self, bucket: str, folder: Path) -> None:
        """Remove directories that an object left empty, up to the bucket or to a "folder" object."""
        top = self._folder(bucket)
        while folder != top and folder.is_relative_to(top):
            if self._sidecars.exists(bucket, f"{folder.relative_to(top).as_posix()}/", _FOLDER_ETAG):
                return
            try:
                folder.rmdir()
            except FileNotFoundError:
                pass
            except OSError as error:
                if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR, errno.EBUSY):
                    return
                raise
            folder = folder.parent


class Draft:
    """An object in the making: a context manager that leaves nothing behind unless `commit` was called."""

    def __init__(self, store: ObjectStore, bucket: str, key: str, path: Path) -> None:
        self._store = store
        self._bucket = bucket
        self._key = key
        self._path = path
        self._stream = path.open("xb")
        self.size = 0

    def __enter__(self) -> Draft:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()
        self._path.unlink(missing_ok=True)

    def discard(self) -> None:
        """Forget it; the same as leaving the context without `commit`."""
        self.__exit__()

    def write(self, data: bytes) -> None:
        """Append to the object in the making."""
        self._stream.write(data)
        self.size += len(data)

    def commit(
        self,
        content_type: str | None = None,
        metadata: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        if_none_match: bool = False,
        if_match: str | None = None,
    ) -> ObjectInfo:
        """Make it the object; raises PreconditionFailed if there is one (`if_none_match`) or another (`if_match`)."""
        store, bucket, key = self._store, self._bucket, self._key
        self._stream.flush()
        old = self._old_etag()
        if (if_none_match and old is not None) or (if_match is not None and old != if_match):
            raise PreconditionFailed(f"object {key!r} is not in the state that the request demands")
        sidecar = {"content_type": content_type, "metadata": dict(metadata or {}), "headers": dict(headers or {})}
        if key.endswith("/"):
            if self.size:
                raise InvalidKey(f"key {key!r} ends in '/': it stands for a directory and can hold no bytes")
            store._place_folder(bucket, key)
            store._sidecars.write(bucket, key, _FOLDER_ETAG, sidecar)
            return store.stat(bucket, key)
        # A distinct time for each write, finer than the file system's own clock, for the sake of the ETag.
        os.utime(self._stream.fileno(), ns=(now := time.time_ns(), now))
        info = os.fstat(self._stream.fileno())
        if content_type or metadata or headers:
            store._sidecars.write(bucket, key, etag_of(info), sidecar)
        store._place(bucket, key, self._path, exclusively=if_none_match)
        if old is not None and old != etag_of(info):
            store._sidecars.delete(bucket, key, old)
        return store._info(bucket, key, info)

    def _old_etag(self) -> str | None:
        try:
            return self._store.stat(self._bucket, self._key).etag
        except NoSuchKey:
            return None


def etag_of(status: os.stat_result) -> str:
    """Changes whenever the file does, costs nothing, and has the form of those that are no MD5 of the content."""
    return hashlib.md5(f"{status.st_size}:{status.st_mtime_ns}".encode(), usedforsecurity=False).hexdigest() + "-1"


def _no_such_key(bucket: str, key: str) -> NoSuchKey:
    return NoSuchKey(f"there is no object {key!r} in bucket {bucket}")


def _remove_directories(folder: Path) -> bool:
    """Remove the folder if nothing but directories is in it; whether it is gone."""
    if any(filenames for _, _, filenames in os.walk(folder)):
        return False
    shutil.rmtree(folder, ignore_errors=True)
    return not folder.exists()
