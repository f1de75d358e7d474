"""Whole trees between folders and buckets."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from tests.emulator.conftest import eventually

from modelarts_emulator.storage import files, sync
from modelarts_emulator.storage.errors import AccessDenied, NoSuchBucket, ServiceUnavailable, StoreError
from modelarts_emulator.storage.files import remove_tree
from modelarts_emulator.storage.protocol import Store


def _tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("prefix", ["in/deep/", "in/deep"])
def test_a_folder_comes_with_everything_below_it_and_nothing_else(store: Store, tmp_path: Path, prefix: str) -> None:
    """More objects than a page holds, too; a script stays executable."""
    for key in ("in/deep/a", "in/deep/b/c", "in/deeper", "other"):
        store.put("data", key, key.encode())
    store.put("data", "in/deep/empty/", b"")
    many = store.root / "data" / "in" / "deep" / "many"
    many.mkdir()
    for number in range(1203):
        (many / str(number)).touch()
    (many / "0").chmod(0o755)

    assert sync.download(store, "data", prefix, tmp_path / "out") == 1206
    assert len(list((tmp_path / "out" / "many").iterdir())) == 1203
    assert os.access(tmp_path / "out" / "many" / "0", os.X_OK)
    remove_tree(tmp_path / "out" / "many")
    assert _tree(tmp_path / "out") == {"a": b"in/deep/a", "b/c": b"in/deep/b/c"}
    assert (tmp_path / "out" / "empty").is_dir()


@pytest.mark.parametrize("folder", [None, Path("/dev/shm")])
def test_a_copy_is_the_same_and_changes_nothing_in_the_store(store: Store, tmp_path: Path, folder: Path | None) -> None:
    """Within a file system, where both may share their bytes, and to another one."""
    if folder is not None and not folder.is_dir():
        pytest.skip("there is no other file system")
    content = os.urandom(3_000_000)
    store.put("data", "in", content)
    with tempfile.TemporaryDirectory(dir=folder or tmp_path) as out:
        sync.download(store, "data", "in", Path(out))
        copied = (Path(out) / "in").read_bytes()
        with (Path(out) / "in").open("r+b") as stream:
            stream.write(b"changed")

    assert copied == content
    assert store.read("data", "in") == content


def test_only_what_changed_is_uploaded_again(store: Store, tmp_path: Path) -> None:
    """A link is a file of its own, which changes with what it leads to."""
    out = tmp_path / "out"
    (out / "deep").mkdir(parents=True)
    (out / "model.bin").write_bytes(b"1")
    (out / "deep" / "log").write_bytes(b"2")
    (out / "link").symlink_to(out / "model.bin")
    seen: dict[Path, tuple[int, int]] = {}

    assert sync.upload(store, out, "data", "result", seen) == 3
    assert sync.upload(store, out, "data", "result", seen) == 0
    (out / "model.bin").write_bytes(b"changed")
    assert sync.upload(store, out, "data", "result", seen) == 2
    assert store.read("data", "result/model.bin") == store.read("data", "result/link") == b"changed"


def test_links_that_multiply_end(store: Store, tmp_path: Path) -> None:
    """Twenty levels with two links each to the next one would be a million files."""
    for level in range(20):
        (tmp_path / str(level)).mkdir()
        for name in "ab":
            (tmp_path / str(level) / name).symlink_to(f"../{level + 1}")
    (tmp_path / "20").mkdir()
    (tmp_path / "20" / "file").touch()

    with pytest.raises(StoreError, match="more than 100 links lead to"):
        sync.upload(store, tmp_path / "0", "data", "")
    assert len(store.list("data").objects) == 100


DEEP = "d/" * 500  # so deep that a key below has room for 24 bytes


def test_files_that_cannot_be_uploaded_are_named_and_the_others_arrive(store: Store, tmp_path: Path) -> None:
    """Those with too long a name or one that is not UTF-8: the first ones; of the others the number is reported."""
    out = tmp_path / "out"
    out.mkdir()
    for name in (b"caf\351", b"plain", *(b"%d%s" % (number, b"long" * 10) for number in range(7))):
        (out / os.fsdecode(name)).write_bytes(name)

    with pytest.raises(StoreError, match=r"8 file\(s\) could not be uploaded: 0long.*; 4long.*; and 3 more"):
        sync.upload(store, out, "data", DEEP)
    assert [info.key for info in store.list("data").objects] == [f"{DEEP}plain"]
    with pytest.raises(StoreError, match=r"1 file\(s\) could not be uploaded: caf.* is not UTF-8: rename the file"):
        sync.upload(store, out, "data", "")


def test_a_folder_that_lies_too_deep_is_named_and_the_others_arrive(store: Store, tmp_path: Path) -> None:
    """A key of 1,024 bytes can name 204 of these levels; what is above and beside the others is uploaded."""
    make = """
import os
open("file", "w").close()
for number in range(250):
    os.mkdir("deep"); os.chdir("deep")
"""
    (tmp_path / "out" / "other").mkdir(parents=True)
    (tmp_path / "out" / "other" / "model").write_bytes(b"1")
    subprocess.run([sys.executable, "-c", make], cwd=tmp_path / "out", check=True)
    try:
        with pytest.raises(StoreError, match=r"1 file\(s\) could not be uploaded: deep/d.*\.\.\..*/deep: "):
            sync.upload(store, tmp_path / "out", "data", "result")
        assert store.read("data", "result/other/model") == b"1"
        assert store.read("data", "result/file") == b""
    finally:
        remove_tree(tmp_path / "out")  # pytest cannot


def test_a_file_that_the_store_rejects_does_not_keep_the_others_from_being_uploaded(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names it after all files were tried; what concerns every file, as a busy store, ends the upload."""
    names = [str(number) for number in range(9)]
    for name in names:
        (tmp_path / "in" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "in" / name).write_text(name)
    put, fails = store.put, {"out/0"}
    tried: list[str] = []
    error: StoreError

    def put_or_fail(bucket: str, key: str, *rest: Any) -> Any:
        tried.append(key)
        if key in fails:
            raise error
        return put(bucket, key, *rest)

    monkeypatch.setattr(store, "put", put_or_fail)
    for error in (ServiceUnavailable("busy"), AccessDenied("denied"), StoreError("InternalError", "broken")):
        with pytest.raises(StoreError, match=rf"1 file\(s\) could not be uploaded: 0: {error}"):
            sync.upload(store, tmp_path / "in", "data", "out")
    assert [info.key for info in store.list("data", "out/").objects] == [f"out/{name}" for name in names[1:]]

    fails = {f"out/{name}" for name in names}
    for error, tries in ((ServiceUnavailable("busy"), 3), (NoSuchBucket("gone"), 1)):
        tried.clear()
        with pytest.raises(StoreError, match=str(error)):
            sync.upload(store, tmp_path / "in", "data", "out")
        assert len(tried) == tries, error


_LEVELS = 3_000  # more than Python recurses, and longer as a path than the system allows


@pytest.fixture
def deep(tmp_path: Path) -> Path:
    """A tree of 3,000 levels with a file at the bottom."""
    top = tmp_path / "deep"
    top.mkdir()
    current = os.open(top, os.O_RDONLY)
    for _ in range(_LEVELS):
        os.mkdir("d", dir_fd=current)
        inner = os.open("d", os.O_RDONLY, dir_fd=current)
        os.close(current)
        current = inner
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=current))
    os.close(current)
    return top


def test_a_tree_deeper_than_any_path_is_removed_but_not_what_its_links_lead_to(deep: Path, tmp_path: Path) -> None:
    """No recursion limit and no limit on the length of a path keeps a tree from being removed."""
    files.remove_tree(deep)

    assert not deep.exists()

    (own := tmp_path / "own").mkdir()
    (own / "precious").touch()
    (tmp_path / "tree" / "inner").mkdir(parents=True)
    (tmp_path / "tree" / "inner" / "link").symlink_to(own)
    files.remove_tree(tmp_path / "tree")

    assert [path.name for path in tmp_path.iterdir()] == ["own"]
    assert (own / "precious").exists()


def test_what_a_script_has_forbidden_to_change_is_removed_all_the_same_and_nothing_that_it_links_to(
    tmp_path: Path,
) -> None:
    """Root may change everything: then another user removes it."""
    script = """
import os, sys
from pathlib import Path
from modelarts_emulator.storage.files import remove_tree
if os.getuid() == 0:
    os.chown(".", 65534, -1)
    os.setuid(65534)
for name in ("container/a/b", "outside"):
    Path(name).mkdir(parents=True)
    Path(name, "file").touch()
Path("container/link").symlink_to("../outside")
for name, mode in (("container/a/b", 0o500), ("container/a", 0o000), ("container", 0o000), ("outside", 0o500)):
    os.chmod(name, mode)
Path("link").symlink_to("outside")
remove_tree(Path("container"))
remove_tree(Path("link"))
print(os.listdir(), oct(os.stat("outside").st_mode)[-3:], os.listdir("outside"))
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)

    assert done.stdout == "['outside'] 500 ['file']\n"


def test_only_directories_without_files_are_removed(tmp_path: Path) -> None:
    """Empty directories are removed from the bottom up; one file, or a link, keeps them all."""
    (tmp_path / "a" / "b" / "c").mkdir(parents=True)
    (tmp_path / "kept" / "b").mkdir(parents=True)
    (tmp_path / "kept" / "b" / "link").symlink_to(tmp_path / "nowhere")

    assert files.remove_empty(f"{tmp_path}/a")
    assert not files.remove_empty(f"{tmp_path}/kept")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept"]
    assert (tmp_path / "kept" / "b" / "link").is_symlink()


@pytest.mark.timeout(120)
def test_only_regular_files_are_opened_and_a_fifo_does_not_block(tmp_path: Path) -> None:
    """A FIFO without a writer, a directory, a link to itself and a missing file all count as no file."""
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "file").write_bytes(b"1")
    for name in ("fifo", "loop", "", "none", "file/inner"):
        with pytest.raises(FileNotFoundError):
            files.open_regular(f"{tmp_path}/{name}")
    with files.open_regular(tmp_path / "file") as stream:
        assert stream.read() == b"1"


def test_what_is_discarded_is_gone_at_once_and_soon_from_the_disk(tmp_path: Path) -> None:
    """Something new can take its place immediately; what a killed process left in the trash goes, too."""
    (tmp_path / ".trash" / "left").mkdir(parents=True)
    trash = files.Trash(tmp_path / ".trash")
    for number in range(3):
        (tmp_path / "job" / "deep").mkdir(parents=True)
        (tmp_path / "job" / "deep" / "file").touch()
        trash.discard(f"{tmp_path}/job")
        assert not (tmp_path / "job").exists(), number
    trash.discard(f"{tmp_path}/nothing")
    trash.empty()

    eventually(lambda: not list((tmp_path / ".trash").iterdir()))
    trash.close()
    trash.empty()
    trash.close()
