"""Temporary folders of runs: each goes with its run, and those of killed runs with the next one."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

__all__ = ["folder", "remove_abandoned"]

PREFIX = "modelarts-contract-"
LOCK = ".lock"  # in each folder, and locked as long as its process lives


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """Make a temporary folder for the block, and remove those of processes that were killed."""
    remove_abandoned()
    while True:
        made = Path(tempfile.mkdtemp(prefix=PREFIX))
        lock = (made / LOCK).open("x")
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (made / LOCK).exists():  # another process may have taken it for abandoned before it was locked
            break
        lock.close()
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)
        lock.close()


def remove_abandoned() -> int:
    """Remove this user's folders whose process has ended; returns how many there were."""
    count = 0
    for made in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        try:
            lock = os.open(made / LOCK, os.O_RDWR | os.O_NOFOLLOW)
        except OSError:
            continue  # somebody else's, or none of ours
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(made, ignore_errors=True)
            count += 1
        except BlockingIOError:
            pass  # its process lives
        finally:
            os.close(lock)
    return count
