"""Slurm's commands that are missing, or that fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelarts_emulator.execution.slurm import commands
from modelarts_emulator.execution.slurm.commands import SlurmLimitError, SlurmRejectedError, SlurmUnavailableError
from modelarts_emulator.http.errors import EmulatorError
from modelarts_emulator.server import Emulator


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def _write_command(path: Path, text: str, code: int) -> None:
    path.write_text(f"#!/bin/sh\necho '{text}' >&2\nexit {code}\n")
    path.chmod(0o755)


def test_an_emulator_without_slurm_s_commands_does_not_start(folder: Path) -> None:
    with pytest.raises(EmulatorError) as error, Emulator(data_dir=folder / "data", executor="slurm"):
        pass

    assert str(error.value).startswith(
        "--executor slurm needs Slurm's commands, and there is no sbatch, scancel, squeue"
    )
    assert "apt-get install slurm-client" in str(error.value)


def test_a_limit_of_jobs_that_run_is_rejected(tmp_path: Path) -> None:
    with (
        pytest.raises(EmulatorError, match="--max-running-jobs does not apply to --executor slurm"),
        Emulator(data_dir=tmp_path / "data", executor="slurm", max_running_jobs=2),
    ):
        pass


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)",
         SlurmUnavailableError),
        ("sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying", SlurmUnavailableError),
        ("sbatch: error: invalid partition specified: x", SlurmRejectedError),
        ("sbatch: error: Batch job submission failed: Job violates accounting/QOS policy", SlurmRejectedError),
    ],
)  # fmt: skip
def test_what_may_be_repeated_is_distinguished_from_what_may_not(
    folder: Path, text: str, kind: type[Exception]
) -> None:
    _write_command(folder / "sbatch", text, 1)
    with pytest.raises(kind) as error:
        commands.run("sbatch")

    assert str(error.value) == text.removeprefix("sbatch: error: ")


@pytest.mark.parametrize("limit", ["AssocMaxSubmitJobLimit", "AssocGrpSubmitJobsLimit", "QOSMaxSubmitJobPerUserLimit"])
def test_a_limit_of_an_account_is_named(folder: Path, limit: str) -> None:
    """Slurm says in a second sentence what does not help: that a policy was violated."""
    _write_command(folder / "sbatch", f"sbatch: error: {limit}\nsbatch: error: Job violates accounting/QOS policy", 1)
    with pytest.raises(SlurmLimitError) as error:
        commands.run("sbatch")

    assert str(error.value) == limit


def test_a_command_that_is_gone_may_be_repeated(folder: Path) -> None:
    with pytest.raises(SlurmUnavailableError, match="sbatch cannot be started: No such file or directory"):
        commands.run("sbatch")


def test_what_the_environment_asks_of_jobs_is_not_passed_on() -> None:
    given = {
        "SLURM_CONF": "/etc/slurm.conf",
        "SBATCH_PARTITION": "other",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "PATH": "/",
    }

    assert commands.environment(given) == {
        "SLURM_CONF": "/etc/slurm.conf",
        "PATH": "/",
    }


def test_jobs_have_the_language_of_the_emulator() -> None:
    """They inherit the environment of sbatch; with `LC_ALL=C` scripts could not print text that is not ASCII."""
    given = {"LANG": "de_DE.UTF-8", "LC_CTYPE": "C.UTF-8"}

    assert given == {name: value for name, value in commands.environment(given).items() if name.startswith("L")}
