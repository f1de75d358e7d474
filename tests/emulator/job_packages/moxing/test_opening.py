"""Open files: modes, text and bytes, streams and what is stored when."""

from __future__ import annotations

import csv
import io
import json
import logging
import os
import pickle
from pathlib import Path
from typing import Any

import pytest

import moxing as mox
from modelarts_emulator.control.client import ObjectControl
from moxing.client import Location
from moxing.objects import fetch


@pytest.fixture(params=["object storage", "local"])
def top(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A directory at either kind of place."""
    return str(tmp_path) if request.param == "local" else f"{request.getfixturevalue('bucket')}/dir"


def test_what_was_written_or_appended_is_read(top: str) -> None:
    """Text is UTF-8, bytes are bytes; the second write replaces the first, and an appended one continues it."""
    mox.file.write(f"{top}/text", "first")
    mox.file.write(f"{top}/text", "grün\nzwei\n")
    mox.file.write(f"{top}/bytes", b"\x00\xff\r\n", binary=True)

    assert mox.file.read(f"{top}/text") == "grün\nzwei\n"
    assert mox.file.read(f"{top}/text", binary=True) == "grün\nzwei\n".encode()
    assert mox.file.read(f"{top}/bytes", binary=True) == b"\x00\xff\r\n"
    mox.file.append(f"{top}/log", "one\n")
    mox.file.append(f"{top}/log", "two\n")
    mox.file.append(f"{top}/log", b"three\n", binary=True)
    mox.file.append_remote(f"{top}/log", f"{top}/log")

    assert mox.file.read(f"{top}/log") == "one\ntwo\nthree\n" * 2


def test_a_file_is_read_line_by_line_and_from_any_position(top: str) -> None:
    """Reading begins where `seek` says; `tell` and `size` count bytes."""
    mox.file.write(f"{top}/lines", "a\nb\nc\nd")

    with mox.file.File(f"{top}/lines") as file:
        assert file.readline() == "a\n"
        assert next(iter(file)) == "b\n"
        assert file.readlines() == ["c\n", "d"]
    assert file.closed

    content = os.urandom(700_000)
    mox.file.write(f"{top}/big", content, binary=True)

    with mox.file.File(f"{top}/big", "rb") as file:
        assert file.seekable()
        assert file.size() == len(content)
        assert file.seek(-3, os.SEEK_END) == len(content) - 3
        assert file.read() == content[-3:]
        assert file.read(1) == b""
        assert file.seek(600_000) == 600_000
        assert file.read(10) == content[600_000:600_010]
        assert file.tell() == 600_010
        file.seek(0)
        assert file.read(5) == content[:5]


@pytest.mark.parametrize(
    ("mode", "after"), [("r+", "XYc"), ("w", "XY"), ("w+", "XY"), ("a", "abcXY"), ("a+", "abcXY"), ("br+", "XYc")]
)
def test_modes_keep_replace_or_continue(top: str, mode: str, after: str) -> None:
    """The documented modes do what they do for local files."""
    mox.file.write(f"{top}/file", "abc")
    path = f"{top}/file"

    with mox.file.File(path, mode) as file:
        assert (file.readable(), file.writable()) == ("+" in mode, True)
        file.write(b"XY" if "b" in mode else "XY")
        if "+" in mode:
            file.seek(0)
            assert file.read() == (after.encode() if "b" in mode else after)

    assert mox.file.read(path) == after


def test_other_modes_and_uses_are_errors(top: str) -> None:
    """A file that is open for writing cannot be read, and the other way round."""
    with pytest.raises(ValueError, match="mode 'y' is unknown"):
        mox.file.File(f"{top}/file", "y")
    with mox.file.File(f"{top}/file", "x") as file:
        file.write("abc")
    with pytest.raises(FileExistsError):
        mox.file.File(f"{top}/file", "xb")
    with mox.file.File(f"{top}/file", "a") as file, pytest.raises(io.UnsupportedOperation):
        file.read()
    with mox.file.File(f"{top}/file") as file, pytest.raises(io.UnsupportedOperation):
        file.write("x")
    for mode in ("r", "r+"):
        with pytest.raises(FileNotFoundError):
            mox.file.File(f"{top}/nowhere", mode)


def test_libraries_take_it_for_a_file(top: str) -> None:
    """csv, json, pickle and logging read and write through it."""
    with mox.file.File(f"{top}/c", "w", newline="") as file:
        csv.writer(file).writerows([["a", "b"], ["1", "x\ny"]])
    with mox.file.File(f"{top}/c", newline="") as file:
        assert list(csv.reader(file)) == [["a", "b"], ["1", "x\ny"]]
    with mox.file.File(f"{top}/j", "w") as file:
        json.dump({"a": 1}, file)
    with mox.file.File(f"{top}/j") as file:
        assert json.load(file) == {"a": 1}
    with mox.file.File(f"{top}/p", "wb") as file:
        pickle.dump([1, "two"], file)
    with mox.file.File(f"{top}/p", "rb") as file:
        assert pickle.load(file) == [1, "two"]
        assert file.readinto(bytearray(4)) == 0


def test_an_object_is_stored_when_its_file_is_flushed_or_closed_but_not_after_an_exception(
    bucket: str, objects: ObjectControl
) -> None:
    """A log can be read while its script runs; an object that is half written is not stored, nor is a directory."""
    stream = mox.file.File(f"{bucket}/log.txt", "w")
    handler = logging.StreamHandler(stream)
    logger = logging.Logger("of this test")
    logger.addHandler(handler)

    logger.warning("one")
    assert objects.get(f"{bucket}/log.txt") == b"one\n"
    logger.warning("two")
    stream.close()
    stream.close()

    assert objects.get(f"{bucket}/log.txt") == b"one\ntwo\n"

    objects.put(f"{bucket}/model", b"old")

    with pytest.raises(ZeroDivisionError), mox.file.File(f"{bucket}/model", "wb") as file:
        file.write(b"ne" * (1 // 0 if file.write(b"ne") else 1))

    assert objects.get(f"{bucket}/model") == b"old"

    for url in (bucket, f"{bucket}/dir/"):
        with pytest.raises(IsADirectoryError, match="name the file in it"):
            mox.file.File(url, "w")


def test_an_object_is_read_as_it_was_when_it_was_opened(bucket: str, objects: ObjectControl) -> None:
    """One that changes before all of it has arrived is an error: half of the old one and half of the new is neither."""
    objects.put(f"{bucket}/file", b"a" * 5_000_000)
    with mox.file.File(f"{bucket}/file", "rb") as file:
        objects.put(f"{bucket}/file", b"b" * 5_000_000)
        assert file.read() == b"a" * 5_000_000

    class Changing(io.BytesIO):
        def write(self, data: Any) -> int:
            objects.put(f"{bucket}/file", b"c" * 5_000_000)
            return super().write(data)

    with pytest.raises(mox.file.MoxFileReadException, match="changed while it was read"):
        fetch(Location(bucket.removeprefix("obs://"), "file"), Changing())
