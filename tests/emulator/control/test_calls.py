"""Recorded calls: what clients asked and got, without secrets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from modelarts_emulator.server import Emulator

MAX_CALLS = 1000


@pytest.fixture(scope="module")
def server() -> Iterator[Emulator]:
    with Emulator(executor="simulated", record_calls=True) as running:
        yield running


@pytest.fixture
def recorded(server: Emulator, log_in: Any) -> Any:
    """A client of an emulator that records, which has forgotten the login."""
    server.reset()
    client = log_in(server)
    server.calls.clear()
    return client


def test_a_call_is_recorded_with_what_was_sent_and_what_came(recorded: Any) -> None:
    job = recorded.create_job()
    recorded.call("GET", "/training-job-flavors?flavor_type=CPU")

    created, listed = recorded.emulator.calls.list()

    found = (created.operation, created.document, created.method, created.status)
    assert found == ("createTrainingJob", "v2", "POST", 201)
    assert created.body["metadata"]["name"] == job["metadata"]["name"]
    assert created.response == job
    assert created.path == f"{recorded.project}/training-jobs"
    assert (listed.operation, listed.query, listed.body) == ("showTrainingJobFlavors", {"flavor_type": "CPU"}, None)


def test_long_bodies_are_cut_off_and_the_oldest_calls_forgotten(recorded: Any) -> None:
    """Of each body 64 kB are kept, and 16 MB of all."""
    body = recorded.job_body()
    body["metadata"]["description"] = "d" * 100_000
    for _ in range(300):
        recorded.call("POST", "/training-jobs", json=body)

    calls = recorded.emulator.calls.list()

    assert {(len(call.request_text), call.is_truncated, call.body) for call in calls} == {(65_536, True, None)}
    assert 200 < len(calls) < 16 * 1024 * 1024 // 65_536
    recorded.call("GET", "/training-job-engines")
    assert not recorded.emulator.calls.list()[-1].is_truncated


def test_calls_are_selected_by_operation_and_document(recorded: Any) -> None:
    recorded.create_job()
    recorded.call("GET", "/training-job-engines")
    calls = recorded.emulator.calls

    assert [call.status for call in calls.list("createTrainingJob")] == [201]
    assert [call.status for call in calls.list("createTrainingJob", document="v2")] == [201]
    assert calls.list("createTrainingJob", document="v1") == []
    assert len(calls.list(document="v2")) == 2


def test_a_misspelt_name_is_rejected(recorded: Any) -> None:
    """So that a test that no such call was made cannot pass by mistake."""
    with pytest.raises(ValueError, match="no operation is named 'creatTrainingJob': did you mean 'createTrainingJob'"):
        recorded.emulator.calls.list("creatTrainingJob")
    with pytest.raises(ValueError, match="no document is named 'v3': use iam, v1, v2"):
        recorded.emulator.calls.list(document="v3")
    with pytest.raises(ValueError, match="no operation is named 'createToken': use one of "):
        recorded.emulator.calls.list("createToken", document="v2")
    wrong = recorded.http.get("/_emulator/calls?name=x")
    assert (wrong.status_code, wrong.json()["error_msg"]) == (400, "name: the parameters are document, operation")


def test_rejected_and_dropped_calls_are_recorded(recorded: Any) -> None:
    faults = recorded.emulator.faults
    recorded.call("GET", "/training-job-flavors?colour=red")
    faults.add(kind="status", status=429, count=1)
    recorded.call("GET", "/training-job-flavors")
    faults.add(kind="drop", moment="before", count=1)
    with pytest.raises(httpx.TransportError):
        recorded.call("GET", "/training-job-flavors")

    assert [call.status for call in recorded.emulator.calls.list()] == [400, 429, None]


def test_secrets_are_not_recorded(recorded: Any) -> None:
    identity = recorded.identity
    token = recorded.log_in().headers["X-Subject-Token"]
    keys = {"auth": {"identity": {"methods": ["token"]}}}
    temporary = recorded.http.post("/v3.0/OS-CREDENTIAL/securitytokens", json=keys).json()["credential"]
    exchange = {"auth": {"identity": {"methods": ["token"], "token": {"id": token}}}}
    assert recorded.http.post("/v3/auth/tokens", json=exchange).status_code == 201
    secrets = [identity.password, token, *(temporary[name] for name in ("access", "secret", "securitytoken"))]

    calls = recorded.emulator.calls.list(document="iam")
    shown = [repr((call, call.request_headers, call.response_headers, call.body, call.response)) for call in calls]

    assert [call.operation for call in calls] == ["createToken", "createTemporaryKeys", "createToken"]
    assert calls[0].body["auth"]["identity"]["password"]["user"]["name"] == identity.user
    assert [secret for secret in secrets if any(secret in text for text in shown)] == []


def test_the_oldest_calls_are_forgotten(recorded: Any) -> None:
    for _ in range(MAX_CALLS + 1):
        recorded.http.get("/v3")
    recorded.http.get("/")

    calls = recorded.emulator.calls.list()

    assert (len(calls), calls[-1].operation) == (MAX_CALLS, "listVersions")


def test_a_reset_forgets_calls(recorded: Any) -> None:
    recorded.call("GET", "/training-job-engines")
    recorded.emulator.reset()

    assert recorded.emulator.calls.list() == []


def test_an_emulator_that_does_not_record_says_how_to(api: Any) -> None:
    with pytest.raises(ValueError, match="record_calls=True"):
        api.emulator.calls.list()
    response = api.http.get("/_emulator/calls")

    assert response.status_code == 400
    assert "--record-calls" in response.json()["error_msg"]
