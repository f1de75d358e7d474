"""Logs over HTTP: the newest part as text, and a link that needs no token."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from modelarts_emulator.execution.protocol import TaskReport


@pytest.fixture
def running(staged: Any, puppet: Any) -> tuple[str, Any]:
    """A running job and its empty log file."""
    job_id = staged.create_job()["metadata"]["id"]
    staged.eventually(lambda: job_id in puppet.reports)
    log = puppet.log_file(job_id, "worker-0")
    log.write_bytes(b"")
    puppet.report(job_id, TaskReport("worker-0", "running", started_at=1000.0))
    staged.wait_for_phase(job_id, "Running")
    return job_id, log


def logs(api: Any, job_id: str, what: str = "preview", task: str = "worker-0", **more: Any) -> httpx.Response:
    response: httpx.Response = api.call("GET", f"/training-jobs/{job_id}/tasks/{task}/logs/{what}", **more)
    return response


def test_there_is_no_content_until_something_was_written(staged: Any, running: Any) -> None:
    job_id, log = running

    assert (logs(staged, job_id).status_code, logs(staged, job_id).content) == (204, b"")
    log.write_bytes("größe\n".encode())
    assert logs(staged, job_id).json() == {"content": "größe\n", "current_size": 8, "full_size": 8}


def test_there_is_no_content_for_a_job_that_is_queued(staged: Any, running: Any) -> None:
    queued = staged.create_job()["metadata"]["id"]

    assert logs(staged, queued).status_code == 204


def test_another_task_than_those_of_the_job_is_rejected_naming_them(staged: Any, running: Any) -> None:
    job_id, _ = running
    for what in ("preview", "url"):
        response = logs(staged, job_id, what, task="work-0")
        assert (response.status_code, response.json()["error_code"]) == (400, "ModelArts.2788")
        assert "worker-0" in response.json()["error_msg"]
    response = staged.call("GET", f"/training-jobs/{job_id}/metrics/worker-1")
    assert (response.status_code, response.json()["error_code"]) == (400, "ModelArts.2788")


@pytest.mark.parametrize(
    ("request_arguments", "content_type"),
    [
        ({}, "application/octet-stream"),
        ({"params": {"Content-Type": "text/plain"}}, "text/plain"),
        ({"params": {"Content-Type": "application/octet-stream"}}, "application/octet-stream"),
        ({"headers": {"Content-Type": "text/plain"}}, "text/plain"),
        ({"headers": {"Content-Type": "application/json"}}, "application/octet-stream"),
    ],
)
def test_a_link_leads_to_the_growing_log_without_a_token(
    staged: Any, running: Any, request_arguments: Any, content_type: str
) -> None:
    job_id, log = running
    log.write_bytes(b"one\n")

    link = logs(staged, job_id, "url", **request_arguments).json()["obs_url"]

    assert link.startswith(staged.emulator.obs_endpoint)
    assert f"modelarts-job-{job_id}-worker-0.log" in link
    with log.open("ab") as stream:
        stream.write(b"two\n")
    response = httpx.get(link)
    assert (response.status_code, response.content) == (200, b"one\ntwo\n")
    assert response.headers["Content-Type"].partition(";")[0] == content_type
    assert httpx.get(link.replace("worker-0", "worker-1")).status_code == 403


def test_a_link_of_another_type_is_rejected(staged: Any, running: Any) -> None:
    job_id, _ = running

    response = logs(staged, job_id, "url", headers={"Content-Type": "image/png"})

    assert (response.status_code, response.json()["error_code"]) == (400, "ModelArts.2788")


def test_there_is_no_link_to_the_log_of_a_job_that_is_queued(staged: Any, running: Any) -> None:
    queued = staged.create_job()["metadata"]["id"]

    response = logs(staged, queued, "url")

    assert (response.status_code, response.json()["error_code"]) == (400, "ModelArts.2818")
