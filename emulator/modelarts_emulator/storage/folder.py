"""Objects in a folder: a bucket is a folder, an object is a file, and a file that a user drops in is an object.

Standard library only: a task's controller works on the folder directly, also while no emulator runs.
What a file cannot say (ETag, content type, user metadata), and which directories are "folder" objects, lies in `.meta`,
unfinished writes in `.drafts`, buckets that are being deleted in `.cleared`; no bucket can have such a name.
Whatever changes names holds the write lock, so a check and the change that depends on it are one step; readers need no
lock. Links are followed for reading; nothing is ever written outside a bucket's folder.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import BinaryIO

from modelarts_emulator.storage.atomic_files import DraftFile, sweep
from modelarts_emulator.storage.directories import is_absent, make_directories, open_regular, remove_empty
from modelarts_emulator.storage.directory_names import DirectoryNames
from modelarts_emulator.storage.errors import (
    BucketAlreadyOwnedByYou,
    InvalidKey,
    NoSuchBucket,
    NoSuchKey,
    PreconditionFailed,
    StoreError,
)
from modelarts_emulator.storage.listing import EMPTY_MD5, Walk, page_of, state_of
from modelarts_emulator.storage.locks import LOCK_TIMEOUT_S, WriteLock
from modelarts_emulator.storage.names import (
    check_bucket_name,
    check_content,
    check_key,
    check_path,
    is_bucket_name,
    is_path,
    relative_path,
)
from modelarts_emulator.storage.protocol import (
    ALWAYS,
    DEFAULT_CONTENT_TYPE,
    Bucket,
    Condition,
    Draft,
    Listing,
    ObjectDraft,
    ObjectInfo,
    Store,
)
from modelarts_emulator.storage.sidecars import BUCKET, Sidecars
from modelarts_emulator.storage.trash import Trash

__all__ = ["FolderStore"]


class FolderStore(Store):
    """Buckets and objects below `root`; several processes may use one root at the same time.

    Without `is_durable`, a crash of the machine may undo what was acknowledged.
    """

    def __init__(self, root: Path, lock_timeout_s: float = LOCK_TIMEOUT_S, is_durable: bool = True) -> None:
        self.root = self.scratch = root
        self._is_durable = is_durable
        self._top = os.fspath(root)
        self.url = root.absolute().as_uri()
        self._drafts = root / ".drafts"
        self._cleared = Trash(root / ".cleared")
        self._sidecars = Sidecars(root / ".meta", self._drafts)
        self._names = DirectoryNames()
        self._lock = WriteLock(root, lock_timeout_s)

    # Buckets

    def buckets(self) -> list[Bucket]:
        if not self.root.is_dir():
            return []
        names = sorted(path.name for path in self.root.iterdir() if is_bucket_name(path.name))
        found = []
        for name in names:
            with contextlib.suppress(NoSuchBucket):  # a file, or deleted since it was seen
                found.append(self.head_bucket(name))
        return found

    def create_bucket(self, name: str, location: str = "", owner: str = "") -> None:
        check_bucket_name(name)
        with self._lock.hold():
            try:
                (self.root / name).mkdir()
            except FileExistsError:
                raise BucketAlreadyOwnedByYou(f"bucket {name} exists already") from None
            self._sidecars.write(name, BUCKET, {"created": time.time(), "location": location, "owner": owner})

    def head_bucket(self, name: str) -> Bucket:
        self._check_bucket(name)
        sidecar = self._sidecars.read(name)
        try:
            created = float(sidecar.get("created") or self._folder(name).stat().st_mtime)
        except FileNotFoundError:
            raise NoSuchBucket.named(name) from None
        return Bucket(name, created, str(sidecar.get("location") or ""), str(sidecar.get("owner") or ""))

    def has_bucket(self, name: str) -> bool:
        return is_bucket_name(name) and os.path.isdir(f"{self.root}/{name}")  # noqa: PTH112 - asked with every request

    def delete_bucket(self, name: str) -> None:
        """Delete an empty bucket, with directories that hold no object; raises BucketNotEmpty."""
        with self._lock.hold():
            folder = self._folder(name)
            if self.list(name, limit=1).objects:
                raise StoreError("BucketNotEmpty", f"bucket {name} still has objects; delete them first")
            if folder.is_symlink():
                folder.unlink()
            elif not remove_empty(os.fspath(folder)):
                raise StoreError(
                    "BucketNotEmpty", f"bucket {name} has files that are not objects; remove them from {folder} first"
                )
            self._sidecars.forget(name)

    def clear(self) -> None:
        """Delete all buckets with what is in them, the files soon after; where links lead to is left alone."""
        with self._lock.hold():
            for bucket in self.buckets():
                folder = self._folder(bucket.name)
                if folder.is_symlink():
                    folder.unlink()
                else:
                    self._cleared.discard(folder)
                self._sidecars.forget(bucket.name)

    def close(self) -> None:
        """Stop the thread that removes cleared buckets; what it leaves is removed by the next `prepare`."""
        self._cleared.close()

    # Reading

    def list(self, bucket: str, prefix: str = "", delimiter: str = "", marker: str = "", limit: int = 1000) -> Listing:
        page = page_of(self._keys(bucket, prefix, marker, delimiter == "/"), prefix, delimiter, marker, limit)
        objects = []
        for key in page.keys:
            with contextlib.suppress(NoSuchKey):  # gone since it was seen: as if it had been deleted before
                objects.append(self._head(bucket, key))
        return Listing(objects, page.prefixes, page.next_marker)

    def sizes(self, bucket: str, prefix: str = "") -> Iterator[tuple[str, int]]:
        """Key and size of all objects with the prefix; what else is known of them takes several times as long."""
        for key in self._keys(bucket, prefix, "", is_shallow=False):
            if (found := self._find(bucket, key)) is not None:  # else deleted since it was seen
                yield key, _size(found[1])

    def _keys(self, bucket: str, prefix: str, marker: str, is_shallow: bool) -> Iterator[str]:
        """Keys in order, each once; `is_shallow` as of `Walk.keys`."""
        self._check_bucket(bucket)
        is_folder_object = partial(self._sidecars.exists, bucket)
        return Walk(f"{self._top}/{bucket}", prefix, marker, is_folder_object, self._names).keys(is_shallow)

    def head(self, bucket: str, key: str) -> ObjectInfo:
        self._check(bucket, key)
        return self._head(bucket, key)

    def _head(self, bucket: str, key: str) -> ObjectInfo:
        while (found := self._find(bucket, key)) is not None:
            if (info := self._info(bucket, key, found[1])) is not None:
                return info  # else replaced since it was seen
        raise NoSuchKey.named(bucket, key)

    def get(self, bucket: str, key: str) -> tuple[ObjectInfo, BinaryIO]:
        self._check(bucket, key)
        while (found := self._find(bucket, key)) is not None:
            path, status = found
            if stat.S_ISDIR(status.st_mode):
                return self._head(bucket, key), Path(os.devnull).open("rb")
            try:
                stream = open_regular(path)
            except FileNotFoundError:
                continue  # deleted, or replaced, since it was seen
            try:
                if (info := self._info(bucket, key, os.fstat(stream.fileno()))) is not None:
                    return info, stream
            except BaseException:
                stream.close()
                raise
            stream.close()
        raise NoSuchKey.named(bucket, key)

    def has_folder(self, bucket: str, key: str) -> bool:
        folder = self._folder(bucket)
        return not key.strip("/") or (folder / relative_path(key)).is_dir()

    def local_folder(self, bucket: str, prefix: str) -> Path:
        return self._path(bucket, prefix) if prefix else self._folder(bucket)

    def _find(self, bucket: str, key: str) -> tuple[str, os.stat_result] | None:
        """Where the object is, and the status of its file or directory; None if there is no such object."""
        if not is_path(key):
            return None
        path = f"{self._top}/{bucket}/{key}"
        try:
            status = os.stat(path)  # noqa: PTH116 - text, because pages of objects wait for this
        except OSError as error:
            if is_absent(error):
                return None
            raise
        if key.endswith("/"):
            is_object = stat.S_ISDIR(status.st_mode) and self._sidecars.exists(bucket, key)
        else:
            is_object = stat.S_ISREG(status.st_mode)
        return (path, status) if is_object else None

    def _info(self, bucket: str, key: str, status: os.stat_result) -> ObjectInfo | None:
        """What is known of the object with this status; None if it has been replaced, and what was known is gone."""
        state = state_of(status)
        known = self._sidecars.read(bucket, key).get(state)
        if known is None:
            if (now := self._find(bucket, key)) is not None and state_of(now[1]) != state:
                return None
            known = {}
        etag = known.get("etag") or (EMPTY_MD5 if stat.S_ISDIR(status.st_mode) else state)
        content_type = known.get("content_type") or DEFAULT_CONTENT_TYPE
        metadata, headers = known.get("metadata") or {}, known.get("headers") or {}
        return ObjectInfo(key, _size(status), status.st_mtime, etag, content_type, metadata, headers)

    # Writing

    def draft(self, bucket: str, key: str) -> Draft:
        self.check(bucket, key)
        make_directories(os.fspath(self._drafts))
        return ObjectDraft(self._drafts, partial(self._commit, bucket, key))

    def check(self, bucket: str, key: str) -> None:
        self._check_bucket(bucket)
        check_path(key)

    def _commit(
        self,
        bucket: str,
        key: str,
        draft: DraftFile,
        content_type: str | None = None,
        metadata: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        condition: Condition = ALWAYS,
        is_flushed: bool = False,
        etag: str | None = None,
    ) -> ObjectInfo:
        """Make the draft the object, as `Draft.commit` says."""
        # A distinct time for each write, finer than the file system's own clock: it tells the states of a file apart.
        os.utime(draft.fileno(), ns=(now := time.time_ns(), now))
        status = os.fstat(draft.fileno())
        check_content(key, status.st_size == 0)
        metadata, headers = dict(metadata or {}), dict(headers or {})
        known = {"etag": etag, "content_type": content_type, "metadata": metadata, "headers": headers}
        if is_flushed and self._is_durable:
            draft.flush()
        with self._lock.hold():
            self._check_bucket(bucket)
            old = self._find(bucket, key)
            if condition.if_none_match and old is not None:
                raise PreconditionFailed(f"object {key!r} exists already")
            if condition.if_match is not None:
                self._head(bucket, key).check_etag(condition.if_match)
            self._place(bucket, key, draft, old, {name: value for name, value in known.items() if value})
            if key.endswith("/"):
                return self._head(bucket, key)
        content_type, state = content_type or DEFAULT_CONTENT_TYPE, state_of(status)
        return ObjectInfo(key, status.st_size, status.st_mtime, etag or state, content_type, metadata, headers)

    def _place(
        self,
        bucket: str,
        key: str,
        draft: DraftFile,
        old: tuple[str, os.stat_result] | None,
        known: Mapping[str, object],
    ) -> None:
        """Make the draft the file of the key, in place of the old one, and keep what is known; or change nothing."""
        path, is_folder = self.root / bucket / key, key.endswith("/")
        folder = path if is_folder else path.parent
        self._check_confined(bucket, path)
        if old is None and not is_folder:
            self._make_room(bucket, key)
        try:
            _make_folder(key, folder)
            if known or is_folder:
                states = {} if old is None else self._sidecars.read(bucket, key)
                kept = {} if old is None else {state_of(old[1]): states.get(state_of(old[1]), {})}
                state = EMPTY_MD5 if is_folder else state_of(os.fstat(draft.fileno()))
                self._sidecars.write(bucket, key, {**kept, state: known})
            if not is_folder:
                os.replace(draft.path, path)  # noqa: PTH105
        except BaseException:
            if old is None:
                self._sidecars.delete(bucket, key)
            self._prune(bucket, folder)
            raise
        if not known and not is_folder:
            self._sidecars.delete(bucket, key)

    def _make_room(self, bucket: str, key: str) -> None:
        """Remove empty directories at the key's path; raises InvalidKey if there are objects in them."""
        path = self.root / bucket / key
        if path.is_dir() and (self._holds_objects(bucket, f"{key}/") or not remove_empty(os.fspath(path))):
            raise InvalidKey(f"key {key!r} is a directory here, because other keys continue it: delete those first")

    def _holds_objects(self, bucket: str, prefix: str) -> bool:
        return next(self._keys(bucket, prefix, "", is_shallow=False), None) is not None

    def _check_confined(self, bucket: str, path: Path) -> None:
        """Raise InvalidKey if a link leads the path's directory out of the bucket."""
        folder = os.path.dirname(path)  # noqa: PTH120
        while not os.path.exists(folder):  # noqa: PTH110
            folder = os.path.dirname(folder)  # noqa: PTH120
        top = os.path.realpath(self.root / bucket)
        if not f"{os.path.realpath(folder)}/".startswith(f"{top}/"):
            raise InvalidKey(f"{path.name!r} would be written through a link that leads out of bucket {bucket}")

    def _prune(self, bucket: str, folder: Path) -> None:
        """Remove directories that an object left empty, up to the bucket or to a "folder" object."""
        top = self.root / bucket
        while folder != top and folder.is_relative_to(top):
            if self._sidecars.exists(bucket, f"{folder.relative_to(top).as_posix()}/"):
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

    def delete(self, bucket: str, key: str, if_match: str | None = None) -> None:
        self._check(bucket, key)
        with self._lock.hold():
            self._check_bucket(bucket)
            if if_match is not None:
                self._head(bucket, key).check_etag(if_match)
            if not is_path(key):
                return
            path = self.root / bucket / key
            self._check_confined(bucket, path)
            if not key.endswith("/") and self._find(bucket, key) is not None:
                path.unlink(missing_ok=True)
            self._sidecars.delete(bucket, key)
            self._prune(bucket, path if key.endswith("/") else path.parent)

    def prepare(self) -> None:
        """Make the folder, and remove what writers that were killed have left."""
        make_directories(os.fspath(self.root))
        with self._lock.hold():
            sweep(self._drafts.glob("*"))
        self._cleared.resume()

    # Paths

    def _check_bucket(self, bucket: str) -> None:
        if not self.has_bucket(bucket):
            raise NoSuchBucket.named(bucket)

    def _folder(self, bucket: str) -> Path:
        self._check_bucket(bucket)
        return self.root / bucket

    def _path(self, bucket: str, key: str) -> Path:
        return self._folder(bucket) / relative_path(key)

    def _check(self, bucket: str, key: str) -> None:
        self._check_bucket(bucket)
        check_key(key)


def _size(status: os.stat_result) -> int:
    return 0 if stat.S_ISDIR(status.st_mode) else status.st_size


def _make_folder(key: str, folder: Path) -> None:
    """Make the directory and those above it; raises InvalidKey if one of them is an object."""
    try:
        make_directories(os.fspath(folder))
    except (FileExistsError, NotADirectoryError):
        message = f"key {key!r} continues the key of an object, which is a file here: delete that one first"
        raise InvalidKey(message) from None
