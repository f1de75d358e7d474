"""What `shift("os", "mox")` replaces: functions of Python for local files take URLs of object storage, too.

A replacement gets the paths in the order of the function that it replaces, and by name the options that it has.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import inspect
import io
import os
import shutil
import sys
from typing import Any, Callable

from moxing import file as mox
from moxing.opening import File, is_url

Function = Callable[..., Any]
WITHOUT_EFFECT = {"buffering", "followlinks", "follow_symlinks", "ignore_dangling_symlinks", "mode"}
"""Options that change nothing in object storage; others that a replacement lacks must have their defaults."""


def _make_dirs(name: str, *, exist_ok: bool = False) -> None:
    if not exist_ok and mox.exists(name):
        raise FileExistsError(f"there is already {name}")
    mox.make_dirs(name)


def _stat(path: str) -> os.stat_result:
    return mox.stat(path).as_os(path.rstrip("/"))


def _copy_file(src: Any, dst: Any, *, follow_symlinks: bool = True) -> Any:
    if not follow_symlinks and os.path.islink(src):
        raise ValueError(f"{src} is a link, and object storage has no links: leave out follow_symlinks=False")
    mox.copy(src, dst)
    return dst


def _copy_mode(src: Any, dst: Any) -> None:
    """Do nothing: objects have no permissions, and the time of their own change."""


def _copy_tree(
    src: Any, dst: Any, *, ignore: Any = None, copy_function: Function = shutil.copy2, dirs_exist_ok: bool = True
) -> Any:
    """As `copy_parallel`, which adds to a directory that exists, unless the caller says `dirs_exist_ok=False`."""
    if copy_function.__module__ != "shutil":
        raise ValueError(f"copytree: object storage copies by itself: leave out copy_function={copy_function!r}")
    if not dirs_exist_ok and mox.exists(dst):
        raise FileExistsError(f"there is already {dst}")
    names: list[str] = []
    for path, folders, files in () if ignore is None else os.walk(src, followlinks=True):
        left_out = {*ignore(path, [*folders, *files])}
        folders[:] = [name for name in folders if name not in left_out]
        names += [os.path.join(path, name)[len(os.path.join(src, "")) :] for name in files if name not in left_out]
    mox.copy_parallel(src, dst, None if ignore is None else names)
    return dst


def _remove_tree(path: str, *, ignore_errors: bool = False, onerror: Any = None, onexc: Any = None) -> None:
    try:
        mox.remove(path, recursive=True)
    except OSError as error:
        handle = onexc or onerror
        if handle is None and not ignore_errors:
            raise
        if not ignore_errors:
            handle(os.remove, path, error if onexc else sys.exc_info())


# What the documentation says is replaced, and what the standard library calls: module, name, and what URLs are given to
# instead. `glob.glob` and `os.walk` are made of these.
REPLACED: tuple[tuple[Any, str, Function], ...] = (
    (builtins, "open", File),
    (io, "open", File),
    (os, "listdir", lambda path: mox.list_directory(path)),
    (os, "lstat", _stat),
    (os, "makedirs", _make_dirs),
    (os, "mkdir", mox.mk_dir),
    (os, "remove", lambda path: mox.remove(path)),
    (os, "rename", mox.rename),
    (os, "replace", mox.rename),
    (os, "scandir", lambda path: _Scan(mox.scan_dir(path))),
    (os, "stat", _stat),
    (os, "unlink", lambda path: mox.remove(path)),
    (os.path, "exists", mox.exists),
    (os.path, "getsize", lambda filename: mox.get_size(filename)),
    (os.path, "isdir", mox.is_directory),
    (os.path, "lexists", mox.exists),
    (shutil, "copyfile", _copy_file),
    (shutil, "copymode", _copy_mode),
    (shutil, "copystat", _copy_mode),
    (shutil, "copytree", _copy_tree),
    (shutil, "rmtree", _remove_tree),
)
CAPABILITIES = (os.supports_dir_fd, os.supports_effective_ids, os.supports_fd, os.supports_follow_symlinks)

_shifted = False


class _Scan(contextlib.closing[Any]):
    """What `os.scandir` returns: an iterator that can be closed by a `with` block."""

    thing: Any

    def __iter__(self) -> Any:
        return self.thing

    def __next__(self) -> Any:
        return next(self.thing)

    def close(self) -> None:
        self.thing.close()


def replace_functions() -> None:
    """Let these functions take URLs, unless they do so already."""
    global _shifted
    if _shifted:
        return
    _shifted = True
    for module, name, replacement in REPLACED:
        original = getattr(module, name)
        shifted = _dispatch(original, replacement)
        shifted.__module__, shifted.__qualname__ = module.__name__, name  # where pickle looks for it
        setattr(module, name, shifted)
        for capability in CAPABILITIES:
            if original in capability:
                capability.add(shifted)
    for holder, alias in (("bz2", "_builtin_open"), ("tarfile", "bltn_open")):  # names of `open` in them
        if holder in sys.modules:
            setattr(sys.modules[holder], alias, builtins.open)


def _dispatch(original: Function, replacement: Function) -> Function:
    """The function that gives URLs to the replacement, and everything else to the original."""
    signature, own = inspect.signature(original), inspect.signature(replacement).parameters
    count = sum(each.default is each.empty for each in own.values())

    @functools.wraps(original)
    def dispatch(*args: Any, **kwargs: Any) -> Any:
        if not any(map(is_url, (*args[:2], *kwargs.values()))):
            return original(*args, **kwargs)
        given = signature.bind(*args, **kwargs).arguments
        paths = [given.pop(name, None) for name in [*signature.parameters][:count]]
        for name in given.keys() - own.keys():
            value = given.pop(name)
            if name not in WITHOUT_EFFECT and value != signature.parameters[name].default:
                raise ValueError(f"{original.__name__}: object storage has no {name}: leave out {name}={value!r}")
        return replacement(*paths, **given)

    return dispatch
