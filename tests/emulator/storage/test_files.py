"""Files and directories, however deep, while others change them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from modelarts_emulator.storage import files

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


def test_a_tree_deeper_than_any_path_is_removed(deep: Path) -> None:
    """No recursion limit and no limit on the length of a path keeps a tree from being removed."""
    files.remove_tree(deep)

    assert not deep.exists()


def test_a_tree_is_removed_but_not_what_its_links_lead_to(tmp_path: Path) -> None:
    """A link is removed, the directory that it leads to stays as it is."""
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


def wait_until_empty(folder: Path) -> None:
    deadline = time.monotonic() + 300
    while list(folder.iterdir()):
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_what_is_discarded_is_gone_at_once_and_soon_from_the_disk(tmp_path: Path) -> None:
    """Something new can take its place immediately; what a killed process left in the trash goes, too."""
    (tmp_path / ".trash" / "left").mkdir(parents=True)
    trash = files.Trash(tmp_path / ".trash")
    for _ in range(3):
        (tmp_path / "job" / "deep").mkdir(parents=True)
        (tmp_path / "job" / "deep" / "file").touch()
        trash.discard(f"{tmp_path}/job")
        assert not (tmp_path / "job").exists()
    trash.discard(f"{tmp_path}/nothing")
    trash.empty()

    wait_until_empty(tmp_path / ".trash")
    trash.close()
    trash.empty()
    trash.close()
