"""Paths and URLs, and open files: local ones, and objects, which are fetched and stored as a whole."""

from __future__ import annotations

import atexit
import contextlib
import io
import os
import tempfile
import weakref
from typing import Any, BinaryIO, Iterable, Iterator, Union, cast

from moxing import objects
from moxing.client import CHUNK_BYTES, Location, MoxFileNotExistsException

SCHEMES = ("obs://", "s3://")
MODES = ("r", "w", "a", "x", "r+", "w+", "a+", "x+")

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


class File:
    """An open file, used as the one that `open` returns; `mode` is r, w, a or x, with `+` or `b` if wanted.

    An object is stored as a whole by `flush` and `close`, and when the file is no longer used or the script ends; if a
    `with` block ends by an exception, what was written since the last `flush` is not stored. Raises
    MoxFileNotExistsException (locally FileNotFoundError) if there is nothing to read, ValueError for another mode.
    """

    def __init__(
        self,
        name: Path,
        mode: str = "r",
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
    ) -> None:
        is_binary = "b" in mode
        base = mode.replace("b" if is_binary else "t", "", 1)
        if base not in MODES:
            raise ValueError(f"mode {mode!r} is unknown: use one of {', '.join(MODES)}, with b for bytes")
        self.name = name
        self.mode = mode
        self._can_read = base[0] == "r" or base[1:] == "+"
        self._can_write = base != "r"
        self._target: Location | None = None
        self._draft: BinaryIO | None = None
        self._is_changed = base[0] in "wx"
        self._stream: Any
        location = parse(name)
        if location is None:
            self._stream = open(local(name), f"{base}{'b' if is_binary else ''}", -1, encoding, errors, newline)  # noqa: SIM115
            return
        if self._can_write:
            self._target = location
            _files.add(self)
        self._stream = self._draft = self._open_draft(location, base)
        if not is_binary:
            if newline is None and self._can_write:
                newline = ""  # a line ends in an object as it was written, on every system
            self._stream = io.TextIOWrapper(self._draft, encoding or "utf-8", errors, newline)

    def _open_draft(self, location: Location, base: str) -> BinaryIO:
        """Return a temporary file, with the present content if the mode keeps that."""
        if not location.key or location.key.endswith("/"):
            raise IsADirectoryError(f"{os.fspath(self.name)!r} is a directory: name the file in it")
        if base[0] == "x" and objects.find_object(location) is not None:
            raise FileExistsError(f"there is already {os.fspath(self.name)!r}")
        with contextlib.ExitStack() as stack:
            draft = stack.enter_context(tempfile.TemporaryFile())
            try:
                if base[0] in "ra":
                    objects.fetch(location, draft)
            except MoxFileNotExistsException:
                if base[0] == "r":
                    raise
                self._is_changed = True
            if base[0] == "r":
                draft.seek(0)
            stack.pop_all()
            return cast("BinaryIO", draft)

    def __enter__(self) -> File:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self._target = None
        self.close()

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError):  # it could not be opened
            self.close()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._stream)

    def __next__(self) -> Any:
        return next(self._stream)

    def __getattr__(self, name: str) -> Any:
        """Return what else the open file has, such as `read`, `seek` or `encoding`."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._stream, name)

    def readable(self) -> bool:
        return self._can_read

    def writable(self) -> bool:
        return self._can_write

    def read(self, n: int | None = -1) -> Any:
        """Return the next characters or bytes, all that is left unless `n` says how many."""
        if not self._can_read:
            raise io.UnsupportedOperation(f"{os.fspath(self.name)!r} is not open for reading: mode {self.mode!r}")
        return self._stream.read(n)

    def write(self, data: Any) -> int:
        if not self._can_write:
            raise io.UnsupportedOperation(f"{os.fspath(self.name)!r} is not open for writing: mode {self.mode!r}")
        self._is_changed = True
        return int(self._stream.write(data))

    def writelines(self, sequence: Iterable[Any]) -> None:
        for line in sequence:
            self.write(line)

    def truncate(self, size: int | None = None) -> int:
        self._is_changed = True
        return int(self._stream.truncate(size))

    def size(self) -> int:
        """Return the bytes that the file has, with what was written and not yet stored."""
        self._stream.flush()
        return os.fstat((self._draft or self._stream).fileno()).st_size

    def flush(self) -> None:
        """Store what was written."""
        self._stream.flush()
        if self._target is not None and self._draft is not None and self._is_changed:
            position = self._draft.tell()
            objects.put_file(self._draft, self._target)
            self._draft.seek(position)
            self._is_changed = False

    def close(self) -> None:
        """Store what was written, and release the file."""
        if not self._stream.closed:
            try:
                self.flush()
            finally:
                self._stream.close()


_files: weakref.WeakSet[File] = weakref.WeakSet()


@atexit.register
def _close_files() -> None:
    with contextlib.ExitStack() as stack:
        for file in list(_files):
            stack.callback(file.close)


def read(url: Path, client_id: Any = None, binary: bool = False) -> Any:
    """Return the whole content: text in UTF-8, or bytes if `binary`."""
    with File(url, "rb" if binary else "r") as file:
        return file.read()


def write(url: Path, data: str | bytes, binary: bool = False) -> None:
    """Make or replace a file."""
    with File(url, "wb" if binary or isinstance(data, bytes) else "w") as file:
        file.write(data)


def append(url: Path, data: str | bytes, binary: bool = False) -> None:
    """Write at the end of a file, which is made if it is missing.

    An object is read and stored anew: of two that append to it at the same time, one may be lost.
    """
    with File(url, "ab" if binary or isinstance(data, bytes) else "a") as file:
        file.write(data)


def append_remote(src_url: Path, dst_url: Path) -> None:
    """Write the content of one object at the end of another one, as `append`."""
    with File(src_url, "rb") as source, File(dst_url, "ab") as target:
        while chunk := source.read(CHUNK_BYTES):
            target.write(chunk)
