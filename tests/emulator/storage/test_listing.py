"""Pages of keys, held against the plain definition: sort all, filter, group."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modelarts_emulator.storage.listing import Walk
from modelarts_emulator.storage.protocol import InvalidKey, Store

_SEGMENTS = st.sampled_from(["a", "b", "a.txt", "a-b", "ab", "ü", "z!"])
_KEYS = st.lists(st.lists(_SEGMENTS, min_size=1, max_size=3).map("/".join), max_size=12, unique=True)
_PREFIXES = st.sampled_from(["", "a", "a/", "a/b", "a/b/", "ab/a", "ü", "..", "../", "x"])


def _expected(keys: list[str], prefix: str, delimiter: str) -> list[str]:
    found: list[str] = []
    for key in sorted(key for key in keys if key.startswith(prefix)):
        head, cut, _ = key[len(prefix) :].partition(delimiter) if delimiter else (key, "", "")
        item = prefix + head + cut if cut else key
        if item not in found[-1:]:
            found.append(item)
    return found


@settings(max_examples=80, deadline=None)
@given(_KEYS, _PREFIXES, st.sampled_from(["", "/", "-", "b"]), st.integers(1, 4))
def test_pages_together_are_the_whole_listing_in_order(
    keys: list[str], prefix: str, delimiter: str, limit: int
) -> None:
    """Whatever the page size, all pages together are every key and common prefix once, in the order of keys."""
    with TemporaryDirectory() as folder:
        store = Store(Path(folder))
        store.create_bucket("data")
        held = [key for key in keys if _put(store, key)]
        found: list[str] = []
        marker: str | None = ""
        while marker is not None:
            page = store.list("data", prefix, delimiter, marker, limit)
            items = sorted([info.key for info in page.objects] + page.prefixes)
            assert len(items) <= limit
            found += items
            marker = page.next_marker

        assert _expected(held, prefix, delimiter) == found


def _put(store: Store, key: str) -> bool:
    try:
        store.put("data", key, b"x")
    except InvalidKey:
        return False
    return True


def test_a_directory_without_objects_is_not_a_prefix(store: Store) -> None:
    (store.root / "data" / "empty" / "deep").mkdir(parents=True)
    store.put("data", "full/x", b"")

    assert store.list("data", delimiter="/").prefixes == ["full/"]


def test_a_directory_is_a_prefix_for_any_file_that_is_an_object(store: Store, tmp_path: Path) -> None:
    """For one behind a link or further below, too, but not for one that no key can name."""
    bucket = store.root / "data"
    deep = "/".join(["x" * 200] * 5)
    for folder in ("file", "link", "below/folder", deep):
        (bucket / folder).mkdir(parents=True)
    (tmp_path / "outside").touch()
    (bucket / "link" / "to").symlink_to(tmp_path / "outside")
    for name in ("file/a", "below/folder/a", f"{deep}/{'y' * 30}"):
        (bucket / name).touch()

    assert store.list("data", delimiter="/").prefixes == ["below/", "file/", "link/"]
    assert store.list("data", delimiter="/", marker="below/z").prefixes == ["file/", "link/"]
    assert store.list("data", delimiter="/", marker="fil").prefixes == ["file/", "link/"]
    assert store.list("data", delimiter="/", marker="file/0").prefixes == ["link/"]


def test_a_link_to_a_directory_above_itself_ends(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x").touch()
    (tmp_path / "a" / "loop").symlink_to(tmp_path / "a")

    assert list(Walk(str(tmp_path), "", "", lambda _: False).keys()) == ["a/x"]


def test_a_name_that_is_not_utf8_is_left_out(tmp_path: Path) -> None:
    try:
        (tmp_path / "bad\udcff").touch()
    except OSError:
        pytest.skip("this file system rejects such names itself")
    (tmp_path / "good").touch()

    assert list(Walk(str(tmp_path), "", "", lambda _: False).keys()) == ["good"]
