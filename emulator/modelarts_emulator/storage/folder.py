"""Objects in a folder: a bucket is a folder, an object is a file, and a file that a user drops in is an object.

Standard library only: a task's controller works on the folder directly, also while no emulator runs.
ETags, content types and metadata lie in `.meta`, with the list of directories that are "folder" objects; unfinished
writes lie in `.drafts`, buckets that are being deleted in `.cleared`. No bucket can have such a name.
Every writer holds one lock, so a check and the change that depends on it are one step; readers need no lock.
Links are followed for reading; nothing is ever written outside a bucket's folder.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import stat
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from modelarts_emulator.storage import files, names
from modelarts_emulator.storage.errors import (
    AccessDenied,
    BucketAlreadyOwnedByYou,
    InvalidKey,
    NoSuchBucket,
    NoSuchKey,
    PreconditionFailed,
    ServiceUnavailable,
    StoreError,
)
from modelarts_emulator.storage.links import is_within
from modelarts_emulator.storage.listing import Names, Walk, page_of
from modelarts_emulator.storage.objects import (
    ALWAYS,
    DEFAULT_CONTENT_TYPE,
    PLAIN,
    Attributes,
    Bucket,
    Condition,
    Listing,
    ObjectInfo,
)
from modelarts_emulator.storage.sidecars import BUCKET, Known, Sidecars

LOCK_TIMEOUT_S = 30.0
"""Writers hold the lock for less than a millisecond; after this time, a writer was stopped (SIGSTOP)."""

_FOLDER_OBJECT = "folder"  # the state of a directory that is an object, whatever is in it
_EMPTY_MD5 = hashlib.md5(b"", usedforsecurity=False).hexdigest()


class Draft(files.DraftFile):
    """An object that is being written: a context manager that leaves nothing behind unless `commit` was called."""

    def __init__(self, folder: Path, finish: Callable[..., ObjectInfo]) -> None:
        super().__init__(folder)
        self._finish = finish
        self.checksum = 0

    def write(self, data: bytes | bytearray) -> None:
        """Append."""
        super().write(data)
        self.checksum = zlib.crc32(data, self.checksum)

    def commit(
        self,
        attributes: Attributes = PLAIN,
        condition: Condition = ALWAYS,
        is_flushed: bool = False,
        etag: str | None = None,
    ) -> ObjectInfo:
        """Make it the object, or change nothing; raises PreconditionFailed, NoSuchKey for an ETag of no object.

        With `is_flushed`, a crash of the machine after the return does not undo it.
        """
        return self._finish(self, attributes, condition, is_flushed, etag)


class _Look(NamedTuple):
    """The file status of an object, and what its sidecar says of this state."""

    status: os.stat_result
    known: Known

    @property
    def etag(self) -> str:
        """The ETag; one made of size and time for a file whose MD5 nobody has calculated."""
        if self.known.etag or stat.S_ISDIR(self.status.st_mode):
            return self.known.etag or _EMPTY_MD5
        return hashlib.md5(_state_of(self.status).encode(), usedforsecurity=False).hexdigest() + "-1"

    def info(self, key: str) -> ObjectInfo:
        kept: dict[str, Any] = json.loads(self.known.attributes or "{}")
        kept.setdefault("content_type", DEFAULT_CONTENT_TYPE)
        return ObjectInfo(key, _size(self.status), self.status.st_mtime, self.etag, **kept)


class FolderStore:
    """Buckets and objects below `root`; several processes may use one root at the same time.

    All calls block until they are done, may be made from any thread, and may raise StoreError. A call that is given a
    bucket raises NoSuchBucket if it does not exist. A call that is given a key raises InvalidKey for a key that is
    empty, too long or not UTF-8; a call that writes also raises it for a key that cannot be a path. A key that ends
    in `/` is a "folder" object, which has no bytes. `url` opens the same store in another process.
    Without `is_durable`, a crash of the machine may undo what was acknowledged.
    """

    def __init__(self, root: Path, lock_timeout_s: float = LOCK_TIMEOUT_S, is_durable: bool = True) -> None:
        self.root = root
        self.is_durable = is_durable
        self._top = os.fspath(root)
        self.url = root.absolute().as_uri()
        self._drafts = root / ".drafts"
        self._cleared = files.Trash(root / ".cleared")
        self._sidecars = Sidecars(f"{self._top}/.meta", f"{self._top}/.drafts")
        self._names = Names()
        self._lock = partial(_locked, self._top, lock_timeout_s, threading.Lock())

    # Buckets

    def buckets(self) -> list[Bucket]:
        """Return all buckets that may be named, by name."""
        if not self.root.is_dir():
            return []
        found = []
        for name in sorted(path.name for path in self.root.iterdir() if names.is_bucket_name(path.name)):
            with contextlib.suppress(AccessDenied, NoSuchBucket):  # of others, a file, or deleted since it was seen
                found.append(self.head_bucket(name))
        return found

    def create_bucket(self, name: str, location: str = "", owner: str = "") -> None:
        """Create a bucket; raises InvalidBucketName or BucketAlreadyOwnedByYou."""
        names.check_bucket_name(name)
        with self._lock():
            try:
                (self.root / name).mkdir()
            except FileExistsError:
                raise BucketAlreadyOwnedByYou(f"bucket {name} exists already") from None
            record = {"created": time.time(), "location": location, "owner": owner}
            self._sidecars.write(name, BUCKET, {BUCKET: Known("", json.dumps(record))})

    def head_bucket(self, name: str) -> Bucket:
        """Return what is known of a bucket."""
        self._check_bucket(name)
        known = self._sidecars.read(name, BUCKET).get(BUCKET)
        if known is not None:
            return Bucket(name, **json.loads(known.attributes))
        try:
            return Bucket(name, (self.root / name).stat().st_mtime, "")
        except FileNotFoundError:
            raise NoSuchBucket.named(name) from None

    def has_bucket(self, name: str) -> bool:
        """Whether there is such a bucket."""
        return names.is_bucket_name(name) and os.path.isdir(f"{self._top}/{name}")  # noqa: PTH112 - asked with every request

    def delete_bucket(self, name: str) -> None:
        """Delete an empty bucket, with directories that hold no object; raises BucketNotEmpty."""
        with self._lock():
            folder = self._folder(name)
            if self._holds_objects(name, ""):
                raise StoreError("BucketNotEmpty", f"bucket {name} still has objects; delete them first")
            if folder.is_symlink():
                folder.unlink()
            elif not files.remove_empty(os.fspath(folder)):
                raise StoreError(
                    "BucketNotEmpty", f"bucket {name} has files that are not objects; remove them from {folder} first"
                )
            self._sidecars.forget(name)

    def clear(self) -> None:
        """Delete all buckets; their files leave the disk soon after, the targets of links stay."""
        with self._lock():
            for bucket in self.buckets():
                self._cleared.discard(f"{self._top}/{bucket.name}")
                self._sidecars.forget(bucket.name)
        self._cleared.empty()

    def close(self) -> None:
        """Stop the thread that removes cleared buckets; the next `prepare` removes the rest."""
        self._cleared.close()

    # Reading

    def list(self, bucket: str, prefix: str = "", delimiter: str = "", marker: str = "", limit: int = 1000) -> Listing:
        """Return a page of objects with the prefix that come after the marker, in the order of their keys' bytes.

        Keys that share the part up to the first delimiter behind the prefix are one common prefix.
        """
        found = self._keys(bucket, prefix, marker, delimiter == "/")
        keys, prefixes, next_marker = page_of(found, prefix, delimiter, marker, limit)
        objects = [
            ObjectInfo(key, _size(look.status), look.status.st_mtime, look.etag)
            for key in keys
            if (look := self._look(bucket, key)) is not None  # else deleted since it was seen
        ]
        return Listing(objects, prefixes, next_marker)

    def sizes(self, bucket: str, prefix: str = "") -> Iterator[tuple[str, int]]:
        """Yield key and size in bytes of all objects with the prefix, in order."""
        for key in self._keys(bucket, prefix, "", is_shallow=False):
            if (status := self._status(bucket, key)) is not None:  # else deleted since it was seen
                yield key, _size(status)

    def _keys(self, bucket: str, prefix: str, marker: str, is_shallow: bool) -> Iterator[str]:
        """Return the keys in order, each once; `is_shallow` is that of `Walk.keys`."""
        self._check_bucket(bucket)
        is_folder_object = partial(self._sidecars.exists, bucket)
        return Walk(f"{self._top}/{bucket}", prefix, marker, is_folder_object, self._names).keys(is_shallow)

    def head(self, bucket: str, key: str) -> ObjectInfo:
        """Return what is known of an object; raises NoSuchKey."""
        look = self._look(bucket, key) if self._is_path(bucket, key) else None
        if look is None:
            raise NoSuchKey.named(bucket, key)
        return look.info(key)

    def get(self, bucket: str, key: str) -> tuple[ObjectInfo, BinaryIO]:
        """Return an object and its file, opened for reading, as it is now; raises NoSuchKey."""
        while self._is_path(bucket, key) and (status := self._status(bucket, key)) is not None:
            if stat.S_ISDIR(status.st_mode):
                return self.head(bucket, key), Path(os.devnull).open("rb")
            try:
                stream = files.open_regular(f"{self._top}/{bucket}/{key}")
            except FileNotFoundError:
                continue  # deleted, or replaced, since it was seen
            try:
                if (look := self._known(bucket, key, os.fstat(stream.fileno()))) is not None:
                    return look.info(key), stream
            except BaseException:
                stream.close()
                raise
            stream.close()
        raise NoSuchKey.named(bucket, key)

    def has_folder(self, bucket: str, key: str) -> bool:
        """Whether the key, with or without `/` at the end, is a directory here (perhaps an empty one)."""
        folder = self._folder(bucket)
        return not key.strip("/") or (folder / names.relative_path(key)).is_dir()

    def local_folder(self, bucket: str, prefix: str) -> Path:
        """Return the folder with the files of the objects below the prefix, which is empty or ends in `/`.

        It need not exist yet. Raises InvalidKey if no object can be below the prefix.
        """
        folder = self._folder(bucket)
        return folder / names.relative_path(prefix) if prefix else folder

    def _status(self, bucket: str, key: str) -> os.stat_result | None:
        """Return the status of the object's file or directory; None if there is no such object.

        The key can be a path (`is_path`).
        """
        try:
            status = os.stat(f"{self._top}/{bucket}/{key}")  # noqa: PTH116 - text, because pages of objects wait for this
        except OSError as error:
            if files.is_absent(error):
                return None
            raise
        if key.endswith("/"):
            is_object = stat.S_ISDIR(status.st_mode) and self._sidecars.exists(bucket, key)
        else:
            is_object = stat.S_ISREG(status.st_mode)
        return status if is_object else None

    def _look(self, bucket: str, key: str) -> _Look | None:
        """Return what is known of the object; None if it does not exist."""
        while (status := self._status(bucket, key)) is not None:
            if (look := self._known(bucket, key, status)) is not None:
                return look  # else replaced since it was seen
        return None

    def _known(self, bucket: str, key: str, status: os.stat_result) -> _Look | None:
        """Return what is known of the object with this status; None if it was replaced and its sidecar is gone."""
        state = _state_of(status)
        if (known := self._sidecars.known(bucket, key, state, status)) is not None:
            return _Look(status, known)
        states = self._sidecars.read(bucket, key)
        if (now := self._status(bucket, key)) is None or _state_of(now) != state:
            return None
        copies = {state: known for state, known in states.items() if state.startswith(f"{status.st_size}:")}
        return (self._restore(bucket, key, status, copies) if copies else None) or _Look(status, Known("", ""))

    def _restore(self, bucket: str, key: str, status: os.stat_result, states: Mapping[str, Known]) -> _Look | None:
        """Give a file that has the bytes of one of these states the time of that state; None if it has others.

        `cp -r` of a store gives all files other times. Each is read once.
        """
        with contextlib.suppress(FileNotFoundError), files.open_regular(f"{self._top}/{bucket}/{key}") as stream:
            checksum = 0
            for data in files.pieces(stream):
                checksum = zlib.crc32(data, checksum)
            for state, known in states.items():
                if known.checksum == _text_of(checksum) and _state_of(os.fstat(stream.fileno())) == _state_of(status):
                    with contextlib.suppress(OSError):  # a file of another user, or on a disk that is read only
                        os.utime(stream.fileno(), ns=(status.st_atime_ns, int(state.partition(":")[2])))
                    return _Look(os.fstat(stream.fileno()), known)
        return None

    def read(self, bucket: str, key: str) -> bytes:
        """Return all bytes of an object; raises NoSuchKey."""
        _, stream = self.get(bucket, key)
        with stream:
            return stream.read()

    # Writing

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
        condition: Condition = ALWAYS,
    ) -> ObjectInfo:
        """Create or replace an object from another one, with its attributes or those given.

        The condition is about the target.
        """
        info, stream = self.get(*source)
        md5 = hashlib.md5(usedforsecurity=False)
        with stream, self.draft(*target) as draft:
            for data in files.pieces(stream):
                md5.update(data)
                draft.write(data)
            return draft.commit(attributes or info.attributes, condition, is_flushed=True, etag=md5.hexdigest())

    def draft(self, bucket: str, key: str) -> Draft:
        """Begin to write an object; nothing happens to the key before the draft's `commit`."""
        self.check(bucket, key)
        return files.in_folder(os.fspath(self._drafts), lambda: Draft(self._drafts, partial(self._commit, bucket, key)))

    def check(self, bucket: str, key: str) -> None:
        """Raise NoSuchBucket or InvalidKey unless an object could be written there."""
        self._check_bucket(bucket)
        names.check_path(key)

    def _commit(
        self,
        bucket: str,
        key: str,
        draft: Draft,
        attributes: Attributes,
        condition: Condition,
        is_flushed: bool,
        etag: str | None,
    ) -> ObjectInfo:
        """Make the draft the object, as `Draft.commit` says."""
        # A distinct time for each write, finer than the file system's own clock: it distinguishes the states of a file.
        os.utime(draft.fileno(), ns=(now := time.time_ns(), now))
        status = os.fstat(draft.fileno())
        names.check_content(key, status.st_size == 0)
        known = Known.of(etag, attributes, _text_of(draft.checksum))
        if is_flushed and self.is_durable:
            draft.flush()
        with self._lock():
            self._check_bucket(bucket)
            old = self._look(bucket, key)
            if condition.if_none_match and old is not None:
                raise PreconditionFailed(f"object {key!r} exists already")
            if condition.if_match is not None:
                self.head(bucket, key).check_etag(condition.if_match)
            self._place(bucket, key, draft, old, known)
            if key.endswith("/"):
                return self.head(bucket, key)
        return _Look(status, known).info(key)

    def _place(self, bucket: str, key: str, draft: files.DraftFile, old: _Look | None, known: Known) -> None:
        """Make the draft the file of the key, in place of the old one, and keep what is known; or change nothing."""
        path, is_folder = f"{self._top}/{bucket}/{key}", key.endswith("/")
        folder = path.rpartition("/")[0]
        self._check_confined(bucket, key)
        if old is None and not is_folder:
            self._make_room(bucket, key)
        try:
            _make_folder(key, folder)
            state = _FOLDER_OBJECT if is_folder else _state_of(os.fstat(draft.fileno()))
            if known.is_any or is_folder:
                kept = {} if old is None else {_state_of(old.status): old.known}
                self._sidecars.add(bucket, key, state, known, kept)
            if not is_folder:
                draft.move(path)
                if known.is_any and _state_of(status := os.fstat(draft.fileno())) == state:
                    self._sidecars.remember(bucket, key, status, known)
        except BaseException:
            if old is None:
                self._sidecars.delete(bucket, key)
            self._prune(bucket, Path(folder))
            raise
        if not known.is_any and not is_folder:
            self._sidecars.delete(bucket, key)

    def _make_room(self, bucket: str, key: str) -> None:
        """Remove empty directories at the key's path; raises InvalidKey if there are objects in them."""
        path = self.root / bucket / key
        if path.is_dir() and (self._holds_objects(bucket, f"{key}/") or not files.remove_empty(os.fspath(path))):
            raise InvalidKey(f"key {key!r} is a directory here, because other keys continue it: delete those first")

    def _holds_objects(self, bucket: str, prefix: str) -> bool:
        return next(self._keys(bucket, prefix, "", is_shallow=False), None) is not None

    def _check_confined(self, bucket: str, key: str) -> None:
        """Raise InvalidKey if a link leads the key's directory out of the bucket."""
        folder = top = f"{self._top}/{bucket}"
        for name in key.removesuffix("/").split("/")[:-1]:
            folder = f"{folder}/{name}"
            if os.path.islink(folder) and not is_within(os.path.realpath(folder), os.path.realpath(top)):  # noqa: PTH114
                raise InvalidKey(f"key {key!r} would be written through a link that leads out of bucket {bucket}")

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

    def delete(self, bucket: str, key: str) -> None:
        """Delete an object; nothing happens if it does not exist."""
        can_exist = self._is_path(bucket, key)
        with self._lock():
            self._check_bucket(bucket)
            if not can_exist:
                return
            path = self.root / bucket / key
            self._check_confined(bucket, key)
            if not key.endswith("/") and self._status(bucket, key) is not None:
                path.unlink(missing_ok=True)
            self._sidecars.delete(bucket, key)
            self._prune(bucket, path if key.endswith("/") else path.parent)

    def prepare(self) -> None:
        """Make the folder, and remove what writers that were killed have left."""
        files.make_directories(self._top)
        with self._lock():
            files.sweep(self._drafts.glob("*"))
        self._cleared.empty()

    # Paths

    def _check_bucket(self, bucket: str) -> None:
        self._bucket_status(bucket)

    def _bucket_status(self, bucket: str) -> os.stat_result:
        """Return the status of a bucket's directory; raises NoSuchBucket."""
        with contextlib.suppress(OSError):
            if names.is_bucket_name(bucket) and stat.S_ISDIR((status := os.stat(f"{self._top}/{bucket}")).st_mode):  # noqa: PTH116 - asked with every request
                return status
        raise NoSuchBucket.named(bucket)

    def _folder(self, bucket: str) -> Path:
        self._check_bucket(bucket)
        return self.root / bucket

    def _is_path(self, bucket: str, key: str) -> bool:
        """Whether there can be an object; raises NoSuchBucket or InvalidKey."""
        self._check_bucket(bucket)
        names.check_key(key)
        return names.is_path(key)


def _size(status: os.stat_result) -> int:
    return 0 if stat.S_ISDIR(status.st_mode) else status.st_size


def _state_of(status: os.stat_result) -> str:
    """Return what changes whenever the file does; a directory that is an object has one state."""
    return _FOLDER_OBJECT if stat.S_ISDIR(status.st_mode) else f"{status.st_size}:{status.st_mtime_ns}"


def _text_of(checksum: int) -> str:
    return f"{checksum:08x}"


def _make_folder(key: str, folder: str) -> None:
    """Make the directory and those above it; raises InvalidKey if one of them is an object."""
    try:
        files.make_directories(folder)
    except (FileExistsError, NotADirectoryError):
        message = f"key {key!r} continues the key of an object, which is a file here: delete that one first"
        raise InvalidKey(message) from None


@contextlib.contextmanager
def _locked(root: str, timeout_s: float, turn: threading.Lock) -> Iterator[None]:
    """Hold the lock of all writers below the root, in any process; raises ServiceUnavailable after the timeout.

    The threads of a process take turns, so that one of them at a time asks for the lock again and again.
    """
    busy = f"another process has been writing to the object store for {timeout_s:g} s: end it, or try again"
    if not turn.acquire(timeout=timeout_s):
        raise ServiceUnavailable(busy)
    try:
        file = files.in_folder(root, lambda: os.open(f"{root}/.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        try:
            if not files.acquire_lock(file, timeout_s):
                raise ServiceUnavailable(busy)
            yield
        finally:
            os.close(file)
    finally:
        turn.release()
