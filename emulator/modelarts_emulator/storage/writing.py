"""An object of a folder that is being written."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from modelarts_emulator.storage.drafts import DraftFile
from modelarts_emulator.storage.errors import InvalidKey
from modelarts_emulator.storage.listing import etag_of
from modelarts_emulator.storage.protocol import DEFAULT_CONTENT_TYPE, ObjectInfo

if TYPE_CHECKING:
    from modelarts_emulator.storage.folder import FolderStore


class Draft(DraftFile):
    """An object in the making: a context manager that leaves nothing behind unless `commit` was called."""

    def __init__(self, store: FolderStore, bucket: str, key: str, folder: Path) -> None:
        super().__init__(folder)
        self._store = store
        self._bucket = bucket
        self._key = key
        self._size = 0

    def write(self, data: bytes | bytearray) -> None:
        """Append to the object in the making."""
        super().write(data)
        self._size += len(data)

    def commit(
        self,
        content_type: str | None = None,
        metadata: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        if_none_match: bool = False,
        if_match: str | None = None,
        is_flushed: bool = False,
    ) -> ObjectInfo:
        """Make it the object; raises PreconditionFailed if there is one (`if_none_match`) or another (`if_match`).

        With `is_flushed` a crash of the machine leaves it whole or the old one, too.
        """
        store, bucket, key, is_folder = self._store, self._bucket, self._key, self._key.endswith("/")
        if is_folder and self._size:
            raise InvalidKey(f"key {key!r} ends in '/': it stands for a directory and can hold no bytes")
        # A distinct time for each write, finer than the file system's own clock, for the sake of the ETag.
        os.utime(self.fileno(), ns=(now := time.time_ns(), now))
        if is_flushed:
            self.flush()
        metadata, headers = dict(metadata or {}), dict(headers or {})
        known = {"content_type": content_type, "metadata": metadata, "headers": headers}
        with contextlib.ExitStack() as stack:
            has_sidecar = is_folder or any(known.values())
            sidecar = stack.enter_context(store.sidecar_draft(known, is_flushed)) if has_sidecar else None
            store.commit(self, sidecar, bucket, key, if_none_match, if_match)
        if is_folder:
            return store.head(bucket, key)
        status = os.fstat(self.fileno())
        size, modified, etag = status.st_size, status.st_mtime, etag_of(status)
        return ObjectInfo(key, size, modified, etag, content_type or DEFAULT_CONTENT_TYPE, metadata, headers)
