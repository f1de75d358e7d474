"""Looking at files and directories, making and removing them: the same at both kinds of places."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import moxing as mox
from modelarts_emulator.control.client import ObjectControl


@pytest.fixture(params=["object storage", "local"])
def top(request: pytest.FixtureRequest, tree: Path) -> str:
    """The tree at either kind of place."""
    if request.param == "local":
        return str(tree)
    url = f"{request.getfixturevalue('bucket')}/tree"
    mox.file.copy_parallel(tree, url)
    return url


def test_what_is_there_is_found(top: str) -> None:
    """A file is not a directory; a directory is found with and without a slash at its end."""
    assert mox.file.exists(f"{top}/a.txt")
    assert not mox.file.is_directory(f"{top}/a.txt")
    assert mox.file.exists(f"{top}/sub")
    assert mox.file.is_directory(f"{top}/sub/")
    assert not mox.file.exists(f"{top}/su")
    assert not mox.file.is_directory(f"{top}/nowhere")


def test_a_listing_is_relative_to_the_directory(top: str) -> None:
    """The top level, or with `recursive` everything; separators and kinds as asked for."""
    assert sorted(mox.file.list_directory(top)) == ["a.txt", "empty", "sub"]
    assert mox.file.list_directory(f"{top}/", recursive=True) == [
        "a.txt",
        "empty",
        "sub",
        "sub/b.bin",
        "sub/deeper",
        "sub/deeper/c",
    ]
    assert mox.file.list_directory(top, remove_sep=False, skip_file=True) == ["empty/", "sub/"]
    assert mox.file.list_directory(top, skip_dir=True) == ["a.txt"]
    assert mox.file.list_directory(f"{top}/empty") == []
    with pytest.raises(FileNotFoundError, match="nowhere"):
        mox.file.list_directory(f"{top}/nowhere")


def test_sizes_and_times_are_reported(top: str) -> None:
    """`stat` reports bytes, nanoseconds and kind; the size of a directory needs `recursive` in object storage."""
    found = mox.file.stat(f"{top}/sub/b.bin")

    assert (found.length, found.is_directory) == (256, False)
    assert abs(found.mtime_nsec / 1e9 - time.time()) < 60
    assert mox.file.stat(f"{top}/sub").is_directory
    assert mox.file.get_size(f"{top}/sub/b.bin") == 256
    assert mox.file.get_size(top, recursive=True) == 257
    with pytest.raises(FileNotFoundError):
        mox.file.stat(f"{top}/nowhere")


def test_walk_scan_dir_and_glob_are_like_those_of_python(top: str) -> None:
    """Directories come with the names in them; entries have paths; `*` stops at a slash."""
    assert [(path[len(top) :], sorted(folders), files) for path, folders, files in mox.file.walk(top)] == [
        ("", ["empty", "sub"], ["a.txt"]),
        ("/empty", [], []),
        ("/sub", ["deeper"], ["b.bin"]),
        ("/sub/deeper", [], ["c"]),
    ]
    entries = {entry.name: entry for entry in mox.file.scan_dir(top)}
    assert {name: entry.is_dir() for name, entry in entries.items()} == {"a.txt": False, "empty": True, "sub": True}
    assert mox.file.read(entries["a.txt"].path) == "a"
    assert mox.file.glob(f"{top}/*/b.*") == [f"{top}/sub/b.bin"]
    assert mox.file.glob(f"{top}/[ab]*") == [f"{top}/a.txt"]
    assert mox.file.glob(f"{top}/nowhere/*") == []


def test_directories_are_made(top: str) -> None:
    """`make_dirs` makes those above, too; `mk_dir` does not."""
    mox.file.make_dirs(f"{top}/new/one")
    mox.file.make_dirs(f"{top}/new/one")
    mox.file.mk_dir(f"{top}/new/two")

    assert mox.file.list_directory(f"{top}/new") == ["one", "two"]
    with pytest.raises(OSError, match="nowhere"):
        mox.file.mk_dir(f"{top}/nowhere/one")


def test_a_directory_is_removed_only_if_that_is_asked_for(top: str) -> None:
    """Everything beside it stays."""
    if "://" in top:
        mox.file.remove(f"{top}/sub")
        mox.file.remove(f"{top}/sub/")
        mox.file.remove(f"{top}/nowhere", recursive=True)
    else:
        with pytest.raises(OSError, match="sub"):
            mox.file.remove(f"{top}/sub")
    assert mox.file.exists(f"{top}/sub/b.bin")

    mox.file.remove(f"{top}/sub", recursive=True)
    mox.file.remove(f"{top}/a.txt")

    assert mox.file.list_directory(top) == ["empty"]


def test_a_whole_bucket_is_not_removed(bucket: str, objects: ObjectControl) -> None:
    """A slip of the pen must not cost all data."""
    objects.put(f"{bucket}/file", b"x")

    for url in (bucket, f"{bucket}/", f"{bucket}//"):
        with pytest.raises(ValueError, match="is a whole bucket"):
            mox.file.remove(url, recursive=True)

    assert objects.get(f"{bucket}/file") == b"x"


def test_only_what_is_in_the_directory_is_removed(bucket: str, objects: ObjectControl) -> None:
    """A name that only begins like the directory's is another one."""
    for key in ("data/x", "data2/x", "dat"):
        objects.put(f"{bucket}/{key}", b"")

    mox.file.remove(f"{bucket}/data", recursive=True)

    assert objects.list(f"{bucket}/") == [f"{bucket}/dat", f"{bucket}/data2/x"]


def test_more_objects_than_a_page_are_listed(bucket: str, objects: ObjectControl) -> None:
    """Pages are continued after the last key, also behind a common prefix."""
    names = [f"{number:04}" for number in range(1003)]
    for name in names:
        objects.put(f"{bucket}/data/{name}/x", b"")

    assert mox.file.list_directory(f"{bucket}/data") == names
    assert len(mox.file.list_directory(f"{bucket}/data", recursive=True)) == 2 * len(names)


def test_an_empty_bucket_is_a_directory_and_no_bucket_is_none(bucket: str) -> None:
    """A bucket that does not exist is an error where a listing is wanted."""
    assert mox.file.is_directory(bucket)
    assert mox.file.list_directory(bucket) == []
    assert not mox.file.exists(f"{bucket}-other/x")
    with pytest.raises(mox.file.MoxFileNotExistsException, match="NoSuchBucket"):
        mox.file.list_directory(f"{bucket}-other")


@pytest.mark.parametrize("url", ["obs://", "s3:///key"])
def test_a_url_without_a_bucket_is_an_error(url: str) -> None:
    """It is not taken for a local path."""
    with pytest.raises(ValueError, match="names no bucket"):
        mox.file.exists(url)


def test_another_scheme_is_an_error() -> None:
    """It is not taken for a local path."""
    with pytest.raises(ValueError, match="neither a local path nor a URL"):
        mox.file.write("gs://bucket/key", "x")
