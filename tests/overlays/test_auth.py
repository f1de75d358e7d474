"""Logging in: once for everybody, again when the service says so, and never with a word about the password."""

import asyncio
import json
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx
import pytest
from tests.overlays.conftest import ENDPOINT, IAM, JOB, PASSWORD, PROJECT, Call, Service, Twin

from modelarts_toolkit.auth.tokens import IamTokenAuth, TokenAuth
from modelarts_toolkit.errors import ApiError, Forbidden, ServiceFailure, Unauthorized
from modelarts_toolkit.settings.config import Settings


def iam(password: str = PASSWORD) -> IamTokenAuth:
    return IamTokenAuth(IAM, username="u", password=password, domain_name="d", project_name="p")


def logged_in(service: Service) -> IamTokenAuth:
    auth = iam()
    with httpx.Client(auth=auth, transport=httpx.MockTransport(service)) as client:
        client.get("https://x.example.com/")
    return auth


def show(ma: Any) -> Any:
    return ma.v2.training_jobs.show_training_job_details(JOB)


def arguments(twin: Twin, service: Service, settings: Settings, **others: str) -> dict[str, Any]:
    return {**settings, **others, "transport": twin.transport(service)}


def test_the_login_has_the_documented_body_and_the_token_goes_into_every_call(do: Call, service: Service) -> None:
    do(show)

    login, call = service.requests
    assert ("POST", f"{IAM}/v3/auth/tokens") == (login.method, str(login.url))
    user = {"name": "developer", "password": PASSWORD, "domain": {"name": "account"}}
    assert json.loads(login.content) == {
        "auth": {
            "identity": {"methods": ["password"], "password": {"user": user}},
            "scope": {"project": {"name": "region"}},
        }
    }
    assert "X-Auth-Token" not in login.headers
    assert call.headers["X-Auth-Token"] == "token-1"


def test_a_project_known_by_its_id_alone_needs_no_name(do: Call, service: Service) -> None:
    do(show, project_name=None)

    assert json.loads(service.requests[0].content)["auth"]["scope"] == {"project": {"id": PROJECT}}


def test_many_calls_with_a_token_that_was_revoked_log_in_once_more(
    twin: Twin, service: Service, settings: Settings
) -> None:
    auth = logged_in(service)
    service.valid.clear()
    results = twin.at_once(show, 8, auth=auth, **arguments(twin, service, settings))

    assert not [result for result in results if isinstance(result, Exception)]
    assert service.logins == 2


def test_a_wrong_password_is_unauthorized_in_the_words_of_the_service(do: Call, service: Service) -> None:
    with pytest.raises(Unauthorized, match="The username or password is wrong") as caught:
        do(show, password="wrong pony")

    assert "wrong pony" not in repr(caught.value) + str(caught.value)
    assert [request.url.path for request in service.requests] == ["/v3/auth/tokens"]


def test_a_rejected_login_is_not_repeated_by_those_who_waited_for_it(
    twin: Twin, service: Service, settings: Settings
) -> None:
    """Several wrong logins in a row would lock the account; here all calls begin before the first login is rejected."""
    twin.delay = 0.5
    results = twin.at_once(show, 6, **arguments(twin, service, settings, password="wrong pony"))

    assert [type(result) for result in results] == [Unauthorized] * 6
    assert service.logins == 1


@pytest.mark.parametrize(
    ("status", "code"), [(401, "ModelArts.0202"), (401, "ModelArts.0203"), (403, "ModelArts.2784")]
)
def test_a_rejected_token_is_renewed_once(do: Call, service: Service, status: int, code: str) -> None:
    def reject_first(request: httpx.Request) -> httpx.Response:
        if service.logins == 1:
            return httpx.Response(status, json={"error_code": code, "error_msg": "Invalid token."})
        return httpx.Response(200, json={"kind": "job"})

    auth = logged_in(service)
    service.responses = reject_first

    assert do(show, auth=auth).kind == "job"
    assert service.logins == 2
    assert service.calls(JOB) == 2


@pytest.mark.parametrize("code", ["ModelArts.2785", "ModelArts.0210", None])
def test_a_missing_permission_does_not_cause_another_login(
    twin: Twin, service: Service, settings: Settings, code: str | None
) -> None:
    """The token is not that of a login just before the call, which would not be renewed anyhow."""
    auth = logged_in(service)
    error = {"error_code": code, "error_msg": "not authorized"}
    service.responses = lambda _: httpx.Response(403, json=error)

    with pytest.raises(Forbidden):
        twin.do(show, auth=auth, **arguments(twin, service, settings))

    assert (service.logins, service.calls(JOB)) == (1, 1)


@pytest.mark.parametrize(("lifetime_s", "used_s"), [(24 * 3600, 24 * 3600 - 300), (600, 540)])
def test_a_token_is_renewed_before_it_ends(service: Service, lifetime_s: int, used_s: int) -> None:
    """Five minutes before, or a tenth of its lifetime if that is less, so that no call meets its end."""
    service.expires_at = (datetime.now(UTC) + timedelta(seconds=lifetime_s)).isoformat()
    auth = logged_in(service)

    assert "token-1" not in repr(auth) + repr(auth._token)
    assert auth._token is not None
    assert auth._token.renew_at - time.monotonic() == pytest.approx(used_s, abs=5)


def test_a_token_that_has_ended_is_used_once(service: Service) -> None:
    """For the request it was obtained for, and not for the next."""
    service.expires_at = datetime.now(UTC).isoformat()
    auth = iam()
    with httpx.Client(auth=auth, transport=httpx.MockTransport(service)) as client:
        assert [client.get("https://x.example.com/").status_code for _ in range(3)] == [200] * 3

    assert service.logins == 3


def test_the_end_of_a_token_is_reckoned_by_the_clock_of_the_service(service: Service) -> None:
    """Our clock may be hours off: what counts is the time between the response's Date and expires_at."""
    theirs = datetime(2001, 1, 1, tzinfo=UTC)
    service.expires_at = (theirs + timedelta(hours=24)).isoformat()

    def dated(request: httpx.Request) -> httpx.Response:
        response = service(request)
        response.headers["Date"] = format_datetime(theirs, usegmt=True)
        return response

    auth = iam()
    with httpx.Client(auth=auth, transport=httpx.MockTransport(dated)) as client:
        for _ in range(3):
            client.get("https://x.example.com/")

    assert service.logins == 1


@pytest.mark.parametrize(
    ("response", "error", "said"),
    [
        (httpx.Response(200, html="<h1>Welcome to the hotel</h1>"), ApiError, "Welcome to the hotel"),
        (httpx.Response(500, text="oops"), ServiceFailure, "oops"),
    ],
)
def test_a_login_that_gives_no_token_is_not_called_a_wrong_password(
    response: httpx.Response, error: type[Exception], said: str
) -> None:
    transport = httpx.MockTransport(lambda _: response)

    with httpx.Client(auth=iam(), transport=transport) as client, pytest.raises(error, match=said) as caught:
        client.get("https://x.example.com/")

    assert type(caught.value) is error


def test_a_task_that_is_cancelled_while_it_logs_in_lets_the_next_one_in(service: Service) -> None:
    began, may_end = asyncio.Event(), asyncio.Event()

    async def slow(request: httpx.Request) -> httpx.Response:
        began.set()
        await may_end.wait()
        return service(request)

    async def run() -> int:
        auth = iam()
        async with httpx.AsyncClient(auth=auth, transport=httpx.MockTransport(slow)) as client:
            first = asyncio.create_task(client.get("https://x.example.com/"))
            second = asyncio.create_task(client.get("https://x.example.com/"))
            await began.wait()
            assert first.cancel()
            may_end.set()
            return (await second).status_code

    assert asyncio.run(run()) == 200
    assert service.logins == 1


def test_a_ready_token_goes_into_every_call_without_a_login(twin: Twin, service: Service) -> None:
    service.valid.add("ready")

    twin.do(show, endpoint=ENDPOINT, project_id=PROJECT, token="ready", transport=twin.transport(service))

    (request,) = service.requests
    assert request.headers["X-Auth-Token"] == "ready"
    assert "ready" not in repr(TokenAuth("ready"))


def test_a_login_that_is_cut_off_lets_the_next_one_in(service: Service) -> None:
    auth = iam()
    is_down = True

    def flaky(request: httpx.Request) -> httpx.Response:
        if is_down:
            raise httpx.ConnectError("down", request=request)
        return service(request)

    with httpx.Client(auth=auth, transport=httpx.MockTransport(flaky)) as client:
        with pytest.raises(httpx.ConnectError):
            client.get("https://x.example.com/")
        is_down = False

        assert client.get("https://x.example.com/").status_code == 200


def test_a_new_token_that_is_rejected_is_not_renewed_again(do: Call, service: Service) -> None:
    error = {"error_code": "ModelArts.0207", "error_msg": "The token has no project."}
    service.responses = lambda _: httpx.Response(401, json=error)

    with pytest.raises(Unauthorized, match="no project"):
        do(show)

    assert service.logins == 1


def test_after_a_rejected_login_the_next_call_tries_anew(service: Service) -> None:
    with httpx.Client(auth=iam("wrong pony"), transport=httpx.MockTransport(service)) as client:
        for _ in range(2):
            with pytest.raises(Unauthorized):
                client.get("https://modelarts.example.com/")

    assert service.logins == 2
