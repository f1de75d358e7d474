"""What flavors and jobs ask of Slurm, and its commands that are missing, or that fail."""

from __future__ import annotations

from dataclasses import replace
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
TAKES_NOT = "Slurm does not take it: {}"


def test_a_job_asks_for_its_flavor_its_nodes_its_time_and_its_priority() -> None:
    """The catalogue's options follow; of an option that stands twice, sbatch takes the second one."""
    job = JobSpec("c7", "job", resources=Resources("f", 8, 64 << 30, 2))
    flavor = SlurmFlavor(("--partition=gpu", "--mem=8G", "--exclusive"))

    assert sbatch_command("name", job, flavor, LOG)[-6:] == [
        "--cpus-per-task=8", "--mem=65536M", "--gres=gpu:2", "--partition=gpu", "--mem=8G", "--exclusive",
    ]  # fmt: skip
    cards = replace(job, resources=Resources("f", npu_count=8))
    assert sbatch_command("name", cards, SlurmFlavor(), LOG)[-1] == "--gres=npu:8"

    job = JobSpec("c7", "job", node_count=2, attempt=1, priority=2, max_duration_s=3600)
    command = sbatch_command("modelarts-c7-1", job, SlurmFlavor(), LOG)

    assert {
        "--job-name=modelarts-c7-1", "--comment=job", "--nodes=2", "--ntasks=2", "--time=62", "--nice=100",
        "--no-requeue", "--output=/shared/100%%/controller.log",
    } < set(command)  # fmt: skip


def test_an_option_that_the_emulator_sets_itself_is_named() -> None:
    with pytest.raises(EmulatorError) as error:
        read_flavors({"f": {"slurm": {"options": ["--exclusive", "--array=1-9"]}}})

    assert str(error.value).startswith("flavor f: slurm.options has '--array=1-9', which the emulator sets itself")


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


def test_a_wrong_start_for_slurm_is_rejected_with_the_reason(folder: Path) -> None:
    """Without its commands, or with a limit of jobs, which only Slurm can set."""
    with pytest.raises(EmulatorError) as error, Emulator(data_dir=folder / "data", executor="slurm"):
        pass

    assert str(error.value).startswith(
        "--executor slurm needs Slurm's commands, and there is no sbatch, scancel, squeue"
    )
    assert "apt-get install slurm-client" in str(error.value)

    with (
        pytest.raises(EmulatorError, match="--max-running-jobs does not apply to --executor slurm"),
        Emulator(data_dir=folder / "data", executor="slurm", max_running_jobs=2),
    ):
        pass


def test_what_may_be_repeated_is_distinguished_from_what_may_not(folder: Path) -> None:
    """Only errors that are known to be final are; a full disk or maintenance pass, and so may what nobody knows."""
    failed = "Batch job submission failed"
    for said, kind, message in (
        (f"error: {failed}: Unable to contact slurm controller (connect failure)", SlurmUnavailableError, "{}"),
        ("error: Slurm temporarily unable to accept job, sleeping and retrying", SlurmUnavailableError, "{}"),
        ("error: invalid partition specified: x", SlurmRejectedError, "{}"),
        (f"error: {failed}: Job violates accounting/QOS policy", SlurmRejectedError, "{}"),
        (f"error: {failed}: Requested node configuration is not available", SlurmRejectedError, "{}"),
        ("error: Invalid generic resource (gres) specification", SlurmRejectedError, "{}"),
        ("unrecognized option --gpu", SlurmRejectedError, "{}"),
        (f"error: {failed}: I/O error writing script/environment to file", SlurmDelayError, TAKES_NOT),
        (f"error: {failed}: Required partition not available (inactive or drain)", SlurmDelayError, TAKES_NOT),
        ("error: Unable to establish control machine address; Invalid argument", SlurmDelayError, TAKES_NOT),
        ("error: a sentence of Slurm 31", SlurmDelayError, TAKES_NOT),
    ):
        _write_command(folder / "sbatch", f"sbatch: {said}", 1)
        with pytest.raises(kind) as error:
            commands.run("sbatch")
        assert str(error.value) == message.format(said.removeprefix("error: ")), said

    for limit in ("AssocMaxSubmitJobLimit", "AssocGrpSubmitJobsLimit", "QOSMaxSubmitJobPerUserLimit"):
        # A second sentence says what does not help: that a policy was violated.
        text = f"sbatch: error: {limit}\nsbatch: error: Job violates accounting/QOS policy"
        _write_command(folder / "sbatch", text, 1)
        with pytest.raises(SlurmDelayError, match=f"^a limit at Slurm is reached: {limit}$"):
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
