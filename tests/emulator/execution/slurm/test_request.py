"""What flavors and jobs ask of Slurm."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from modelarts_emulator.execution.protocol import JobSpec, Resources
from modelarts_emulator.execution.slurm.request import SlurmFlavor, batch_script, read_flavors, sbatch_command
from modelarts_emulator.http.errors import EmulatorError
from modelarts_emulator.settings import catalogue

LOG = Path("/shared/100%/controller.log")


def test_a_flavor_asks_for_its_cores_memory_and_gpus_and_the_catalogue_s_options_follow() -> None:
    """Of an option that stands twice, sbatch takes the second one."""
    job = JobSpec("c7", "job", resources=Resources("f", 8, 64 << 30, 2))
    flavor = SlurmFlavor(("--partition=gpu", "--mem=8G", "--exclusive"))

    assert sbatch_command("name", job, flavor, LOG)[-6:] == [
        "--cpus-per-task=8", "--mem=65536M", "--gres=gpu:2", "--partition=gpu", "--mem=8G", "--exclusive",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("member", "message"),
    [
        ({"queue": "gpu"}, "flavor f: slurm has the unknown member queue; known are: options, prolog"),
        ({"options": "--exclusive"}, 'flavor f: slurm.options must be a list like ["--partition=gpu"], not \'--ex'),
        ({"options": ["-p gpu"]}, "flavor f: slurm.options has '-p gpu': write it like \"--partition=gpu\""),
        ({"options": ["--array=1-9"]}, "flavor f: slurm.options has '--array=1-9', which the emulator sets itself"),
        ({"prolog": ["module"]}, "flavor f: slurm.prolog must be a text, not ['module']"),
    ],
)
def test_a_wrong_member_of_the_catalogue_is_named(member: dict[str, Any], message: str) -> None:
    with pytest.raises(EmulatorError) as error:
        read_flavors({"f": {"slurm": member}})

    assert str(error.value).startswith(message)


def test_a_catalogue_with_a_wrong_member_is_rejected_with_every_executor(tmp_path: Path) -> None:
    path = tmp_path / "catalogue.toml"
    path.write_text('[[flavor]]\nflavor_id = "f"\nflavor_type = "CPU"\nslurm = { cpus = 1 }\n')

    with pytest.raises(EmulatorError, match="flavor 1: slurm: unknown: cpus"):
        catalogue.load(path)


def test_a_job_asks_for_its_nodes_its_time_and_its_priority() -> None:
    job = JobSpec("c7", "job", node_count=2, attempt=1, priority=2, max_duration_s=3600)
    command = sbatch_command("modelarts-c7-1", job, SlurmFlavor(), LOG)

    assert {
        "--job-name=modelarts-c7-1", "--comment=job", "--nodes=2", "--ntasks=2", "--time=62", "--nice=100",
        "--no-requeue", "--output=/shared/100%%/controller.log",
    } < set(command)  # fmt: skip


def test_the_prolog_of_a_flavor_is_run_before_the_controllers() -> None:
    """Of several nodes, none goes on without the others."""
    job = JobSpec("c7", "job", node_count=2)
    lines = batch_script(job, Path("/shared jobs"), "/shared/python", "module load cuda").splitlines()

    assert lines[:2] == ["#!/bin/sh", "module load cuda"]
    assert any("--kill-on-bad-exit=1" in line for line in lines)
    assert lines[-1].endswith("/shared/python -m modelarts_emulator.execution.slurm.controller '/shared jobs' c7 0")
