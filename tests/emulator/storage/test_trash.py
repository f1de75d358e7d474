"""What leaves its place at once and the disk soon after."""

from __future__ import annotations

import time
from pathlib import Path

from modelarts_emulator.storage.trash import Trash


def wait_until_empty(folder: Path) -> None:
    deadline = time.monotonic() + 15
    while list(folder.iterdir()):
        assert time.monotonic() < deadline
        time.sleep(0.005)


def tree(folder: Path) -> Path:
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "file").write_text("x")
    return folder


def test_what_is_discarded_is_gone_at_once_and_soon_from_the_disk(tmp_path: Path) -> None:
    """Something new can take its place immediately."""
    trash = Trash(tmp_path / ".trash")
    for _ in range(3):
        trash.discard(tree(tmp_path / "job"))
        assert not (tmp_path / "job").exists()
    trash.discard(tmp_path / "nothing")

    wait_until_empty(tmp_path / ".trash")
    trash.close()


def test_what_a_process_could_not_remove_is_removed_by_the_next(tmp_path: Path) -> None:
    """After a crash, for example."""
    tree(tmp_path / ".trash" / "left-behind")
    trash = Trash(tmp_path / ".trash")
    trash.resume()

    wait_until_empty(tmp_path / ".trash")
    trash.close()
    Trash(tmp_path / "none").resume()


def test_a_trash_that_is_closed_does_not_wait_for_what_is_left(tmp_path: Path) -> None:
    """And can be used again."""
    trash = Trash(tmp_path / ".trash")
    for number in range(50):
        trash.discard(tree(tmp_path / str(number)))
    trash.close()
    trash.discard(tree(tmp_path / "late"))
    trash.close()

    assert not (tmp_path / "late").exists()


def test_many_things_are_discarded_at_once(tmp_path: Path) -> None:
    """Those that are not there do no harm."""
    trash = Trash(tmp_path / ".trash")
    with trash.collecting() as discard:
        for number in range(20):
            discard(str(tree(tmp_path / str(number))))
        discard(str(tmp_path / "nothing"))

    assert [path.name for path in tmp_path.iterdir()] == [".trash"]
    wait_until_empty(tmp_path / ".trash")
    trash.close()
