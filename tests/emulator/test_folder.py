"""The data folder: one emulator at a time, and told apart from a dead one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.folder import DataFolder, running_emulator
from modelarts_emulator.tables import open_database


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
            engine = open_database(folder.database_url)
            with engine.connect():
                modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.glob("emulator.db*")}
            engine.dispose()

            assert modes["emulator.db"] == 0o600
            assert set(modes.values()) == {0o600}
        database.chmod(0o644)


def test_a_served_folder_is_not_served_twice_and_the_refusal_names_who_serves_it(tmp_path: Path) -> None:
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


def test_a_folder_that_cannot_be_made_is_refused_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(EmulatorError, match=r"cannot be written \(.*\): choose another with --data-dir"):
        DataFolder(tmp_path / "file")
    with pytest.raises(EmulatorError, match="cannot be written"):
        DataFolder(tmp_path / "file" / "below")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)

    with pytest.raises(EmulatorError, match="Permission denied"):
        DataFolder(tmp_path)


def test_a_folder_that_became_unwritable_is_refused_and_its_lock_is_let_go(tmp_path: Path) -> None:
    (tmp_path / "jobs").write_text("in the way")
    with pytest.raises(EmulatorError, match="cannot be written"):
        DataFolder(tmp_path)

    (tmp_path / "jobs").unlink()
    DataFolder(tmp_path).__exit__(None, None, None)
