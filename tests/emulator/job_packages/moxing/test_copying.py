"""copy, copy_parallel and rename, in every direction."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import moxing as mox
from modelarts_emulator.control.client import ObjectControl

MEGABYTE = 1 << 20


def contents(folder: Path) -> dict[str, bytes | None]:
    """All files below a local directory, by their relative paths, and its directories."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


@pytest.mark.parametrize("scheme", ["obs", "s3"])
def test_a_directory_comes_back_as_it_was_uploaded_and_nothing_else_is_deleted(
    scheme: str, bucket: str, objects: ObjectControl, tree: Path, tmp_path: Path
) -> None:
    """Files and empty directories survive a round trip, with either scheme, beside what was in the targets."""
    url = bucket.replace("obs", scheme, 1)

    objects.put(f"{bucket}/data/kept", b"kept")
    (tmp_path / "back").mkdir()
    (tmp_path / "back" / "mine").write_bytes(b"mine")

    mox.file.copy_parallel(tree, f"{url}/data")
    mox.file.copy_parallel(f"{url}/data/", tmp_path / "back")
    mox.file.copy_parallel(tmp_path / "back", tmp_path / "local")

    assert contents(tmp_path / "local") == contents(tree) | {"kept": b"kept", "mine": b"mine"}
    assert objects.get(f"{bucket}/data/kept") == b"kept"
    assert mox.file.is_directory(f"{url}/data/empty")


def test_only_the_files_that_are_named_are_copied(bucket: str, tree: Path) -> None:
    """`file_list` has paths relative to the source; one that is missing is an error before anything is copied."""
    with pytest.raises(FileNotFoundError, match=r"1 of file_list are not in .*: nowhere"):
        mox.file.copy_parallel(tree, f"{bucket}/data", file_list=["a.txt", "nowhere"])
    assert not mox.file.exists(f"{bucket}/data")

    mox.file.copy_parallel(tree, f"{bucket}/data", file_list=["sub/b.bin"])

    assert mox.file.list_directory(f"{bucket}/data", recursive=True) == ["sub", "sub/b.bin"]


def test_one_file_is_copied_by_either_function(bucket: str, objects: ObjectControl, tmp_path: Path) -> None:
    """`copy` makes directories above the target; `copy_parallel` takes a file, too, and either a large one."""
    content = os.urandom(MEGABYTE) * 9
    (tmp_path / "large").write_bytes(content)

    mox.file.copy(tmp_path / "large", f"{bucket}/x/a.txt")
    mox.file.copy_parallel(f"{bucket}/x/a.txt", f"{bucket}/y.txt")
    mox.file.copy(f"{bucket}/y.txt", tmp_path / "new" / "folder" / "a.txt")

    assert mox.file.get_size(f"{bucket}/x/a.txt") == len(content)
    assert objects.get(f"{bucket}/y.txt") == content
    assert (tmp_path / "new" / "folder" / "a.txt").read_bytes() == content


def test_a_download_that_fails_leaves_nothing_behind(bucket: str, objects: ObjectControl, tmp_path: Path) -> None:
    """The target is a directory that is not empty: it stays, and no draft is left beside it."""
    objects.put(f"{bucket}/file", b"new")
    (tmp_path / "x" / "file").mkdir(parents=True)
    (tmp_path / "x" / "file" / "inside").touch()

    with pytest.raises(mox.file.MoxFileNameDuplicateException, match="the same path"):
        mox.file.copy_parallel(bucket, tmp_path / "x")

    assert contents(tmp_path / "x") == {"file": None, "file/inside": b""}


def test_what_cannot_be_copied_is_an_error_that_names_it(
    bucket: str, tmp_path: Path, objects: ObjectControl, tree: Path
) -> None:
    """Both kinds of sources that do not exist; and a directory, with what to use instead."""
    with pytest.raises(mox.file.MoxFileNotExistsException, match=f"{bucket}/nowhere"):
        mox.file.copy_parallel(f"{bucket}/nowhere", tmp_path)
    with pytest.raises(FileNotFoundError, match="NoSuchKey"):
        mox.file.copy(f"{bucket}/nowhere", tmp_path / "x")
    with pytest.raises(FileNotFoundError, match=r"nowhere.* does not exist"):
        mox.file.copy_parallel(tmp_path / "nowhere", f"{bucket}/x")
    assert [path.name for path in tmp_path.iterdir()] == ["tree"]

    objects.put(f"{bucket}/data/file", b"")

    for source in (tree, f"{bucket}/data", f"{bucket}/data/", bucket):
        with pytest.raises(IsADirectoryError, match="copy it with copy_parallel"):
            mox.file.copy(source, tmp_path / "x")
    for target in (tmp_path, f"{bucket}/data/", f"{bucket}/data"):
        with pytest.raises(IsADirectoryError, match="name the file in it"):
            mox.file.copy(tree / "a.txt", target)


def test_links_are_followed_once(bucket: str, objects: ObjectControl, tree: Path) -> None:
    """A link to a file or directory is copied as what it leads to; one that leads upwards is left out."""
    (tree / "sub" / "up").symlink_to(tree)
    (tree / "link").symlink_to(tree / "a.txt")
    os.mkfifo(tree / "pipe")

    mox.file.copy_parallel(tree, f"{bucket}/data")

    found = mox.file.list_directory(f"{bucket}/data", recursive=True, skip_dir=True)
    assert found == ["a.txt", "link", "sub/b.bin", "sub/deeper/c"]


def test_rename_moves_files_and_directories(bucket: str, objects: ObjectControl, tree: Path, tmp_path: Path) -> None:
    """The source is gone afterwards; a move into or onto itself, which would lose it, is rejected."""
    before = contents(tree)

    mox.file.rename(tree, f"{bucket}/one")
    assert not tree.exists()
    mox.file.rename(f"{bucket}/one", f"{bucket}/two")
    assert not mox.file.exists(f"{bucket}/one")
    mox.file.rename(f"{bucket}/two", tmp_path / "back")
    assert not mox.file.exists(f"{bucket}/two")
    assert contents(tmp_path / "back") == before

    mox.file.rename(tmp_path / "back" / "a.txt", f"{bucket}/file")
    mox.file.rename(f"{bucket}/file", f"{bucket}/file2")
    assert objects.list(f"{bucket}/") == [f"{bucket}/file2"]

    objects.put(f"{bucket}/one/file", b"x")

    with pytest.raises(ValueError, match="into itself"):
        mox.file.rename(f"{bucket}/one", f"{bucket}/one/two")
    with pytest.raises(ValueError, match="to itself"):
        mox.file.rename(f"{bucket}/one/file", f"{bucket}/one/file")

    assert objects.get(f"{bucket}/one/file") == b"x"
