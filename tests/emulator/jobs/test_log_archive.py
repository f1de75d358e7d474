"""The newest part of a log, byte by byte, and its publication."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest
from tests.emulator.bench import ScriptedExecutor

from modelarts_emulator.jobs.log_archive import PIECE, PREVIEW_BYTES, Archive, Preview, read_preview
from modelarts_emulator.storage.errors import AccessDenied
from modelarts_emulator.storage.folder import FolderStore
from modelarts_emulator.storage.protocol import Bucket


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


class OneLog(ScriptedExecutor):
    """An executor that has one log: a file."""

    def __init__(self, log: Path) -> None:
        super().__init__(log.parent)
        self._log = log

    def log_size(self, handle: str, task: str) -> int:
        return self._log.stat().st_size if self._log.exists() else 0

    def logs(self, handle: str, task: str, offset: int = 0, max_bytes: int = 1 << 20) -> bytes:
        return self._log.read_bytes()[offset : offset + max_bytes] if self._log.exists() else b""


def preview_of(log: Path, is_complete: bool) -> Preview | None:
    return read_preview(OneLog(log), "job", "worker-0", is_complete)


def shown(log: Path, is_complete: bool) -> tuple[str, int, int]:
    """The preview's text and sizes."""
    preview = preview_of(log, is_complete)
    assert preview is not None
    return "".join(preview.texts()), preview.current_size, preview.full_size


def test_there_is_no_preview_without_a_log(log: Path) -> None:
    assert preview_of(log, is_complete=False) is None
    log.write_bytes(b"")
    assert preview_of(log, is_complete=True) is None


def test_a_short_log_is_shown_whole(log: Path) -> None:
    log.write_bytes("Zeile – 1\n".encode())

    assert shown(log, is_complete=False) == ("Zeile – 1\n", 12, 12)


def test_of_a_long_log_the_newest_part_is_shown_and_where_it_begins_can_be_seen(log: Path) -> None:
    data = "".join(f"line {number}\n" for number in range(700_000)).encode()
    log.write_bytes(data)

    text, current_size, full_size = shown(log, is_complete=True)

    assert (current_size, full_size) == (PREVIEW_BYTES, len(data))
    assert text.encode() == data[full_size - current_size :]


def test_a_character_that_the_beginning_cuts_in_two_is_left_out(log: Path) -> None:
    log.write_bytes("ä".encode() + b"x" * (PREVIEW_BYTES - 1))

    text, current_size, full_size = shown(log, is_complete=True)

    assert text == "x" * (PREVIEW_BYTES - 1)
    assert full_size - current_size == 2


def test_a_character_that_is_not_written_to_its_end_is_not_shown_yet(log: Path) -> None:
    log.write_bytes(b"a" + "€".encode()[:2])

    assert shown(log, is_complete=False) == ("a", 1, 1)
    assert shown(log, is_complete=True) == ("a\ufffd", 3, 3)


@pytest.mark.parametrize("end", [b"", b"\xe4", "😀".encode()[:3], b"a\x9f\x98\x80", "ä€".encode(), "ä€".encode()[:-1]])
def test_what_is_left_out_at_the_end_is_what_a_reader_of_the_whole_waits_for(log: Path, end: bytes) -> None:
    log.write_bytes(b"x" + end)
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    text = decoder.decode(b"x" + end)

    assert shown(log, is_complete=False) == (
        text,
        1 + len(end) - len(decoder.getstate()[0]),
        log.stat().st_size - len(decoder.getstate()[0]),
    )


def test_a_character_on_the_border_of_two_pieces_is_whole(log: Path) -> None:
    content = "x" + "€" * PIECE
    log.write_bytes(content.encode())

    preview = preview_of(log, is_complete=False)

    assert preview is not None
    pieces = list(preview.texts())
    assert "".join(pieces) == content
    assert max(map(len, pieces)) <= PIECE


def test_bytes_that_are_not_text_are_marked(log: Path) -> None:
    log.write_bytes(b"a\xff\xfeb\n")

    assert shown(log, is_complete=False) == ("a\ufffd\ufffdb\n", 5, 5)


def test_where_a_store_has_no_links_a_log_becomes_an_object_when_its_task_has_ended(tmp_path: Path, log: Path) -> None:
    """A copy of an unfinished log would stay as it is."""

    class WithoutLinks(FolderStore):
        def link(self, bucket: str, key: str, path: Path) -> bool:
            return False

    store = WithoutLinks(tmp_path / "objects")
    archive = Archive(store)
    bucket, key = archive.place("project", "job", "worker-0")
    log.write_bytes(b"one\n")
    archive.publish("project", "job", "worker-0", log, has_ended=False)
    assert not archive.is_published("project", "job", "worker-0")
    log.write_bytes(b"one\ntwo\n")

    archive.publish("project", "job", "worker-0", log, has_ended=True)

    assert store.read(bucket, key) == b"one\ntwo\n"


def test_a_published_log_is_the_file_that_grows(tmp_path: Path, log: Path) -> None:
    store = FolderStore(tmp_path / "objects")
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


def test_the_bucket_of_logs_belongs_to_the_account_of_the_project(tmp_path: Path, log: Path) -> None:
    """So that no other account can read them."""
    store = FolderStore(tmp_path / "objects")
    archive = Archive(store, {"project": "account"}.__getitem__)
    log.write_bytes(b"one")

    archive.publish("project", "job", "worker-0", log, has_ended=True)

    bucket, _ = archive.place("project", "job", "worker-0")
    assert store.head_bucket(bucket).owner == "account"


def test_the_log_of_a_removed_job_is_deleted(tmp_path: Path, log: Path) -> None:
    store = FolderStore(tmp_path / "objects")
    archive = Archive(store)
    archive.remove("project", "never-published")
    log.write_bytes(b"one")
    for job in ("first", "second"):
        archive.publish("project", job, "worker-0", log, has_ended=True)

    archive.remove("project", "first")

    assert not archive.is_published("project", "first", "worker-0")
    assert archive.is_published("project", "second", "worker-0")
    assert log.stat().st_nlink == 2


@pytest.mark.parametrize("was_made_by_hand", [False, True])
def test_logs_are_never_put_into_a_bucket_of_another_account(tmp_path: Path, log: Path, was_made_by_hand: bool) -> None:
    """Ids of projects may begin alike, and anybody may have made a bucket of the name."""
    store = FolderStore(tmp_path / "objects")
    archive = Archive(store, {"00000000-1": "first", "00000000-2": "second"}.__getitem__)
    log.write_bytes(b"one")
    if was_made_by_hand:
        store.create_bucket("modelarts-training-log-00000000", owner="first")
    else:
        archive.publish("00000000-1", "job", "worker-0", log, has_ended=True)

    archive.publish("00000000-2", "job", "worker-0", log, has_ended=True)

    bucket, key = archive.place("00000000-2", "job", "worker-0")
    assert store.head_bucket(bucket).owner == "second"
    assert store.read(bucket, key) == b"one"
    store.delete("modelarts-training-log-00000000", key)
    store.delete_bucket("modelarts-training-log-00000000")
    assert archive.is_published("00000000-2", "job", "worker-0")
    archive.remove("00000000-2", "job")
    assert not archive.is_published("00000000-2", "job", "worker-0")


def test_a_log_stays_where_it_is_if_all_names_of_its_bucket_belong_to_another_account(
    tmp_path: Path, log: Path
) -> None:
    store = FolderStore(tmp_path / "objects")
    archive = Archive(store, lambda _: "own")
    log.write_bytes(b"one")
    for _ in range(2):
        store.create_bucket(archive.place("project", "job", "worker-0")[0], owner="other")

    with pytest.raises(AccessDenied, match="belongs to another account"):
        archive.publish("project", "job", "worker-0", log, has_ended=True)
    assert not archive.is_published("project", "job", "worker-0")


def test_a_store_is_asked_only_for_the_bucket_that_the_logs_are_in(
    tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bucket that is not there costs a store of another service two requests."""
    store = FolderStore(tmp_path / "objects")
    archive = Archive(store)
    log.write_bytes(b"one")
    archive.publish("project", "job", "worker-0", log, has_ended=True)
    asked: list[str] = []
    head_bucket = store.head_bucket

    def ask(name: str) -> Bucket:
        asked.append(name)
        return head_bucket(name)

    monkeypatch.setattr(store, "head_bucket", ask)

    assert archive.is_published("project", "job", "worker-0")
    assert asked == ["modelarts-training-log-project"]
