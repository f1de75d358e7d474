"""The keys under which a remote bucket knows objects, because its library cannot express all keys."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

__all__ = ["FOLDER_OBJECT", "decoded_key", "encoded_key", "is_expressible", "real_key"]

FOLDER_OBJECT = ".folder-object"
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def real_key(key: str) -> str:
    """The key that the service knows the object by."""
    return f"{key}{FOLDER_OBJECT}" if key.endswith("/") else key


def encoded_key(key: str) -> str:
    """The key as one segment of a path, without the character that the library itself encodes with."""
    return quote(key, safe="").replace(".", "%2E").replace("%", "=")


def decoded_key(name: str) -> str:
    """The key of a name that `encoded_key` made."""
    return unquote(name.replace("=", "%"))


def is_expressible(key: str) -> bool:
    """Whether the library can express the key."""
    return not _CONTROL.search(key) and all(segment not in ("", ".", "..") for segment in key.split("/"))
