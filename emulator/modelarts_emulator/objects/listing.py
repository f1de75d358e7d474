"""Lists a bucket's folder in the order of keys, one page at a time, reading no more folders than the page needs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """What is known of an object without reading it; `modified` in Unix seconds, `etag` without quotes.

    `metadata` is the user's own (`x-amz-meta-*`), `headers` are kept for whoever gets it (`Cache-Control`, ...).
    """

    key: str
    size: int
    modified: float
    etag: str
    content_type: str = "binary/octet-stream"
    metadata: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Listing:
    """One page: objects and common prefixes in the order of keys; `next_marker` is None on the last page."""

    objects: list[ObjectInfo]
    prefixes: list[str]
    next_marker: str | None


@dataclass(frozen=True, slots=True)
class Page:
    """One page of keys and common prefixes, in order; `next_marker` is None on the last page."""

    keys: list[str]
    prefixes: list[str]
    next_marker: str | None


class Walk:
    """The keys below a folder that start with `prefix` and come after `marker`, in the order of their bytes.

    `is_folder_object` tells whether a key that ends in `/` was put as an object; a directory alone is none.
    """

    def __init__(self, root: str, prefix: str, marker: str, is_folder_object: Callable[[str], bool]) -> None:
        self._root = root
        self._prefix = prefix
        self._marker = marker
        self._is_folder_object = is_folder_object

    def page(self, delimiter: str, limit: int) -> Page:
        """At most `limit` keys and prefixes; keys that share a part up to the delimiter are one prefix."""
        keys: list[str] = []
        prefixes: list[str] = []
        last = self._marker
        for key in self.keys(shallow=delimiter == "/"):
            head, found, _ = key[len(self._prefix) :].partition(delimiter) if delimiter else ("", "", "")
            common = self._prefix + head + found if found else ""
            if common and common in (last, self._marker):
                continue
            if len(keys) + len(prefixes) >= limit:
                return Page(keys, prefixes, last)
            last = common or key
            (prefixes if common else keys).append(last)
        return Page(keys, prefixes, None)

    def keys(self, shallow: bool = False) -> Iterator[str]:
        """All keys, in order; with `shallow`, a directory below the prefix as one key with `/`, not walked."""
        start = self._prefix.rpartition("/")[0]
        if "\0" in start or (start and any(segment in ("", ".", "..") for segment in start.split("/"))):
            return  # the store holds no such key, and the path must not lead out of the bucket
        key = f"{start}/" if start else ""
        if key and self._wanted(key) and self._is_folder_object(key):
            yield key
        yield from self._below(f"{self._root}/{start}", key, shallow, frozenset())

    def _below(self, folder: str, key: str, shallow: bool, above: frozenset[tuple[int, int]]) -> Iterator[str]:
        for name in _entries(folder):
            inner = key + name
            if not inner.endswith("/"):
                if self._wanted(inner):
                    yield inner
            elif self._may_hold(inner):
                path = f"{folder}/{name}"
                status = os.stat(path)  # noqa: PTH116 - text, because jobs and pages of objects wait for this
                if (status.st_dev, status.st_ino) in above:
                    continue  # a link to a directory above itself
                deeper = self._inside(path, inner, above | {(status.st_dev, status.st_ino)})
                if not shallow or not inner.startswith(self._prefix):
                    yield from deeper
                elif inner != self._marker and next(deeper, None) is not None:
                    yield inner

    def _inside(self, folder: str, key: str, above: frozenset[tuple[int, int]]) -> Iterator[str]:
        if self._wanted(key) and self._is_folder_object(key):
            yield key
        yield from self._below(folder, key, shallow=False, above=above)

    def _wanted(self, key: str) -> bool:
        # Code points compare like UTF-8 bytes.
        return key.startswith(self._prefix) and key > self._marker

    def _may_hold(self, folder_key: str) -> bool:
        related = folder_key.startswith(self._prefix) or self._prefix.startswith(folder_key)
        return related and (folder_key > self._marker or self._marker.startswith(folder_key))


def _entries(folder: str) -> list[str]:
    """Files, and directories with `/` at the end, in the order of keys; nothing else, no name that is not UTF-8."""
    found = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if not entry.name.isprintable() and not _is_utf8(entry.name):
                    continue
                if entry.is_dir():
                    found.append(entry.name + "/")
                elif entry.is_file():
                    found.append(entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(found)


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
