"""A copy of the event files that lie in a bucket, for a tool that reads files only."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from modelarts_emulator.storage.errors import InvalidKey, NoSuchKey, StoreError
from modelarts_emulator.storage.files import replace_file
from modelarts_emulator.storage.names import relative_path
from modelarts_emulator.storage.protocol import ObjectInfo, Store

__all__ = ["LogMirror"]

log = logging.getLogger(__name__)

PERIOD_S = 3.0  # between two looks into the bucket
EVENTS = "tfevents"  # in the names of all files that TensorBoard reads events from
PLUGINS = "/plugins/"  # in the keys of what its plugins read beside them


class LogMirror:
    """Keeps the event files below a prefix as files below `folder`; other objects, such as models, are left out.

    `timer` returns seconds.
    """

    def __init__(
        self, store: Store, bucket: str, prefix: str, folder: Path, timer: Callable[[], float] = time.monotonic
    ) -> None:
        self._store = store
        self._bucket = bucket
        self._prefix = prefix
        self._folder = folder
        self._timer = timer
        self._refreshed = -PERIOD_S
        self._etags: dict[str, str] = {}
        folder.mkdir(parents=True, exist_ok=True)

    def refresh(self) -> None:
        """Copy what is new or has changed, and delete what is gone, unless that was done a moment ago.

        If the bucket cannot be read, what was copied stays, and it is tried again later.
        """
        if self._timer() < self._refreshed + PERIOD_S:
            return
        self._refreshed = self._timer()
        try:
            found = {entry.key: entry for entry in self._entries()}
            for key in self._etags.keys() - found.keys():
                self._path(key).unlink(missing_ok=True)
                del self._etags[key]
            for key, entry in found.items():
                if self._etags.get(key) != entry.etag:
                    self._copy(key)
                    self._etags[key] = entry.etag
        except (StoreError, OSError) as error:
            log.warning(
                "the logs in /%s/%s could not be read and will be tried again: %s", self._bucket, self._prefix, error
            )

    def _entries(self) -> Iterator[ObjectInfo]:
        marker: str | None = ""
        while marker is not None:
            listing = self._store.list(self._bucket, self._prefix, marker=marker)
            for entry in listing.objects:
                if EVENTS in entry.key.rpartition("/")[2] or PLUGINS in entry.key:
                    yield entry
            marker = listing.next_marker

    def _copy(self, key: str) -> None:
        try:
            path = self._path(key)
            content = self._store.read(self._bucket, key)
        except (InvalidKey, NoSuchKey):
            return  # deleted since it was listed, or none that a file can have
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, content, is_durable=False)

    def _path(self, key: str) -> Path:
        return self._folder / relative_path(key.removeprefix(self._prefix))
