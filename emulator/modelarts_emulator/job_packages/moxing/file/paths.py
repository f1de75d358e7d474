"""Which paths are in object storage, and how paths and URLs are put together."""

from __future__ import annotations

import os
from typing import Any, Union

from moxing.obs.client import Location

__all__ = ["SCHEMES", "Path", "is_url", "join", "local", "parse"]

SCHEMES = ("obs://", "s3://")

Path = Union[str, "os.PathLike[str]"]
"""A local path, or a URL as text."""


def is_url(path: Any) -> bool:
    """Whether this names something in object storage."""
    return isinstance(path, str) and path.startswith(SCHEMES)


def parse(path: Path) -> Location | None:
    """Bucket and key of a URL, None for a local path; raises ValueError for a URL without a bucket."""
    if not isinstance(path, str) or not path.startswith(SCHEMES):
        return None
    bucket, _, key = path.partition("://")[2].partition("/")
    if not bucket:
        raise ValueError(f"{path!r} names no bucket: use obs://bucket/key")
    return Location(bucket, key)


def local(path: Path) -> str:
    """The local path as text; raises ValueError for another scheme than those that are known."""
    text = os.fspath(path)
    scheme, separator, _ = text.partition("://")
    if separator and scheme.isalnum() and not os.path.exists(text):
        raise ValueError(f"{text!r} is neither a local path nor a URL of object storage: use obs://bucket/key")
    return text


def join(folder: Path, name: str) -> str:
    """The path or URL of something in a directory; `name` has slashes."""
    if is_url(folder):
        text = os.fspath(folder)
        return f"{text}{'' if text.endswith('/') else '/'}{name}"
    return os.path.join(local(folder), *name.split("/"))
