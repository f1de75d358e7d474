"""Lists a bucket's folder in the order of keys, one page at a time, reading no more folders than the page needs."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from modelarts_emulator.storage.directory_names import Directory, DirectoryNames
from modelarts_emulator.storage.names import MAX_KEY


@dataclass(frozen=True, slots=True)
class Page:
    """One page of keys and common prefixes, in order; `next_marker` is None on the last page."""

    keys: list[str]
    prefixes: list[str]
    next_marker: str | None


def page_of(keys: Iterable[str], prefix: str, delimiter: str, marker: str, limit: int) -> Page:
    """At most `limit` of the keys behind the marker; those that share a part up to the delimiter are one prefix.

    Such a prefix is behind the marker, too.
    """
    found: list[str] = []
    prefixes: list[str] = []
    last = marker
    for key in keys:
        head, separator, _ = key[len(prefix) :].partition(delimiter) if delimiter else ("", "", "")
        common = prefix + head + separator if separator else ""
        if common and (common == last or common <= marker):
            continue
        if len(found) + len(prefixes) >= limit:
            return Page(found, prefixes, last)
        last = common or key
        (prefixes if common else found).append(last)
    return Page(found, prefixes, None)


EMPTY_MD5 = hashlib.md5(b"", usedforsecurity=False).hexdigest()


def state_of(status: os.stat_result) -> str:
    """Changes whenever the file does, and can be the ETag of a file whose MD5 nobody has calculated.

    A directory that is a "folder" object has one state, whatever is in it.
    """
    if stat.S_ISDIR(status.st_mode):
        return EMPTY_MD5
    return hashlib.md5(f"{status.st_size}:{status.st_mtime_ns}".encode(), usedforsecurity=False).hexdigest() + "-1"


class Walk:
    """The keys below a folder that start with `prefix` and come after `marker`, in the order of their bytes.

    `is_folder_object` says whether a key that ends in `/` was put as an object; a directory alone is not one.
    """

    def __init__(
        self, root: str, prefix: str, marker: str, is_folder_object: Callable[[str], bool], names: DirectoryNames
    ) -> None:
        self._root = root
        self._prefix = prefix
        self._marker = marker
        self._is_folder_object = is_folder_object
        self._names = names

    def keys(self, shallow: bool = False) -> Iterator[str]:
        """All keys, in order; with `shallow`, a directory below the prefix as one key with `/`, not walked."""
        start = self._prefix.rpartition("/")[0]
        if "\0" in start or (start and any(segment in ("", ".", "..") for segment in start.split("/"))):
            return  # the store holds no such key, and the path must not lead out of the bucket
        key = f"{start}/" if start else ""
        if key and self._wanted(key) and self._is_folder_object(key):
            yield key
        if (directory := Directory.at(f"{self._root}/{start}")) is not None:
            yield from self._below(_Level(directory, key, self._marker, self._names), shallow)

    def _below(self, top: _Level, shallow: bool) -> Iterator[str]:
        """Yield the keys below a folder; the levels above the current one are on a stack, however many there are."""
        levels, above = [top], {top.directory.identity}
        while levels:
            level = levels[-1]
            if (name := next(level.names, None)) is None:
                levels.pop()
                above.discard(level.directory.identity)
                continue
            key = level.key + name
            if len(key) > MAX_KEY // 4 and len(key.encode()) > MAX_KEY:
                continue
            if not key.endswith("/"):
                if self._wanted(key):
                    yield key
                continue
            path = f"{level.directory.path}/{name}"
            if not self._may_hold(key) or (directory := Directory.at(path)) is None:
                continue
            if directory.identity in above:
                continue  # a link to a directory above itself
            inner = _Level(directory, key, self._marker, self._names)
            is_object = self._wanted(key) and self._is_folder_object(key)
            if shallow and level is top and key.startswith(self._prefix):
                if key != self._marker and (is_object or next(self._below(inner, shallow=False), None) is not None):
                    yield key
                continue
            if is_object:
                yield key
            levels.append(inner)
            above.add(directory.identity)

    def _wanted(self, key: str) -> bool:
        # Code points compare like UTF-8 bytes.
        return key.startswith(self._prefix) and key > self._marker

    def _may_hold(self, folder_key: str) -> bool:
        related = folder_key.startswith(self._prefix) or self._prefix.startswith(folder_key)
        return related and (folder_key > self._marker or self._marker.startswith(folder_key))


class _Level:
    """A directory that is being walked, read when the first of its names is asked for."""

    def __init__(self, directory: Directory, key: str, marker: str, names: DirectoryNames) -> None:
        self.directory = directory
        self.key = key
        # All names before that of the marker, or of the directory that it is in, come before the marker.
        self.names = names.of(directory, marker[len(key) :].partition("/")[0] if marker.startswith(key) else "")
