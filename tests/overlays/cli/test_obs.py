"""`modelarts obs`."""

import json
from pathlib import Path

import pytest
from tests.overlays.cli.conftest import Run

from modelarts_emulator.server import Emulator


@pytest.fixture
def folder(service: Emulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder with `data`; there is a bucket `work`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.txt").write_text("a")
    return tmp_path


def test_files_go_there_and_back(run: Run, folder: Path) -> None:
    """An object becomes a file of the name that is given, or a file in a folder."""
    assert run("obs", "cp", "data", "obs://work/data/").exit_code == 0
    assert run("obs", "cp", "data/a.txt", "obs://work/b.txt").exit_code == 0

    assert [each["url"] for each in json.loads(run("obs", "ls", "obs://work/data/", "-o", "json").stdout)] == [
        "obs://work/data/a.txt"
    ]
    run("obs", "cp", "obs://work/data/", "back")
    run("obs", "cp", "obs://work/b.txt", "c.txt")
    run("obs", "cp", "obs://work/b.txt", "back")
    assert [Path(name).read_text() for name in ("back/a.txt", "back/b.txt", "c.txt")] == ["a"] * 3
    assert not list(folder.glob(".modelarts-*"))


def test_a_sync_sends_what_changed_and_removes_the_rest(run: Run, service: Emulator, folder: Path) -> None:
    run("obs", "sync", "data", "obs://work/data/")
    service.objects.put("obs://work/data/old.txt", "old")
    Path("data/b.txt").write_text("b")

    done = json.loads(run("obs", "sync", "data", "obs://work/data/", "-o", "json").stdout)

    assert done == {"files": 1, "bytes": 1, "unchanged": 1, "removed": 1}


def test_a_folder_is_deleted_after_a_question(run: Run, service: Emulator, folder: Path) -> None:
    run("obs", "cp", "data", "obs://work/data/")

    asked = run("obs", "rm", "obs://work/data/", stdin="n\n")

    assert (asked.exit_code, "Delete 1 object below obs://work/data/?" in asked.stderr) == (1, True)
    assert run("obs", "rm", "obs://work/data/", "--yes").stdout == "Deleted  1\n"
    assert "Nothing found at obs://work/data/." in run("obs", "ls", "obs://work/data/").stderr


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["cp", "data", "back"], 2, "one of SOURCE and TARGET is obs://bucket/..."),
        (["cp", "obs://work/a", "obs://work/b"], 2, "one of SOURCE and TARGET is obs://bucket/..."),
        (["cp", "missing", "obs://work/"], 1, "missing: No such file or directory"),
        (["cp", "obs://work/none", "x"], 1, "there is nothing at obs://work/none"),
        (["ls", "work"], 1, '"work" is not an OBS path'),
        (["ls", "obs://no-such-bucket/"], 1, 'bucket "no-such-bucket" does not exist'),
        (["ls", "obs://no-such-bucket/"], 1, "create it: modelarts obs mb no-such-bucket"),
    ],
)
def test_errors_are_one_sentence(run: Run, folder: Path, arguments: list[str], status: int, said: str) -> None:
    done = run("obs", *arguments)

    assert done.exit_code == status
    assert said in done.stderr
