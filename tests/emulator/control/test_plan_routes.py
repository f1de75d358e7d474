"""Plans over HTTP and in Python, and in annotations of jobs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from modelarts_emulator.server import Emulator, EmulatorError


def _body(api: Any, **annotations: str) -> Any:
    body = api.job_body()
    body["metadata"]["annotations"] = {f"emulator/{name}": text for name, text in annotations.items()}
    return body


def test_a_plan_is_put_in_place_followed_and_forgotten(tmp_path: Path, log_in: Any) -> None:
    with Emulator(tmp_path, executor="simulated", check_responses=True) as emulator:
        api = log_in(emulator)
        emulator.clock.freeze()
        plan = {"job": "job-*", "exit_code": 3, "duration": 60, "log": ["loss 0.1"], "metrics": {"cpuUsage": [7]}}
        assert api.http.post("/_emulator/plans", json=plan).json() == plan
        assert api.http.get("/_emulator/plans").json() == {"plans": [plan]}
        job = api.create_job()["metadata"]["id"]
        emulator.clock.advance(60)
        task = f"/training-jobs/{job}/tasks/worker-0"

        assert api.job(job)["status"]["task_statuses"][0]["exit_code"] == 3
        assert "\nloss 0.1\n" in api.call("GET", f"{task}/logs/preview").json()["content"]
        metrics = {
            entry["metric"]: entry["value"]
            for entry in api.call("GET", f"/training-jobs/{job}/metrics/worker-0").json()["metrics"]
        }
        assert metrics["cpuUsage"] == [7]
        assert api.http.delete("/_emulator/plans").status_code == 204
        assert list(emulator.plans.list()) == []


def test_plans_hold_over_a_restart_until_they_are_forgotten(tmp_path: Path, log_in: Any) -> None:
    with Emulator(tmp_path, executor="simulated") as emulator:
        plans = [emulator.plans.add(job="other"), emulator.plans.add(job="job-*", exit_code=[3, 0], log=["loss 0.1"])]
    with Emulator(tmp_path, executor="simulated") as emulator:
        assert emulator.plans.list() == plans
        emulator.clock.freeze()
        api = log_in(emulator)
        job = api.create_job()["metadata"]["id"]
        emulator.clock.advance(60)
        assert api.job(job)["status"]["task_statuses"][0]["exit_code"] == 3
        emulator.plans.clear()
    with Emulator(tmp_path, executor="simulated") as emulator:
        assert emulator.plans.list() == []


def test_a_reset_forgets_plans_and_brings_real_time_back(tmp_path: Path, log_in: Any) -> None:
    with Emulator(tmp_path, executor="simulated") as emulator:
        emulator.plans.add(duration=1)
        emulator.clock.freeze()
        emulator.clock.advance(100_000)
        before = emulator.clock.now
        assert log_in(emulator).http.post("/_emulator/reset").status_code == 204

        assert (list(emulator.plans.list()), emulator.clock.is_frozen) == ([], False)
        assert emulator.clock.now < before


@pytest.mark.parametrize(
    "body", [b"", b"[]", b'{"color": 1}', b'{"duration": NaN}', b'{"log": ["\\ud800"]}', b"{" * 2000]
)
def test_a_wrong_plan_is_rejected_over_http(tmp_path: Path, log_in: Any, body: bytes) -> None:
    with Emulator(tmp_path, executor="simulated") as emulator:
        response = log_in(emulator).http.post("/_emulator/plans", content=body)

        assert response.status_code == 400
        assert response.json()["error_msg"]
        assert list(emulator.plans.list()) == []


def test_wrong_plans_in_annotations_are_rejected_at_create(tmp_path: Path, log_in: Any) -> None:
    with Emulator(tmp_path, executor="simulated", check_responses=True) as emulator:
        api = log_in(emulator)

        assert api.rejection(_body(api, duration="soon")) == (400, "ModelArts.2788")
        assert api.rejection(_body(api, **{"exit-code.worker-1": "1"})) == (400, "ModelArts.2788")
        assert api.create_job(_body(api, duration="1"))["metadata"]["annotations"]["emulator/duration"] == "1"


def test_jobs_that_really_run_follow_no_plans(api: Any) -> None:
    response = api.call("POST", "/training-jobs", json=_body(api, duration="1"))

    assert (response.status_code, response.json()["error_code"]) == (400, "ModelArts.2858")
    assert "--executor simulated" in response.json()["error_msg"]
    for method in ("GET", "POST", "DELETE"):
        assert (
            api.http.request(method, "/_emulator/plans", content=b"{}" if method == "POST" else None).status_code == 409
        )
    with pytest.raises(EmulatorError, match="--executor simulated"):
        api.emulator.plans.add(duration=1)
