"""A rejection becomes the error that a caller would act on, and contains no secrets."""

import asyncio
import copy
import json
import pickle
import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.secret_values import HEADER_SECRETS, MARK, names, objects

from modelarts_api.errors import (
    ApiError,
    BadRequest,
    Conflict,
    Forbidden,
    NotFound,
    ServiceFailure,
    TooManyRequests,
    Unauthorized,
)
from modelarts_runtime.client import Client


def error(status, *, request=None, **content):
    url = httpx.URL("https://service.test/v2/p/jobs?sign=abc#f", username="user", password="pass")
    request = request or httpx.Request("GET", url)
    return ApiError.from_response(httpx.Response(status, request=request, **content))


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "ModelArts.2775", NotFound),
        (400, "ModelArts.2755", NotFound),
        (400, "ModelArts.2751", Conflict),
        (400, "ModelArts.2752", Conflict),
        (400, "ModelArts.2821", Conflict),
        (409, "ModelArts.2796", Conflict),
        (403, "ModelArts.2784", Unauthorized),
        (403, "ModelArts.2785", Forbidden),
        (403, "ModelArts.0210", Forbidden),
        (404, "ModelArts.2786", NotFound),
        (429, "ModelArts.2799", TooManyRequests),
        (500, "ModelArts.2950", ServiceFailure),
        (400, "ModelArts.2788", BadRequest),
        (400, "ModelArts.0103", Conflict),
        (400, "ModelArts.0105", Conflict),
        (400, None, BadRequest),
        (422, None, BadRequest),
        (501, None, ApiError),
        (501, "ModelArts.2950", ApiError),
        (401, None, Unauthorized),
        (403, None, Forbidden),
        (404, None, NotFound),
        (409, None, Conflict),
        (429, None, TooManyRequests),
        (502, None, ServiceFailure),
        (418, None, ApiError),
        (302, None, ApiError),
    ],
)
def test_the_code_decides_before_the_status(status, code, kind):
    assert type(error(status, json={"error_code": code, "error_msg": "no"})) is kind


@pytest.mark.parametrize(
    ("body", "code", "msg", "solution"),
    [
        (
            {"error_msg": "algorithm not found.", "error_code": "ModelArts.2755", "error_solution": "Check it."},
            "ModelArts.2755", "algorithm not found.", "Check it.",
        ),
        ({"is_success": False, "error_message": "no", "error_code": "ModelArts.0105"}, "ModelArts.0105", "no", None),
        ({"error": {"code": 401, "title": "Unauthorized", "message": "wrong password"}}, "401", "wrong password", None),
        ({"error": {"title": "Unauthorized"}}, None, "Unauthorized", None),
        ({"error_code": None, "error_msg": None}, None, '{"error_code":null,"error_msg":null}', None),
        ({"error_msg": {"a": 1}}, None, "{'a': 1}", None),
        (["no"], None, '["no"]', None),
    ],
)  # fmt: skip
def test_every_envelope_is_read(body, code, msg, solution):
    found = error(400, json=body)

    assert (found.error_code, found.error_msg, found.solution) == (code, msg, solution)


def test_a_page_of_a_proxy_gives_the_status_and_its_first_characters():
    found = error(502, html=f"<html>\n<body>Bad   gateway {'x' * 500}</body></html>")

    assert found.status == 502
    assert found.error_msg.startswith("<html> <body>Bad gateway xxx")
    assert len(found.error_msg) < 210


def test_the_request_id_is_in_a_header_or_in_the_body():
    assert error(400, json={"error_msg": "no"}, headers={"X-Request-Id": "r"}).request_id == "r"
    assert error(400, json={"error_msg": "no", "request_id": "r"}).request_id == "r"
    assert error(400, json={"error_msg": "no"}).request_id is None


def test_the_message_begins_with_the_code_and_the_text_and_ends_with_the_call():
    found = error(
        400,
        json={"error_code": "ModelArts.2755", "error_msg": "algorithm not found.", "error_solution": "Check the id."},
        headers={"X-Request-Id": "r"},
    )

    assert str(found) == (
        "ModelArts.2755: algorithm not found. Check the id. (400, GET https://service.test/v2/p/jobs, request r)"
    )


@pytest.mark.parametrize(
    ("value", "seconds"), [("0", 0), ("120", 120), ("soon", None), ("", None), ("-3", None), (None, None)]
)
def test_an_error_says_when_to_try_again(value, seconds):
    headers = {} if value is None else {"Retry-After": value}

    assert error(429, headers=headers).retry_after == seconds


@pytest.mark.parametrize(
    ("place", "secret"),
    [
        *((name, "hunter2") for name in ("password", "passcode", "secret", "access_key", "secret_key")),
        ("password", 'pass"wörd\\'),
        ("token", "t0k3n"),
        *(
            (name, "T0ken-" + "x" * 190)
            for name in ("Authorization", "X-Auth-Token", "X-Subject-Token", "X-Security-Token", "Cookie")
        ),
    ],
)
def test_a_secret_of_the_request_that_the_response_repeats_is_hidden(place, secret):
    """Of a member of its body or of a header, also where the text is cut; an id is a secret in a token only."""
    body = {"user": {"id": "someone", place: {"id": secret} if place == "token" else secret}}
    headers = {place: secret} if place[0].isupper() else {}
    request = httpx.Request("POST", "https://service.test/", json={} if headers else body, headers=headers)
    for content in (
        {"json": {"error_msg": f"someone sent {secret}", "error_solution": f"not {secret}"}},
        {"text": f"someone sent {secret} {secret}"},
        {"text": f"someone sent {request.content.decode()}"},
    ):
        found = error(500, request=request, **content)
        assert secret[:6] not in f"{found} {found!r} {vars(found)}", content
        assert "someone sent" in str(found), content


@given(objects(), objects(), st.booleans())
def test_an_error_shows_no_secret(sent, received, is_quoted):
    """Of the request or of the response, at any depth, under any name, and where the response quotes the request."""
    request = httpx.Request("POST", "https://service.test/", json=sent)
    quoted = f"cannot use {request.content.decode()}" if is_quoted else "no"

    for content in ({"json": {**received, "error_msg": quoted}}, {"text": f"{json.dumps(received)} {quoted}"}):
        found = error(400, request=request, **content)
        assert MARK not in f"{found} {found!r} {vars(found)}", type(found)


@given(names("-"), HEADER_SECRETS)
def test_an_error_shows_no_secret_of_a_header(name, secret):
    request = httpx.Request("GET", "https://service.test/", headers={name.replace("_", "-").strip("-"): secret})

    found = error(400, request=request, headers=request.headers, json={"error_msg": f"wrong: {secret}"})

    assert MARK not in f"{found} {found!r} {vars(found)}"
    assert found.error_msg == "wrong: ***"


def test_the_headers_of_a_response_are_kept_without_its_secrets():
    found = error(400, headers={"X-Trace": "1", "X-Subject-Token": "t0k", "Set-Cookie": "c00kie"})

    assert found.headers["x-trace"] == "1"
    assert "t0k" not in repr(vars(found))
    assert "c00kie" not in repr(vars(found))


@pytest.mark.parametrize("twin_of", [copy.copy, lambda found: pickle.loads(pickle.dumps(found))])
def test_an_error_survives_copying_and_pickling(twin_of):
    found = error(400, json={"error_code": "ModelArts.2775", "error_msg": "no"}, headers={"Retry-After": "3"})

    twin = twin_of(found)

    assert type(twin) is NotFound
    assert vars(twin) == vars(found)
    assert twin.retry_after == 3


def test_a_date_after_which_to_try_again_is_turned_into_seconds():
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)

    assert error(503, headers={"Retry-After": later}).retry_after == pytest.approx(90, abs=3)
    assert error(503, headers={"Retry-After": "Fri, 01 Jan 1999 00:00:00 GMT"}).retry_after == 0


def test_a_client_makes_its_connection_pool_when_it_is_needed():
    """Arguments that no pool can be made with show when one is made."""
    client = Client("http://service.test", httpx_args={"no_such_argument": 1})
    client.close()
    asyncio.run(client.aclose())

    with pytest.raises(TypeError, match="no_such_argument"):
        client.request("GET", "/")
    with pytest.raises(TypeError, match="no_such_argument"):
        asyncio.run(client.request_async("GET", "/"))


def test_threads_that_start_at_once_share_one_connection_pool():
    client = Client("http://service.test")
    barrier = threading.Barrier(8)
    found = []

    def open_client():
        barrier.wait()
        found.append(client.get_httpx_client())

    threads = [threading.Thread(target=open_client) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    client.close()

    assert len(found) == 8
    assert len(set(found)) == 1


def test_repr_shows_the_address_and_no_header():
    assert repr(Client("http://service.test", headers={"X-Auth-Token": "secret"})) == "Client('http://service.test')"
