"""Raw connections: headers that are there twice, upgrades, proxies, half-closed clients."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

HOST = b"Host: 127.0.0.1\r\n"
GET = b"GET /v3 HTTP/1.1\r\n" + HOST


@contextmanager
def connected(url: str) -> Iterator[socket.socket]:
    host, port = url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        yield connection


def send(connection: socket.socket, request: bytes) -> None:
    """Send the request, with the port of the server behind the name of its host."""
    if HOST in request:
        request = request.replace(HOST, b"Host: 127.0.0.1:%d\r\n" % connection.getpeername()[1])
    connection.sendall(request)


def read_all(connection: socket.socket) -> bytes:
    """What arrives until the server closes the connection."""
    received = b""
    while True:
        try:
            piece = connection.recv(65536)
        except ConnectionResetError:
            return received
        if not piece:
            return received
        received += piece


def exchange(url: str, *pieces: bytes) -> bytes:
    """What a server sends before it closes the connection, which it must do by itself."""
    with connected(url) as connection:
        for piece in pieces:
            try:
                send(connection, piece)
            except (BrokenPipeError, ConnectionResetError):
                break
        return read_all(connection)


def statuses(response: bytes) -> list[int]:
    return [int(part[:3]) for part in response.split(b"HTTP/1.1 ")[1:]]


@pytest.fixture(params=["endpoint", "obs_endpoint"])
def url(request: pytest.FixtureRequest, shared_emulator: Any) -> str:
    return str(getattr(shared_emulator, request.param))


@pytest.mark.parametrize("hosts", [b"", HOST + HOST])
def test_a_request_has_exactly_one_host(url: str, hosts: bytes) -> None:
    response = exchange(url, b"GET /v3 HTTP/1.1\r\nConnection: close\r\n" + hosts + b"\r\n")

    assert statuses(response) == [400]
    assert b"exactly one Host header" in response


@pytest.mark.parametrize("name", ["Authorization", "X-Auth-Token"])
def test_a_request_names_its_user_once(url: str, name: str) -> None:
    """Neither of two credentials is the one that counts."""
    response = exchange(url, GET + f"Connection: close\r\n{name}: one\r\n{name.lower()}: two\r\n\r\n".encode())

    assert statuses(response) == [400]
    assert b"more than one %s header" % name.encode() in response


def test_headers_behind_a_body_do_not_count(shared_emulator: Any) -> None:
    """A `Host` or a token there could contradict what was checked in the head."""
    request = (
        GET.replace(b"GET", b"POST") + b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\nHost: x\r\n\r\n"
    )

    assert statuses(exchange(shared_emulator.endpoint, request)) == [405]


UPGRADE = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n"


@pytest.mark.parametrize("framing", ["length", "chunks", "pieces"])
def test_the_body_of_a_request_that_offers_http_2_is_read(api: Any, framing: str) -> None:
    """Java's HttpClient and `curl --http2` offer it with every request."""
    user = api.identity
    account = {"name": user.user, "password": user.password, "domain": {"name": user.account}}
    identity = {"methods": ["password"], "password": {"user": account}}
    body = json.dumps({"auth": {"identity": identity}}).encode()
    start = b"POST /v3/auth/tokens HTTP/1.1\r\nHost: 127.0.0.1\r\n" + UPGRADE
    if framing == "chunks":
        pieces = [start + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)]
    else:
        pieces = [start + b"Content-Length: %d\r\n\r\n" % len(body), body]
    if framing == "length":
        pieces = [b"".join(pieces)]

    response = exchange(api.emulator.endpoint, *pieces, GET + b"Connection: close\r\n\r\n")

    assert statuses(response) == [201, 200]


def test_thousands_of_offers_of_http_2_on_one_connection_get_responses(shared_emulator: Any) -> None:
    with connected(shared_emulator.endpoint) as connection:
        send(connection, (GET + UPGRADE + b"\r\n") * 2000 + GET + b"Connection: close\r\n\r\n")

        assert statuses(read_all(connection)) == [200] * 2001


@pytest.mark.parametrize("target", [b"example.com:443", b"/v3"])
def test_connect_is_rejected_and_the_connection_closed(url: str, target: bytes) -> None:
    response = exchange(url, b"CONNECT %s HTTP/1.1\r\nHost: example.com\r\n\r\nabc" % target)

    assert statuses(response) == [400]


def test_a_client_that_has_closed_its_side_gets_its_responses(shared_emulator: Any) -> None:
    with connected(shared_emulator.endpoint) as connection:
        send(connection, (GET + b"\r\n") * 3)
        connection.shutdown(socket.SHUT_WR)

        assert statuses(read_all(connection)) == [200] * 3
