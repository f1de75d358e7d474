"""Looking at files and directories, making and removing them, at local paths and in object storage."""

from __future__ import annotations

import fnmatch
import glob as local_glob
import os
import shutil
import stat as stat_bits
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Iterable, Iterator, NamedTuple, Union

from moxing import objects
from moxing.client import Location, MoxFileNotExistsException, Response
from moxing.objects import Entry

SCHEMES = ("obs://", "s3://")

Path = Union[str, "os.PathLike[str]"]
"""A local path, or a URL as text."""


def is_url(path: Any) -> bool:
    """Whether this names something in object storage."""
    return isinstance(path, str) and path.startswith(SCHEMES)


def parse(path: Path) -> Location | None:
    """Return bucket and key of a URL, None for a local path; raises ValueError for a URL without a bucket."""
    if not isinstance(path, str) or not path.startswith(SCHEMES):
        return None
    bucket, _, key = path.partition("://")[2].partition("/")
    if not bucket:
        raise ValueError(f"{path!r} names no bucket: use obs://bucket/key")
    return Location(bucket, key)


def local(path: Path) -> str:
    """Return the local path as text; raises ValueError for another scheme than those that are known."""
    text = os.fspath(path)
    scheme, separator, _ = text.partition("://")
    if separator and scheme.isalnum() and not os.path.exists(text):
        raise ValueError(f"{text!r} is neither a local path nor a URL of object storage: use obs://bucket/key")
    return text


def join(folder: Path, name: str) -> str:
    """Return the path or URL of something in a directory; `name` has slashes."""
    if is_url(folder):
        text = os.fspath(folder)
        return f"{text}{'' if text.endswith('/') else '/'}{name}"
    return os.path.join(local(folder), *name.split("/"))


REMOVING_THREADS = 16


class FileStat(NamedTuple):
    """What is known of a file or directory: `length` in bytes, `mtime_nsec` in nanoseconds since 1970."""

    length: int
    mtime_nsec: int
    is_directory: bool

    def as_os(self) -> os.stat_result:
        """Return it as `os.stat` would: usual permissions, and the time of the change for all times."""
        mode = stat_bits.S_IFDIR | 0o755 if self.is_directory else stat_bits.S_IFREG | 0o644
        seconds, whole = self.mtime_nsec / 1e9, self.mtime_nsec // 10**9
        times = [whole] * 3 + [seconds] * 3 + [self.mtime_nsec] * 3
        return os.stat_result((mode, 0, 0, 1, 0, 0, self.length, *times))


class DirEntry:
    """Something in a directory of object storage, as `os.scandir` describes local files."""

    def __init__(self, folder: str, entry: Entry) -> None:
        self.name = entry.name
        self.path = join(folder, entry.name)
        self._entry = entry

    def __repr__(self) -> str:
        return f"<DirEntry {self.name!r}>"

    def __fspath__(self) -> str:
        return self.path

    def is_dir(self) -> bool:
        return self._entry.is_directory

    def is_file(self) -> bool:
        return not self._entry.is_directory

    def is_symlink(self) -> bool:
        return False

    def stat(self) -> os.stat_result:
        return FileStat(self._entry.size, self._entry.mtime_ns, self._entry.is_directory).as_os()


def exists(url: Path) -> bool:
    """Whether there is a file or a directory."""
    location = parse(url)
    if location is None:
        return os.path.exists(local(url))
    return objects.find_object(location) is not None or objects.is_directory(location)


def is_directory(url: Path) -> bool:
    """Whether there is a directory; in object storage there may be a file of the same name beside it."""
    location = parse(url)
    return os.path.isdir(local(url)) if location is None else objects.is_directory(location)


def stat(url: Path) -> FileStat:
    """Return length, time and kind; raises FileNotFoundError, in object storage its MoxFileNotExistsException."""
    location = parse(url)
    if location is None:
        found = os.stat(local(url))
        return FileStat(found.st_size, found.st_mtime_ns, os.path.isdir(local(url)))
    entry = objects.find_object(location)
    if entry is not None:
        return FileStat(entry.size, entry.mtime_ns, False)
    if objects.is_directory(location):
        return FileStat(0, 0, True)
    raise _missing("file or directory", location)


def get_size(url: Path, recursive: bool = False) -> int:
    """Return the bytes of a file; of a directory in object storage 0, or all of its files' if `recursive`.

    Of a local directory always all of its files'. Raises as `stat`.
    """
    found = stat(url)
    if not found.is_directory:
        return found.length
    location = parse(url)
    if location is None:
        return sum(entry.size for entry in list_local(local(url), True))
    return sum(entry.size for entry in objects.list_entries(location, True)) if recursive else 0


def list_directory(
    url: Path, recursive: bool = False, remove_sep: bool = True, skip_file: bool = False, skip_dir: bool = False
) -> list[str]:
    """Return the names in a directory, and with `recursive` the paths of all below it, relative to it.

    Names of directories end in `/` unless `remove_sep`. Raises FileNotFoundError if there is no such directory.
    """
    location = parse(url)
    found = list_local(local(url), recursive) if location is None else objects.list_entries(location, recursive)
    return [
        f"{entry.name}/" if entry.is_directory and not remove_sep else entry.name
        for entry in found
        if not (skip_dir if entry.is_directory else skip_file)
    ]


def list_local(folder: str, is_recursive: bool) -> Iterator[Entry]:
    """Yield what is in a local directory, links followed, by name; each directory before what is in it.

    A link to a directory above itself, and what is neither file nor directory, is left out.
    """
    yield from _list_local(folder, "", is_recursive, (os.path.realpath(folder),))


def _list_local(folder: str, prefix: str, is_recursive: bool, above: tuple[str, ...]) -> Iterator[Entry]:
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        name = prefix + entry.name
        if entry.is_dir():
            real = os.path.realpath(entry.path)
            if real not in above:
                yield Entry(name, True)
                if is_recursive:
                    yield from _list_local(entry.path, f"{name}/", True, (*above, real))
        elif entry.is_file():
            info = entry.stat()
            yield Entry(name, False, info.st_size, info.st_mtime_ns)


def scan_dir(url: Path) -> Iterator[Any]:
    """Return the entries of a directory, as `os.scandir` yields them."""
    location = parse(url)
    if location is None:
        return iter(os.scandir(local(url)))
    return (DirEntry(os.fspath(url), entry) for entry in objects.list_entries(location, False))


def walk(
    url: Path,
    topdown: bool = True,
    onerror: Callable[[OSError], Any] | None = None,
    followlinks: bool = False,
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield each directory with the names of directories and files in it; the options count for local paths only."""
    location = parse(url)
    if location is None:
        yield from os.walk(local(url), topdown, onerror, followlinks)
    elif objects.is_directory(location):
        yield from _walk(os.fspath(url), objects.list_entries(location, True))


def _walk(top: str, entries: Iterable[Entry]) -> Iterator[tuple[str, list[str], list[str]]]:
    tree: dict[str, tuple[list[str], list[str]]] = {"": ([], [])}
    for entry in entries:
        parent, _, name = entry.name.rpartition("/")
        tree[parent][0 if entry.is_directory else 1].append(name)
        if entry.is_directory:
            tree[entry.name] = ([], [])
    for path, (folders, files) in tree.items():
        yield (join(top, path) if path else top), folders, files


def glob(url: Path) -> list[str]:
    """Return the files and directories that match a pattern of `*`, `?` and `[...]`, which stand for no slash."""
    location = parse(url)
    if location is None:
        return sorted(local_glob.glob(local(url)))
    *folders, last = location.key.split("/")
    fixed = next((index for index, part in enumerate(folders) if local_glob.has_magic(part)), len(folders))
    base = Location(location.bucket, "".join(f"{part}/" for part in folders[:fixed]))
    wanted = [*folders, last][fixed:]
    if not objects.is_directory(base):
        return []
    scheme = os.fspath(url).partition("://")[0]
    return [
        f"{scheme}://{base.bucket}/{base.key}{entry.name}"
        for entry in objects.list_entries(base, len(wanted) > 1)
        if len(parts := entry.name.split("/")) == len(wanted) and all(map(fnmatch.fnmatchcase, parts, wanted))
    ]


def make_dirs(url: Path) -> None:
    """Make a directory with those above it; nothing changes if it exists."""
    location = parse(url)
    if location is None:
        os.makedirs(local(url), exist_ok=True)
    elif not objects.is_directory(location):
        objects.make_directory(location)


def mk_dir(url: Path) -> None:
    """Make a directory in an existing one; raises OSError if that is missing."""
    location = parse(url)
    if location is None:
        os.mkdir(local(url))
        return
    parent = Location(location.bucket, location.key.rstrip("/").rpartition("/")[0])
    if not objects.is_directory(parent):
        raise _missing("directory", parent)
    objects.make_directory(location)


def remove(url: Path, recursive: bool = False) -> None:
    """Remove a file, or with `recursive` a directory and all below it.

    In object storage nothing happens if there is no such file or, without `recursive`, if it is a directory.
    If there are both a file and a directory, the file is removed, unless the URL ends in `/`.
    Raises ValueError for a whole bucket, locally FileNotFoundError or IsADirectoryError as `os.remove`.
    """
    location = parse(url)
    if location is None:
        path = local(url)
        if recursive and os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.remove(path)
    elif not location.key.strip("/"):
        raise ValueError(f"{os.fspath(url)!r} is a whole bucket: name a file or directory in it")
    elif objects.find_object(location) is not None:
        objects.delete_object(location)
    elif recursive and objects.is_directory(location):
        folder = objects.directory(location)
        entries = objects.list_entries(folder, True)
        remove_files([Location(folder.bucket, f"{folder.key}{_key(entry)}") for entry in entries] + [folder])


def remove_files(locations: list[Location]) -> None:
    """Delete objects; raises the first error after the others were tried."""
    with ThreadPoolExecutor(REMOVING_THREADS) as pool:
        for done in [pool.submit(objects.delete_object, location) for location in reversed(locations)]:
            done.result()


def _key(entry: Entry) -> str:
    return f"{entry.name}/" if entry.is_directory else entry.name


def _missing(kind: str, location: Location) -> MoxFileNotExistsException:
    return MoxFileNotExistsException(f"there is no {kind} {location}", Response(404, "NoSuchKey"))
