"""What is kept beside objects, while it is written and read."""

from __future__ import annotations

import json
from pathlib import Path

from modelarts_emulator.storage.folder import FolderStore
from modelarts_emulator.storage.sidecars import Sidecars


def test_a_reader_sees_a_whole_sidecar_while_it_is_replaced(tmp_path: Path) -> None:
    """A reader that opened the sidecar before it was replaced reads the old one to its end, not a part of the new."""
    sidecars = Sidecars(tmp_path / "meta", tmp_path / "drafts")
    old, new = {"state": {"a": "1" * 50_000}}, {"state": {"a": "2" * 60_000}}
    sidecars.write("data", "x", old)
    (place,) = tmp_path.rglob("*.json")
    with place.open("rb") as stream:
        begun = stream.read(1000)
        sidecars.write("data", "x", new)
        read = begun + stream.read()

    assert old == json.loads(read)
    assert new == sidecars.read("data", "x")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [place]


def test_a_sidecar_that_a_crash_cut_off_says_nothing(store: FolderStore) -> None:
    """An object whose sidecar is damaged is still listed and read."""
    store.put("data", "x", b"1", "text/plain")
    (sidecar,) = (
        path for path in (store.root / ".meta" / "data").rglob("*.json") if b"text/plain" in path.read_bytes()
    )
    sidecar.write_bytes(b'{"content')

    assert (store.head("data", "x").content_type, store.read("data", "x")) == ("binary/octet-stream", b"1")
