"""The control API: health and reset."""

from __future__ import annotations

import itertools
import threading
from typing import Any

import httpx
import pytest

from modelarts_emulator.storage.multipart import Uploads
from modelarts_emulator.storage.protocol import PLAIN

CALLS = [("POST", "reset"), *itertools.product(("GET", "POST"), ["clock"])]
CALLS += itertools.product(("GET", "POST", "DELETE"), ["plans", "faults"])


@pytest.mark.parametrize("authorization", [None, "", "Bearer", "Bearer wrong", "Basic {token}", "{token}"])
@pytest.mark.parametrize(("method", "name"), CALLS)
def test_a_call_needs_the_control_token(api: Any, method: str, name: str, authorization: str | None) -> None:
    """Without the token, with another one, and with a token of IAM nothing is done or shown."""
    headers = {"X-Auth-Token": api.http.headers["X-Auth-Token"]}
    if authorization is not None:
        headers["Authorization"] = authorization.format(token=api.emulator.control_token)
    response = httpx.request(method, f"{api.emulator.endpoint}/_emulator/{name}", headers=headers, content=b"{}")

    assert (response.status_code, response.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert "does not have the token of the control API" in response.json()["error_msg"]
    assert "$MODELARTS_EMULATOR_TOKEN" in response.json()["error_solution"]
    assert api.emulator.control_token not in response.text
    assert api.store.has_bucket(api.bucket)


def test_the_control_token_is_not_a_token_of_iam(api: Any) -> None:
    """Who may control the emulator is not thereby a user of it."""
    response = api.call("GET", "/training-job-flavors", headers={"X-Auth-Token": api.emulator.control_token})

    assert (response.status_code, response.json()["error_code"]) == (401, "ModelArts.0203")


def test_health_says_what_the_emulator_can_do_without_a_token(api: Any) -> None:
    """A health check needs no credentials, and shows none."""
    response = httpx.get(f"{api.emulator.endpoint}/_emulator/health").json()

    assert response["status"] == "ok"
    assert response["version"]
    assert response["obs_endpoint"] == api.emulator.obs_endpoint
    assert response["capabilities"]["documents"] == ["iam", "v1", "v2"]


def test_reset_forgets_everything_but_tokens(staged: Any, puppet: Any) -> None:
    staged.create_algorithm()
    job_id = staged.create_job()["metadata"]["id"]
    staged.eventually(lambda: job_id in puppet.reports)
    for number in range(3):
        staged.store.put(staged.bucket, f"many/{number}/object", b"x")
    uploads = Uploads(staged.store)
    uploads.begin(staged.bucket, "x", PLAIN)

    assert staged.http.post("/_emulator/reset").status_code == 204

    assert staged.store.buckets() == []
    assert ("remove", job_id) in puppet.calls
    assert staged.call("POST", "/training-job-searches", json={}).json()["total"] == 0
    staged.store.create_bucket(staged.bucket)
    assert uploads.list(staged.bucket) == []
    staged.store.put(staged.bucket, "pytorch/fast_example/code/cpu/test-pytorch.py", b"")
    body = staged.algorithm_body()
    assert staged.call("POST", "/algorithms", json=body).status_code == 201


def test_a_job_that_is_just_being_started_is_cleared_away_after_its_start(staged: Any, puppet: Any) -> None:
    puppet.start_allowed.clear()
    job_id = staged.create_job()["metadata"]["id"]
    staged.eventually(puppet.is_starting.is_set)
    threading.Timer(0.3, puppet.start_allowed.set).start()

    assert staged.http.post("/_emulator/reset").status_code == 204

    assert puppet.calls == [("start", job_id), ("remove", job_id)]


def test_the_processes_of_jobs_have_ended_when_a_reset_responds(live: Any) -> None:
    live.store.put(live.bucket, "endless/train.py", b"import time\ntime.sleep(1000)")
    body = live.job_body(code_dir=f"/{live.bucket}/endless/", boot_file=f"/{live.bucket}/endless/train.py")
    job_id = live.create_job(body)["metadata"]["id"]
    live.wait_for_phase(job_id, "Running")

    assert live.http.post("/_emulator/reset").status_code == 204

    assert not (live.emulator.data_dir / "jobs" / job_id).exists()
    assert live.store.buckets() == []
