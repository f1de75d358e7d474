"""Lists a bucket's folder in the order of keys, one page at a time, reading no more folders than the page needs."""

from __future__ import annotations

import itertools
import os
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from modelarts_emulator.storage.files import is_absent
from modelarts_emulator.storage.names import MAX_KEY

_KEPT_NAMES = range(1000, 200_001)
"""The size of a directory whose names are kept for the next page."""
_SETTLED_NS = 100_000_000
"""The time of a change that is older than that differs from the time of any later one: a tick of clocks is shorter."""
_COARSE_NS = 1_000_000
"""A time that is a multiple of this may be of a file system with long ticks."""


def page_of(
    keys: Iterable[str], prefix: str, delimiter: str, marker: str, limit: int
) -> tuple[list[str], list[str], str | None]:
    """Return a page of at most `limit` keys and common prefixes, all behind the marker, and the marker of the next one.

    Keys with the same common prefix are one entry. The marker is None on the last page.
    """
    found: list[str] = []
    prefixes: list[str] = []
    last = marker
    for key in keys:
        head, separator, _ = key[len(prefix) :].partition(delimiter) if delimiter else (key, "", "")
        common = prefix + head + separator if separator else ""
        if common and (common == last or common <= marker):
            continue
        if len(found) + len(prefixes) >= limit:
            return found, prefixes, last
        last = common or key
        (prefixes if common else found).append(last)
    return found, prefixes, None


@dataclass(frozen=True, slots=True)
class Walk:
    """The keys below a folder that start with `prefix` and come after `marker`, in the order of their bytes.

    `is_folder_object` says whether a key that ends in `/` was put as an object; a directory alone is not one.
    """

    root: str
    prefix: str
    marker: str
    is_folder_object: Callable[[str], bool]
    names: Names

    def keys(self, shallow: bool = False) -> Iterator[str]:
        """Yield all keys, in order; with `shallow`, a directory below the prefix as one key with `/`, not walked."""
        start = self.prefix.rpartition("/")[0]
        if "\0" in start or (start and any(segment in ("", ".", "..") for segment in start.split("/"))):
            return  # the store holds no such key, and the path must not lead out of the bucket
        key = f"{start}/" if start else ""
        if key and self._wanted(key) and self.is_folder_object(key):
            yield key
        if (level := self._level(f"{self.root}/{start}", key)) is not None:
            yield from self._below(level, shallow)

    def _below(self, top: _Level, shallow: bool) -> Iterator[str]:
        """Yield the keys below a folder; the levels above the current one are on a stack, however many there are."""
        levels, above = [top], {top.identity}
        while levels:
            level = levels[-1]
            if (name := next(level.names, None)) is None:
                levels.pop()
                above.discard(level.identity)
                continue
            key = level.key + name
            if len(key) > MAX_KEY // 4 and len(key.encode()) > MAX_KEY:
                continue
            if not key.endswith("/"):
                if self._wanted(key):
                    yield key
                continue
            if not self._may_hold(key) or (inner := self._level(f"{level.path}/{name}", key)) is None:
                continue
            if inner.identity in above:
                continue  # a link to a directory above itself
            is_object = self._wanted(key) and self.is_folder_object(key)
            if shallow and level is top and key.startswith(self.prefix):
                if key != self.marker and (is_object or next(self._below(inner, shallow=False), None) is not None):
                    yield key
                continue
            if is_object:
                yield key
            levels.append(inner)
            above.add(inner.identity)

    def _wanted(self, key: str) -> bool:
        # Code points compare like UTF-8 bytes.
        return key.startswith(self.prefix) and key > self.marker

    def _may_hold(self, folder_key: str) -> bool:
        related = folder_key.startswith(self.prefix) or self.prefix.startswith(folder_key)
        return related and (folder_key > self.marker or self.marker.startswith(folder_key))

    def _level(self, path: str, key: str) -> _Level | None:
        """Return the directory at the path; None if it does not exist (any more)."""
        seen_ns = time.time_ns()
        try:
            status = os.stat(path)  # noqa: PTH116 - text, because pages of objects wait for this
        except OSError as error:
            if is_absent(error):
                return None
            raise
        # All names before that of the marker, or of the directory that it is in, come before the marker.
        first = self.marker[len(key) :].partition("/")[0] if self.marker.startswith(key) else ""
        return _Level(path, key, (status.st_dev, status.st_ino), self.names.read(path, status, seen_ns, first))


@dataclass(frozen=True, slots=True)
class _Level:
    """A directory that is being walked: its path and key, device and inode, and the names that are left."""

    path: str
    key: str
    identity: tuple[int, int]
    names: Iterator[str]


class Names:
    """The names in directories, in the order of keys: files, and directories with `/` at the end.

    A file system cannot begin to read a directory behind a name. So the names of the last large directory are kept for
    the next page, until the directory changes.
    """

    def __init__(self) -> None:
        self._kept: tuple[tuple[int, ...], list[str]] = (), []

    def read(self, folder: str, status: os.stat_result, seen_ns: int, first: str) -> Iterator[str]:
        """Return the names from `first` on; none without a folder, whose status was `status` at `seen_ns`."""
        changed_ns = status.st_mtime_ns
        state = (status.st_dev, status.st_ino, changed_ns, status.st_ctime_ns)
        kept, names = self._kept
        if kept != state:
            is_settled = seen_ns - changed_ns > _SETTLED_NS and changed_ns % _COARSE_NS != 0
            names, has_links = _names(folder, "" if is_settled else first)
            # What a link leads to can become another kind of thing without a change of the directory.
            if is_settled and not has_links and len(names) in _KEPT_NAMES:
                self._kept = state, names
        return itertools.islice(names, bisect_left(names, first), None)


def _names(folder: str, first: str) -> tuple[list[str], bool]:
    """Return the names from `first` on, in order, and whether there are links among them."""
    found, has_links = [], False
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name
                if name < first and not first.startswith(name):
                    continue
                has_links = has_links or entry.is_symlink()
                if (suffix := _suffix(entry)) is not None and (
                    name.isascii() or name.encode(errors="ignore").decode() == name
                ):
                    found.append(name + suffix)
    except OSError as error:
        if not is_absent(error):
            raise
    found.sort()
    return found, has_links


def _suffix(entry: os.DirEntry[str]) -> str | None:
    """Return `/` for a directory, None for anything but a directory or a regular file."""
    try:
        return "" if entry.is_file() else "/" if entry.is_dir() else None
    except OSError as error:
        if is_absent(error):  # links that lead to each other
            return None
        raise
