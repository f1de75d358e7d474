"""What flavors are at Slurm."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from modelarts_emulator.execution.protocol import JobSpec, Resources
from modelarts_emulator.execution.slurm.flavors import SlurmFlavor, read_flavors
from modelarts_emulator.execution.slurm.request import batch_script, sbatch_command
from modelarts_emulator.http.errors import EmulatorError
from modelarts_emulator.settings import catalogue


def test_a_flavor_asks_for_its_cores_memory_and_gpus_unless_the_catalogue_says_otherwise() -> None:
    resources = Resources("f", 8, 64 << 30, 2)

    assert SlurmFlavor().options(resources) == ["--cpus-per-task=8", "--mem=65536M", "--gres=gpu:2"]
    assert SlurmFlavor("gpu", account="team", cpus=4, memory="8G", gres="gpu:v100:1").options(resources) == [
        "--partition=gpu",
        "--account=team",
        "--cpus-per-task=4",
        "--mem=8G",
        "--gres=gpu:v100:1",
    ]


@pytest.mark.parametrize(
    ("member", "message"),
    [
        ({"queue": "gpu"}, "flavor f: slurm has the unknown member queue; known are: partition, account, qos"),
        ({"cpus": "8"}, "flavor f: slurm.cpus must be an integer of at least 1, not '8'"),
        ({"memory": "much"}, 'flavor f: slurm.memory must be a size like "512M" or "8G", not \'much\''),
        ({"partition": "a b"}, "flavor f: slurm.partition must be a text without spaces, not 'a b'"),
    ],
)
def test_a_wrong_member_of_the_catalogue_is_named(member: dict[str, Any], message: str) -> None:
    with pytest.raises(EmulatorError) as error:
        read_flavors({"f": {"slurm": member}})

    assert str(error.value).startswith(message)


def test_a_catalogue_with_a_wrong_member_is_rejected_with_every_executor(tmp_path: Path) -> None:
    path = tmp_path / "catalogue.toml"
    path.write_text('[[flavor]]\nflavor_id = "f"\nflavor_type = "CPU"\nslurm = { cpus = 0 }\n')

    with pytest.raises(EmulatorError, match=r"slurm\.cpus must be an integer of at least 1, not 0"):
        catalogue.load(path)


def test_a_job_asks_for_its_nodes_its_time_and_its_priority() -> None:
    job = JobSpec("c7", "job", node_count=2, attempt=1, priority=2, max_duration_s=3600)
    command = sbatch_command(job, SlurmFlavor())

    assert {"--job-name=modelarts-c7-1", "--nodes=2", "--ntasks=2", "--time=62", "--nice=100", "--no-requeue"} < set(
        command
    )


def test_the_controller_of_one_node_takes_the_place_of_the_batch_script() -> None:
    """Several nodes get a controller each, by srun, and the addresses of all."""
    one = batch_script(JobSpec("c7", "job"), Path("/a b"), Path("/log"), "/python")
    two = batch_script(JobSpec("c7", "job", node_count=2), Path("/a b"), Path("/log"), "/python")

    assert one.splitlines()[-1] == "exec /python -m modelarts_emulator.execution.slurm.controller '/a b' c7 0"
    assert "srun" not in one
    assert "--nodes=2 --ntasks=2 --ntasks-per-node=1" in two
    assert "export MODELARTS_NODES MODELARTS_HOSTS" in two
