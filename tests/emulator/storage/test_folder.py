"""The store on its folder."""

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.emulator.storage.conftest import store_error

from modelarts_emulator.storage import sync
from modelarts_emulator.storage.errors import InvalidKey, NoSuchBucket, NoSuchKey
from modelarts_emulator.storage.listing import Names, Walk
from modelarts_emulator.storage.objects import Attributes
from modelarts_emulator.storage.protocol import Store


def _files(store: Store) -> list[str]:
    return sorted(str(path.relative_to(store.root)) for path in store.root.rglob("*") if path.is_file())


def test_an_object_is_a_file_and_a_file_is_an_object(store: Store) -> None:
    """What a file cannot say lies apart from the bucket, which has the users' files only; a folder is a bucket."""
    store.put("data", "code/train.py", b"print(1)", Attributes("text/plain", {"who": "me"}))
    (store.root / "data" / "dropped.txt").write_bytes(b"by hand")

    assert (store.root / "data" / "code" / "train.py").read_bytes() == b"print(1)"
    assert store.read("data", "dropped.txt") == b"by hand"
    assert [info.key for info in store.list("data").objects] == ["code/train.py", "dropped.txt"]
    assert sorted(path.name for path in (store.root / "data").iterdir()) == ["code", "dropped.txt"]

    (store.root / "dropped").mkdir()

    assert [bucket.name for bucket in store.buckets()] == ["data", "dropped"]


def test_a_file_that_comes_by_hand_has_nothing_that_was_said_of_an_older_one(store: Store) -> None:
    """Neither one that replaces an object, nor one that is put back after the object was deleted."""
    store.put("data", "x", b"1", Attributes("text/plain", {"who": "me"}))
    (store.root / "data" / "x").write_bytes(b"two")

    info = store.head("data", "x")
    assert (info.content_type, info.metadata, info.size) == ("binary/octet-stream", {}, 3)

    store.put("data", "x", b"1", Attributes("text/plain", {"who": "me"}))
    assert store.head("data", "x").content_type == "text/plain"
    kept = shutil.copy2(store.root / "data" / "x", store.root.parent / "kept")
    store.delete("data", "x")
    shutil.copy2(kept, store.root / "data" / "x")

    info = store.head("data", "x")
    assert (info.content_type, info.metadata, info.size) == ("binary/octet-stream", {}, 1)


def test_what_another_process_writes_is_seen_at_once(store: Store) -> None:
    other = Store(store.root)
    for content_type in ("text/plain", "text/html"):
        other.put("data", "x", b"1", Attributes(content_type))
        assert store.head("data", "x").content_type == content_type, content_type
        other.put("data", "y/", b"", Attributes(content_type))
        assert store.head("data", "y/").content_type == content_type, content_type


@pytest.mark.parametrize("times", ["-r", "-a"])
def test_a_copy_of_the_folder_keeps_what_is_known_of_objects(store: Store, times: str) -> None:
    """By `cp -r`, which gives every file another time, and by `cp -a`; a file that was changed has other bytes."""
    kept = Attributes("application/json", {"who": "me"}, {"cache-control": "no-store"})
    with store.draft("data", "a/k.json") as draft:
        draft.write(b"{}")
        written = draft.commit(kept, etag="d" * 32)
    store.put("data", "folder/", b"", kept)
    store.put("data", "changed", b"1", kept)
    target = store.root.with_name("copy")
    subprocess.run(["cp", times, store.root, target], check=True)
    (target / "data" / "changed").write_bytes(b"2")
    copy = Store(target)

    listed = {info.key: info.etag for info in copy.list("data").objects}

    assert copy.head("data", "a/k.json") == written
    assert listed["a/k.json"] == written.etag
    assert copy.head("data", "folder/").metadata == {"who": "me"}
    assert copy.head("data", "changed").metadata == {}


def test_replacing_and_deleting_leave_nothing_behind(store: Store) -> None:
    """Neither files nor empty folders, and every write has another ETag, even of the same size."""
    before = _files(store)
    etags = [store.put("data", "a/b/c", bytes([number]), Attributes("text/plain")).etag for number in range(50)]
    assert (len(set(etags)), etags[-1]) == (50, store.head("data", "a/b/c").etag)
    store.put("data", "a/b/c", b"without attributes")
    assert set(_files(store)) == {*before, "data/a/b/c"}
    store.put("data", "a/b/c", b"", Attributes("text/plain"))
    store.delete("data", "a/b/c")

    assert before == _files(store)
    assert not (store.root / "data" / "a").exists()


def test_a_reader_keeps_the_object_that_it_opened(store: Store) -> None:
    store.put("data", "x", b"old")
    info, stream = store.get("data", "x")
    store.put("data", "x", b"newer")
    with stream:
        content = stream.read()

    assert (content, info.size) == (b"old", 3)


def test_no_other_folder_is_a_bucket(store: Store) -> None:
    for bucket in ("..", ".meta", ".drafts", "data/..", "", "DATA", "none"):
        with pytest.raises(NoSuchBucket):
            store.list(bucket)
        with pytest.raises(NoSuchBucket):
            store.put(bucket, "x", b"")


def test_nothing_is_written_or_deleted_through_a_link_that_leads_out(store: Store, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x").write_bytes(b"mine")
    (store.root / "data" / "link").symlink_to(outside)

    assert store.read("data", "link/x") == b"mine"
    with pytest.raises(InvalidKey):
        store.put("data", "link/y", b"")
    with pytest.raises(InvalidKey):
        store.delete("data", "link/x")
    assert [path.name for path in outside.iterdir()] == ["x"]


def test_a_key_and_one_that_continues_it_with_a_slash_cannot_both_be_there(store: Store) -> None:
    """One would be a file and the other needs a directory of that name; the error says which to delete."""
    store.put("data", "a", b"file")
    store.put("data", "d/e", b"below")
    store.put("data", "f/", b"")

    for key in ("a/b", "a/b/c", "a/"):
        with pytest.raises(InvalidKey, match=f"key '{key}' continues the key of an object"):
            store.put("data", key, b"")
    for key in ("d", "f"):
        with pytest.raises(InvalidKey, match=f"key '{key}' is a directory here"):
            store.put("data", key, b"file")

    assert [info.key for info in store.list("data").objects] == ["a", "d/e", "f/"]
    store.delete("data", "a")
    store.put("data", "a/b", b"now a directory")
    assert store.read("data", "a/b") == b"now a directory"


def test_a_cleared_store_has_no_buckets_and_leaves_what_links_lead_to_alone(store: Store, tmp_path: Path) -> None:
    (own := tmp_path / "own").mkdir()
    (own / "precious").write_bytes(b"1")
    (store.root / "linked").symlink_to(own)
    (store.root / "data" / "inner").symlink_to(own)
    store.put("data", "x", b"1", Attributes("text/plain"))

    store.clear()

    assert store.buckets() == []
    assert (own / "precious").read_bytes() == b"1"
    store.create_bucket("data")
    assert store.list("data").objects == []
    store.clear()


def test_drafts_of_dead_writers_are_swept_and_others_are_not(store: Store) -> None:
    """A sweep removes a draft that no process holds open, however young, and leaves one that is being written."""
    with store.draft("data", "x") as draft:
        draft.write(b"1")
        (store.root / ".drafts" / "left").touch()
        store.prepare()
        assert len(list((store.root / ".drafts").iterdir())) == 1
        draft.commit()

    assert store.read("data", "x") == b"1"


def test_a_key_of_511_levels_is_an_object_like_any_other(store: Store, tmp_path: Path) -> None:
    """The deepest legal key is listed, paged, copied with its tree and deleted, in a thread with a small stack."""
    key = "d/" * 511 + "f"
    store.put("data", key, b"deep")
    store.put("data", "e", b"")

    assert [info.key for info in store.list("data").objects] == [key, "e"]
    assert store.list("data", prefix="d/" * 300, delimiter="/").prefixes == ["d/" * 301]
    assert store.list("data", limit=1).next_marker == key
    assert sync.download(store, "data", "d", tmp_path / "out") == 1
    assert (tmp_path / "out" / key.removeprefix("d/")).read_bytes() == b"deep"
    store.put("data", "f/" * 511, b"")
    assert store.head("data", "f/" * 511).size == 0
    store.delete("data", "f/" * 511)
    store.delete("data", key)
    store.delete("data", "e")
    assert list((store.root / "data").iterdir()) == []


def test_files_at_paths_that_no_key_can_have_are_not_listed(store: Store, tmp_path: Path) -> None:
    """What was dropped in deeper than 1,024 bytes is left out of listings, and the bucket can be cleared."""
    deep = store.root / "data" / Path(*["d" * 200] * 6)
    deep.mkdir(parents=True)
    (deep / "f").touch()
    store.put("data", "x", b"")

    assert [info.key for info in store.list("data").objects] == ["x"]
    assert sync.download(store, "data", "", tmp_path / "out") == 1
    store.clear()
    assert store.buckets() == []


@pytest.mark.timeout(120)
def test_what_is_not_a_regular_file_is_not_an_object_and_blocks_nobody(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A FIFO, a socket and links to themselves in a bucket are neither read, listed nor deleted."""
    folder = store.root / "data"
    os.mkfifo(folder / "fifo")
    (folder / "loop").symlink_to(folder / "loop")
    with socket.socket(socket.AF_UNIX) as listening:
        monkeypatch.chdir(folder)  # a socket's address must be short
        listening.bind("socket")
    store.put("data", "x", b"1")

    for key in ("fifo", "loop", "loop/x", "socket"):
        for act in (store.head, store.get):
            with pytest.raises(NoSuchKey):
                act("data", key)
        store.delete("data", key)
    assert [info.key for info in store.list("data").objects] == ["x"]
    assert sorted(path.name for path in folder.iterdir()) == ["fifo", "loop", "socket", "x"]
    store.put("data", "fifo", b"an object now")
    assert store.read("data", "fifo") == b"an object now"


def test_a_bucket_is_not_deleted_as_long_as_anything_is_in_it(store: Store, tmp_path: Path) -> None:
    """A folder object, a file that is no object, or, through a link, an object elsewhere."""
    store.put("data", "a/", b"")
    store.put("data", "a/b", b"1")
    store.delete("data", "a/b")

    assert [info.key for info in store.list("data").objects] == ["a/"]
    with store_error("BucketNotEmpty"):
        store.delete_bucket("data")
    store.delete("data", "a/")
    Path(os.fsdecode(os.fsencode(store.root / "data") + b"/\xff")).touch()

    with store_error("BucketNotEmpty", match="not objects"):
        store.delete_bucket("data")
    assert store.has_bucket("data")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "x").write_bytes(b"1")
    (store.root / "linked").symlink_to(tmp_path / "elsewhere")

    with store_error("BucketNotEmpty"):
        store.delete_bucket("linked")
    assert store.read("linked", "x") == b"1"


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


@settings(max_examples=80)
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


def test_a_directory_is_a_prefix_for_any_file_that_is_an_object(store: Store, tmp_path: Path) -> None:
    """For one behind a link or further below, too, but not for one that no key can name, and not without one."""
    bucket = store.root / "data"
    deep = "/".join(["x" * 200] * 5)
    for folder in ("empty/deep", "file", "link", "below/folder", deep):
        (bucket / folder).mkdir(parents=True)
    (tmp_path / "outside").touch()
    (bucket / "link" / "to").symlink_to(tmp_path / "outside")
    for name in ("file/a", "below/folder/a", f"{deep}/{'y' * 30}"):
        (bucket / name).touch()

    assert store.list("data", delimiter="/").prefixes == ["below/", "file/", "link/"]
    assert store.list("data", delimiter="/", marker="below/z").prefixes == ["file/", "link/"]
    assert store.list("data", delimiter="/", marker="fil").prefixes == ["file/", "link/"]
    assert store.list("data", delimiter="/", marker="file/0").prefixes == ["link/"]


def test_a_page_of_a_large_folder_is_of_the_folder_as_it_is_now(store: Store, tmp_path: Path) -> None:
    """It has what came and went since the page before, and what a link leads to now."""
    folder = store.root / "data"
    for number in range(1200):
        (folder / f"{number:04}").touch()
    long_ago = time.time_ns() - 3_000_000_000 | 1
    os.utime(folder, ns=(long_ago, long_ago))

    assert store.list("data", limit=500).next_marker == "0499"
    (folder / "0500a").touch()
    (folder / "0501").unlink()
    assert [info.key for info in store.list("data", marker="0499", limit=3).objects] == ["0500", "0500a", "0502"]

    (folder / "9").symlink_to(tmp_path / "target")
    long_ago = time.time_ns() - 3_000_000_000 | 1
    os.utime(folder, ns=(long_ago, long_ago))

    assert store.list("data", marker="1198").objects[-1].key == "1199"
    (tmp_path / "target").touch()
    assert store.list("data", marker="1198").objects[-1].key == "9"


def test_a_walk_ends_at_a_link_to_a_directory_above_it_and_leaves_out_names_that_are_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x").touch()
    (tmp_path / "a" / "loop").symlink_to(tmp_path / "a")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff")).touch()

    assert list(Walk(str(tmp_path), "", "", lambda _: False, Names()).keys()) == ["a/x"]
