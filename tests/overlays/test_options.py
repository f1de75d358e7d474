"""Options of single calls with the toolkit's clients: workflows, retries, logins, signatures, and threads."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.overlays.conftest import JOB, PROJECT, Twin

from modelarts_api.client import Call
from modelarts_emulator.server import Emulator
from modelarts_runtime.options import _blocks
from modelarts_toolkit import AsyncModelArts, ConnectionFailed, ModelArts, Unauthorized
from modelarts_toolkit.http.deadlines import call_within
from modelarts_toolkit.storage import event_loops

DETAILS = {"kind": "job", "metadata": {"id": JOB, "name": "a"}, "status": {"phase": "Completed"}}


def details(_: httpx.Request) -> httpx.Response:
    return httpx.Response(200, headers={"X-Request-Id": "r"}, json=DETAILS)


def within(ma: Any, options: dict[str, Any], work: Any) -> Any:
    """The block with which the client did the work: an awaitable of it from an asynchronous client."""
    if not isinstance(ma, AsyncModelArts):
        with ma.options(**options) as call:
            work(ma)
        return call

    async def run() -> Any:
        with ma.options(**options) as call:
            await work(ma)
        return call

    return run()


def test_a_workflow_has_the_options_in_each_of_its_calls(do, service):
    """A job is found by its name with two calls, which the first of them logs in for."""

    def found(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/training-job-searches"):
            return httpx.Response(200, json={"items": [DETAILS], "total": 1})
        return details(request)

    service.responses = found
    options = {"timeout": 4, "headers": {"X-Trace": "a"}}

    call = do(lambda ma: within(ma, options, lambda ma: ma.jobs.get("a")))

    login, *calls = service.requests
    assert len(calls) == len(call.responses) > 0
    assert {request.headers["X-Trace"] for request in calls} == {"a"}
    assert "X-Trace" not in login.headers
    assert {request.extensions["timeout"]["read"] for request in service.requests} == {4}
    assert "token-1" not in repr([[*each.request.headers.items()] for each in call.responses])


def test_iam_and_both_versions_belong_to_one_client(do, service):
    """Also those that are first used within the block; another client's calls do not."""
    service.responses = lambda _: httpx.Response(200, json={"projects": [], "jobs": [], "spec_total_count": 0})

    async def calls_async(ma: Any) -> None:
        await ma.iam.projects.list_projects()
        await ma.v1.training_jobs.list_training_jobs()
        await ma.v2.training_jobs.show_training_job_details(JOB)

    def calls(ma: Any) -> None:
        ma.iam.projects.list_projects()
        ma.v1.training_jobs.list_training_jobs()
        ma.v2.training_jobs.show_training_job_details(JOB)

    call = do(lambda ma: within(ma, {}, calls_async if isinstance(ma, AsyncModelArts) else calls))

    assert [each.request.url.path.split("/")[1] for each in call.responses] == ["v3", "v1", "v2"]


def test_the_lookup_of_the_project_is_a_call_like_others(twin, service, settings):
    del settings["project_id"]

    def found(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v3/projects":
            return httpx.Response(200, json={"projects": [{"id": PROJECT, "name": "region"}]})
        return details(request)

    service.responses = found
    options = {"headers": {"X-Trace": "a"}}
    show = lambda ma: ma.v2.training_jobs.show_training_job_details(JOB)  # noqa: E731

    call = twin.do(lambda ma: within(ma, options, show), transport=twin.transport(service), **settings)

    assert [each.request.headers["X-Trace"] for each in call.responses] == ["a", "a"]
    assert call.request_id == "r"


def test_the_response_after_retries_is_the_one_that_is_kept(do, service):
    answers = iter([429, 503, 200])
    service.responses = lambda _: httpx.Response(next(answers), headers={"Retry-After": "0"}, json=DETAILS)

    call = do(lambda ma: within(ma, {}, lambda ma: ma.v2.training_jobs.show_training_job_details(JOB)))

    assert [each.status_code for each in call.responses] == [200]
    assert service.calls(JOB) == 3


@pytest.mark.parametrize("retries", [0, 1])
def test_retries_of_a_block_replace_those_of_the_client(twin, service, settings, retries):
    """Also of the login that a call waits for."""
    is_login_lost = True

    def lost(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v3/auth/tokens" and not is_login_lost:
            return service(request)
        service.requests.append(request)
        raise httpx.ConnectError("refused")

    def attempts() -> int:
        service.requests.clear()
        show = lambda ma: ma.v2.training_jobs.show_training_job_details(JOB)  # noqa: E731
        with pytest.raises(ConnectionFailed):
            twin.do(lambda ma: within(ma, {"retries": retries}, show), transport=twin.transport(lost), **settings)
        return len([request for request in service.requests if request.url.path.endswith(JOB) or is_login_lost])

    assert attempts() == retries + 1
    is_login_lost = False
    assert attempts() == retries + 1


@pytest.mark.parametrize(
    ("retries", "error"), [(-1, ValueError), (True, TypeError), ("1", TypeError), (1.0, TypeError)]
)
def test_retries_that_are_none_are_rejected(retries, error):
    ma = ModelArts(endpoint="https://x.example", project_id=PROJECT, token="t")

    with pytest.raises(error, match=r"^retries must be"):
        ma.options(retries=retries)


def test_a_deadline_shortens_a_longer_timeout_of_the_block(service, settings):
    """A wait ends in time, whatever the options around it; its thread has them, too."""
    service.responses = details

    with (
        ModelArts(transport=Twin("sync").transport(service), **settings) as ma,
        ma.options(timeout=None, headers={"X-Trace": "a"}) as call,
    ):
        call_within(5, lambda: ma.v2.training_jobs.show_training_job_details(JOB))
        ma.v2.training_jobs.show_training_job_details(JOB)

    _, within_limit, without = service.requests
    assert 4 < within_limit.extensions["timeout"]["read"] <= 5
    assert without.extensions["timeout"]["read"] is None
    assert [each.request.headers["X-Trace"] for each in call.responses] == ["a", "a"]


def test_calls_within_a_transfer_have_the_options(service, settings):
    """Also where a transfer runs in a thread of its own, because an event loop runs already."""
    service.responses = details

    with ModelArts(transport=Twin("sync").transport(service), **settings) as ma, ma.options(timeout=4) as call:

        async def transfer() -> None:
            ma.v2.training_jobs.show_training_job_details(JOB)

        async def with_loop() -> None:
            event_loops.run(transfer)

        event_loops.run(transfer)
        asyncio.run(with_loop())

    assert [request.extensions["timeout"]["read"] for request in service.requests[1:]] == [4, 4]
    assert len(call.responses) == 2


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    with Emulator(executor="simulated", check_responses=True) as running:
        yield running


@pytest.mark.parametrize("headers", [{"X-Trace": "a  b"}, {"X-Empty": "", "Accept-Language": "de"}], ids=["x", "y"])
def test_signatures_stay_valid_beside_headers_of_a_block(emulator, twin, headers):
    """The emulator verifies them as the service does; a rejection shows its response."""
    identity = emulator.identity
    keys = {"access_key": identity.access_key, "secret_key": identity.secret_key, "project_id": identity.project_id}
    show = lambda ma: ma.v2.flavors.show_training_job_flavors()  # noqa: E731

    call = twin.do(lambda ma: within(ma, {"headers": headers}, show), endpoint=emulator.endpoint, **keys)

    request = call.response.request
    assert call.response.status_code == 200
    assert {name: request.headers[name] for name in headers} == headers
    assert request.headers["Authorization"] == "***"
    assert call.request_id


def test_a_rejected_signature_leaves_its_response(emulator, twin):
    kept: list[Call] = []
    keys = {"access_key": emulator.identity.access_key, "secret_key": "wrong", "project_id": PROJECT}

    def show(ma: Any) -> Any:
        kept.append(_blocks.get()[-1])
        return ma.v2.flavors.show_training_job_flavors()

    with pytest.raises(Unauthorized) as caught:
        twin.do(lambda ma: within(ma, {}, show), endpoint=emulator.endpoint, **keys)

    assert (kept[0].response.status_code, kept[0].request_id) == (401, caught.value.request_id)
