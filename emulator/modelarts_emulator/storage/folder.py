"""Objects in a folder: a bucket is a folder, an object is a file, and a file that a user drops in is an object.

Standard library only: a task's controller works on the folder directly, also while no emulator runs.
What a file cannot say (content type, user metadata) is an attribute of the file, or lies in `.meta` with "folder"
objects; objects whose keys no path can be lie in `.encoded`, unfinished writes in `.drafts`, buckets that are being
deleted in `.cleared`; no bucket can have such a name.
Whatever changes names holds the write lock, so a check and the change that depends on it are one step; readers need no
lock. Links are followed for reading; nothing is ever written outside a bucket's folder.
"""

from __future__ import annotations

import contextlib
import heapq
import itertools
import os
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO

from modelarts_emulator.storage import file_attributes
from modelarts_emulator.storage.directories import (
    is_absent,
    make_directories,
    open_regular,
    remove_empty,
)
from modelarts_emulator.storage.directory_names import DirectoryNames
from modelarts_emulator.storage.drafts import DraftFile, ObjectDraft, sweep
from modelarts_emulator.storage.encoded_keys import EncodedKeys
from modelarts_emulator.storage.errors import (
    BucketAlreadyOwnedByYou,
    InvalidKey,
    NoSuchBucket,
    NoSuchKey,
    PreconditionFailed,
    StoreError,
)
from modelarts_emulator.storage.listing import EMPTY_MD5, FOLDER_STATE, Walk, page_of, state_of
from modelarts_emulator.storage.locks import LOCK_TIMEOUT_S, WriteLock
from modelarts_emulator.storage.names import check_bucket_name, check_key, is_bucket_name, is_path, relative_path
from modelarts_emulator.storage.object_metadata import Sidecars
from modelarts_emulator.storage.placement import Placement
from modelarts_emulator.storage.protocol import (
    ALWAYS,
    DEFAULT_CONTENT_TYPE,
    Bucket,
    Condition,
    Draft,
    Listing,
    ObjectInfo,
    Store,
)
from modelarts_emulator.storage.trash import Trash

__all__ = ["FolderStore"]


class FolderStore(Store):
    """Buckets and objects below `root`; several processes may use one root at the same time."""

    def __init__(self, root: Path, lock_timeout_s: float = LOCK_TIMEOUT_S) -> None:
        self.root = self.scratch = root
        self._top = os.fspath(root)
        self.url = root.absolute().as_uri()
        self._drafts = root / ".drafts"
        self._cleared = Trash(root / ".cleared")
        self._sidecars = Sidecars(root / ".meta")
        self._encoded = EncodedKeys(f"{root}/.encoded")
        self._names = DirectoryNames()
        self._placement = Placement(root, self._sidecars, self._encoded)
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

    def create_bucket(self, name: str, location: str = "", owner: str = "") -> None:
        check_bucket_name(name)
        with self._lock.hold():
            try:
                (self.root / name).mkdir()
            except FileExistsError:
                raise BucketAlreadyOwnedByYou(f"bucket {name} exists already") from None
            self._sidecars.write(name, "", "", {"created": time.time(), "location": location, "owner": owner})

    def head_bucket(self, name: str) -> Bucket:
        self._check_bucket(name)
        sidecar = self._sidecars.read(name, "", "") or {}
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
            self._forget(name)

    def clear(self) -> None:
        """Delete all buckets with what is in them, the files soon after; where links lead to is left alone."""
        with self._lock.hold():
            for bucket in self.buckets():
                folder = self._folder(bucket.name)
                if folder.is_symlink():
                    folder.unlink()
                else:
                    self._cleared.discard(folder)
                self._forget(bucket.name)

    def _forget(self, bucket: str) -> None:
        """Remove what is kept of a bucket and its objects elsewhere than in its folder."""
        self._sidecars.forget(bucket)
        self._encoded.forget(bucket)

    def close(self) -> None:
        """Stop the thread that removes cleared buckets; what it leaves is removed by the next `prepare`."""
        self._cleared.close()

    # Reading

    def list(self, bucket: str, prefix: str = "", delimiter: str = "", marker: str = "", limit: int = 1000) -> Listing:
        page = page_of(self._keys(bucket, prefix, marker, delimiter == "/"), prefix, delimiter, marker, limit)
        objects = []
        for key in page.keys:
            try:
                objects.append(self._listed(bucket, key))
            except (NoSuchKey, InvalidKey):
                continue  # gone since it was seen: as if it had been deleted before
        return Listing(objects, page.prefixes, page.next_marker)

    def sizes(self, bucket: str, prefix: str = "") -> Iterator[tuple[str, int]]:
        """Key and size of all objects with the prefix; what else is known of them takes several times as long."""
        for key in self._keys(bucket, prefix, "", is_shallow=False):
            status = self._file_status(bucket, key)
            with contextlib.suppress(NoSuchKey):  # deleted since it was seen
                yield key, self._head(bucket, key).size if status is None else status.st_size

    def _listed(self, bucket: str, key: str) -> ObjectInfo:
        """What a listing says of an object: a page has a thousand of them."""
        status = self._file_status(bucket, key)
        known = None if status is None else file_attributes.read(f"{self._top}/{bucket}/{key}", status)
        if status is None or known is None:
            return self._head(bucket, key)
        return ObjectInfo(key, status.st_size, status.st_mtime, known.get("etag") or state_of(status))

    def _file_status(self, bucket: str, key: str) -> os.stat_result | None:
        """The status of the file at the path that the key is, None if there is no such file."""
        if key.endswith("/") or not is_path(key):
            return None
        try:
            status = os.stat(f"{self._top}/{bucket}/{key}")  # noqa: PTH116
        except OSError:
            return None
        return status if stat.S_ISREG(status.st_mode) else None

    def _keys(self, bucket: str, prefix: str, marker: str, is_shallow: bool) -> Iterator[str]:
        """Keys in order, each once; `is_shallow` as of `Walk.keys`."""
        self._check_bucket(bucket)
        folder = f"{self.root}/{bucket}"
        walk = Walk(folder, prefix, marker, lambda key: self._sidecars.exists(bucket, key, FOLDER_STATE), self._names)
        encoded = self._encoded.keys(bucket, prefix, marker)
        if not encoded:
            return walk.keys(is_shallow)
        return (key for key, _ in itertools.groupby(heapq.merge(walk.keys(is_shallow), encoded)))

    def head(self, bucket: str, key: str) -> ObjectInfo:
        self._check(bucket, key)
        return self._head(bucket, key)

    def _head(self, bucket: str, key: str) -> ObjectInfo:
        while (found := self._find(bucket, key)) is not None:
            path, status = found
            if (info := self._info(bucket, key, path, status)) is not None:
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
                if (info := self._info(bucket, key, stream.fileno(), os.fstat(stream.fileno()))) is not None:
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
        for place in self._places(bucket, key):
            try:
                status = os.stat(place)  # noqa: PTH116 - text, because pages of objects wait for this
            except OSError as error:
                if not is_absent(error):
                    raise
                continue
            if place.endswith("/"):
                is_object = stat.S_ISDIR(status.st_mode) and self._sidecars.exists(bucket, key, FOLDER_STATE)
            else:
                is_object = stat.S_ISREG(status.st_mode)
            if is_object:
                return place, status
        return None

    def _places(self, bucket: str, key: str) -> Iterator[str]:
        """Where the object can be, in the order in which it is looked for."""
        natural = f"{self._top}/{bucket}/{key}" if is_path(key) else None
        if natural is not None and not key.endswith("/"):
            yield natural
        yield self._encoded.path(bucket, key)
        # A "folder" object that has bytes is encoded, and then stands for the directory, too.
        if natural is not None and key.endswith("/"):
            yield natural

    def _info(self, bucket: str, key: str, file: str | int, status: os.stat_result) -> ObjectInfo | None:
        """What is known of the object with this status; None if it has been replaced, and what was known is gone."""
        is_folder = stat.S_ISDIR(status.st_mode)
        known = None if is_folder else file_attributes.read(file, status)
        if known is None and (known := self._sidecars.read(bucket, key, state_of(status))) is None:
            if (now := self._find(bucket, key)) is not None and state_of(now[1]) != state_of(status):
                return None
            known = {}
        size, etag = 0 if is_folder else status.st_size, known.get("etag")
        if etag is None:
            etag = EMPTY_MD5 if is_folder else state_of(status)
        content_type = str(known.get("content_type") or DEFAULT_CONTENT_TYPE)
        metadata, headers = dict(known.get("metadata") or {}), dict(known.get("headers") or {})
        return ObjectInfo(key, size, status.st_mtime, etag, content_type, metadata, headers)

    # Writing

    def draft(self, bucket: str, key: str) -> Draft:
        self.check(bucket, key)
        make_directories(os.fspath(self._drafts))
        return ObjectDraft(self._drafts, partial(self._commit, bucket, key))

    def check(self, bucket: str, key: str) -> None:
        self._check(bucket, key)

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
        state, metadata, headers = state_of(status), dict(metadata or {}), dict(headers or {})
        known = {"etag": etag, "content_type": content_type, "metadata": metadata, "headers": headers}
        is_folder = key.endswith("/") and not status.st_size
        with contextlib.ExitStack() as stack:
            sidecar = None
            if is_folder or (any(known.values()) and not file_attributes.write(draft.fileno(), status, known)):
                sidecar = stack.enter_context(self._sidecars.draft(known, is_flushed))
            if is_flushed:
                draft.flush()
            self._place(bucket, key, draft, sidecar, FOLDER_STATE if is_folder else state, condition)
        if is_folder:
            return self.head(bucket, key)
        content_type = content_type or DEFAULT_CONTENT_TYPE
        return ObjectInfo(key, status.st_size, status.st_mtime, etag or state, content_type, metadata, headers)

    def _place(
        self,
        bucket: str,
        key: str,
        draft: DraftFile,
        sidecar: DraftFile | None,
        state: str,
        condition: Condition,
    ) -> None:
        """Move the files of the object and its sidecar to their places, or change nothing."""
        with self._lock.hold() as journal:
            self._check_bucket(bucket)
            old = self._find(bucket, key)
            old_state = None if old is None else state_of(old[1])
            if condition.if_none_match and old is not None:
                raise PreconditionFailed(f"object {key!r} exists already")
            if condition.if_match is not None:
                self._head(bucket, key).check_etag(condition.if_match)
            if sidecar is not None or (old_state is not None and self._sidecars.exists(bucket, key, old_state)):
                journal.note(bucket, key, [state] if old_state is None else [old_state, state])
            self._placement.place(draft, sidecar, bucket, key, state)

    def delete(self, bucket: str, key: str, if_match: str | None = None) -> None:
        self._check(bucket, key)
        with self._lock.hold() as journal:
            self._check_bucket(bucket)
            if if_match is not None:
                self._head(bucket, key).check_etag(if_match)
            if (found := self._find(bucket, key)) is not None:
                path, status = found
                if self._sidecars.exists(bucket, key, state_of(status)):
                    journal.note(bucket, key, [state_of(status)])
            self._encoded.delete(bucket, key)
            if not is_path(key):
                return
            natural = self.root / bucket / key
            self._placement.check_confined(bucket, natural)
            if key.endswith("/"):
                self._sidecars.delete(bucket, key, FOLDER_STATE)
                self._placement.prune(bucket, natural)
                return
            if found is not None and path == os.fspath(natural):
                natural.unlink(missing_ok=True)
            self._placement.prune(bucket, natural.parent)

    def link(self, bucket: str, key: str, path: Path) -> bool:
        """Make a hard link to the file; False if the file systems do not allow that."""
        target = self._path(bucket, key)
        with self._lock.hold():
            self._placement.check_confined(bucket, target)
            make_directories(os.fspath(target.parent))
            try:
                os.link(path, target)
            except FileExistsError:
                return True
            except OSError:
                self._placement.prune(bucket, target.parent)
                return False
        return True

    def prepare(self) -> None:
        """Make the folder, and remove what writers that were killed have left."""
        make_directories(os.fspath(self.root))
        with self._lock.hold():
            self._sidecars.sweep()
            sweep(self._drafts.glob("*"))
        self._cleared.resume()

    def _forget_old_states(self, bucket: str, key: str, states: Sequence[str]) -> None:
        found = self._find(bucket, key) if self.has_bucket(bucket) else None
        current = None if found is None else state_of(found[1])
        for state in states:
            if state != current:
                self._sidecars.delete(bucket, key, state)

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
