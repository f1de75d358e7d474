"""What `shift("os", "mox")` replaces: functions of Python for local files take URLs of object storage, too.

A replacement has the paths of the function that it replaces, in their order, and as keyword-only parameters the
options of it that object storage can honor or that change no result. All others must have their defaults.
"""

from __future__ import annotations

import builtins
import functools
import glob
import inspect
import io
import os
import shutil
import sys
from typing import Any, Callable

from moxing import file as mox
from moxing.opening import File, is_url

Function = Callable[..., Any]


def _open(
    file: str,
    *,
    mode: str = "r",
    buffering: int = -1,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
) -> File:
    return File(file, mode, encoding, errors, newline)


def _glob(
    pathname: str, *, root_dir: str | None = None, recursive: bool = False, include_hidden: bool = False
) -> list[str]:
    if root_dir is None or is_url(pathname):
        return mox.find(pathname, recursive, include_hidden)
    top = root_dir.rstrip("/") + "/"
    return [found[len(top) :] for found in mox.find(top + pathname, recursive, include_hidden)]


def _make_dirs(name: str, *, mode: int = 0o777, exist_ok: bool = False) -> None:
    if not exist_ok and mox.exists(name):
        raise FileExistsError(f"there is already {name}")
    mox.make_dirs(name)


def _make_dir(path: str, *, mode: int = 0o777) -> None:
    mox.mk_dir(path)


def _stat(path: str, *, follow_symlinks: bool = True) -> os.stat_result:
    return mox.stat(path).as_os(path.rstrip("/"))


def _walk(top: str, *, topdown: bool = True, onerror: Any = None, followlinks: bool = False) -> Any:
    return mox.walk(top, topdown, onerror, followlinks)


def _copy_file(src: Any, dst: Any, *, follow_symlinks: bool = True) -> Any:
    if not follow_symlinks and os.path.islink(src):
        raise ValueError(f"{src} is a link, and object storage has no links: leave out follow_symlinks=False")
    mox.copy(src, dst)
    return dst


def _copy_tree(
    src: Any,
    dst: Any,
    *,
    symlinks: bool = False,
    ignore: Function | None = None,
    copy_function: Function = shutil.copy2,
    ignore_dangling_symlinks: bool = False,
    dirs_exist_ok: bool = True,  # as copy_parallel, which MoXing calls instead, unless the caller says so
) -> Any:
    if copy_function not in (shutil.copy, shutil.copy2, shutil.copyfile):
        raise ValueError(f"copytree: object storage copies by itself: leave out copy_function={copy_function!r}")
    if symlinks and not is_url(src):
        raise ValueError("copytree: object storage has no links: leave out symlinks=True")
    if not dirs_exist_ok and mox.exists(dst):
        raise FileExistsError(f"there is already {dst}")
    mox.copy_parallel(src, dst, None if ignore is None else mox.names_without(src, ignore))
    return dst


def _copy_mode(src: Any, dst: Any, *, follow_symlinks: bool = True) -> None:
    """Do nothing: objects have no permissions, and the time of their own change."""


def _remove_tree(path: str, *, ignore_errors: bool = False, onerror: Any = None, onexc: Any = None) -> None:
    try:
        mox.remove(path, recursive=True)
    except OSError as error:
        if not ignore_errors and onexc is None and onerror is None:
            raise
        if not ignore_errors:
            onexc(os.remove, path, error) if onexc is not None else onerror(os.remove, path, sys.exc_info())


def _remove(path: str) -> None:
    mox.remove(path)


def _rename(src: Any, dst: Any) -> None:
    mox.rename(src, dst)


# What the documentation says is replaced, and what the standard library calls for it: module, name, and what URLs are
# given to instead.
REPLACED: tuple[tuple[Any, str, Function], ...] = (
    (builtins, "open", _open),
    (io, "open", _open),
    (glob, "glob", _glob),
    (os, "listdir", lambda path: mox.list_directory(path)),
    (os, "makedirs", _make_dirs),
    (os, "mkdir", _make_dir),
    (os, "remove", _remove),
    (os, "rename", _rename),
    (os, "replace", _rename),
    (os, "scandir", lambda path: _Scan(mox.scan_dir(path))),
    (os, "stat", _stat),
    (os, "unlink", _remove),
    (os, "walk", _walk),
    (os.path, "exists", lambda path: mox.exists(path)),
    (os.path, "getsize", lambda filename: mox.get_size(filename)),
    (os.path, "isdir", lambda path: mox.is_directory(path)),
    (shutil, "copyfile", _copy_file),
    (shutil, "copymode", _copy_mode),
    (shutil, "copystat", _copy_mode),
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
    signature, own = inspect.signature(original), inspect.signature(replacement).parameters
    count = sum(each.kind is each.POSITIONAL_OR_KEYWORD for each in own.values())

    @functools.wraps(original)
    def dispatch(*args: Any, **kwargs: Any) -> Any:
        if not any(map(is_url, (*args[:2], *kwargs.values()))):
            return original(*args, **kwargs)
        given = signature.bind(*args, **kwargs).arguments
        paths = [given.pop(name, None) for name in [*signature.parameters][:count]]
        for name in given.keys() - own.keys():
            if given[name] != signature.parameters[name].default:
                what = f"{original.__name__}: object storage has no {name}"
                raise ValueError(f"{what}: leave out {name}={given[name]!r}")
            del given[name]
        return replacement(*paths, **given)

    return dispatch
