"""A mirror keeps the event files of a bucket as files, and nothing else."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from modelarts_emulator.storage.folder import FolderStore
from modelarts_emulator.storage.protocol import Listing
from modelarts_emulator.visualization.log_mirror import PERIOD_S, LogMirror

EVENTS = "events.out.tfevents.1.host"


class PagedStore(FolderStore):
    """A store with two objects on a page."""

    def list(self, bucket: str, prefix: str = "", delimiter: str = "", marker: str = "", limit: int = 2) -> Listing:
        return super().list(bucket, prefix, delimiter, marker, limit)


@pytest.fixture
def store(tmp_path: Path) -> FolderStore:
    store = PagedStore(tmp_path / "objects")
    store.prepare()
    store.create_bucket("bucket")
    return store


@pytest.fixture
def mirror(store: FolderStore, tmp_path: Path) -> Callable[[], dict[str, str]]:
    """Looks into the bucket as if the time between two looks were over; returns what was copied."""
    seconds = [0.0]
    copied = LogMirror(store, "bucket", "out/", tmp_path / "copy", lambda: seconds[0])

    def refresh() -> dict[str, str]:
        seconds[0] += PERIOD_S
        copied.refresh()
        files = [path for path in (tmp_path / "copy").rglob("*") if path.is_file()]
        return {str(path.relative_to(tmp_path / "copy")): path.read_text() for path in files}

    return refresh


def test_event_files_are_copied_when_they_are_new_or_have_changed(
    store: FolderStore, mirror: Callable[[], dict[str, str]]
) -> None:
    store.put("bucket", f"out/a/{EVENTS}", b"1")
    store.put("bucket", f"elsewhere/{EVENTS}", b"1")
    assert mirror() == {f"a/{EVENTS}": "1"}

    store.put("bucket", f"out/a/{EVENTS}", b"12")
    store.put("bucket", f"out/b/{EVENTS}", b"3")
    assert mirror() == {f"a/{EVENTS}": "12", f"b/{EVENTS}": "3"}

    store.delete("bucket", f"out/a/{EVENTS}")
    assert mirror() == {f"b/{EVENTS}": "3"}


def test_models_are_left_out_but_what_plugins_read_is_copied(
    store: FolderStore, mirror: Callable[[], dict[str, str]]
) -> None:
    store.put("bucket", "out/model.ckpt", b"weights")
    store.put("bucket", "out/plugins/profile/1/host.xplane.pb", b"profile")

    assert mirror() == {"plugins/profile/1/host.xplane.pb": "profile"}


def test_more_than_one_page_of_objects_is_copied(store: FolderStore, mirror: Callable[[], dict[str, str]]) -> None:
    for number in range(5):
        store.put("bucket", f"out/{number}/{EVENTS}", b"")

    assert len(mirror()) == 5


def test_a_bucket_that_cannot_be_read_leaves_the_copies_as_they_are(
    store: FolderStore, mirror: Callable[[], dict[str, str]], caplog: pytest.LogCaptureFixture
) -> None:
    store.put("bucket", f"out/{EVENTS}", b"1")
    before = mirror()
    (store.root / "bucket").rename(store.root / "moved-away")

    with caplog.at_level(logging.WARNING):
        assert mirror() == before
    assert "could not be read and will be tried again" in caplog.text
