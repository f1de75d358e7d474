"""What is executed for a version: what the executor, and so the script, gets of the settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.emulator.v1.conftest import BUCKET, CODE, V1Service

IMAGE = {"app_url": CODE, "user_image_url": "registry/image:1", "boot_file_url": None, "engine_id": None}


@pytest.fixture
def spec(staged: Any, puppet: Any) -> Iterator[Callable[..., Any]]:
    """Create a job with these settings, and return what the executor was asked to run."""
    v1 = V1Service(staged.emulator)

    def create(**config: Any) -> Any:
        run_id = v1.create(train_url=f"/{BUCKET}/results/", **config).resource_id
        return staged.eventually(lambda: puppet.specs.get(run_id))

    yield create
    v1.ma.close()


def test_own_code_gets_obs_paths_as_arguments_and_nothing_is_fetched_for_it(spec: Any) -> None:
    """Version 1 leaves copying to the script."""
    job = spec(engine_id=4, flavor=None, spec_id=27, parameter=[{"label": "rate", "value": 0.5}], log_url=f"/{BUCKET}/")

    assert dict(job.parameters) == {
        "rate": "0.5",
        "data_url": f"obs://{BUCKET}/dataset-mnist/",
        "train_url": f"obs://{BUCKET}/results/",
    }
    assert (job.code_dir, job.boot_file, job.command) == (CODE, f"{CODE}train_mnist_tf.py", None)
    assert (job.inputs, job.outputs, job.log_export_url) == ((), (), f"/{BUCKET}/")
    assert job.engine == {"engine_id": "4", "engine_name": "TensorFlow", "engine_version": "TF-1.8.0-python3.6"}
    assert (job.resources.cpu_cores, job.resources.memory_bytes) == (8, 32 << 30)


@pytest.mark.parametrize("program", [{}, IMAGE | {"user_command": "true"}], ids=["code", "image"])
def test_programs_find_the_paths_of_the_request_and_a_single_node_its_address(
    spec: Any, program: dict[str, Any]
) -> None:
    """With the protocol, as the manual's page on custom images of version 1 lists them."""
    job = spec(**program)
    values = job.service_environments
    paths = {name: values[f"DLS_{name}_URL"] for name in ("APP", "DATA", "TRAIN")}
    wanted = {"APP": CODE, "DATA": f"/{BUCKET}/dataset-mnist/", "TRAIN": f"/{BUCKET}/results/"}
    assert paths == {name: f"obs:/{path}" for name, path in wanted.items()}
    assert values[f"BATCH_{job.name}.0_HOSTS"] == values["BATCH_CUSTOM0_HOSTS"] == "127.0.0.1:6666"


def test_the_command_of_a_custom_image_finds_the_home_of_version_1_in_the_container(spec: Any) -> None:
    """The documented command begins with the platform's wrapper and names files below `/home/work`."""
    command = "bash -x /home/work/run_train.sh python /home/work/user-job-dir/code/train.py --out /home/work2"
    job = spec(**IMAGE, user_command=command, parameter=[{"label": "a", "value": "/home/work/a"}])
    words = job.command.split()

    assert (job.boot_file, job.engine) == (None, {"image_url": "registry/image:1"})
    assert Path(words[2]).is_file()
    assert words[:2] + words[3:] == [
        *("bash", "-x", "python", "/home/ma-user/modelarts/user-job-dir/code/train.py", "--out", "/home/work2")
    ]
    assert dict(job.parameters)["a"] == "/home/ma-user/a"


def test_scripts_find_the_nodes_and_gpus_under_the_names_of_version_1(live: Any) -> None:
    """Number of nodes, number of this node, and every node's address; the names of version 2 hold, too."""
    v1 = V1Service(live.emulator)
    names = ("DLS_TASK_INDEX", "DLS_TASK_NUMBER", "MA_NUM_HOSTS", "BATCH_CUSTOM1_HOSTS", "MA_NUM_GPUS")
    script = f"import os; print(*(os.environ[name] for name in {names}), os.environ['VC_WORKER_HOSTS'])\n"
    v1.store.put(BUCKET, "nodes/print.py", script.encode())
    own = {"app_url": f"/{BUCKET}/nodes/", "boot_file_url": f"/{BUCKET}/nodes/print.py"}
    created = v1.create(flavor=None, spec_id=2, worker_server_num=2, **own)

    def printed(node: int) -> list[str]:
        version, job = created.version_id or 0, created.job_id
        files = v1.logs.list_training_job_log_files(job, version).log_file_list
        content = v1.logs.show_training_job_log(job, version, log_file=files[node]).content if files else ""
        return next((line.split() for line in content.splitlines() if line.startswith(f"{node} 2 2 ")), [])

    host = live.eventually(lambda: printed(1))[-1].split(",")[1]
    assert live.eventually(lambda: printed(0))[:5] == ["0", "2", "2", f"{host}:6666", "0"]
    v1.ma.close()
