"""The data folder: one emulator at a time, and distinguished from a dead one."""

from __future__ import annotations

import contextlib
import json
import subprocess
from pathlib import Path

import httpx
import pytest
from tests.emulator.conftest import Puppet, serve

from modelarts_emulator.server import Emulator, EmulatorError


def test_a_folder_and_its_database_are_for_its_owner_only(tmp_path: Path) -> None:
    """A folder that others may read stays one, but the database in it is not."""
    made, given = tmp_path / "a" / "b", tmp_path / "given"
    given.mkdir(mode=0o755)
    for folder in (made, given, given):
        with Emulator(folder, executor="simulated"):
            assert {path.stat().st_mode & 0o777 for path in folder.glob("emulator.db*")} == {0o600}, folder
        (folder / "emulator.db").chmod(0o644)

    assert made.stat().st_mode & 0o077 == 0


def test_a_served_folder_is_not_served_twice_and_the_rejection_names_who_serves_it(tmp_path: Path) -> None:
    with Emulator(tmp_path, executor="simulated") as first:
        with pytest.raises(EmulatorError, match=f"already served by {first.endpoint}"):
            Emulator(tmp_path).__enter__()
        announced = (tmp_path / "emulator.json").read_text()
    assert not (tmp_path / "emulator.json").exists()

    (tmp_path / "emulator.json").write_text(announced)  # as a killed one leaves it
    seen: list[bool] = []

    class Looking(Puppet):
        """Looks, when it is asked the first time, whether the announcement of the killed one is still there."""

        @property
        def owns_queue(self) -> bool:  # type: ignore[override]
            seen.append((tmp_path / "emulator.json").exists())
            return False

    with Emulator(tmp_path, executor=Looking(tmp_path)) as second:
        now = json.loads((tmp_path / "emulator.json").read_text())
    assert (seen[0], now["endpoint"]) == (False, second.endpoint)


def test_a_folder_that_cannot_be_made_is_rejected_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(EmulatorError, match=r"cannot be written \(.*\): choose another with --data-dir"):
            Emulator(folder).__enter__()


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
            assert not is_kept, name

        assert kept.exists() == is_kept, name

    with pytest.raises(EmulatorError, match=r"held other files .* choose another folder with --data-dir, or leave out"):
        Emulator(tmp_path / "foreign", forget=True).__enter__()
    (tmp_path / "never" / "served").mkdir(parents=True)
    with pytest.raises(EmulatorError, match="--forget may delete them"):
        Emulator(tmp_path / "never", forget=True).__enter__()
    assert [path.name for path in (tmp_path / "never").iterdir()] == ["served"], "neither a database nor a lock"


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
        Emulator(tmp_path).__enter__()


SCRIPT = b"""
import pathlib, sys
pathlib.Path(sys.argv[1].partition("=")[2], "model.bin").write_text("weights")
print("loss: 0.5")
"""


def test_jobs_logs_outputs_and_users_are_there_in_a_copy(tmp_path: Path) -> None:
    """The same credentials are valid."""
    with serve(tmp_path / "old", paths="mapping") as api:
        outputs = [{"name": "train_url", "remote": {"obs": {"obs_url": f"/{api.bucket}/out/"}}}]
        job_id = api.run_script(SCRIPT, outputs=outputs)
        api.wait_for_phase(job_id, "Completed")
        password = api.emulator.identity.password

    subprocess.run(["cp", "-r", tmp_path / "old", tmp_path / "new"], check=True)  # as `docs/emulator-control.md` says
    (tmp_path / "new").chmod(0o700)
    (tmp_path / "new" / "credentials.toml").chmod(0o600)
    with serve(tmp_path / "new", paths="mapping") as api:
        assert api.emulator.identity.password == password
        assert api.phase_of(job_id) == "Completed"
        assert api.printed(job_id, "loss:") == ["0.5"]
        assert api.emulator.objects.get(f"obs://{api.bucket}/out/model.bin") == b"weights"
