"""Files of one JSON object: complete, durable, made once, and readable whatever they hold."""

from __future__ import annotations

import errno
import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from modelarts_emulator.execution.local import json_files

WRITERS = [json_files.write, json_files.write_once]


def _fail_with(number: int) -> Any:
    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    return fail


@pytest.fixture
def no_hard_links(monkeypatch: pytest.MonkeyPatch) -> None:
    """The file system behaves as FAT does, which has no hard links."""
    monkeypatch.setattr(os, "link", _fail_with(errno.EPERM))


def _count_winners(folder: Path) -> None:
    wins: list[int] = []

    def claim(number: int) -> None:
        if json_files.write_once(folder / "claim", {"number": number}):
            wins.append(number)

    threads = [threading.Thread(target=claim, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [json_files.read(folder / "claim")] == [{"number": number} for number in wins]
    assert [path.name for path in folder.iterdir()] == ["claim"]


def test_of_many_writers_one_is_first(tmp_path: Path) -> None:
    _count_winners(tmp_path)


@pytest.mark.usefixtures("no_hard_links")
def test_of_many_writers_one_is_first_without_hard_links(tmp_path: Path) -> None:
    """A file system without hard links serves as well; no file but the record remains."""
    _count_winners(tmp_path)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_an_error_of_linking_is_raised_and_leaves_no_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Only the lack of hard links is made up for: other errors reach the caller."""
    monkeypatch.setattr(os, "link", _fail_with(number))

    with pytest.raises(OSError, match=os.strerror(number)):
        json_files.write_once(tmp_path / "record", {"a": 1})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("write", WRITERS)
def test_a_file_is_for_its_owner_only(tmp_path: Path, write: Any) -> None:
    """Records hold variables of jobs, which may be secrets."""
    write(tmp_path / "record", {"secret": 1})

    assert stat.S_IMODE((tmp_path / "record").stat().st_mode) == 0o600


@pytest.mark.parametrize("write", WRITERS)
def test_the_content_is_on_the_disk_before_the_name_and_the_name_before_the_return(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Any
) -> None:
    """A power cut after the write loses nothing, and one before it never shows a part."""
    synced: list[tuple[str, bool]] = []
    fsync = os.fsync

    def observe(file: int) -> None:
        fsync(file)
        held = os.fstat(file)
        kind = "folder" if stat.S_ISDIR(held.st_mode) else f"file of {held.st_size} bytes"
        synced.append((kind, (tmp_path / "record").exists()))

    monkeypatch.setattr(os, "fsync", observe)
    write(tmp_path / "record", {"a": 1})

    assert synced == [("file of 8 bytes", False), ("folder", True)]


@pytest.mark.parametrize("write", WRITERS)
def test_a_failing_fsync_leaves_the_old_file_and_no_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Any
) -> None:
    """What could not be brought to the disk never gets its name."""
    (tmp_path / "old").mkdir()
    json_files.write(tmp_path / "old" / "record", {"a": 0})
    target = tmp_path / ("old" if write is json_files.write else "") / "record"
    monkeypatch.setattr(os, "fsync", _fail_with(errno.EIO))

    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        write(target, {"a": 1})
    assert [path.name for path in tmp_path.rglob("*")] == ["old", "record"]
    assert json_files.read(tmp_path / "old" / "record") == {"a": 0}


def test_a_failing_rename_leaves_the_old_file_and_no_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader sees the old object until the new one has its name."""
    json_files.write(tmp_path / "record", {"a": 0})
    monkeypatch.setattr(Path, "replace", _fail_with(errno.ENOSPC))

    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        json_files.write(tmp_path / "record", {"a": 1})
    assert [path.name for path in tmp_path.iterdir()] == ["record"]
    assert json_files.read(tmp_path / "record") == {"a": 0}


def test_a_file_system_that_cannot_sync_folders_serves_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some network file systems reject fsync of a folder."""
    fsync = os.fsync

    def reject_folders(file: int) -> None:
        if stat.S_ISDIR(os.fstat(file).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        fsync(file)

    monkeypatch.setattr(os, "fsync", reject_folders)

    assert json_files.write_once(tmp_path / "record", {"a": 1})


def test_what_is_not_there_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert json_files.read(tmp_path / "none.json") is None
    assert json_files.read(tmp_path / "file" / "none.json") is None


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"1", b"\xff", b"[" * 100_000, b'{"a": "' + b"x" * 1000 + b'"}', b"1" * 900]
)
def test_an_invalid_record_is_unreadable(tmp_path: Path, content: bytes) -> None:
    """Not JSON, not an object, too deep, or too large."""
    (tmp_path / "record").write_bytes(content)

    with pytest.raises(json_files.UnreadableFile, match="record"):
        json_files.read(tmp_path / "record", max_bytes=500 if len(content) < 2000 else 1 << 20)


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to(path)])
def test_something_other_than_a_file_is_unreadable_and_not_waited_for(tmp_path: Path, make: Any) -> None:
    """A folder, a FIFO that nobody writes to, a link to itself."""
    make(tmp_path / "record")

    with pytest.raises(json_files.UnreadableFile, match="record"):
        json_files.read(tmp_path / "record")


def test_a_failing_action_is_repeated_until_it_succeeds() -> None:
    """The first error is reported, once."""
    errors = [OSError(errno.ENOSPC, "full")] * 3
    reported: list[OSError] = []

    def act() -> str:
        if errors:
            raise errors.pop()
        return "done"

    assert json_files.retry(act, 60, reported.append) == "done"
    assert [str(error) for error in reported] == ["[Errno 28] full"]


def test_a_failing_action_is_given_up_after_the_timeout() -> None:
    """The last error is raised."""
    with pytest.raises(OSError, match="No space left"):
        json_files.retry(_fail_with(errno.ENOSPC), 0.05)


def test_a_folder_that_was_removed_is_not_waited_for(tmp_path: Path) -> None:
    """The job was removed: its record has no place any more."""
    errors: list[OSError] = []

    with pytest.raises(FileNotFoundError):
        json_files.retry(lambda: json_files.write(tmp_path / "gone" / "record", {}), 60, errors.append)
    assert errors == []
