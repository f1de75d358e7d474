"""What a process of a task asks of the Linux kernel about its parent and its children; nothing on other systems."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

__all__ = ["adopt_orphans", "die_with"]

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_LIBC = ctypes.CDLL(None)


def die_with(parent: int) -> None:
    """In the child, before it becomes the user's program: if the parent is killed, so is this process."""
    if sys.platform == "linux":
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # killed before the kernel was asked for the signal
        os.kill(os.getpid(), signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends, so that none of a task's processes is lost."""
    if sys.platform == "linux":
        _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
