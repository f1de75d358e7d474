"""Training jobs over HTTP, most of them really run; their descriptions and their quota."""

from __future__ import annotations

from typing import Any

import psutil
import pytest


def test_a_deleted_job_is_gone_at_once_and_soon_its_processes_and_files_too(live: Any) -> None:
    job_id = live.run_script(b"import os, time; print('pid', os.getpid(), flush=True); time.sleep(1000)")
    pid = int(live.printed(job_id, "pid")[0])
    live.wait_for_phase(job_id, "Running")

    deleted = live.call("DELETE", f"/training-jobs/{job_id}")

    assert (deleted.status_code, deleted.content) == (202, b"")
    gone = live.call("GET", f"/training-jobs/{job_id}")
    assert (gone.status_code, gone.json()["error_code"]) == (400, "ModelArts.2775")
    live.eventually(lambda: not psutil.pid_exists(pid))
    live.eventually(lambda: not (live.emulator.data_dir / "jobs" / job_id).exists())


UNKNOWN = [
    *(("GET", ""), ("PUT", ""), ("DELETE", ""), ("POST", "/actions"), ("GET", "/metrics/worker-0"), ("GET", "/events")),
    *(("GET", "/tasks/worker-0/logs/preview"), ("GET", "/tasks/worker-0/logs/url"), ("GET", "/stages")),
    *(("GET", "/tasks"), ("GET", "/autosearch-trials")),
    *(("GET", "/autosearch-trials/ae544174"), ("POST", "/autosearch-trial-earlystop/ae544174")),
    *(("GET", "/autosearch-parameter-analysis"), ("GET", "/autosearch-parameter-analysis/lr")),
]


def test_an_unknown_job_is_not_found_which_is_a_400(api: Any) -> None:
    for job_id in ("425b7087-83de-49ed-9e40-5bb642be956f", "%7Btraining_job_id%7D", "%00", "ä"):
        for method, path in UNKNOWN:
            body = {"json": {"description": "x"}} if method == "PUT" else {}
            body = {"json": {"action_type": "terminate"}} if path == "/actions" else body
            response = api.call(method, f"/training-jobs/{job_id}{path}", **body)
            assert (response.status_code, response.json()["error_code"]) == (400, "ModelArts.2775"), path


def test_reading_a_job_changes_nothing(staged: Any, puppet: Any) -> None:
    job_id = staged.create_job()["metadata"]["id"]
    staged.eventually(lambda: job_id in puppet.reports)
    staged.wait_for_phase(job_id, "Pending")
    before = staged.job(job_id)
    calls = len(puppet.calls)

    assert all(staged.job(job_id) == before for _ in range(5))
    assert len(puppet.calls) == calls


def test_a_job_that_is_being_stopped_cannot_be_stopped_again(staged: Any, puppet: Any) -> None:
    job_id = staged.create_job()["metadata"]["id"]
    staged.eventually(lambda: job_id in puppet.reports)
    stop = {"json": {"action_type": "terminate"}}

    assert staged.rejection({}, f"/training-jobs/{job_id}/actions") == (400, "ModelArts.2788")
    assert staged.call("POST", f"/training-jobs/{job_id}/actions", **stop).status_code == 202
    assert staged.call("POST", f"/training-jobs/{job_id}/actions", **stop).status_code == 409


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


def batch(*job_ids: str, kind: str = "job") -> Any:
    return {"jobs": [{"kind": kind, "metadata": {"id": job_id}} for job_id in job_ids]}


def test_many_jobs_are_deleted_at_once(api: Any) -> None:
    jobs = [api.create_job()["metadata"]["id"] for _ in range(3)]

    assert api.call("POST", "/training-jobs/batch-delete", json=batch(*jobs, jobs[0])).status_code == 202
    assert {api.call("GET", f"/training-jobs/{job}").status_code for job in jobs} == {400}


@pytest.mark.parametrize("request_of", [lambda job: batch(job, "no-such-job"), lambda job: batch(job, kind="edge_job")])
def test_no_job_is_deleted_if_one_of_many_does_not_exist(api: Any, request_of: Any) -> None:
    job = api.create_job()["metadata"]["id"]

    assert api.rejection(request_of(job), "/training-jobs/batch-delete") == (400, "ModelArts.2775")
    assert api.call("GET", f"/training-jobs/{job}").status_code == 200


def test_the_name_of_a_job_is_in_use_until_it_is_deleted(api: Any) -> None:
    body = api.job_body()
    job = api.create_job(body)["metadata"]

    def is_duplicate() -> Any:
        return api.call("GET", "/training-job-names", params={"job_name": job["name"]}).json()["is_duplicate"]

    assert is_duplicate() is True
    api.call("DELETE", f"/training-jobs/{job['id']}")
    assert is_duplicate() is False
    assert api.create_job(body)["metadata"]["name"] == job["name"]
