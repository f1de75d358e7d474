"""Files at local paths and at `obs://bucket/key` or `s3://bucket/key`, by the same functions.

The functions, their parameters and exceptions are those that the documentation of MoXing's file API names.
Copying deletes nothing. A file appears under its name when it is complete, never before.
"""

from __future__ import annotations

import contextlib
import fnmatch
import glob as local_glob
import os
import shutil
import stat as stat_bits
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any, Callable, Iterable, Iterator, NamedTuple

from moxing import objects
from moxing.client import (
    Location,
    MoxFileNameDuplicateException,
    MoxFileNotExistsException,
    MoxFileReadException,
    MoxFileRespException,
    Response,
    set_auth,
)
from moxing.objects import Entry
from moxing.opening import File, Path, append, append_remote, is_url, local, parse, read, write

__all__ = [
    "DirEntry",
    "File",
    "FileStat",
    "MoxFileNameDuplicateException",
    "MoxFileNotExistsException",
    "MoxFileReadException",
    "MoxFileRespException",
    "append",
    "append_remote",
    "copy",
    "copy_parallel",
    "exists",
    "get_size",
    "glob",
    "is_directory",
    "list_directory",
    "make_dirs",
    "mk_dir",
    "read",
    "remove",
    "rename",
    "scan_dir",
    "set_auth",
    "shift",
    "stat",
    "walk",
    "write",
]

THREADS = 16
_LARGE_FILE_METHOD = _LARGE_FILE_TASK_NUM = _NUMBER_OF_PROCESSES = 1
"""What the vendor's pages set on `file_io`; it has no effect here."""


class FileStat(NamedTuple):
    """What is known of a file or directory: `length` in bytes, `mtime_nsec` in nanoseconds since 1970."""

    length: int
    mtime_nsec: int
    is_directory: bool

    def as_os(self, url: str = "") -> os.stat_result:
        """Return it as `os.stat` would: usual permissions, one time for all, a number of the URL."""
        mode = stat_bits.S_IFDIR | 0o755 if self.is_directory else stat_bits.S_IFREG | 0o644
        seconds, whole = self.mtime_nsec / 1e9, self.mtime_nsec // 10**9
        times = [whole] * 3 + [seconds] * 3 + [self.mtime_nsec] * 3
        return os.stat_result((mode, hash(url) & 0xFFFFFFFF, 0, 1, 0, 0, self.length, *times))


class DirEntry:
    """Something in a directory of object storage, as `os.scandir` describes local files."""

    def __init__(self, folder: str, entry: Entry) -> None:
        self.name = entry.name
        self.path = _join(folder, entry.name)
        self._entry = entry

    def __repr__(self) -> str:
        return f"<DirEntry {self.name!r}>"

    def __fspath__(self) -> str:
        return self.path

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:  # noqa: ARG002 - no links here
        return self._entry.is_directory

    def is_file(self, *, follow_symlinks: bool = True) -> bool:  # noqa: ARG002 - no links here
        return not self._entry.is_directory

    def is_symlink(self) -> bool:
        return False

    is_junction = is_symlink

    def inode(self) -> int:
        return self.stat().st_ino

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:  # noqa: ARG002 - no links here
        return FileStat(self._entry.size, self._entry.mtime_ns, self._entry.is_directory).as_os(self.path)


def shift(source: str, target: str) -> None:
    """Let the functions of Python for local files take URLs, for the rest of this process: `shift("os", "mox")`.

    For local paths they do what they did before. Raises ValueError for anything but `"os"` and `"mox"`.
    """
    if (source, target) != ("os", "mox"):
        raise ValueError(f"shift({source!r}, {target!r}) is unknown: use shift('os', 'mox')")
    from moxing import shifting

    shifting.replace_functions()


def exists(url: Path) -> bool:
    """Whether there is a file or a directory."""
    location = parse(url)
    if location is None:
        return os.path.exists(local(url))
    return objects.find_object(location) is not None or objects.is_directory(location)


def is_directory(url: Path) -> bool:
    """Whether there is a directory."""
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
    raise _missing(url)


def get_size(url: Path, recursive: bool = False) -> int:
    """Return the bytes of a file; of a directory in object storage 0, or all of its files' if `recursive`.

    Of a local directory always all of its files'. Raises as `stat`.
    """
    found = stat(url)
    if found.is_directory and (recursive or not is_url(url)):
        return sum(entry.size for entry in _entries(url))
    return found.length if not found.is_directory else 0


def list_directory(
    url: Path, recursive: bool = False, remove_sep: bool = True, skip_file: bool = False, skip_dir: bool = False
) -> list[str]:
    """Return the names in a directory, and with `recursive` the paths of all below it, relative to it.

    Names of directories end in `/` unless `remove_sep`. Raises FileNotFoundError if there is no such directory.
    """
    return [
        f"{entry.name}/" if entry.is_directory and not remove_sep else entry.name
        for entry in _entries(url, recursive)
        if not (skip_dir if entry.is_directory else skip_file)
    ]


def _entries(url: Path, is_recursive: bool = True) -> Iterator[Entry]:
    """Yield what is in a directory; each directory before what is in it.

    Locally links are followed, and what is neither file nor directory, or a link to a directory above itself, is left
    out.
    """
    location = parse(url)
    if location is not None:
        return objects.list_entries(location, is_recursive)
    folder = local(url)
    return _list_local(folder, "", is_recursive, (os.path.realpath(folder),))


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
    if not is_url(url):
        return iter(os.scandir(local(url)))
    return (DirEntry(os.fspath(url), entry) for entry in _entries(url, False))


def walk(
    url: Path,
    topdown: bool = True,
    onerror: Callable[[OSError], Any] | None = None,
    followlinks: bool = False,
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield each directory with the names of directories and files in it, as `os.walk`; object storage has no links."""
    if not is_url(url):
        yield from os.walk(local(url), topdown, onerror, followlinks)
        return
    try:
        entries = list(_entries(url, False))
    except OSError as error:
        if onerror is not None:
            onerror(error)
        return
    folders = [entry.name for entry in entries if entry.is_directory]
    found = (os.fspath(url), folders, [entry.name for entry in entries if not entry.is_directory])
    if topdown:
        yield found
    for name in folders:
        yield from walk(_join(url, name), topdown, onerror)
    if not topdown:
        yield found


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
        raise _missing(str(parent))
    objects.make_directory(location)


def remove(url: Path, recursive: bool = False) -> None:
    """Remove a file, or with `recursive` a directory and all below it.

    In object storage nothing happens if there is no such file or, without `recursive`, if it is a directory.
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
        _remove_objects(location, _entries(url))


def _remove_objects(folder: Location, entries: Iterable[Entry]) -> None:
    """Delete these entries of a directory, and its own mark; raises the first error after the others were tried."""
    bucket, prefix = objects.directory(folder)
    keys = [prefix, *(f"{prefix}{entry.name}{'/' if entry.is_directory else ''}" for entry in entries)]
    with ThreadPoolExecutor(THREADS) as pool:
        for done in [pool.submit(objects.delete_object, Location(bucket, key)) for key in reversed(keys) if key]:
            done.result()


def copy(src_url: Path, dst_url: Path, client_id: Any = None) -> None:
    """Copy one file; what is at the target is replaced, and directories above it are made.

    Raises IsADirectoryError if either is a directory, FileNotFoundError if the source does not exist.
    """
    for url, remedy in ((src_url, "copy it with copy_parallel"), (dst_url, "name the file in it")):
        location = parse(url)
        names_directory = location is not None and (not location.key or location.key.endswith("/"))
        if names_directory or is_directory(url):
            raise IsADirectoryError(f"{os.fspath(url)!r} is a directory: {remedy}")
    _copy_file(src_url, dst_url)


def copy_parallel(
    src_url: Path,
    dst_url: Path,
    file_list: Iterable[str] | None = None,
    threads: int = THREADS,
    is_processing: bool = True,  # threads serve here, whatever is asked for
    use_queue: bool = True,  # the same
) -> None:
    """Copy all that is in a directory into another one, which is made if it is missing; a file is copied as a file.

    `file_list` names the files to copy, relative to the source; all if None. What else is in the target stays.
    Raises FileNotFoundError without a source, else the first error, after which no other copy is begun.
    """
    if not is_directory(src_url):
        if not exists(src_url):
            raise _missing(src_url)
        copy(src_url, dst_url)
        return
    entries = list(_entries(src_url))
    if file_list is not None:
        entries = _selected(src_url, entries, file_list)
    make_dirs(dst_url)
    for entry, following in zip(entries, [*(entry.name for entry in entries[1:]), ""]):
        if entry.is_directory and not following.startswith(f"{entry.name}/"):  # it is empty
            make_dirs(_join(dst_url, entry.name))
    names = [entry.name for entry in entries if not entry.is_directory]
    with ThreadPoolExecutor(max(1, threads), thread_name_prefix="mox-copy") as pool:
        copies = [pool.submit(_copy_file, _join(src_url, name), _join(dst_url, name)) for name in names]
        try:
            for done in as_completed(copies):
                done.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def rename(src_url: Path, dst_url: Path) -> None:
    """Move a file or directory; the source is deleted when all of it was copied.

    Raises ValueError for a directory that is moved into itself, else as `copy_parallel`.
    """
    source, target = parse(src_url), parse(dst_url)
    if source is None and target is None:
        os.rename(local(src_url), local(dst_url))
    elif not is_directory(src_url):
        copy(src_url, dst_url)
        remove(src_url)
    else:
        if source is not None and target is not None:
            above, below = objects.directory(source), objects.directory(target)
            if above.bucket == below.bucket and below.key.startswith(above.key):
                raise ValueError(f"cannot move {src_url} into itself")
        entries = list(_entries(src_url))
        copy_parallel(src_url, dst_url)
        if source is None:
            shutil.rmtree(local(src_url))
        else:
            _remove_objects(source, entries)


def _copy_file(src_url: Path, dst_url: Path) -> None:
    """Copy one file; the source is known to be a file."""
    source, target = parse(src_url), parse(dst_url)
    if source is not None and target is not None:
        if source == target:
            raise ValueError(f"cannot copy {source} to itself")
        objects.copy_object(source, target)
    elif target is not None:
        with open(local(src_url), "rb") as file:
            objects.put_file(file, target)
    elif source is not None:
        _download(source, local(dst_url))
    else:
        os.makedirs(os.path.dirname(os.path.abspath(local(dst_url))), exist_ok=True)
        shutil.copyfile(local(src_url), local(dst_url))


def _download(source: Location, path: str) -> None:
    """Fetch an object into a file beside the target and put it in place when it is complete."""
    folder = os.path.dirname(os.path.abspath(path))
    draft = os.path.join(folder, f".mox-{uuid.uuid4().hex}")
    try:
        os.makedirs(folder, exist_ok=True)
        with open(draft, "xb") as file:
            objects.fetch(source, file)
        os.replace(draft, path)
    except (FileExistsError, IsADirectoryError, NotADirectoryError) as error:
        raise MoxFileNameDuplicateException(
            f"cannot download {source} to {path}: a file and a directory would have the same path"
        ) from error
    finally:
        with contextlib.suppress(OSError):
            os.remove(draft)


def _selected(src_url: Path, entries: list[Entry], file_list: Iterable[str]) -> list[Entry]:
    """Return the files that are named; raises FileNotFoundError for those that are not there."""
    files = {entry.name: entry for entry in entries if not entry.is_directory}
    wanted = list(dict.fromkeys(file_list))
    missing = [name for name in wanted if name not in files]
    if missing:
        raise FileNotFoundError(f"{len(missing)} of file_list are not in {src_url}: {', '.join(missing[:3])}")
    return [files[name] for name in wanted]


def _join(folder: Path, name: str) -> str:
    """Return the path or URL of something in a directory; `name` has slashes."""
    if is_url(folder):
        return f"{os.fspath(folder).removesuffix('/')}/{name}"
    return os.path.join(local(folder), *name.split("/"))


def _missing(url: Path) -> FileNotFoundError:
    message = f"{os.fspath(url)!r} does not exist"
    return MoxFileNotExistsException(message, Response(404, "NoSuchKey")) if is_url(url) else FileNotFoundError(message)


def __getattr__(name: str) -> Any:
    """Return this module as `file_io`, too; raises AttributeError, which names what there is, for another name."""
    if name == "file_io":
        return sys.modules[__name__]
    raise AttributeError(f"mox.file.{name} is not offered in the emulator; mox.file has {', '.join(__all__)}")
