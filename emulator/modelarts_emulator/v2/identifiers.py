"""Identifiers of jobs: UUIDs that sort in the order in which they were made, also while the emulator's clock stands."""

from __future__ import annotations

import secrets
import threading
import time

__all__ = ["new_id"]

_lock = threading.Lock()
_last = 0


def new_id() -> str:
    """A UUID of the free version 8 (RFC 9562): 60 bits that only grow, also over restarts, and 62 random ones."""
    global _last
    with _lock:
        _last = max(time.time_ns() >> 1, _last + 1)
        ticks = _last
    digits, chance = f"{ticks >> 12:012x}", secrets.token_hex(8)
    variant = "89ab"[int(chance[0], 16) & 3]
    return f"{digits[:8]}-{digits[8:]}-8{ticks & 0xFFF:03x}-{variant}{chance[1:4]}-{chance[4:]}"
