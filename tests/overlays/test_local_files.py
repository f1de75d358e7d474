"""Which files an upload sends, and which names a download accepts."""

from pathlib import Path

import pytest

from modelarts_toolkit.local_files import files_below, path_below


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder"


def make(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


def test_version_control_environments_and_caches_are_left_out_at_any_depth(folder: Path) -> None:
    """`.git`, `.venv` and `__pycache__` are not uploaded, whether files or folders."""
    make(folder, "a.py", ".git/config", "sub/.git", ".venv/bin/python", "sub/__pycache__/b.pyc", "sub/b.py", ".env")

    assert sorted(files_below(folder)) == [".env", "a.py", "sub/b.py"]


def test_a_modelartsignore_has_the_rules_of_gitignore(folder: Path) -> None:
    """Patterns, folders, anchors, negations and comments work as in gitignore; the file itself is not uploaded."""
    make(folder, "a.py", "a.ckpt", "keep.ckpt", "data/x", "sub/data/y", "sub/top.txt", "top.txt")
    (folder / ".modelartsignore").write_text("# large\n*.ckpt\n!keep.ckpt\ndata/\n/top.txt\n")

    assert sorted(files_below(folder)) == ["a.py", "keep.ckpt", "sub/top.txt"]


def test_a_negation_brings_back_what_is_left_out_by_default(folder: Path) -> None:
    """`!.git` in the ignore file uploads the history, too."""
    make(folder, ".git/config", ".venv/x")
    (folder / ".modelartsignore").write_text("!.git\n")

    assert list(files_below(folder)) == [".git/config"]


def test_files_come_in_the_order_of_their_names(folder: Path) -> None:
    """Two uploads of one folder send its files in the same order."""
    make(folder, "b/2", "b/1", "a/3", "c")

    assert list(files_below(folder)) == ["c", "a/3", "b/1", "b/2"]


def test_a_key_becomes_a_path_below_the_folder(tmp_path: Path) -> None:
    """Spaces and letters of any language are kept."""
    assert path_below(tmp_path, "a/b c ü.txt") == tmp_path / "a" / "b c ü.txt"


@pytest.mark.parametrize(
    "key", ["../../etc/passwd", "..", "a/./b", "/etc/passwd", "a//b", "a/", "a\\b", "a\0b", "a\tb", "a\x7fb", ""]
)
def test_no_key_leads_out_of_the_folder(key: str, tmp_path: Path) -> None:
    """Parent folders, absolute paths, backslashes and control characters are rejected."""
    with pytest.raises(ValueError, match="cannot be a file name"):
        path_below(tmp_path, key)
