"""Objects whose keys no path can be, or no path beside the other keys: each a file that is named by its encoded key.

<root>/<bucket>/<up to 200 characters of the percent-encoded key>/.../<the rest>.object
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from urllib.parse import quote, unquote

__all__ = ["EncodedKeys"]

_SEGMENT = 200  # characters, well below what a file name may have
_SUFFIX = ".object"
"""Ends names of files; directories have no dot, so that a file never stands where a directory must be."""


class EncodedKeys:
    """The files of such objects below `root`; they are seldom, so a listing reads all names of a bucket."""

    def __init__(self, root: str) -> None:
        self._root = root

    def path(self, bucket: str, key: str) -> str:
        """Where the object is, if it is here."""
        name = quote(key, safe="").replace(".", "%2E")
        segments = [name[start : start + _SEGMENT] for start in range(0, len(name), _SEGMENT)]
        return f"{self._root}/{bucket}/{'/'.join(segments)}{_SUFFIX}"

    def exists(self, bucket: str, key: str) -> bool:
        """Whether the object is here."""
        return self._has_bucket(bucket) and os.path.exists(self.path(bucket, key))  # noqa: PTH110 - asked at each write

    def keys(self, bucket: str, prefix: str, marker: str) -> list[str]:
        """The keys that start with the prefix and come after the marker, in order."""
        if not self._has_bucket(bucket):
            return []
        return sorted(key for key in self._all(bucket) if key.startswith(prefix) and key > marker)

    def delete(self, bucket: str, key: str) -> None:
        """Remove the object, if it is here, and directories that it leaves empty."""
        if not self._has_bucket(bucket):
            return
        path = self.path(bucket, key)
        with contextlib.suppress(OSError):
            os.unlink(path)  # noqa: PTH108
            while (path := os.path.dirname(path)) != self._root:  # noqa: PTH120
                os.rmdir(path)  # noqa: PTH106

    def forget(self, bucket: str) -> None:
        """Remove all objects of a bucket."""
        shutil.rmtree(f"{self._root}/{bucket}", ignore_errors=True)

    def _has_bucket(self, bucket: str) -> bool:
        return os.path.isdir(f"{self._root}/{bucket}")  # noqa: PTH112 - asked at each write

    def _all(self, bucket: str) -> Iterator[str]:
        top = f"{self._root}/{bucket}"
        for folder, _, names in os.walk(top):
            before = folder[len(top) :].replace("/", "")
            for name in names:
                if name.endswith(_SUFFIX):
                    yield unquote(before + name.removesuffix(_SUFFIX))
