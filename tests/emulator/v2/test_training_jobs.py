"""Training jobs over HTTP; their descriptions and their quota."""

from __future__ import annotations

from typing import Any

from tests.emulator.conftest import rejected

UNKNOWN = [
    *(("GET", ""), ("PUT", ""), ("DELETE", ""), ("POST", "/actions"), ("GET", "/metrics/worker-0"), ("GET", "/events")),
    *(("GET", "/tasks/worker-0/logs/preview"), ("GET", "/tasks/worker-0/logs/url"), ("GET", "/stages")),
    *(("GET", "/tasks"), ("GET", "/autosearch-trials")),
    *(("GET", "/autosearch-trials/ae544174"), ("POST", "/autosearch-trial-earlystop/ae544174")),
    ("GET", "/autosearch-parameter-analysis"),
]


def test_an_unknown_job_is_not_found_which_is_a_400(api: Any) -> None:
    for job_id in ("425b7087-83de-49ed-9e40-5bb642be956f", "%7Btraining_job_id%7D", "%00", "ä"):
        for method, path in UNKNOWN:
            body = {"json": {"description": "x"}} if method == "PUT" else {}
            body = {"json": {"action_type": "terminate"}} if path == "/actions" else body
            response = api.call(method, f"/training-jobs/{job_id}{path}", **body)
            assert rejected(response) == (400, "ModelArts.2775"), path


def test_reading_a_job_changes_nothing_and_it_is_stopped_once(staged: Any, puppet: Any) -> None:
    job_id = staged.create_job()["metadata"]["id"]
    staged.eventually(lambda: job_id in puppet.reports)
    staged.wait_for_phase(job_id, "Pending")
    before = staged.job(job_id)
    calls = len(puppet.calls)

    assert all(staged.job(job_id) == before for _ in range(5))
    assert len(puppet.calls) == calls

    path, stop = f"/training-jobs/{job_id}/actions", {"action_type": "terminate"}
    assert staged.rejection({}, path) == (400, "ModelArts.2788")
    assert [staged.call("POST", path, json=stop).status_code for _ in range(2)] == [202, 409]


def describe(api: Any, job: Any, body: Any) -> Any:
    return api.call("PUT", f"/training-jobs/{job['metadata']['id']}", json=body)


def test_a_description_is_replaced_without_a_response_and_survives_the_progress_of_the_job(live: Any) -> None:
    job = live.create_job()

    response = describe(live, job, {"description": "hahaha"})

    assert (response.status_code, response.content) == (200, b"")
    shown = live.wait_for_phase(job["metadata"]["id"], "Completed")
    assert shown["metadata"] == job["metadata"] | {"description": "hahaha"}
    assert shown["algorithm"] == job["algorithm"]


def test_a_description_is_removed_by_an_empty_one_and_by_none_and_kept_if_the_new_one_is_invalid(api: Any) -> None:
    job = api.create_job()
    for body in ({"description": ""}, {}):
        describe(api, job, {"description": "soon gone"})
        assert describe(api, job, body).status_code == 200, body
        assert api.job(job["metadata"]["id"])["metadata"]["description"] == "", body

    for wrong in ({"description": "x" * 257}, {"description": None}, {"description": "x", "name": "x"}):
        assert rejected(describe(api, job, wrong)) == (400, "ModelArts.2788"), wrong
    assert api.job(job["metadata"]["id"])["metadata"] == job["metadata"]


def batch(*job_ids: str, kind: str = "job") -> Any:
    return {"jobs": [{"kind": kind, "metadata": {"id": job_id}} for job_id in job_ids]}


def test_many_jobs_are_deleted_at_once_and_none_if_one_of_them_does_not_exist(api: Any) -> None:
    jobs = [api.create_job()["metadata"]["id"] for _ in range(3)]
    path = "/training-jobs/batch-delete"

    wrong = [batch(*jobs, "no-such-job"), batch(*jobs, kind="edge_job")]
    assert [api.rejection(body, path) for body in wrong] == [(400, "ModelArts.2775")] * 2
    assert {api.call("GET", f"/training-jobs/{job}").status_code for job in jobs} == {200}

    assert api.call("POST", path, json=batch(*jobs, jobs[0])).status_code == 202
    assert {api.call("GET", f"/training-jobs/{job}").status_code for job in jobs} == {400}


def test_the_name_of_a_job_is_in_use_until_it_is_deleted(api: Any) -> None:
    body = api.job_body()
    job = api.create_job(body)["metadata"]

    def is_duplicate() -> Any:
        return api.call("GET", "/training-job-names", params={"job_name": job["name"]}).json()["is_duplicate"]

    assert is_duplicate() is True
    api.call("DELETE", f"/training-jobs/{job['id']}")
    assert is_duplicate() is False
    assert api.create_job(body)["metadata"]["name"] == job["name"]
