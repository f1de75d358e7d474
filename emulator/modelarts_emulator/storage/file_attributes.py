"""What is known of an object, kept with its file as an extended attribute, where the system and file system have those.

It moves with the file, so that bytes and attributes are one; and it belongs to one state of the file: who changes the
file by hand leaves it behind.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

__all__ = ["read", "write"]

_NAME = "user.modelarts_emulator"
_STATE = "state"
_encode = json.JSONEncoder(separators=(",", ":")).encode
_decode = json.JSONDecoder().raw_decode


def write(file: int, status: os.stat_result, known: Mapping[str, Any]) -> bool:
    """Keep what is known of the open file in this state; False if that cannot be, or not of so much.

    What is empty is left out: an attribute of up to 128 bytes is read several times as quickly as a longer one.
    """
    if not hasattr(os, "setxattr"):  # macOS
        return False
    kept = {_STATE: _state(status), **{name: value for name, value in known.items() if value}}
    try:
        os.setxattr(file, _NAME, _encode(kept).encode())
    except OSError:  # also ENOSPC for more than fits beside a file
        return False
    return True


def read(file: int | str, status: os.stat_result) -> dict[str, Any] | None:
    """What is known of the file, open or by path, in this state; None if there is nothing."""
    if not hasattr(os, "getxattr"):
        return None
    try:
        found: dict[str, Any] = _decode(os.getxattr(file, _NAME).decode())[0]
    except (OSError, ValueError):
        return None
    return found if found.get(_STATE) == _state(status) else None


def _state(status: os.stat_result) -> list[int]:
    return [status.st_size, status.st_mtime_ns]
