"""Faults over HTTP: which calls and tasks they apply to, how often, and what the client sees."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.emulator.conftest import rejected

from modelarts_emulator.execution.protocol import TaskReport

FAULTS = "/_emulator/faults"
SOLUTION = "Clear the faults: modelarts emulator faults clear, or DELETE /_emulator/faults."


@pytest.fixture
def faulty(api: Any) -> Iterator[Any]:
    """A client of the shared emulator, whose faults go with the test."""
    yield api
    api.emulator.faults.clear()


def add(api: Any, **members: Any) -> Any:
    response = api.http.post(FAULTS, json=members)
    assert response.status_code == 200, response.text
    return response.json()


def flavors(api: Any) -> Any:
    return api.call("GET", "/training-job-flavors")


def statuses(api: Any, calls: int) -> list[int]:
    return [flavors(api).status_code for _ in range(calls)]


def test_an_error_has_the_envelope_of_the_service(faulty: Any) -> None:
    """A status brings the code of the service, a code its status; the response says how to get rid of the fault."""
    cases: list[tuple[dict[str, Any], int, str]] = [
        ({"status": 429, "retry_after": 7}, 429, "ModelArts.2799"),
        *(({"status": status}, status, "ModelArts.2950") for status in (500, 502, 503, 504)),
        ({"code": "ModelArts.2796", "message": "Not now."}, 409, "ModelArts.2796"),
    ]
    for members, status, code in cases:
        add(faulty, kind="status", count=1, **members)
        response = flavors(faulty)

        assert rejected(response) == (status, code), members
        assert response.headers.get("retry-after") == ("7" if "retry_after" in members else None), members
        if "message" in members:
            assert response.json()["error_msg"] == "Not now.", members
        else:
            assert response.json()["error_solution"] == SOLUTION, members


def test_each_api_fails_in_its_own_words(faulty: Any) -> None:
    """Also a login, and a proxy, whose page is not JSON."""
    add(faulty, kind="status", status=500, count=1)
    of_v1 = faulty.http.get(f"/v1/{faulty.identity.project_id}/training-jobs")
    assert (of_v1.status_code, of_v1.json()["error_code"]) == (500, "ModelArts.0109")

    add(faulty, kind="status", status=503, document="iam", operations=["createToken"], count=1)
    assert flavors(faulty).status_code == 200
    login = faulty.log_in()
    assert (login.status_code, login.json()["error"]["code"]) == (503, 503)

    add(faulty, kind="html", count=1)
    page = flavors(faulty)
    assert (page.status_code, page.headers["content-type"]) == (502, "text/html; charset=utf-8")
    assert "502 Bad Gateway" in page.text


def test_a_fault_applies_count_times_after_the_first_calls(faulty: Any) -> None:
    add(faulty, kind="status", status=503, count=2, after=1)

    assert statuses(faulty, 5) == [200, 503, 503, 200, 200]
    fault = faulty.http.get(FAULTS).json()["faults"][0]
    assert (fault["calls"], fault["applied"]) == (5, 2)


def test_an_applied_fault_is_logged(faulty: Any, caplog: pytest.LogCaptureFixture) -> None:
    """With the operation; a call that it spares is not."""
    caplog.set_level("INFO", "modelarts_emulator")
    add(faulty, kind="status", status=503, count=1, after=1)

    statuses(faulty, 3)

    found = [each.getMessage() for each in caplog.records if "fault" in each.getMessage()]
    assert len(found) == 1
    assert re.fullmatch(r"fault \d+ \(status\) applied to a call of showTrainingJobFlavors", found[0])


def test_delays_add_up_and_the_late_response_is_the_usual_one_or_that_of_another_fault(faulty: Any) -> None:
    for _ in range(2):
        add(faulty, kind="latency", seconds=0.2, count=1)
    before = time.monotonic()
    assert flavors(faulty).status_code == 200
    assert time.monotonic() - before >= 0.4

    add(faulty, kind="status", status=503)
    add(faulty, kind="latency", seconds=0.3)
    before = time.monotonic()
    assert flavors(faulty).status_code == 503
    assert time.monotonic() - before >= 0.3


def test_a_connection_is_dropped_before_or_after_the_work_is_done(faulty: Any) -> None:
    for moment, is_done in (("before", False), ("after", True), ("body", True)):
        body = faulty.job_body()
        add(faulty, kind="drop", moment=moment, operations=["createTrainingJob"], count=1)

        with pytest.raises(httpx.TransportError):
            faulty.call("POST", "/training-jobs", json=body)

        search = {"filters": [{"key": "name", "operator": "in", "value": [body["metadata"]["name"]]}]}
        assert faulty.call("POST", "/training-job-searches", json=search).json()["total"] == int(is_done), moment


def test_the_object_store_fails_in_its_own_words_and_only_if_it_is_meant(faulty: Any) -> None:
    store = faulty.emulator.obs_endpoint
    add(faulty, kind="status", status=500)
    assert faulty.http.get(store).status_code == 403
    add(faulty, kind="status", status=503, document="obs", operations=["GET"])

    response = faulty.http.get(store)

    assert (response.status_code, response.headers["content-type"]) == (503, "application/xml")
    assert "<Code>SlowDown</Code>" in response.text
    assert faulty.http.put(store).status_code != 503


WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "kind: use one of"),
    ({"kind": ["status"]}, "kind: ['status'] does not exist: "),
    ({"kind": "staus"}, "kind: 'staus' does not exist: did you mean 'status'?"),
    ({"kind": "status", "staus": 503}, "staus: a fault of kind status has no such member: did you mean 'status'?"),
    ({"kind": "status", "status": 503, "operations": ["createTraningJob"]}, "did you mean 'createTrainingJob'?"),
    ({"kind": "status"}, "status: give"),
    ({"kind": "status", "status": 200}, "status: "),
    ({"kind": "status", "status": 404}, "code: give"),
    ({"kind": "status", "status": 503, "count": 0}, "count: "),
    ({"kind": "status", "status": 503, "often": 2}, "often"),
    ({"kind": "status", "status": 503, "operations": ["dance"]}, "operations: 'dance' does not exist"),
    ({"kind": "status", "status": 503, "document": "obs", "operations": ["createToken"]}, "'createToken' does not"),
    ({"kind": "status", "status": 503, "document": "v3"}, "document: 'v3' is not one of iam, v1, v2, obs"),
    ({"kind": "latency"}, "seconds"),
    ({"kind": "drop", "moment": "never"}, "moment: "),
    ({"kind": "first_form"}, "document: only the object store lists objects"),
    ({"kind": "preempted"}, "job: preempted is a fault of a job: name the job by its id"),
]


def test_a_fault_that_is_not_right_is_rejected(faulty: Any) -> None:
    for members, message in WRONG:
        response = faulty.http.post(FAULTS, json=members)

        assert (response.status_code, message in response.json()["error_msg"]) == (400, True), members


def test_an_impossible_fault_of_a_task_is_rejected(staged: Any, puppet: Any) -> None:
    """A job that waits or has ended has no task; of a running one nobody but the executor is asked whether it runs."""

    def inject(**fault: Any) -> Any:
        return staged.http.post(FAULTS, json=fault)

    running, waiting = (staged.create_job()["metadata"]["id"] for _ in range(2))
    staged.eventually(lambda: running in puppet.specs)
    staged.wait_for_phase(waiting, "Pending")
    for fault in (
        {"job": "none", "kind": "preempted"},
        {"job": 1, "kind": "preempted"},
        {"job": running, "kind": "rain"},
        {"job": running},
        {"job": running, "kind": "preempted", "task": "worker-1"},
        {"job": running, "kind": "preempted", "task": []},
        {"job": running, "kind": []},
        {"job": running, "kind": "preempted", "after": 1},
    ):
        response = inject(**fault)
        assert (response.status_code, bool(response.json()["error_msg"])) == (400, True), fault
    response = inject(job=waiting, kind="preempted")
    assert (response.status_code, "Pending" in response.json()["error_msg"]) == (400, True)
    assert inject(job=running, kind="preempted").is_success

    puppet.report(running, TaskReport("worker-0", "ended", 1.0, 2.0, 0))
    staged.wait_for_phase(running, "Completed")
    response = inject(job=running, kind="preempted")
    assert (response.status_code, "Completed" in response.json()["error_msg"]) == (400, True)
