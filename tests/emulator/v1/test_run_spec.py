"""What is executed for a version."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from modelarts_emulator.execution.container import Container
from modelarts_emulator.execution.protocol import spec_from_json
from modelarts_emulator.settings import catalogue
from modelarts_emulator.settings.catalogue import Catalogue
from modelarts_emulator.v1 import builtin
from modelarts_emulator.v1.run_spec import describe_run
from modelarts_emulator.v1.training_settings import read_settings

GIVEN = {
    "worker_server_num": 1,
    "spec_id": 27,
    "parameter": [{"label": "rate", "value": 0.5}],
    "data_url": "/bucket/data/",
    "train_url": "obs://bucket/results/",
}
CODE = {"app_url": "/bucket/code/", "boot_file_url": "/bucket/code/train.py", "engine_id": 4}
IMAGE = {"app_url": "/bucket/code/", "user_image_url": "registry/image:1", "user_command": "python train.py"}


@pytest.fixture(scope="module")
def standard() -> Catalogue:
    return catalogue.load()


def spec(standard: Catalogue, **given: Any) -> Any:
    settings = read_settings(standard, GIVEN | given)
    return spec_from_json(describe_run(standard, "job1", "digits", settings))


def test_own_code_gets_obs_paths_as_arguments_and_nothing_is_fetched_for_it(standard: Catalogue) -> None:
    """Version 1 leaves copying to the script."""
    job = spec(standard, **CODE)

    assert dict(job.parameters) == {
        "rate": "0.5",
        "data_url": "obs://bucket/data/",
        "train_url": "obs://bucket/results/",
    }
    assert (job.code_dir, job.boot_file, job.command) == ("/bucket/code/", "/bucket/code/train.py", None)
    assert (job.inputs, job.outputs) == ((), ())
    assert job.engine == {"engine_id": "4", "engine_name": "TensorFlow", "engine_version": "TF-1.8.0-python3.6"}
    assert (job.resources.cpu_cores, job.resources.memory_bytes) == (8, 32 << 30)


def test_scripts_find_the_nodes_under_the_names_of_version_1(standard: Catalogue) -> None:
    """Number of nodes, number of this node, and every node's address; the names of version 2 hold, too."""
    job = spec(standard, **CODE, worker_server_num=2, spec_id=2)

    environs = [Container(job, index, Path("/task")).environment([], {}) for index in (0, 1)]

    assert [environ["DLS_TASK_INDEX"] for environ in environs] == ["0", "1"]
    assert environs[1]["DLS_TASK_NUMBER"] == environs[1]["MA_NUM_HOSTS"] == "2"
    hosts = [environs[0][f"BATCH_CUSTOM{index}_HOSTS"] for index in (0, 1)]
    assert hosts == [f"{host}:6666" for host in environs[0]["VC_WORKER_HOSTS"].split(",")]


def test_a_custom_image_runs_its_command(standard: Catalogue) -> None:
    job = spec(standard, **IMAGE)

    assert (job.command, job.boot_file, job.engine) == ("python train.py", None, {"image_url": "registry/image:1"})


def test_the_home_of_version_1_is_found_in_the_container(standard: Catalogue) -> None:
    """The documented command begins with the platform's wrapper and names files below `/home/work`."""
    command = "bash -x /home/work/run_train.sh python /home/work/user-job-dir/code/train.py --out /home/work2"
    job = spec(standard, **IMAGE | {"user_command": command, "parameter": [{"label": "a", "value": "/home/work/a"}]})
    words = job.command.split()

    assert Path(words[2]).is_file()
    assert words[:2] + words[3:] == [
        *("bash", "-x", "python", "/home/ma-user/modelarts/user-job-dir/code/train.py", "--out", "/home/work2")
    ]
    assert dict(job.parameters)["a"] == "/home/ma-user/a"


def test_a_built_in_algorithm_gets_folders_and_its_own_defaults(standard: Catalogue) -> None:
    job = spec(standard, model_id=1, parameter=[{"label": "num_epoch", "value": "3"}])
    words = shlex.split(job.command)

    assert words[:3] == ["python", "-u", str(builtin.every()[1].script)]
    assert {"--num_epoch=3", "--learning_rate=0.1", "--data_url=$data_url", "--train_url=$train_url"} <= set(words)
    assert [(channel.name, channel.obs_url) for channel in (*job.inputs, *job.outputs)] == [
        ("data_url", "obs://bucket/data/"),
        ("train_url", "obs://bucket/results/"),
    ]


def test_a_log_is_exported_to_its_folder(standard: Catalogue) -> None:
    assert spec(standard, **CODE, log_url="/bucket/logs/").log_export_url == "/bucket/logs/"


def test_the_gpus_of_the_specification_reach_the_script(standard: Catalogue) -> None:
    assert spec(standard, **CODE | {"spec_id": 902}).service_environments["MA_NUM_GPUS"] == "1"
