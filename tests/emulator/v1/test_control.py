"""What those who run the emulator can do to version 1: fixtures, faults, plans and reset."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.emulator.v1.conftest import V1Service, example

from modelarts_emulator.server import Emulator
from modelarts_toolkit.errors import ApiError


@pytest.fixture
def seeds(tmp_path: Path) -> Path:
    """The objects of the use case, its job, and stored settings."""
    folder = tmp_path / "seeds"
    bucket = folder / "objects/test-modelarts"
    for place, text in (("mnist-tensorflow-code/train_mnist_tf.py", "print(1)"), ("dataset-mnist/data", "1")):
        (bucket / place).parent.mkdir(parents=True, exist_ok=True)
        (bucket / place).write_text(text)
    settings = {"config_name": "digits", "worker_server_num": 1, "spec_id": 7}
    bodies = {
        "v1-training-jobs": example("createTrainingJob.tensorflow-use-case"),
        "v1-training-job-configs": settings,
    }
    for kind, body in bodies.items():
        (folder / kind).mkdir()
        (folder / kind / "one.json").write_text(json.dumps(body))
    return folder


def test_seeds_are_there_after_a_start_and_after_a_reset(tmp_path: Path, seeds: Path) -> None:
    with Emulator(tmp_path / "data", executor="simulated", seeds=seeds, check_responses=True) as emulator:
        v1 = V1Service(emulator)
        v1.create()

        emulator.reset()

        assert [job.job_name for job in v1.jobs.list_training_jobs().jobs] == ["jobtest_TF"]
        assert [config.config_name for config in v1.configs.list_training_job_configs().configs] == ["digits"]
        v1.ma.close()


def test_a_fault_keeps_to_version_1_and_its_operation(v1: Any) -> None:
    v1.emulator.faults.add(kind="status", status=500, operations=["listTrainingJobs"], document="v1", count=1)

    with pytest.raises(ApiError) as rejection:
        v1.jobs.list_training_jobs()

    assert rejection.value.status == 500
    assert json.loads(rejection.value.body)["is_success"] is False
    assert v1.jobs.list_training_jobs().is_success
    v1.emulator.faults.clear()


def test_jobs_are_there_after_a_restart_and_go_on(tmp_path: Path) -> None:
    options: Any = {"executor": "simulated", "check_responses": True}
    with Emulator(tmp_path / "data", **options) as emulator:
        emulator.clock.freeze()
        v1 = V1Service(emulator)
        v1.plan("long", duration=1000)
        created = v1.create("long")
        v1.advance(10)
        assert v1.show(created).status == 8
        v1.ma.close()

    with Emulator(tmp_path / "data", **options) as emulator:
        v1 = V1Service(emulator)
        v1.advance(2000)
        assert v1.show(created).status == 10
        assert v1.create().job_id == created.job_id + 1
        v1.ma.close()
