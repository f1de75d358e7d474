"""Names in object storage: URLs, buckets, keys."""

from __future__ import annotations

import re
from pathlib import Path

from modelarts_emulator.storage.errors import InvalidKey, StoreError

_BUCKET = re.compile(r"(?!\d+\.\d+\.\d+\.\d+$)[a-z0-9](?:[a-z0-9.-]{1,61})[a-z0-9]")
MAX_KEY = 1024  # bytes
_MAX_SEGMENT = 255
_NO_NAMES = frozenset({"", ".", ".."})
"""Segments of a key that no file can have as its name."""


def parse_obs_url(url: str) -> tuple[str, str]:
    """Return bucket and key of `obs://bucket/key` or `/bucket/key`; the key may be empty.

    Raises ValueError for anything else. Both forms occur in the service's documents, a job's body prefers the second.
    """
    if url.startswith("obs://"):
        bucket, _, key = url[len("obs://") :].partition("/")
    elif url.startswith("/") and not url.startswith("//"):
        bucket, _, key = url[1:].partition("/")
    else:
        raise ValueError(f"{url!r} is not an OBS path: use obs://bucket/key or /bucket/key")
    if not is_bucket_name(bucket):
        raise ValueError(f"{url!r} does not name a valid bucket: use 3 to 63 lower-case letters, digits, '-' and '.'")
    return bucket, key


def is_bucket_name(name: str) -> bool:
    """Whether a bucket may have this name; such a name is also a safe name of a folder, and never a hidden one."""
    return _BUCKET.fullmatch(name) is not None and ".." not in name


def check_bucket_name(name: str) -> None:
    """Raise InvalidBucketName unless a bucket may have this name."""
    if not is_bucket_name(name):
        raise StoreError(
            "InvalidBucketName",
            f"{name!r} is not a valid bucket name: use 3 to 63 lower-case letters, digits, '-' and '.', "
            "beginning and ending with a letter or digit",
        )


def relative_path(key: str) -> Path:
    """Return the key as a path inside a folder; raises InvalidKey if no path can be the key.

    A key that ends in `/` (a "folder" made by a console) is the path of a directory.
    """
    check_path(key)
    return Path(key)


def check_path(key: str) -> None:
    """Raise InvalidKey, saying why, unless the key is a path inside a folder."""
    check_key(key)
    if not is_path(key):
        raise InvalidKey(
            f"key {key!r} cannot be a path: it has a NUL character, or a segment that is empty, '.' or '..',"
            f" or has more than {_MAX_SEGMENT} bytes"
        )


def check_content(key: str, is_empty: bool) -> None:
    """Raise InvalidKey for content of an object whose key ends in `/`."""
    if key.endswith("/") and not is_empty:
        raise InvalidKey(f"key {key!r} ends in '/' and so is a directory, which has no content: leave out the '/'")


def is_path(key: str) -> bool:
    """Whether the key can be the path of a file."""
    segments = key.removesuffix("/").split("/")
    if "\0" in key or not _NO_NAMES.isdisjoint(segments):
        return False
    return len(key) <= _MAX_SEGMENT // 4 or all(len(segment.encode()) <= _MAX_SEGMENT for segment in segments)


def check_key(key: str) -> None:
    """Raise InvalidKey, saying why, unless the key is UTF-8 of 1 to 1,024 bytes."""
    try:
        length = len(key.encode())
    except UnicodeEncodeError:
        raise InvalidKey(f"key {key!a} is not UTF-8: rename the file") from None
    if not 1 <= length <= MAX_KEY:
        raise InvalidKey(f"a key has 1 to {MAX_KEY} bytes, this one {length}")
