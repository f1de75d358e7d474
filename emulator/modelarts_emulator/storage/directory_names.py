"""The names in directories, in the order of keys; those of a large directory are kept for the next page of a listing.

A file system cannot begin to read a directory behind a name, so without that each page would cost as much as all.
"""

from __future__ import annotations

import bisect
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

from modelarts_emulator.storage.directories import is_absent

__all__ = ["Directory", "DirectoryNames"]

_SETTLED_NS = 100_000_000
"""Older than that, the time of a change differs from that of any later one: a tick of the system clock is shorter."""
_COARSE_NS = 1_000_000
"""A time that is a multiple of this comes from a file system that may give several changes the same time."""


@dataclass(frozen=True, slots=True)
class Directory:
    """A directory and its status at the moment `seen_ns`, in nanoseconds since 1970."""

    path: str
    status: os.stat_result
    seen_ns: int

    @classmethod
    def at(cls, path: str) -> Directory | None:
        """Return the directory at the path, None if there is none (any more)."""
        seen_ns = time.time_ns()
        try:
            return cls(path, os.stat(path), seen_ns)  # noqa: PTH116 - text, because jobs and pages of objects wait for this
        except OSError as error:
            if is_absent(error):
                return None
            raise

    @property
    def identity(self) -> tuple[int, int]:
        """Device and inode."""
        return self.status.st_dev, self.status.st_ino

    @property
    def state(self) -> tuple[int, int, int, int]:
        """Differs after names were added, removed or changed, if `is_settled`."""
        return *self.identity, self.status.st_mtime_ns, self.status.st_ctime_ns

    @property
    def is_settled(self) -> bool:
        """Whether any later change of names gives it another state."""
        changed_ns = self.status.st_mtime_ns
        return self.seen_ns - changed_ns > _SETTLED_NS and changed_ns % _COARSE_NS != 0


class DirectoryNames:
    """Files, and directories with `/` at the end; there is nothing else, and no name that is not UTF-8.

    Names are kept of directories that have at least `large`, `most` altogether, of which each takes some 80 bytes.
    """

    def __init__(self, large: int = 1000, most: int = 200_000) -> None:
        self._large = large
        self._most = most
        self._kept: dict[str, tuple[tuple[int, ...], list[str]]] = {}
        self._changing = threading.Lock()

    def of(self, directory: Directory, first: str = "") -> Iterator[str]:
        """Yield the names from `first` on, in order; a directory that was removed meanwhile has none."""
        state, names = self._kept.get(directory.path, (None, []))
        if state != directory.state:
            names, has_links = _read(directory.path, "" if directory.is_settled else first)
            # What a link leads to can become another kind of thing without a change of the directory.
            if directory.is_settled and not has_links and self._large <= len(names) <= self._most:
                self._keep(directory, names)
        for position in range(bisect.bisect_left(names, first), len(names)):
            yield names[position]

    def _keep(self, directory: Directory, names: list[str]) -> None:
        """Keep the names, and forget those that were kept first if there are too many."""
        with self._changing:
            self._kept.pop(directory.path, None)
            self._kept[directory.path] = directory.state, names
            while sum(len(kept) for _, kept in self._kept.values()) > self._most:
                del self._kept[next(iter(self._kept))]


def _read(folder: str, first: str) -> tuple[list[str], bool]:
    """The names from `first` on, in order, and whether there are links among them."""
    found, has_links = [], False
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name
                if first and f"{name}/" < first:
                    continue
                if entry.is_symlink():
                    has_links = True
                if (name.isprintable() or _is_utf8(name)) and (suffix := _suffix(entry)) is not None:
                    found.append(name + suffix)
    except OSError as error:
        if not is_absent(error):
            raise
    found.sort()
    return found, has_links


def _suffix(entry: os.DirEntry[str]) -> str | None:
    try:
        return "" if entry.is_file() else "/" if entry.is_dir() else None
    except OSError as error:
        if is_absent(error):  # links that lead to each other
            return None
        raise


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
