"""Version 1 under a fault, and after a restart of the emulator."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.emulator.v1.conftest import V1Service

from modelarts_emulator.server import Emulator
from modelarts_toolkit.errors import ApiError


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
