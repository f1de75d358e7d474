"""Failures on demand, of simulated jobs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from modelarts_emulator.server import Emulator


@pytest.fixture
def rehearsal(tmp_path: Path, log_in: Any) -> Iterator[Any]:
    """A client of an emulator that simulates and whose time stands still; every job runs an hour."""
    with Emulator(tmp_path, executor="simulated", check_responses=True) as emulator:
        emulator.clock.freeze()
        emulator.plans.add(duration=3600)
        yield log_in(emulator)


def _start(api: Any, node_count: int = 1, **annotations: str) -> str:
    body = api.job_body()
    body["spec"]["resource"]["node_count"] = node_count
    body["metadata"]["annotations"] = {
        f"fault-tolerance/{name.replace('_', '-')}": text for name, text in annotations.items()
    }
    job_id = str(api.create_job(body)["metadata"]["id"])
    api.emulator.clock.advance(1)
    return job_id


def _inject(api: Any, **fault: Any) -> Any:
    return api.http.post("/_emulator/faults", json=fault)


@pytest.mark.parametrize(
    ("kind", "code", "phase"),
    [
        ("preempted", 143, "Failed"),
        ("node_lost", 137, "Abnormal"),
        ("disk_full", 1, "Failed"),
        ("out_of_memory", 137, "Failed"),
    ],
)
def test_a_fault_of_a_task_ends_its_job(rehearsal: Any, kind: str, code: int, phase: str) -> None:
    job = _start(rehearsal)
    assert _inject(rehearsal, job=job, task="worker-0", kind=kind).is_success
    rehearsal.emulator.clock.advance(0)

    status = rehearsal.job(job)["status"]
    assert (status["phase"], status["task_statuses"][0]["exit_code"]) == (phase, code)


def test_a_hung_job_hangs_beyond_its_hour(rehearsal: Any) -> None:
    job = _start(rehearsal)
    assert _inject(rehearsal, job=job, kind="hung").is_success
    rehearsal.emulator.clock.advance(50_000)

    assert rehearsal.phase_of(job) == "Running"


def test_a_job_whose_node_is_lost_starts_again_if_it_may(rehearsal: Any) -> None:
    job = _start(rehearsal, job_retry_num="1")
    assert _inject(rehearsal, job=job, kind="node_lost").is_success
    rehearsal.emulator.clock.advance(0)
    assert rehearsal.phase_of(job) == "Running"
    rehearsal.emulator.clock.advance(3600)

    status = rehearsal.job(job)["status"]
    assert (status["phase"], len(status["running_records"])) == ("Completed", 2)


@pytest.mark.parametrize(
    "fault",
    [
        {"job": "none", "kind": "hung"},
        {"job": 1, "kind": "hung"},
        {"job": None, "kind": "rain"},
        {"job": None},
        {"job": None, "kind": "hung", "task": "worker-1"},
        {"job": None, "kind": "hung", "task": []},
        {"job": None, "kind": []},
        {"job": None, "kind": "hung", "after": 1},
    ],
)
def test_an_impossible_fault_is_rejected(rehearsal: Any, fault: dict[str, Any]) -> None:
    job = _start(rehearsal)
    response = _inject(rehearsal, **{**fault, "job": fault["job"] or job})

    assert response.status_code == 400
    assert response.json()["error_msg"]
    rehearsal.emulator.clock.advance(3600)
    assert rehearsal.phase_of(job) == "Completed"


def test_a_fault_does_not_reach_a_task_that_has_ended(rehearsal: Any) -> None:
    job = _start(rehearsal)
    rehearsal.emulator.clock.advance(3600)

    response = _inject(rehearsal, job=job, kind="hung")
    assert response.status_code == 400
    assert "Completed" in response.json()["error_msg"]


def test_a_fault_does_not_reach_a_task_that_has_not_been_started(staged: Any) -> None:
    """A waiting job has no task yet; of a running one nobody but the executor is asked whether it runs."""
    running, waiting = (staged.create_job()["metadata"]["id"] for _ in range(2))
    staged.eventually(lambda: staged.phase_of(waiting) == "Pending")
    response = _inject(staged, job=waiting, kind="hung")

    assert response.status_code == 400
    assert "Pending" in response.json()["error_msg"]
    assert _inject(staged, job=running, kind="hung").is_success
