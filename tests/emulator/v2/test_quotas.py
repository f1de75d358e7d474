"""Quotas of a project and of its users."""

from __future__ import annotations

from typing import Any

import pytest


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
