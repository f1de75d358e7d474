"""Records in place of images of running tasks."""

from __future__ import annotations

from typing import Any

import pytest

from modelarts_emulator.execution.protocol import TaskReport

IMAGE = {"name": "repository", "namespace": "group", "tag": "1.0"}


def save(api: Any, job_id: str, **changes: Any) -> Any:
    return api.call("POST", f"/training-jobs/{job_id}/tasks/worker-0/save-image-job", json=IMAGE | changes).json()


def test_a_running_task_is_recorded_and_says_that_it_is_no_image(staged: Any, puppet: Any) -> None:
    job_id = staged.create_job()["metadata"]["id"]
    path = f"/training-jobs/{job_id}/tasks/worker-0/save-image-job"
    staged.eventually(lambda: job_id in puppet.reports)
    assert save(staged, job_id)["error_code"] == "ModelArts.2788"
    puppet.report(job_id, TaskReport("worker-0", "running", started_at=1000.0))
    staged.wait_for_phase(job_id, "Running")
    assert staged.call("GET", path).json()["error_code"] == "ModelArts.2788"

    assert save(staged, job_id)["status"] == "INIT"
    assert save(staged, job_id, tag="2.0", description="again")["status"] == "INIT"
    shown = staged.call("GET", path).json()
    assert {name: shown[name] for name in ("name", "tag", "description", "status")} == {
        "name": "repository", "tag": "2.0", "description": "again", "status": "ACTIVE",
    }  # fmt: skip
    assert "built no image" in shown["message"]
    assert "engine pytorch_1.8.0" in shown["message"]


@pytest.mark.parametrize("changes", [{"name": "Upper"}, {"name": "a/b"}, {"tag": "a b"}, {"tag": "a\n"}])
def test_forbidden_characters_of_an_address_are_rejected(api: Any, changes: Any) -> None:
    job_id = api.create_job()["metadata"]["id"]

    error = save(api, job_id, **changes)
    assert error["error_code"] == "ModelArts.2788"
    assert f"({next(iter(changes))})" in error["error_msg"]
