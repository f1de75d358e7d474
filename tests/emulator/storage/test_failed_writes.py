"""Writes that fail, are killed, or find no room: the old object stays, and nothing is left over."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.emulator.conftest import eventually

from modelarts_emulator.s3.app import create_app
from modelarts_emulator.storage.multipart import Uploads
from modelarts_emulator.storage.objects import PLAIN, Attributes
from modelarts_emulator.storage.protocol import Store


def _files(store: Store) -> dict[str, bytes]:
    """All files with their content; a sidecar may also know the state that a write was about to make."""
    found = {path.relative_to(store.root).as_posix(): path for path in store.root.rglob("*") if path.is_file()}
    return {name: b"" if name.startswith(".meta") else path.read_bytes() for name, path in found.items()}


def _put(store: Store, text: bytes) -> None:
    with store.draft("data", "new/folder/x") as draft:
        draft.write(text)
        draft.commit(Attributes("text/plain", {"of": text.decode()}), is_flushed=True)


@pytest.mark.parametrize("exists", [False, True])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
@pytest.mark.parametrize(("call", "at"), [("fsync", 1), ("mkdir", 1), ("write", 1), ("replace", 1)])
def test_a_write_that_fails_anywhere_changes_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch, call: str, at: int, code: int, exists: bool
) -> None:
    """Whatever fails, the old object is there with its metadata, and no more files."""
    if exists:
        _put(store, b"old")
    _put_and_delete_elsewhere(store)
    before = _files(store)
    original, calls = getattr(os, call), [0]

    def fail(path: Any, *rest: Any, **named: Any) -> Any:
        calls[0] += 1
        if calls[0] == at:
            raise OSError(code, os.strerror(code))
        return original(path, *rest, **named)

    with monkeypatch.context() as patch:
        patch.setattr(os, call, fail)
        with pytest.raises(OSError, match=os.strerror(code)) as caught:
            _put(store, b"new")

    assert (caught.value.errno, calls[0] >= at) == (code, True)
    assert before == _files(store)
    assert (store.root / "data" / "new").exists() is exists
    if exists:
        assert Store(store.root).head("data", "new/folder/x").metadata == {"of": "old"}


def _put_and_delete_elsewhere(store: Store) -> None:
    store.put("data", "elsewhere", b"")
    store.delete("data", "elsewhere")


def test_a_store_that_is_not_durable_flushes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path / "objects", is_durable=False)
    store.create_bucket("data")
    monkeypatch.delattr(os, "fsync")

    _put(store, b"1")

    assert store.read("data", "new/folder/x") == b"1"


@pytest.mark.parametrize("left", [b"", b"1:1/00000000 etag", b"1:1/00000000 etag {}\n"])
def test_an_object_that_is_written_often_has_the_metadata_of_its_last_write(store: Store, left: bytes) -> None:
    """Its sidecar stays short, also if a crash of the machine has left a part of it."""
    _put(store, b"first")
    (sidecar,) = (path for path in (store.root / ".meta" / "data").glob("*/*") if b'"of": "first"' in path.read_bytes())
    sidecar.write_bytes(left)
    for number in range(100):
        _put(store, f"{number}".encode())
        assert Store(store.root).head("data", "new/folder/x").metadata == {"of": f"{number}"}, number  # from its file
        assert sidecar.stat().st_size <= 4096, number


def test_metadata_that_was_written_in_part_is_written_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is almost full takes less than it is given; the next start finds the metadata whole."""
    _put(store, b"old")
    original, sizes = os.write, [10]
    monkeypatch.setattr(os, "write", lambda file, data: original(file, data[: sizes.pop()] if sizes else data))
    _put(store, b"new")

    assert (sizes, Store(store.root).head("data", "new/folder/x").metadata) == ([], {"of": "new"})


_WRITER = """
import os, signal, sys
from pathlib import Path
from modelarts_emulator.storage.protocol import Store
from modelarts_emulator.storage.objects import Attributes

store, call, at = Store(Path(sys.argv[1])), sys.argv[2], int(sys.argv[3])
original = getattr(os, call)
def kill(*arguments, **named):
    global at
    at -= 1
    if at == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return original(*arguments, **named)
setattr(os, call, kill)
if sys.argv[4] == "delete":
    store.delete("data", "x")
else:
    with store.draft("data", "x") as draft:
        draft.write(b"new")
        draft.commit(Attributes("text/plain", {"of": "new"}), is_flushed=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize(
    ("call", "at", "act"),
    [
        ("fsync", 1, "write"),
        ("replace", 1, "write"),
        ("replace", 2, "write"),
        ("write", 1, "write"),
        ("close", 1, "write"),
        ("unlink", 1, "delete"),
        ("unlink", 2, "delete"),
    ],
)
@pytest.mark.parametrize("size", [1, 4000])
def test_a_killed_writer_leaves_nothing_after_the_next_start(
    store: Store, call: str, at: int, act: str, size: int
) -> None:
    """Wherever a writer is killed, the object is the old or the new one, whole, or gone; a start removes the draft.

    To metadata of 4,000 bytes nothing is appended: the file with it is replaced.
    """
    store.put("data", "x", b"old", Attributes("text/plain", {"of": "old", "long": "x" * size}))
    command = [sys.executable, "-c", _WRITER, str(store.root), call, str(at), act]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    after = Store(store.root)
    create_app(after, ())

    assert [name for name in _files(after) if name.startswith(".drafts")] == []
    keys = [info.key for info in after.list("data").objects]
    contents = {key: after.read("data", key).decode() for key in keys}
    assert contents == {key: after.head("data", key).metadata["of"] for key in keys}
    assert act == "delete" or after.head("data", "x").size == 3


def test_a_start_deletes_what_a_killed_emulator_had_left(store: Store) -> None:
    """Parts that were being written, and what it had moved away to delete; parts that had arrived stay."""
    uploads = Uploads(store)
    upload = uploads.begin("data", "x", PLAIN)
    with uploads.part(upload, 1) as part:
        part.write(b"1")
        arrived = part.commit("0" * 32)
    left = store.root / ".uploads" / upload.upload_id / ".left"
    left.touch()
    (store.root / ".cleared" / "left" / "deep").mkdir(parents=True)
    create_app(store, ())

    assert not left.exists()
    assert uploads.complete(upload, [(1, arrived.etag)]).size == 1
    eventually(lambda: not list((store.root / ".cleared").iterdir()))
    store.close()


def test_uploads_without_a_new_part_for_a_day_are_forgotten_at_the_next_start(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.create_bucket("data")
    uploads = Uploads(store)
    abandoned, _young, used = (uploads.begin("data", key, PLAIN) for key in ("abandoned", "young", "used"))
    with uploads.part(abandoned, 1) as part:
        part.commit("0" * 32)
    for upload in (abandoned, used):
        os.utime(tmp_path / ".uploads" / upload.upload_id, (time.time() - 90_000,) * 2)
    with uploads.part(used, 1) as part:
        part.commit("0" * 32)

    create_app(store, ())

    assert [upload.key for upload in uploads.list("data")] == ["used", "young"]
    assert not (tmp_path / ".uploads" / abandoned.upload_id).exists()
