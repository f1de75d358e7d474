"""Clients that wait to hear whether their body is wanted."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(params=["endpoint", "obs_endpoint"])
def connection(request: pytest.FixtureRequest, shared_emulator: Any) -> Iterator[http.client.HTTPConnection]:
    address = getattr(shared_emulator, request.param).removeprefix("http://")
    connection = http.client.HTTPConnection(address, timeout=5)
    yield connection
    connection.close()


def announce(connection: http.client.HTTPConnection, expectation: str) -> http.client.HTTPResponse:
    """Ask whether ten bytes are wanted that nobody may send."""
    connection.putrequest("PUT", "/v2/nobody/anything")
    connection.putheader("Content-Length", "10")
    connection.putheader("Expect", expectation)
    connection.endheaders()
    response = connection.getresponse()
    response.read()
    return response


@pytest.mark.parametrize("expectation", ["100-continue", "100-Continue"])
def test_a_rejection_without_the_body_ends_the_connection(
    connection: http.client.HTTPConnection, expectation: str
) -> None:
    response = announce(connection, expectation)

    assert response.status in (403, 404)
    assert response.getheader("Connection") == "close"
    assert response.will_close


def test_the_next_call_of_the_same_client_is_not_taken_for_the_body(connection: http.client.HTTPConnection) -> None:
    announce(connection, "100-continue")

    connection.request("GET", "/")  # http.client connects again where the server has closed
    assert connection.getresponse().status in (300, 403)


def test_a_body_that_is_read_leaves_the_connection_open(api: Any) -> None:
    response = api.http.put(
        f"{api.emulator.endpoint}/v3/auth/tokens", headers={"Expect": "100-continue"}, content=b"ten bytes."
    )
    login = api.http.post(
        "/v3/auth/tokens", headers={"Expect": "100-continue", "Content-Type": "application/json"}, content=b"{}"
    )

    assert (response.status_code, response.headers.get("Connection")) == (405, "close")
    assert (login.status_code, login.headers.get("Connection")) == (400, None)
