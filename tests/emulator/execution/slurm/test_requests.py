"""What flavors and jobs ask of Slurm, and its commands that are missing, or that fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.execution.protocol import JobSpec, Resources
from modelarts_emulator.execution.slurm import commands
from modelarts_emulator.execution.slurm.commands import (
    SlurmDelayError,
    SlurmFlavor,
    SlurmRejectedError,
    SlurmUnavailableError,
    batch_script,
    read_flavors,
    sbatch_command,
)
from modelarts_emulator.server import Emulator

LOG = Path("/shared/100%/controller.log")


def test_a_flavor_asks_for_its_cores_memory_and_gpus_and_the_catalogue_s_options_follow() -> None:
    """Of an option that stands twice, sbatch takes the second one."""
    job = JobSpec("c7", "job", resources=Resources("f", 8, 64 << 30, 2))
    flavor = SlurmFlavor(("--partition=gpu", "--mem=8G", "--exclusive"))

    assert sbatch_command("name", job, flavor, LOG)[-6:] == [
        "--cpus-per-task=8", "--mem=65536M", "--gres=gpu:2", "--partition=gpu", "--mem=8G", "--exclusive",
    ]  # fmt: skip


def test_cards_of_every_kind_are_asked_of_the_cluster() -> None:
    job = JobSpec("c7", "job", resources=Resources("f", 8, npu_count=8))

    assert sbatch_command("name", job, SlurmFlavor(), LOG)[-1] == "--gres=npu:8"


def test_an_option_that_the_emulator_sets_itself_is_named() -> None:
    with pytest.raises(EmulatorError) as error:
        read_flavors({"f": {"slurm": {"options": ["--exclusive", "--array=1-9"]}}})

    assert str(error.value).startswith("flavor f: slurm.options has '--array=1-9', which the emulator sets itself")


def test_a_job_asks_for_its_nodes_its_time_and_its_priority() -> None:
    job = JobSpec("c7", "job", node_count=2, attempt=1, priority=2, max_duration_s=3600)
    command = sbatch_command("modelarts-c7-1", job, SlurmFlavor(), LOG)

    assert {
        "--job-name=modelarts-c7-1", "--comment=job", "--nodes=2", "--ntasks=2", "--time=62", "--nice=100",
        "--no-requeue", "--output=/shared/100%%/controller.log",
    } < set(command)  # fmt: skip


def test_the_prolog_of_a_flavor_is_run_before_the_controllers() -> None:
    """Of several nodes, none continues without the others."""
    job = JobSpec("c7", "job", node_count=2)
    lines = batch_script(job, Path("/shared jobs"), "/shared/python", "module load cuda").splitlines()

    assert lines[:2] == ["#!/bin/sh", "module load cuda"]
    assert any("--kill-on-bad-exit=1" in line for line in lines)
    assert lines[-1].endswith("/shared/python -m modelarts_emulator.execution.slurm.controller '/shared jobs' c7 0")


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
        ("sbatch: error: Batch job submission failed: Requested node configuration is not available",
         SlurmRejectedError),
        ("sbatch: error: Invalid generic resource (gres) specification", SlurmRejectedError),
        ("sbatch: unrecognized option --gpu", SlurmRejectedError),
    ],
)  # fmt: skip
def test_what_may_be_repeated_is_distinguished_from_what_may_not(
    folder: Path, text: str, kind: type[Exception]
) -> None:
    _write_command(folder / "sbatch", text, 1)
    with pytest.raises(kind) as error:
        commands.run("sbatch")

    assert str(error.value) == text.removeprefix("sbatch: ").removeprefix("error: ")


@pytest.mark.parametrize(
    "text",
    [
        "Batch job submission failed: I/O error writing script/environment to file",
        "Batch job submission failed: Required partition not available (inactive or drain)",
        "Unable to establish control machine address; Batch job submission failed: Invalid argument",
        "a sentence of Slurm 31",
    ],
)
def test_only_errors_that_are_known_to_be_final_are_final(folder: Path, text: str) -> None:
    """A full disk at the controller and maintenance of a partition pass; so may what nobody knows."""
    _write_command(folder / "sbatch", f"sbatch: error: {text}", 1)
    with pytest.raises(SlurmDelayError) as error:
        commands.run("sbatch")

    assert str(error.value) == f"Slurm does not take it: {text}"


@pytest.mark.parametrize("limit", ["AssocMaxSubmitJobLimit", "AssocGrpSubmitJobsLimit", "QOSMaxSubmitJobPerUserLimit"])
def test_a_limit_of_an_account_is_named(folder: Path, limit: str) -> None:
    """Slurm says in a second sentence what does not help: that a policy was violated."""
    _write_command(folder / "sbatch", f"sbatch: error: {limit}\nsbatch: error: Job violates accounting/QOS policy", 1)
    with pytest.raises(SlurmDelayError) as error:
        commands.run("sbatch")

    assert str(error.value) == f"a limit at Slurm is reached: {limit}"


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
