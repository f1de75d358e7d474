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


def write(file: int, status: os.stat_result, known: Mapping[str, Any]) -> bool:
    """Keep what is known of the open file in this state; False if that cannot be, or not of so much."""
    if not hasattr(os, "setxattr"):  # macOS
        return False
    try:
        os.setxattr(file, _NAME, json.dumps({_STATE: _state(status), **known}).encode())
    except OSError:  # also ENOSPC for more than fits beside a file
        return False
    return True


def read(file: int | str, status: os.stat_result) -> dict[str, Any] | None:
    """What is known of the file, open or by path, in this state; None if there is nothing."""
    if not hasattr(os, "getxattr"):
        return None
    try:
        found: dict[str, Any] = json.loads(os.getxattr(file, _NAME).decode())
    except (OSError, ValueError):
        return None
    return found if found.get(_STATE) == _state(status) else None


def _state(status: os.stat_result) -> list[int]:
    return [status.st_size, status.st_mtime_ns]
