"""Faults over HTTP: which calls they apply to, how often, and what the client sees."""

from __future__ import annotations

import collections
import random
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from modelarts_emulator.s3.sigv4 import presigned_url

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


def test_a_status_comes_with_the_envelope_of_the_service(faulty: Any) -> None:
    add(faulty, kind="status", status=429, retry_after=7)

    response = flavors(faulty)

    assert (response.status_code, response.headers["retry-after"]) == (429, "7")
    assert response.json()["error_code"] == "ModelArts.2799"
    assert set(response.json()) == {"error_msg", "error_code", "error_solution"}


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_failure_of_the_service_needs_no_more_than_its_status(faulty: Any, status: int) -> None:
    add(faulty, kind="status", status=status)

    assert flavors(faulty).status_code == status
    assert flavors(faulty).json()["error_code"] == "ModelArts.2950"
    assert flavors(faulty).json()["error_solution"] == "Clear the faults: DELETE /_emulator/faults."


def test_a_code_brings_its_status(faulty: Any) -> None:
    add(faulty, kind="status", code="ModelArts.2796", message="Not now.")

    response = flavors(faulty)

    assert (response.status_code, response.json()["error_msg"]) == (409, "Not now.")


def test_a_fault_of_a_job_needs_one(faulty: Any) -> None:
    response = faulty.http.post(FAULTS, json={"kind": "preempted"})

    assert (response.status_code, response.json()["error_msg"]) == (
        400,
        "job: preempted is a fault of a job: name the job by its id",
    )


def test_a_login_is_rejected_as_iam_rejects(faulty: Any) -> None:
    add(faulty, kind="status", status=503, document="iam", operations=["createToken"])

    response = faulty.log_in()

    assert (response.status_code, response.json()["error"]["code"]) == (503, 503)
    assert flavors(faulty).status_code == 200


def test_a_token_expires_for_calls_that_need_one_only(faulty: Any) -> None:
    add(faulty, kind="expired_token")

    response = flavors(faulty)

    assert (response.status_code, response.json()["error_code"]) == (401, "ModelArts.0202")
    assert faulty.log_in().status_code == 201


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


def test_the_same_seed_chooses_the_same_calls(faulty: Any) -> None:
    runs = []
    for seed in (1, 1, 2):
        add(faulty, kind="status", status=503, probability=0.5, seed=seed)
        runs.append(statuses(faulty, 20))
        faulty.http.delete(FAULTS)

    assert runs[0] == runs[1] != runs[2]
    assert {200, 503} == set(runs[0])


def test_a_late_response_is_the_usual_one(faulty: Any) -> None:
    add(faulty, kind="latency", seconds=0.2, count=1)
    add(faulty, kind="latency", seconds=0.2, count=1)
    before = time.monotonic()

    assert flavors(faulty).status_code == 200
    assert time.monotonic() - before >= 0.4


@pytest.mark.parametrize(("moment", "is_done"), [("before", False), ("after", True), ("body", True)])
def test_a_connection_is_dropped_before_or_after_the_work_is_done(faulty: Any, moment: str, is_done: bool) -> None:
    body = faulty.job_body()
    add(faulty, kind="drop", moment=moment, operations=["createTrainingJob"], count=1)

    with pytest.raises(httpx.RemoteProtocolError):
        faulty.call("POST", "/training-jobs", json=body)

    search = {"filters": [{"key": "name", "operator": "in", "value": [body["metadata"]["name"]]}]}
    assert faulty.call("POST", "/training-job-searches", json=search).json()["total"] == int(is_done)


def test_an_object_that_breaks_off_is_right_as_far_as_it_goes(faulty: Any) -> None:
    """Clients go on from the byte where it broke off."""
    content = random.Random(1).randbytes(1_000_000)
    faulty.store.put(faulty.bucket, "large", content)
    add(faulty, kind="drop", moment="body", document="obs", count=1)
    user = faulty.emulator.identity
    keys = (user.access_key, user.secret_key)
    url = presigned_url(faulty.emulator.obs_endpoint, faulty.bucket, "large", *keys, expires=60)

    pieces: list[bytes] = []
    with faulty.http.stream("GET", url) as response, pytest.raises(httpx.RemoteProtocolError):
        collections.deque(map(pieces.append, response.iter_raw()), maxlen=0)

    received = b"".join(pieces)
    assert 0 < len(received) < len(content)
    assert content.startswith(received)


def test_the_object_store_fails_in_its_own_words_and_only_if_it_is_meant(faulty: Any) -> None:
    store = faulty.emulator.obs_endpoint
    add(faulty, kind="status", status=500)
    assert faulty.http.get(store).status_code == 403
    add(faulty, kind="status", status=503, document="obs", operations=["GET"])

    response = faulty.http.get(store)

    assert (response.status_code, response.headers["content-type"]) == (503, "application/xml")
    assert "<Code>SlowDown</Code>" in response.text
    assert faulty.http.put(store).status_code != 503


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({}, "kind: use one of"),
        ({"kind": ["status"]}, "kind: use one of"),
        ({"kind": "status"}, "status: give"),
        ({"kind": "status", "status": 200}, "status: "),
        ({"kind": "status", "status": 404}, "code: give"),
        ({"kind": "status", "status": 503, "count": 0}, "count: "),
        ({"kind": "status", "status": 503, "probability": 2}, "probability: "),
        ({"kind": "status", "status": 503, "often": 2}, "often"),
        ({"kind": "status", "status": 503, "operations": ["dance"]}, "operations: there is no dance"),
        ({"kind": "status", "status": 503, "document": "obs", "operations": ["createToken"]}, "no createToken"),
        ({"kind": "status", "status": 503, "document": "v3"}, "document: 'v3' is not one of iam, v1, v2, obs"),
        ({"kind": "latency"}, "seconds"),
        ({"kind": "drop", "moment": "never"}, "moment: "),
        ({"kind": "expired_token", "operations": ["createToken"]}, "needs no token"),
        ({"kind": "expired_token", "document": "obs"}, "the object store has no tokens"),
    ],
)
def test_a_fault_that_is_not_right_is_rejected(faulty: Any, members: dict[str, Any], message: str) -> None:
    response = faulty.http.post(FAULTS, json=members)

    assert response.status_code == 400
    assert message in response.json()["error_msg"]
    assert faulty.http.get(FAULTS).json() == {"faults": []}


def test_there_is_an_end_to_faults(faulty: Any) -> None:
    for _ in range(1000):
        faulty.emulator.faults.add(kind="latency", seconds=1, document="obs")

    response = faulty.http.post(FAULTS, json={"kind": "html"})

    assert (response.status_code, response.json()["error_msg"][:16]) == (400, "there are 1000 f")
