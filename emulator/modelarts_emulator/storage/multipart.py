"""Uploads in parts: each part is a file until the upload is completed or aborted."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from modelarts_emulator.storage.errors import StoreError
from modelarts_emulator.storage.files import DraftFile, pieces, sweep
from modelarts_emulator.storage.objects import ALWAYS, Attributes, Condition, ObjectInfo
from modelarts_emulator.storage.protocol import Store

MAX_PARTS = 10_000
MIN_PART = 100 * 1024
"""Bytes of every part but the last (OBS; S3 itself wants 5 MiB)."""

LIFETIME = 24 * 3600  # seconds

_UPLOAD_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Upload:
    """An upload that was begun; `attributes` are those that the object will have."""

    upload_id: str
    bucket: str
    key: str
    started: float
    attributes: Attributes


@dataclass(frozen=True, slots=True)
class Part:
    """A part that has arrived."""

    number: int
    etag: str
    size: int
    modified: float


class Uploads:
    """The multi-part uploads of a store, in the folder `.uploads`, which cannot be the name of a bucket."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._root = store.root / ".uploads"

    def begin(self, bucket: str, key: str, attributes: Attributes) -> Upload:
        """Begin an upload; raises NoSuchBucket or InvalidKey."""
        self._store.check(bucket, key)
        # In the order of their ids, so that a listing can go on behind one of them.
        upload_id = f"{time.time_ns():016x}{secrets.token_hex(8)}"
        upload = Upload(upload_id, bucket, key, time.time(), attributes)
        folder = self._root / upload_id
        try:
            folder.mkdir(parents=True)
            (folder / "upload.json").write_text(json.dumps(asdict(upload)), encoding="utf-8")
        except OSError:
            self.abort(upload)
            raise
        return upload

    def get(self, bucket: str, key: str, upload_id: str) -> Upload:
        """Return the upload of this key; raises NoSuchBucket or NoSuchUpload."""
        self._store.check(bucket, key)
        upload = self._read(upload_id) if _UPLOAD_ID.fullmatch(upload_id) else None
        if upload is None or (upload.bucket, upload.key) != (bucket, key):
            raise StoreError(
                "NoSuchUpload", f"upload {upload_id!r} of {key!r} does not exist: it was completed or aborted"
            )
        return upload

    def list(self, bucket: str) -> list[Upload]:
        """Return all uploads into a bucket, by key and age."""
        self._store.head_bucket(bucket)
        found = [self._read(path.name) for path in self._root.glob("*")]
        mine = [upload for upload in found if upload is not None and upload.bucket == bucket]
        return sorted(mine, key=lambda upload: (upload.key, upload.upload_id))

    def part(self, upload: Upload, number: int) -> PartDraft:
        """Begin a part, which replaces an earlier one of the number; raises InvalidArgument."""
        if not 1 <= number <= MAX_PARTS:
            raise StoreError("InvalidArgument", f"a part's number is between 1 and {MAX_PARTS}")
        return PartDraft(self._root / upload.upload_id, number)

    def parts(self, upload: Upload) -> Sequence[Part]:
        """Return the parts that have arrived, by number."""
        found: dict[int, Part] = {}
        for path in sorted((self._root / upload.upload_id).glob("[0-9]*")):
            with contextlib.suppress(FileNotFoundError):  # replaced, completed or aborted meanwhile
                part = _part(path, path.stat())
                if part.number not in found or found[part.number].modified < part.modified:
                    found[part.number] = part
        return list(found.values())

    def complete(self, upload: Upload, wanted: Sequence[tuple[int, str]], condition: Condition = ALWAYS) -> ObjectInfo:
        """Put the named parts (number, ETag) together and forget the upload; raises InvalidPart and others."""
        numbers = [number for number, _ in wanted]
        if numbers != sorted(set(numbers)):
            raise StoreError("InvalidPartOrder", "the parts must be named once each, by ascending number")
        arrived = {part.number: part for part in self.parts(upload)}
        for number, etag in wanted:
            if number not in arrived or arrived[number].etag != etag.strip('"'):
                raise StoreError("InvalidPart", f"part {number} has not arrived, or has another ETag than {etag}")
        for number in numbers[:-1]:
            if arrived[number].size < MIN_PART:
                raise StoreError(
                    "EntityTooSmall", f"part {number} has {arrived[number].size} bytes, fewer than {MIN_PART}"
                )
        folder, chosen = self._root / upload.upload_id, [arrived[number] for number in numbers]
        md5 = hashlib.md5(b"".join(bytes.fromhex(part.etag) for part in chosen), usedforsecurity=False)
        with self._store.draft(upload.bucket, upload.key) as draft:
            try:
                for part in chosen:
                    with (folder / _name(part.number, part.etag)).open("rb") as stream:
                        for data in pieces(stream):
                            draft.write(data)
            except FileNotFoundError:
                raise _gone() from None
            etag = f"{md5.hexdigest()}-{len(chosen)}"
            info = draft.commit(upload.attributes, condition, is_flushed=True, etag=etag)
        self.abort(upload)
        return info

    def abort(self, upload: Upload) -> None:
        """Forget the upload and its parts."""
        shutil.rmtree(self._root / upload.upload_id, ignore_errors=True)

    def forget(self, bucket: str | None = None) -> None:
        """Abort all uploads, or those into a bucket."""
        for path in self._root.glob("*"):
            upload = self._read(path.name)
            if upload is not None and bucket in (None, upload.bucket):
                self.abort(upload)

    def sweep(self) -> None:
        """Remove the drafts of killed writers, and uploads without a new part for a day."""
        for folder in self._root.glob("*"):
            with contextlib.suppress(FileNotFoundError):
                if folder.stat().st_mtime < time.time() - LIFETIME:
                    shutil.rmtree(folder, ignore_errors=True)
            sweep(folder.glob(".*"))

    def _read(self, upload_id: str) -> Upload | None:
        try:
            record = json.loads((self._root / upload_id / "upload.json").read_bytes())
        except (FileNotFoundError, json.JSONDecodeError):
            return None
        return Upload(**{**record, "attributes": Attributes(**record["attributes"])})


class PartDraft(DraftFile):
    """A part that is being written: a context manager that leaves nothing behind unless `commit` was called."""

    def __init__(self, folder: Path, number: int) -> None:
        self._folder = folder
        self._number = number
        try:
            super().__init__(folder, prefix=".")
        except FileNotFoundError:
            raise _gone() from None

    def commit(self, etag: str) -> Part:
        """Make it the part, whose MD5 is the ETag; raises NoSuchUpload if the upload has gone meanwhile."""
        target = self._folder / _name(self._number, etag)
        os.utime(self.fileno(), ns=(now := time.time_ns(), now))  # the newest part of a number counts
        try:
            status = os.fstat(self.fileno())
            self.path.replace(target)
        except FileNotFoundError:
            raise _gone() from None
        for other in self._folder.glob(_name(self._number, "*")):
            with contextlib.suppress(FileNotFoundError):
                if other.stat().st_mtime_ns < now:
                    other.unlink()
        return _part(target, status)


def _gone() -> StoreError:
    return StoreError("NoSuchUpload", "the upload was completed or aborted meanwhile")


def _name(number: int, etag: str) -> str:
    return f"{number:05d}.{etag}"


def _part(path: Path, status: os.stat_result) -> Part:
    number, _, etag = path.name.partition(".")
    return Part(int(number), etag, status.st_size, status.st_mtime)
