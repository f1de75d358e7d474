"""The newest part of a log, byte by byte, and its publication."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelarts_emulator.logs import PREVIEW_BYTES, Archive, Preview, read_preview
from modelarts_emulator.objects.store import ObjectStore


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


def test_there_is_no_preview_without_a_log(log: Path) -> None:
    assert read_preview(log, is_complete=False) is None
    log.write_bytes(b"")
    assert read_preview(log, is_complete=True) is None


def test_a_short_log_is_shown_whole(log: Path) -> None:
    log.write_bytes("Zeile – 1\n".encode())

    assert read_preview(log, is_complete=False) == Preview("Zeile – 1\n", 12, 12)


def test_of_a_long_log_the_newest_part_is_shown_and_where_it_begins_can_be_told(log: Path) -> None:
    data = "".join(f"line {number}\n" for number in range(700_000)).encode()
    log.write_bytes(data)

    preview = read_preview(log, is_complete=True)

    assert preview is not None
    assert preview.full_size == len(data)
    assert preview.current_size == PREVIEW_BYTES
    assert data[preview.full_size - preview.current_size :] == preview.content.encode()


def test_a_character_that_the_beginning_cuts_in_two_is_left_out(log: Path) -> None:
    log.write_bytes("ä".encode() + b"x" * (PREVIEW_BYTES - 1))

    preview = read_preview(log, is_complete=True)

    assert preview is not None
    assert preview.content == "x" * (PREVIEW_BYTES - 1)
    assert preview.full_size - preview.current_size == 2


def test_a_character_that_is_not_written_to_its_end_is_not_shown_yet(log: Path) -> None:
    log.write_bytes(b"a" + "€".encode()[:2])

    assert read_preview(log, is_complete=False) == Preview("a", 1, 1)
    assert read_preview(log, is_complete=True) == Preview("a\ufffd", 3, 3)


def test_bytes_that_are_no_text_are_marked(log: Path) -> None:
    log.write_bytes(b"a\xff\xfeb\n")

    assert read_preview(log, is_complete=False) == Preview("a\ufffd\ufffdb\n", 5, 5)


def test_a_published_log_is_the_file_that_grows(tmp_path: Path, log: Path) -> None:
    store = ObjectStore(tmp_path / "objects")
    archive = Archive(store)
    bucket, key = archive.place("6A0c_2f4e8b1d", "job", "worker-0")
    archive.publish("6A0c_2f4e8b1d", "job", "worker-0", log, has_ended=False)
    assert not archive.is_published("6A0c_2f4e8b1d", "job", "worker-0")

    log.write_bytes(b"one")
    for _ in range(2):
        archive.publish("6A0c_2f4e8b1d", "job", "worker-0", log, has_ended=False)
    with log.open("ab") as stream:
        stream.write(b" two")

    assert bucket == "modelarts-training-log-6a0c2f4e"
    assert store.read(bucket, key) == b"one two"


def test_the_log_of_a_removed_job_is_no_object_any_more(tmp_path: Path, log: Path) -> None:
    store = ObjectStore(tmp_path / "objects")
    archive = Archive(store)
    archive.remove("project", "never-published")
    log.write_bytes(b"one")
    for job in ("first", "second"):
        archive.publish("project", job, "worker-0", log, has_ended=True)

    archive.remove("project", "first")

    assert not archive.is_published("project", "first", "worker-0")
    assert archive.is_published("project", "second", "worker-0")
    assert log.stat().st_nlink == 2
