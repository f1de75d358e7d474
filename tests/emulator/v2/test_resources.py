"""Resources: how many nodes there are, a job's rank among those that wait for them, and quotas."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from modelarts_emulator.execution.protocol import TaskReport
from modelarts_emulator.server import Emulator, EmulatorError

WIDE, NARROW = "modelarts.vm.cpu.8u", "modelarts.vm.cpu.2u"


@pytest.fixture
def crowded(tmp_path: Path, puppet: Any, log_in: Callable[..., Any]) -> Iterator[Any]:
    """A client of an emulator that has two nodes of one flavor and one of another."""
    options = {"executor": puppet, "max_running_jobs": 9, "capacity": {WIDE: 2, NARROW: 1}, "keep_jobs": True}
    with Emulator(tmp_path / "data", check_responses=True, **options) as running:
        yield log_in(running)


def body(api: Any, flavor: str = WIDE, nodes: int = 1, **policy: Any) -> Any:
    wanted = api.job_body()
    wanted["spec"]["resource"] = {"flavor_id": flavor, "node_count": nodes}
    if policy:
        wanted["spec"]["schedule_policy"] = policy
    return wanted


def submit(api: Any, *arguments: Any, **policy: Any) -> str:
    return str(api.create_job(body(api, *arguments, **policy))["metadata"]["id"])


def test_jobs_wait_for_the_nodes_of_their_flavor_and_say_so(crowded: Any, puppet: Any) -> None:
    first = submit(crowded, WIDE, 2)
    crowded.eventually(lambda: first in puppet.specs)
    second, other = submit(crowded), submit(crowded, NARROW)
    crowded.eventually(lambda: other in puppet.specs)
    crowded.eventually(lambda: len(crowded.messages(second)) == 2)

    assert second not in puppet.specs
    assert crowded.messages(second)[1].startswith(
        f"The job is waiting for resources: of 2 nodes of flavor {WIDE}, 0 are free"
    )
    assert crowded.messages(first) == ["The job has been created."]

    puppet.report(first, *(TaskReport(f"worker-{index}", "ended", 1.0, 2.0, 0) for index in range(2)))

    crowded.eventually(lambda: second in puppet.specs)


def test_a_job_for_more_nodes_than_there_are_is_rejected(crowded: Any) -> None:
    response = crowded.call("POST", "/training-jobs", json=body(crowded, WIDE, 3))

    assert (response.status_code, response.json()["error_code"]) == (400, "ModelArts.2793")
    assert "3 nodes are more than its 2" in response.json()["error_msg"]


@pytest.mark.parametrize("priority", [0, 4, -1])
def test_a_priority_that_is_not_1_to_3_is_rejected(api: Any, priority: int) -> None:
    assert api.rejection(body(api, priority=priority)) == (400, "ModelArts.2788")


@pytest.mark.parametrize("capacity", [{"no-such-flavor": 1}, {WIDE: 0}])
def test_a_capacity_that_makes_no_sense_keeps_the_emulator_from_starting(tmp_path: Path, capacity: Any) -> None:
    with pytest.raises(EmulatorError, match="flavor"), Emulator(tmp_path, capacity=capacity):
        pass


def set_quota(api: Any, quota: int, resource: str = "job-num", user: str = "") -> Any:
    body = {"user_id": user or api.identity.user_id, "quotas": [{"resource": resource, "quota": quota}]}
    return api.call("PUT", "/training-quotas", json=body)


def quota_of(api: Any, **query: str) -> list[tuple[int, int]]:
    found = api.call("GET", "/training-quotas", params=query).json()["quotas"]
    return [(entry["quota"], entry["used"]) for entry in found]


def test_a_user_whose_quota_is_used_up_cannot_make_another_job(staged: Any) -> None:
    user = staged.identity.user_id
    job = staged.create_job()["metadata"]["id"]
    assert quota_of(staged, user_id=user) == quota_of(staged) == [(10_000, 1)]

    changed = set_quota(staged, 1).json()
    assert changed == {"user_id": user, "quotas": [{"resource": "job-num", "quota": 1, "used": 1}]}
    assert staged.rejection(staged.job_body()) == (400, "ModelArts.2815")
    assert quota_of(staged, user_id=user, resource="job-num") == [(1, 1)]
    staged.call("DELETE", f"/training-jobs/{job}")
    staged.create_job()

    set_quota(staged, 2)
    staged.create_job()


def test_the_quota_of_another_user_does_not_count(staged: Any) -> None:
    set_quota(staged, 1, user="somebody")

    assert [staged.create_job()["metadata"]["name"] for _ in range(2)]
    assert quota_of(staged, user_id="somebody") == [(1, 0)]
    assert quota_of(staged, resource="visual-job-num") == []


@pytest.mark.parametrize(("resource", "quota", "code"), [("job-num", 0, 2788), ("visual-job-num", 5, 2858)])
def test_a_quota_that_cannot_be_set_is_rejected(api: Any, resource: str, quota: int, code: int) -> None:
    response = set_quota(api, quota, resource)

    assert (response.status_code, response.json()["error_code"]) == (400, f"ModelArts.{code}")
