"""The store's write lock, between threads and between processes."""

from __future__ import annotations

import fcntl
import threading
from pathlib import Path

import pytest

from modelarts_emulator.storage.errors import ServiceUnavailable
from modelarts_emulator.storage.locks import WriteLock


def test_one_thread_at_a_time_holds_the_lock(tmp_path: Path) -> None:
    """What threads do while they hold the lock does not overlap."""
    lock, inside, most = WriteLock(tmp_path), [0], [0]

    def work() -> None:
        for _ in range(20):
            with lock.hold():
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                inside[0] -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert most == [1]


def test_a_writer_that_never_lets_go_is_reported(tmp_path: Path) -> None:
    """A stopped process that holds the lock does not hold up others for ever."""
    with (tmp_path / ".lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(ServiceUnavailable, match="another process"), WriteLock(tmp_path, 0.01).hold():
            pass
    with WriteLock(tmp_path).hold():
        pass
