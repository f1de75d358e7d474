"""What `shift("os", "mox")` replaces: functions of Python for local files take URLs of object storage, too."""

from __future__ import annotations

import builtins
import contextlib
import functools
import glob
import os
import shutil
from typing import Any, Callable

from moxing import file as mox
from moxing.opening import File, is_url

Function = Callable[..., Any]


def _open(
    file: str,
    mode: str = "r",
    buffering: int = -1,  # URLs ignore the buffer size
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
) -> File:
    return File(file, mode, encoding, errors, newline)


def _make_dirs(name: str, mode: int = 0o777, exist_ok: bool = False) -> None:
    if not exist_ok and mox.exists(name):
        raise FileExistsError(f"there is already {name}")
    mox.make_dirs(name)


def _make_dir(path: str, mode: int = 0o777) -> None:
    mox.mk_dir(path)


def _stat(path: str, *, follow_symlinks: bool = True) -> os.stat_result:
    return mox.stat(path).as_os()


def _copy_file(src: Any, dst: Any, *, follow_symlinks: bool = True) -> Any:
    if not follow_symlinks and os.path.islink(src):
        raise ValueError(f"{src} is a link, and object storage has no links: leave out follow_symlinks=False")
    mox.copy(src, dst)
    return dst


def _copy_tree(src: Any, dst: Any, *, dirs_exist_ok: bool = False) -> Any:
    mox.copy_parallel(src, dst)
    return dst


def _remove_tree(path: str, ignore_errors: bool = False) -> None:
    with contextlib.suppress(OSError) if ignore_errors else contextlib.nullcontext():
        mox.remove(path, recursive=True)


# What the documentation says is replaced: module, name, and what URLs are given to instead.
REPLACED: tuple[tuple[Any, str, Function], ...] = (
    (builtins, "open", _open),
    (glob, "glob", lambda pathname: mox.glob(pathname)),
    (os, "listdir", lambda path: mox.list_directory(path)),
    (os, "makedirs", _make_dirs),
    (os, "mkdir", _make_dir),
    (os, "remove", lambda path: mox.remove(path)),
    (os, "rename", lambda src, dst: mox.rename(src, dst)),
    (os, "scandir", lambda path: _Scan(mox.scan_dir(path))),
    (os, "stat", _stat),
    (os, "walk", lambda top, topdown=True, *options: mox.walk(top, topdown, *options)),
    (os.path, "exists", lambda path: mox.exists(path)),
    (os.path, "getsize", lambda filename: mox.get_size(filename)),
    (os.path, "isdir", lambda s: mox.is_directory(s)),
    (shutil, "copyfile", _copy_file),
    (shutil, "copytree", _copy_tree),
    (shutil, "rmtree", _remove_tree),
)
CAPABILITIES = (os.supports_dir_fd, os.supports_effective_ids, os.supports_fd, os.supports_follow_symlinks)

_shifted = False


class _Scan:
    """What `os.scandir` returns: an iterator that can be closed by a `with` block."""

    def __init__(self, entries: Any) -> None:
        self._entries = entries

    def __iter__(self) -> Any:
        return self._entries

    def __next__(self) -> Any:
        return next(self._entries)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._entries.close()


def replace_functions() -> None:
    """Let these functions take URLs, unless they do so already."""
    global _shifted
    if _shifted:
        return
    _shifted = True
    for module, name, replacement in REPLACED:
        original = getattr(module, name)
        shifted = _dispatch(original, replacement)
        setattr(module, name, shifted)
        for capability in CAPABILITIES:
            if original in capability:
                capability.add(shifted)


def _dispatch(original: Function, replacement: Function) -> Function:
    """The function that gives URLs to the replacement, and everything else to the original."""

    @functools.wraps(original)
    def dispatch(*args: Any, **kwargs: Any) -> Any:
        paths = [*args[:2], *kwargs.values()]
        return replacement(*args, **kwargs) if any(map(is_url, paths)) else original(*args, **kwargs)

    return dispatch
