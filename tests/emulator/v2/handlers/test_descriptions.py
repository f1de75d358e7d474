"""The description of a job can be changed, whatever the job does meanwhile."""

from __future__ import annotations

from typing import Any

import pytest


def describe(api: Any, job: Any, body: Any) -> Any:
    return api.call("PUT", f"/training-jobs/{job['metadata']['id']}", json=body)


def test_a_description_is_replaced_without_a_response_and_survives_the_progress_of_the_job(live: Any) -> None:
    job = live.create_job()

    response = describe(live, job, {"description": "hahaha"})

    assert (response.status_code, response.content) == (200, b"")
    shown = live.wait_for_phase(job["metadata"]["id"], "Completed")
    assert shown["metadata"] == job["metadata"] | {"description": "hahaha"}
    assert shown["algorithm"] == job["algorithm"]


@pytest.mark.parametrize("body", [{"description": ""}, {}])
def test_a_description_is_removed_by_an_empty_one_and_by_none(api: Any, body: dict[str, str]) -> None:
    job = api.create_job()
    describe(api, job, {"description": "soon gone"})

    assert describe(api, job, body).status_code == 200
    assert api.job(job["metadata"]["id"])["metadata"]["description"] == ""


@pytest.mark.parametrize("body", [{"description": "x" * 257}, {"description": None}, {"description": "x", "name": "x"}])
def test_an_invalid_description_is_rejected(api: Any, body: dict[str, Any]) -> None:
    job = api.create_job()

    response = describe(api, job, body)

    assert (response.status_code, response.json()["error_code"]) == (400, "ModelArts.2788")
    assert api.job(job["metadata"]["id"])["metadata"] == job["metadata"]


def test_a_job_that_does_not_exist_cannot_be_described(api: Any) -> None:
    response = api.call("PUT", "/training-jobs/no-such-job", json={"description": "x"})

    assert (response.status_code, response.json()["error_code"]) == (400, "ModelArts.2775")
