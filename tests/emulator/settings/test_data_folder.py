"""The data folder: one emulator at a time, and distinguished from a dead one."""

from __future__ import annotations

import contextlib
from pathlib import Path

import httpx
import pytest

from modelarts_emulator.engine.database import open_database
from modelarts_emulator.server import Emulator, EmulatorError
from modelarts_emulator.settings.data_folder import DataFolder, running_emulator


def test_a_folder_is_made_with_what_belongs_into_it_and_for_its_owner_only(tmp_path: Path) -> None:
    with DataFolder(tmp_path / "a" / "b") as folder:
        assert folder.objects.is_dir()
        assert folder.jobs.is_dir()
        assert folder.path.stat().st_mode & 0o077 == 0


def test_the_database_is_its_owners_only_in_whatever_folder(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    database = tmp_path / "emulator.db"
    for _ in range(2):
        with DataFolder(tmp_path) as folder:
            engine = open_database(folder.database)
            with engine.connect():
                modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.glob("emulator.db*")}
            engine.dispose()

            assert modes["emulator.db"] == 0o600
            assert set(modes.values()) == {0o600}
        database.chmod(0o644)


def test_a_served_folder_is_not_served_twice_and_the_rejection_names_who_serves_it(tmp_path: Path) -> None:
    with DataFolder(tmp_path) as folder:
        folder.announce({"endpoint": "http://127.0.0.1:1"})
        with pytest.raises(EmulatorError, match=r"already served by http://127\.0\.0\.1:1"):
            DataFolder(tmp_path)

    DataFolder(tmp_path).__exit__(None, None, None)


def test_who_serves_a_folder_is_known_only_while_it_does(tmp_path: Path) -> None:
    assert running_emulator(tmp_path) is None
    with DataFolder(tmp_path) as folder:
        assert running_emulator(tmp_path) is None
        folder.announce({"port": 7})
        assert running_emulator(tmp_path) == {"port": 7}
    assert running_emulator(tmp_path) is None


def test_what_a_killed_emulator_announced_is_not_believed(tmp_path: Path) -> None:
    with DataFolder(tmp_path) as folder:
        folder.announce({"port": 7})
        left_behind = (tmp_path / "emulator.json").read_text()
    (tmp_path / "emulator.json").write_text(left_behind)

    assert running_emulator(tmp_path) is None


def test_a_folder_that_cannot_be_made_is_rejected_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(EmulatorError, match=r"cannot be written \(.*\): choose another with --data-dir"):
        DataFolder(tmp_path / "file")
    with pytest.raises(EmulatorError, match="cannot be written"):
        DataFolder(tmp_path / "file" / "below")


def test_a_folder_is_an_emulator_s_own_if_nothing_else_was_in_it(tmp_path: Path) -> None:
    """What belongs to an emulator does not make it somebody else's, and it stays what it was."""
    own, foreign = tmp_path / "own", tmp_path / "foreign"
    for folder in (own, foreign):
        folder.mkdir()
    (own / ".gitignore").write_text("*")
    (own / "credentials.toml").touch()
    (foreign / "objects").mkdir()
    for _ in range(2):
        for folder in (own, foreign):
            with DataFolder(folder) as opened:
                assert opened.is_own == (folder == own)
            (own / "notes.txt").write_text("written later")


def test_what_an_emulator_did_not_make_is_not_forgotten(tmp_path: Path) -> None:
    """The objects of a folder that was somebody else's survive `--forget`; those of an own one do not."""
    for name, is_kept in (("own", False), ("foreign", True)):
        folder = tmp_path / name
        kept = folder / "objects" / "my-bucket" / "model.bin"
        if is_kept:
            kept.parent.mkdir(parents=True)
            kept.write_text("weights")
        with Emulator(folder, executor="simulated"):
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text("weights")

        with contextlib.suppress(EmulatorError), Emulator(folder, executor="simulated", forget=True):
            assert not is_kept

        assert kept.exists() == is_kept

    with pytest.raises(EmulatorError, match=r"held other files .* choose another folder with --data-dir, or leave out"):
        Emulator(tmp_path / "foreign", forget=True).__enter__()


def test_a_rejected_forget_leaves_nothing_in_the_folder(tmp_path: Path) -> None:
    """No database, no lock: the folder is somebody else's."""
    (tmp_path / "notes.txt").write_text("mine")

    with pytest.raises(EmulatorError, match="--forget may delete them"):
        Emulator(tmp_path, forget=True).__enter__()

    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_reset_is_rejected_where_forget_is(tmp_path: Path) -> None:
    """In a folder that was somebody else's nothing is deleted, by the handle or by the control API."""
    kept = tmp_path / "objects" / "my-bucket" / "model.bin"
    kept.parent.mkdir(parents=True)
    kept.write_text("weights")
    with Emulator(tmp_path, executor="simulated") as emulator:
        with pytest.raises(EmulatorError, match=r"held other files .* a reset may delete them"):
            emulator.reset()
        variables = emulator.environment()
        response = httpx.post(
            f"{variables['MODELARTS_ENDPOINT']}/_emulator/reset",
            headers={"Authorization": f"Bearer {variables['MODELARTS_EMULATOR_TOKEN']}"},
        )

    assert (response.status_code, "held other files" in response.text) == (409, True)
    assert kept.read_text() == "weights"


def test_a_full_disk_is_reported_at_the_start(tmp_path: Path) -> None:
    """Before anything is served, and without advice to move the folder's database away."""
    (tmp_path / "emulator.json.new").symlink_to("/dev/full")

    with pytest.raises(EmulatorError, match=r"the disk of the data folder .* is full: free some space"):
        DataFolder(tmp_path)
