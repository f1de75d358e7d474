"""What is known of an object beyond its bytes: one small file per object that has any, apart from the objects.

A sidecar belongs to one state of an object (its ETag): whoever replaces the file by hand leaves the sidecar behind.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any


class Sidecars:
    """Sidecars below `root`, by bucket, key and ETag."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def read(self, bucket: str, key: str, etag: str) -> dict[str, Any] | None:
        """The sidecar, or None if there is none."""
        try:
            value: dict[str, Any] = json.loads(self._path(bucket, key, etag).read_bytes())
        except FileNotFoundError:
            return None
        return value

    def exists(self, bucket: str, key: str, etag: str) -> bool:
        """Whether there is a sidecar."""
        return os.path.exists(self._place(bucket, key, etag))  # noqa: PTH110 - asked for every prefix

    def write(self, bucket: str, key: str, etag: str, value: Mapping[str, Any]) -> None:
        """Make or replace the sidecar."""
        path = self._path(bucket, key, etag)
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(uuid.uuid4().hex)
        draft.write_text(json.dumps(value), encoding="utf-8")
        draft.replace(path)

    def delete(self, bucket: str, key: str, etag: str) -> None:
        """Remove the sidecar, if there is one."""
        with contextlib.suppress(FileNotFoundError):
            self._path(bucket, key, etag).unlink()

    def forget(self, bucket: str) -> None:
        """Remove all sidecars of a bucket."""
        shutil.rmtree(self._root / bucket, ignore_errors=True)

    def _path(self, bucket: str, key: str, etag: str) -> Path:
        return Path(self._place(bucket, key, etag))

    def _place(self, bucket: str, key: str, etag: str) -> str:
        name = hashlib.sha256(f"{key}\0{etag}".encode()).hexdigest()
        return f"{self._root}/{bucket}/{name[:2]}/{name[2:]}.json"
