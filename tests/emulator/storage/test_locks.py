"""The store's write lock, between threads and between processes."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from modelarts_emulator.storage.errors import ServiceUnavailable
from modelarts_emulator.storage.locks import WriteLock


def _ignore(bucket: str, key: str, etags: Sequence[str]) -> None:
    """Forget nothing."""


def test_one_thread_at_a_time_holds_the_lock(tmp_path: Path) -> None:
    """What threads do while they hold the lock does not overlap."""
    lock, inside, most = WriteLock(tmp_path, _ignore), [0], [0]

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
        with pytest.raises(ServiceUnavailable, match="another process"), WriteLock(tmp_path, _ignore, 0.01).hold():
            pass
    with WriteLock(tmp_path, _ignore).hold():
        pass


def test_the_next_holder_finishes_what_a_killed_one_has_noted(tmp_path: Path) -> None:
    """A note that was left in the lock's file is done once, when the lock is taken next."""
    done: list[tuple[str, str, Sequence[str]]] = []
    lock = WriteLock(tmp_path, lambda *note: done.append(note))
    (tmp_path / ".lock").write_text('["data", "x", ["old", "new"]]')
    for _ in range(2):
        with lock.hold():
            pass

    assert done == [("data", "x", ["old", "new"])]


def test_the_note_of_a_killed_holder_is_finished_before_the_next_one_makes_its_own(tmp_path: Path) -> None:
    """Its own note takes the place of the other, which would be lost."""
    done: list[tuple[str, str, Sequence[str]]] = []
    (tmp_path / ".lock").write_text('["data", "x", ["old", "new"]]')
    with WriteLock(tmp_path, lambda *note: done.append(note)).hold() as journal:
        journal.note("data", "y", ["first"])

    assert done == [("data", "x", ["old", "new"]), ("data", "y", ["first"])]


@pytest.mark.parametrize("text", ['["data", "x', "[]", "null", "\udcff"])
def test_a_note_that_was_cut_off_is_dropped(tmp_path: Path, text: str) -> None:
    """Nothing was begun before the note was complete, so nothing is to be finished."""
    (tmp_path / ".lock").write_bytes(os.fsencode(text))
    with WriteLock(tmp_path, lambda bucket, key, etags: None).hold():
        pass

    assert (tmp_path / ".lock").read_bytes() == b""
