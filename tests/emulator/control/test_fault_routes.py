"""Faults over HTTP: which calls and tasks they apply to, how often, and what the client sees."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from modelarts_emulator.server import Emulator

FAULTS = "/_emulator/faults"


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


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"status": 429, "retry_after": 7}, {"error_code": "ModelArts.2799"}),
        *(({"status": status}, {"error_code": "ModelArts.2950"}) for status in (500, 502, 503, 504)),
        ({"code": "ModelArts.2796", "message": "Not now."}, {"error_code": "ModelArts.2796", "error_msg": "Not now."}),
    ],
)
def test_an_error_has_the_envelope_of_the_service(faulty: Any, members: Any, expected: dict[str, str]) -> None:
    """A status brings the code of the service, a code its status; the response says how to get rid of the fault."""
    add(faulty, kind="status", **members)

    response = flavors(faulty)

    assert response.status_code == members.get("status", 409)
    assert response.headers.get("retry-after") == ("7" if "retry_after" in members else None)
    assert set(response.json()) == {"error_msg", "error_code", "error_solution"}
    assert expected.items() <= response.json().items()
    remedy = "Clear the faults: DELETE /_emulator/faults."
    assert (response.json()["error_solution"] == remedy) == ("message" not in members)


def test_an_error_without_a_code_has_the_one_of_each_version(faulty: Any) -> None:
    add(faulty, kind="status", status=500)

    project = faulty.emulator.identity.project_id

    of_v1 = faulty.http.get(f"/v1/{project}/training-jobs").json()["error_code"]

    assert (of_v1, flavors(faulty).json()["error_code"]) == ("ModelArts.0109", "ModelArts.2950")


def test_a_login_is_rejected_as_iam_rejects(faulty: Any) -> None:
    add(faulty, kind="status", status=503, document="iam", operations=["createToken"])

    response = faulty.log_in()

    assert (response.status_code, response.json()["error"]["code"]) == (503, 503)
    assert flavors(faulty).status_code == 200


def test_the_page_of_a_proxy_is_not_json(faulty: Any) -> None:
    add(faulty, kind="html")

    response = flavors(faulty)

    assert (response.status_code, response.headers["content-type"]) == (502, "text/html; charset=utf-8")
    assert "502 Bad Gateway" in response.text


def test_a_fault_applies_count_times_after_the_first_calls(faulty: Any) -> None:
    add(faulty, kind="status", status=503, count=2, after=1)

    assert statuses(faulty, 5) == [200, 503, 503, 200, 200]
    fault = faulty.http.get(FAULTS).json()["faults"][0]
    assert (fault["calls"], fault["applied"]) == (5, 2)


def test_a_late_response_is_the_usual_one(faulty: Any) -> None:
    add(faulty, kind="latency", seconds=0.2, count=1)
    add(faulty, kind="latency", seconds=0.2, count=1)
    before = time.monotonic()

    assert flavors(faulty).status_code == 200
    assert time.monotonic() - before >= 0.4


def test_a_delay_that_was_added_after_another_fault_delays_it(faulty: Any) -> None:
    add(faulty, kind="status", status=503)
    add(faulty, kind="latency", seconds=0.3)
    before = time.monotonic()

    assert flavors(faulty).status_code == 503
    assert time.monotonic() - before >= 0.3


@pytest.mark.parametrize(("moment", "is_done"), [("before", False), ("after", True), ("body", True)])
def test_a_connection_is_dropped_before_or_after_the_work_is_done(faulty: Any, moment: str, is_done: bool) -> None:
    body = faulty.job_body()
    add(faulty, kind="drop", moment=moment, operations=["createTrainingJob"], count=1)

    with pytest.raises(httpx.TransportError):
        faulty.call("POST", "/training-jobs", json=body)

    search = {"filters": [{"key": "name", "operator": "in", "value": [body["metadata"]["name"]]}]}
    assert faulty.call("POST", "/training-job-searches", json=search).json()["total"] == int(is_done)


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
    ({"kind": ["status"]}, "kind: use one of"),
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


@pytest.fixture(scope="module")
def rehearsal(tmp_path_factory: pytest.TempPathFactory, log_in: Any) -> Iterator[Any]:
    """A client of an emulator that simulates and whose time stands still; every job runs an hour."""
    options: dict[str, Any] = {"executor": "simulated", "token_lifetime": 1e9, "max_running_jobs": 99}
    with Emulator(tmp_path_factory.mktemp("rehearsal"), check_responses=True, **options) as emulator:
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


def test_an_impossible_fault_of_a_task_is_rejected(rehearsal: Any) -> None:
    job = _start(rehearsal)
    for fault in (
        {"job": "none", "kind": "preempted"},
        {"job": 1, "kind": "preempted"},
        {"job": job, "kind": "rain"},
        {"job": job},
        {"job": job, "kind": "preempted", "task": "worker-1"},
        {"job": job, "kind": "preempted", "task": []},
        {"job": job, "kind": []},
        {"job": job, "kind": "preempted", "after": 1},
    ):
        response = _inject(rehearsal, **fault)
        assert (response.status_code, bool(response.json()["error_msg"])) == (400, True), fault
    rehearsal.emulator.clock.advance(3600)
    assert rehearsal.phase_of(job) == "Completed"

    response = _inject(rehearsal, job=job, kind="preempted")  # it has ended
    assert (response.status_code, "Completed" in response.json()["error_msg"]) == (400, True)


def test_a_fault_does_not_reach_a_task_that_has_not_been_started(staged: Any) -> None:
    """A waiting job has no task yet; of a running one nobody but the executor is asked whether it runs."""
    running, waiting = (staged.create_job()["metadata"]["id"] for _ in range(2))
    staged.eventually(lambda: staged.phase_of(waiting) == "Pending")
    response = _inject(staged, job=waiting, kind="preempted")

    assert response.status_code == 400
    assert "Pending" in response.json()["error_msg"]
    assert _inject(staged, job=running, kind="preempted").is_success
