"""What is known of an object beyond its bytes: one small file per object that has any, apart from the objects.

A sidecar belongs to one state of an object (its ETag): whoever replaces the file by hand leaves the sidecar behind.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from modelarts_emulator.storage.directories import make_directories, move
from modelarts_emulator.storage.drafts import DraftFile, sweep


class Sidecars:
    """Sidecars below `root`, by bucket, key and ETag."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def read(self, bucket: str, key: str, etag: str) -> dict[str, Any] | None:
        """The sidecar, or None if there is none; one that a crash of the machine cut off says nothing."""
        try:
            with open(self._place(bucket, key, etag), "rb") as stream:  # noqa: PTH123 - read for every job
                value: dict[str, Any] = json.loads(stream.read())
        except FileNotFoundError:
            return None
        except ValueError:
            return {}
        return value

    def exists(self, bucket: str, key: str, etag: str) -> bool:
        """Whether there is a sidecar."""
        return os.path.exists(self._place(bucket, key, etag))  # noqa: PTH110 - asked for every prefix

    def draft(self, value: Mapping[str, Any], is_flushed: bool = False) -> DraftFile:
        """Write a sidecar that nobody sees yet, so that what may fail or take long is done before `place`."""
        make_directories(f"{self._root}/.drafts")
        draft = DraftFile(self._root / ".drafts")
        try:
            draft.write(json.dumps(value).encode())
            if is_flushed:
                draft.flush()
        except BaseException:
            draft.__exit__()
            raise
        return draft

    def place(self, draft: DraftFile, bucket: str, key: str, etag: str) -> None:
        """Make or replace a sidecar, whole for every reader."""
        move(os.fspath(draft.path), self._place(bucket, key, etag))

    def write(self, bucket: str, key: str, etag: str, value: Mapping[str, Any]) -> None:
        """Make or replace the sidecar."""
        with self.draft(value) as draft:
            self.place(draft, bucket, key, etag)

    def delete(self, bucket: str, key: str, etag: str) -> None:
        """Remove the sidecar, if there is one."""
        with contextlib.suppress(FileNotFoundError):
            self._path(bucket, key, etag).unlink()

    def forget(self, bucket: str) -> None:
        """Remove all sidecars of a bucket."""
        shutil.rmtree(self._root / bucket, ignore_errors=True)

    def sweep(self) -> None:
        """Remove drafts of writers that died."""
        sweep((self._root / ".drafts").glob("*"))

    def _path(self, bucket: str, key: str, etag: str) -> Path:
        return Path(self._place(bucket, key, etag))

    def _place(self, bucket: str, key: str, etag: str) -> str:
        name = hashlib.sha256(f"{key}\0{etag}".encode()).hexdigest()
        return f"{self._root}/{bucket}/{name[:2]}/{name[2:]}.json"
