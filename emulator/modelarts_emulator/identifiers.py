"""Identifiers of jobs: UUIDs that sort in the order in which they were made, also while the emulator's clock stands."""

from __future__ import annotations

import secrets
import threading
import time
import uuid

__all__ = ["new_id"]

_lock = threading.Lock()
_last = 0


def new_id() -> str:
    """A UUID of the free version 8 (RFC 9562): 60 bits that only grow, also over restarts, and 62 random ones."""
    global _last
    with _lock:
        _last = max(time.time_ns() >> 1, _last + 1)
        ticks = _last
    high = (ticks >> 12) << 16 | 0x8000 | ticks & 0xFFF
    return str(uuid.UUID(int=high << 64 | 0b10 << 62 | secrets.randbits(62)))
