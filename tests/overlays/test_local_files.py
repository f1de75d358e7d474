"""Which files an upload sends, and which names a download accepts."""

import os
import socket
from pathlib import Path

import pytest

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ConfigError
from modelarts_toolkit.storage.local_files import IgnoreRules, files_below, path_below


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder"


def make(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


def sent(folder: Path, *, is_code: bool = False) -> list[str]:
    return sorted(files_below(folder, IgnoreRules(folder, is_code=is_code)))


def test_version_control_secrets_environments_and_caches_are_left_out_at_any_depth(folder: Path) -> None:
    """Whether files or folders; of virtual environments whatever their name is."""
    make(folder, "a.py", ".git/config", "sub/.git", ".venv/bin/python", "sub/__pycache__/b.pyc", "sub/b.py")
    make(folder, ".env", "sub/.env.local", ".envrc", "env/pyvenv.cfg", "env/lib/x.py", "node_modules/x.js", ".hg/x")
    make(folder, ".mypy_cache/x", "sub/.ipynb_checkpoints/x")
    rules = IgnoreRules(folder)

    assert sorted(files_below(folder, rules)) == ["a.py", "sub/b.py"]
    assert sorted(rules.left_out) == [".env", ".envrc", ".venv/", "env/", "node_modules/", "sub/.env.local"]


def test_the_data_folder_of_an_emulator_is_left_out(folder: Path) -> None:
    """It has credentials and everybody's objects; `!` does not bring it back."""
    (folder / ".modelartsignore").write_text("!emulator/\n!emulator/**\n")
    make(folder, "a.py", "held-others/credentials.toml", "held-others/emulator.lock")
    with Emulator(folder / "emulator"):
        assert sent(folder) == ["a.py"]


def test_a_data_folder_of_an_emulator_is_not_uploaded_itself(folder: Path) -> None:
    with Emulator(folder), pytest.raises(ConfigError, match="is the data folder of an emulator"):
        sent(folder)


def test_code_obeys_the_gitignore_files_of_its_repository(folder: Path) -> None:
    """The innermost that says something decides, as in Git; a file above the repository does not count."""
    (folder.parent / ".gitignore").write_text("*.py\n")
    make(folder, ".git/config", "project/a.py", "project/a.ckpt", "project/sub/b.ckpt", "project/sub/keep.ckpt")
    make(folder, "project/sub/x.txt", "project/runs/1")
    (folder / ".gitignore").write_text("*.ckpt\n/project/runs/\n")
    (folder / "project" / "sub" / ".gitignore").write_text("!keep.ckpt\n/x.txt\n")

    assert sent(folder / "project", is_code=True) == ["a.py", "sub/keep.ckpt"]


def test_data_and_a_code_folder_that_is_named_are_sent_although_git_ignores_them(folder: Path) -> None:
    make(folder, ".git/config", "data/a.csv", "build/a.py", "build/a.log")
    (folder / "data" / ".gitignore").write_text("*\n")
    (folder / ".gitignore").write_text("build/\n*.log\n")

    assert sent(folder / "data") == ["a.csv"]
    assert "a.py" in sent(folder / "build", is_code=True)


def test_a_modelartsignore_brings_back_what_git_ignores(folder: Path) -> None:
    """And what is left out by default, as the history."""
    make(folder, "a.py", "model.bin", ".env.example", ".env", ".git/config")
    (folder / ".gitignore").write_text("*.bin\n!.env\n")
    (folder / ".modelartsignore").write_text("!model.bin\n!.env.example\n!.git\n")

    assert sent(folder, is_code=True) == [".env.example", ".git/config", "a.py", "model.bin"]


def test_links_to_folders_are_followed_once_and_never_into_themselves(folder: Path) -> None:
    """As `aws s3 cp` does; what is left out is named."""
    elsewhere = folder.parent / "elsewhere"
    make(elsewhere, "x.bin", "deep/y.bin")
    make(folder, "a.py", "sub/b.py")
    for link, target in {
        "data": str(elsewhere),
        "again": str(elsewhere),  # before "data" in order
        "sub/up": "..",
        "sub/itself": ".",
        "latest": "sub",
        "loop-1": "loop-2",
        "loop-2": "loop-1",
        "file": str(elsewhere / "x.bin"),
    }.items():
        (folder / link).symlink_to(target)
    (elsewhere / "back").symlink_to(folder)
    rules = IgnoreRules(folder)

    found = sorted(files_below(folder, rules))

    assert found == ["a.py", "again/deep/y.bin", "again/x.bin", "file", "latest/b.py", "sub/b.py"]
    left_out = ["again/back/", "data/", "latest/itself/", "latest/up/", "loop-1", "loop-2", "sub/itself/", "sub/up/"]
    assert sorted(rules.left_out) == left_out


def test_many_links_to_each_other_bring_each_folder_once(folder: Path) -> None:
    """A walk that followed each of them would have 2 to the power of 15 steps.

    Linux follows 40 links of a path at most, and counts those again that it follows again.
    """
    for number in range(15):
        (folder.parent / str(number)).mkdir()
        (folder.parent / str(number) / "x").touch()
        for name in ("left", "right"):
            (folder.parent / str(number) / name).symlink_to(f"../{number + 1}")
    (folder / "start").symlink_to("../0")

    assert len(sent(folder)) == 15


def test_what_is_no_file_is_left_out_and_said(folder: Path) -> None:
    """Named pipes, sockets, devices and links to nothing: reading them could last for ever."""
    make(folder, "a.py")
    os.mkfifo(folder / "pipe")
    (folder / "device").symlink_to("/dev/zero")
    (folder / "nothing").symlink_to("nowhere")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "socket"))
        rules = IgnoreRules(folder, is_code=True)

        assert list(files_below(folder, rules)) == ["a.py"]
    assert rules.left_out == ["device", "nothing", "pipe", "socket"]


@pytest.mark.parametrize("key", ["../../etc/passwd", "..", "a/./b", "/etc/passwd", "a//b", "a/", "a\0b", ""])
def test_no_key_leads_out_of_the_folder(key: str, tmp_path: Path) -> None:
    """Parent folders, absolute paths and what no file can have as its name are rejected."""
    with pytest.raises(ValueError, match="cannot be a file name"):
        path_below(tmp_path, key)
