"""Objects in a folder: a bucket is a folder, an object is a file, and a file that a user drops in is an object.

Standard library only: a task's controller works on the folder directly, also while no emulator runs.
What a file cannot say (content type, user metadata, "folder" objects) lies in `.meta`, unfinished writes in `.drafts`,
buckets that are being deleted in `.cleared`; no bucket can have such a name.
Whatever changes names holds the write lock, so a check and the change that depends on it are one step; readers need no
lock. Links are followed for reading; nothing is ever written outside a bucket's folder.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO

from modelarts_emulator.storage.directories import (
    is_absent,
    make_directories,
    move,
    open_regular,
    remove_empty,
)
from modelarts_emulator.storage.drafts import DraftFile, ObjectDraft, sweep
from modelarts_emulator.storage.errors import (
    BucketAlreadyOwnedByYou,
    BucketNotEmpty,
    InvalidKey,
    NoSuchBucket,
    NoSuchKey,
    PreconditionFailed,
    StoreError,
)
from modelarts_emulator.storage.listing import Walk, etag_of
from modelarts_emulator.storage.locks import LOCK_TIMEOUT_S, WriteLock
from modelarts_emulator.storage.names import check_bucket_name, check_key, is_bucket_name, relative_path
from modelarts_emulator.storage.object_metadata import Sidecars
from modelarts_emulator.storage.protocol import DEFAULT_CONTENT_TYPE, Bucket, Draft, Listing, ObjectInfo, Store
from modelarts_emulator.storage.trash import Trash

__all__ = ["FolderStore"]

_ATTEMPTS = 3
_FOLDER_ETAG = hashlib.md5(b"", usedforsecurity=False).hexdigest()


class FolderStore(Store):
    """Buckets and objects below `root`; several processes may use one root at the same time."""

    def __init__(self, root: Path, lock_timeout_s: float = LOCK_TIMEOUT_S) -> None:
        self.root = self.scratch = root
        self.url = root.absolute().as_uri()
        self._drafts = root / ".drafts"
        self._cleared = Trash(root / ".cleared")
        self._sidecars = Sidecars(root / ".meta")
        self._lock = WriteLock(root, self._forget_old_states, lock_timeout_s)

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

    def create_bucket(self, name: str, location: str = "") -> None:
        check_bucket_name(name)
        with self._lock.hold():
            try:
                (self.root / name).mkdir()
            except FileExistsError:
                raise BucketAlreadyOwnedByYou(f"bucket {name} exists already") from None
            self._sidecars.write(name, "", "", {"created": time.time(), "location": location})

    def head_bucket(self, name: str) -> Bucket:
        folder = self._folder(name)
        sidecar = self._sidecars.read(name, "", "") or {}
        try:
            created = float(sidecar.get("created") or folder.stat().st_mtime)
        except FileNotFoundError:
            raise NoSuchBucket.named(name) from None
        return Bucket(name, created, str(sidecar.get("location") or ""))

    def has_bucket(self, name: str) -> bool:
        return is_bucket_name(name) and os.path.isdir(f"{self.root}/{name}")  # noqa: PTH112 - asked with every request

    def delete_bucket(self, name: str) -> None:
        """Delete an empty bucket, with directories that hold no object; raises BucketNotEmpty."""
        with self._lock.hold():
            folder = self._folder(name)
            if self.list(name, limit=1).objects:
                raise BucketNotEmpty(f"bucket {name} still has objects; delete them first")
            if folder.is_symlink():
                folder.unlink()
            elif not remove_empty(os.fspath(folder)):
                raise BucketNotEmpty(f"bucket {name} has files that are not objects; remove them from {folder} first")
            self._sidecars.forget(name)

    def check_clear(self) -> None:
        return

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
        page = self._walk(bucket, prefix, marker).page(delimiter, limit)
        objects = []
        for key in page.keys:
            # Gone since it was seen: as if it had been deleted before.
            with contextlib.suppress(NoSuchKey, InvalidKey):
                objects.append(self.head(bucket, key))
        return Listing(objects, page.prefixes, page.next_marker)

    def sizes(self, bucket: str, prefix: str = "") -> Iterator[tuple[str, int]]:
        """Key and size of all objects with the prefix; what else is known of them takes several times as long."""
        folder = f"{self.root}/{bucket}"
        for key in self._walk(bucket, prefix, "").keys():  # noqa: SIM118 - not a dictionary
            try:
                yield key, 0 if key.endswith("/") else os.stat(f"{folder}/{key}").st_size  # noqa: PTH116
            except OSError as error:
                if not is_absent(error):  # deleted since it was seen
                    raise

    def _walk(self, bucket: str, prefix: str, marker: str) -> Walk:
        self._check_bucket(bucket)
        folder = f"{self.root}/{bucket}"
        return Walk(folder, prefix, marker, lambda key: self._sidecars.exists(bucket, key, _FOLDER_ETAG))

    def head(self, bucket: str, key: str) -> ObjectInfo:
        while (info := self._info(bucket, key, self._status(bucket, key))) is None:
            continue  # replaced since it was seen
        return info

    def get(self, bucket: str, key: str) -> tuple[ObjectInfo, BinaryIO]:
        path = self._path(bucket, key)
        if key.endswith("/"):
            return self.head(bucket, key), Path(os.devnull).open("rb")
        while True:
            try:
                stream = open_regular(path)
            except FileNotFoundError:
                raise NoSuchKey.named(bucket, key) from None
            try:
                if (info := self._info(bucket, key, os.fstat(stream.fileno()))) is not None:
                    return info, stream
            except BaseException:
                stream.close()
                raise
            stream.close()

    def has_folder(self, bucket: str, key: str) -> bool:
        folder = self._folder(bucket)
        return not key.strip("/") or (folder / relative_path(key)).is_dir()

    def local_folder(self, bucket: str, prefix: str) -> Path:
        return self._path(bucket, prefix) if prefix else self._folder(bucket)

    def _status(self, bucket: str, key: str) -> os.stat_result:
        """The status of what the key names; raises NoSuchKey if that is nothing that can be an object."""
        try:
            status = self._path(bucket, key).stat()
        except OSError as error:
            if not is_absent(error):
                raise
        else:
            if (stat.S_ISDIR if key.endswith("/") else stat.S_ISREG)(status.st_mode):
                return status
        raise NoSuchKey.named(bucket, key)

    def _info(self, bucket: str, key: str, status: os.stat_result) -> ObjectInfo | None:
        """What is known of the object with this status; None if it has been replaced, and what was known is gone."""
        etag, size = (_FOLDER_ETAG, 0) if key.endswith("/") else (etag_of(status), status.st_size)
        sidecar = self._sidecars.read(bucket, key, etag)
        if sidecar is None:
            if key.endswith("/"):
                raise NoSuchKey.named(bucket, key)
            with contextlib.suppress(NoSuchKey):
                if etag_of(self._status(bucket, key)) != etag:
                    return None
            sidecar = {}
        content_type = str(sidecar.get("content_type") or DEFAULT_CONTENT_TYPE)
        metadata, headers = dict(sidecar.get("metadata") or {}), dict(sidecar.get("headers") or {})
        return ObjectInfo(key, size, status.st_mtime, etag, content_type, metadata, headers)

    # Writing

    def draft(self, bucket: str, key: str) -> Draft:
        self.check(bucket, key)
        make_directories(os.fspath(self._drafts))
        return ObjectDraft(self._drafts, partial(self._commit, bucket, key))

    def check(self, bucket: str, key: str) -> None:
        self._check_bucket(bucket)
        check_key(key)

    def _commit(
        self,
        bucket: str,
        key: str,
        draft: DraftFile,
        content_type: str | None = None,
        metadata: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        if_none_match: bool = False,
        if_match: str | None = None,
        is_flushed: bool = False,
    ) -> ObjectInfo:
        """Make the draft the object, as `Draft.commit` says."""
        is_folder = key.endswith("/")
        if is_folder and os.fstat(draft.fileno()).st_size:
            raise InvalidKey(f"key {key!r} ends in '/': it stands for a directory and can hold no bytes")
        # A distinct time for each write, finer than the file system's own clock, for the sake of the ETag.
        os.utime(draft.fileno(), ns=(now := time.time_ns(), now))
        if is_flushed:
            draft.flush()
        metadata, headers = dict(metadata or {}), dict(headers or {})
        known = {"content_type": content_type, "metadata": metadata, "headers": headers}
        with contextlib.ExitStack() as stack:
            has_sidecar = is_folder or any(known.values())
            sidecar = stack.enter_context(self._sidecars.draft(known, is_flushed)) if has_sidecar else None
            self._place_all(bucket, key, draft, sidecar, if_none_match, if_match)
        if is_folder:
            return self.head(bucket, key)
        status = os.fstat(draft.fileno())
        size, modified, etag = status.st_size, status.st_mtime, etag_of(status)
        return ObjectInfo(key, size, modified, etag, content_type or DEFAULT_CONTENT_TYPE, metadata, headers)

    def _place_all(
        self,
        bucket: str,
        key: str,
        draft: DraftFile,
        sidecar: DraftFile | None,
        if_none_match: bool,
        if_match: str | None,
    ) -> None:
        """Move the files of the object and its sidecar to their places, or change nothing."""
        with self._lock.hold() as journal:
            path, old = self._path(bucket, key), self._etag(bucket, key)
            if (if_none_match and old is not None) or (if_match is not None and old != if_match):
                raise PreconditionFailed(f"object {key!r} is not in the state that the request demands")
            self._check_confined(bucket, path)
            etag = _FOLDER_ETAG if key.endswith("/") else etag_of(os.fstat(draft.fileno()))
            if sidecar is not None or (old is not None and self._sidecars.exists(bucket, key, old)):
                journal.note(bucket, key, [etag] if old is None else [old, etag])
            try:
                if key.endswith("/"):
                    self._place_folder(key, path)
                if sidecar is not None:
                    self._sidecars.place(sidecar, bucket, key, etag)
                if not key.endswith("/"):
                    self._place(bucket, key, draft.path, path)
            except BaseException:
                self._prune(bucket, path if key.endswith("/") else path.parent)
                raise

    def delete(self, bucket: str, key: str) -> None:
        path = self._path(bucket, key)
        with self._lock.hold() as journal:
            self._check_confined(bucket, path)
            if key.endswith("/"):
                self._sidecars.delete(bucket, key, _FOLDER_ETAG)
                self._prune(bucket, path)
                return
            if (etag := self._etag(bucket, key)) is not None:
                if self._sidecars.exists(bucket, key, etag):
                    journal.note(bucket, key, [etag])
                path.unlink(missing_ok=True)
            self._prune(bucket, path.parent)

    def link(self, bucket: str, key: str, path: Path) -> bool:
        """Make a hard link to the file; False if the file systems do not allow that."""
        target = self._path(bucket, key)
        with self._lock.hold():
            self._check_confined(bucket, target)
            make_directories(os.fspath(target.parent))
            try:
                os.link(path, target)
            except FileExistsError:
                return True
            except OSError:
                self._prune(bucket, target.parent)
                return False
        return True

    def prepare(self) -> None:
        """Make the folder, and remove what writers that were killed have left."""
        make_directories(os.fspath(self.root))
        with self._lock.hold():
            self._sidecars.sweep()
            sweep(self._drafts.glob("*"))
        self._cleared.resume()

    def _forget_old_states(self, bucket: str, key: str, etags: Sequence[str]) -> None:
        current = self._etag(bucket, key) if self.has_bucket(bucket) else None
        for etag in etags:
            if etag != current:
                self._sidecars.delete(bucket, key, etag)

    # Paths

    def _check_bucket(self, bucket: str) -> None:
        if not self.has_bucket(bucket):
            raise NoSuchBucket.named(bucket)

    def _folder(self, bucket: str) -> Path:
        self._check_bucket(bucket)
        return self.root / bucket

    def _path(self, bucket: str, key: str) -> Path:
        return self._folder(bucket) / relative_path(key)

    def _etag(self, bucket: str, key: str) -> str | None:
        """The object's ETag, None if there is no such object."""
        try:
            status = self._status(bucket, key)
        except NoSuchKey:
            return None
        if not key.endswith("/"):
            return etag_of(status)
        return _FOLDER_ETAG if self._sidecars.exists(bucket, key, _FOLDER_ETAG) else None

    def _check_confined(self, bucket: str, path: Path) -> None:
        """Raise InvalidKey if a link leads the path's directory out of the bucket."""
        folder = os.path.dirname(path)  # noqa: PTH120
        while not os.path.exists(folder):  # noqa: PTH110
            folder = os.path.dirname(folder)  # noqa: PTH120
        top = os.path.realpath(self._folder(bucket))
        if not f"{os.path.realpath(folder)}/".startswith(f"{top}/"):
            raise InvalidKey(f"{path.name!r} would be written through a link that leads out of bucket {bucket}")

    def _place(self, bucket: str, key: str, draft: Path, path: Path) -> None:
        """Move the finished draft to its place; raises InvalidKey if something else than an object is in the way."""
        for _ in range(_ATTEMPTS):
            try:
                move(os.fspath(draft), os.fspath(path))
            except FileNotFoundError:
                self._check_bucket(bucket)  # someone removed, by hand, the directory that was just made
            except (NotADirectoryError, FileExistsError, IsADirectoryError):
                if not (path.is_dir() and remove_empty(os.fspath(path))):
                    raise InvalidKey(
                        f"key {key!r} collides with another: a file cannot be a directory at the same time, "
                        "so no key of this store may continue another one with '/'"
                    ) from None
            else:
                return
        raise StoreError(f"key {key!r}: its directory disappears again and again")

    def _place_folder(self, key: str, path: Path) -> None:
        try:
            make_directories(os.fspath(path))
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
