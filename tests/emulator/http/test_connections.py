"""Raw connections: heads without end, upgrades, proxies, half-closed clients, and no file descriptors left."""

from __future__ import annotations

import asyncio
import errno
import itertools
import json
import logging
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psutil
import pytest
import uvicorn

from modelarts_emulator.http.connections import MAX_FIELDS, MAX_HEAD_BYTES, ConnectionProtocol, limit_accept_errors

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


def head(size: int, fields: int = 1) -> bytes:
    """A request whose head has this size, as limited, in that number of headers; Host and Connection come on top."""
    fixed = len("/v3" + "host127.0.0.1:12345" + "connectionclose")
    names = [f"x-{number:03d}" for number in range(fields)]
    rest = size - fixed - sum(map(len, names))
    values = [rest - (rest // fields) * (fields - 1), *[rest // fields] * (fields - 1)]
    lines = "".join(f"{name}: {'v' * length}\r\n" for name, length in zip(names, values, strict=True))
    return GET + b"Connection: close\r\n" + lines.encode() + b"\r\n"


@pytest.mark.parametrize("fields", [1, 100])
def test_a_head_is_limited_in_its_size(shared_emulator: Any, fields: int) -> None:
    """64 KiB of names and values are accepted, a byte more is not."""
    assert statuses(exchange(shared_emulator.endpoint, head(MAX_HEAD_BYTES - 200 * fields, fields))) == [200]
    assert statuses(exchange(shared_emulator.endpoint, head(MAX_HEAD_BYTES + 1, fields))) == [431]


def test_a_head_is_limited_in_the_number_of_its_headers(shared_emulator: Any) -> None:
    assert statuses(exchange(shared_emulator.endpoint, head(20_000, MAX_FIELDS - 2))) == [200]
    assert statuses(exchange(shared_emulator.endpoint, head(20_000, MAX_FIELDS - 1))) == [431]


@pytest.mark.parametrize(
    ("start", "piece"),
    [
        (b"GET /", b"a" * 65536),
        (GET + b"x: ", b"a" * 65536),
        (GET, b"".join(b"x-%d: %s\r\n" % (number, b"a" * 50) for number in range(1000))),
        (GET + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"x: y\r\n" * 10_000),
        (GET + b"Transfer-Encoding: chunked\r\n\r\n0\r\nx: ", b"a" * 65536),
        (GET + b"Transfer-Encoding: chunked\r\n\r\n1;", b"a" * 65536),
    ],
    ids=["path", "one header", "many headers", "many trailers", "one trailer", "chunk extension"],
)
def test_a_head_without_end_takes_no_memory(url: str, start: bytes, piece: bytes) -> None:
    """The connection is closed long before a hundred megabytes have arrived."""
    process = psutil.Process()
    before = process.memory_info().rss

    response = exchange(url, start, *itertools.repeat(piece, 100_000_000 // len(piece)))

    assert statuses(response)[-1:] in ([], [431], [400], [200], [403])
    assert process.memory_info().rss - before < 20_000_000


def test_a_body_may_be_longer_than_a_head(api: Any) -> None:
    """Also in chunks of a few bytes, whose framing is longer than a head may be."""

    def pieces() -> Iterator[bytes]:
        for _ in range(20_000):
            yield b"    "

    response = api.http.post("/v3/auth/tokens", content=pieces(), headers={"Content-Type": "application/json"})

    assert response.status_code == 400


@pytest.mark.parametrize("hosts", [b"", b"Host: 127.0.0.1\r\nHost: 127.0.0.1\r\n"])
def test_a_request_has_exactly_one_host(url: str, hosts: bytes) -> None:
    response = exchange(url, b"GET /v3 HTTP/1.1\r\n" + hosts + b"\r\n")

    assert statuses(response) == [400]
    assert b"exactly one Host header" in response


@pytest.mark.parametrize("name", ["Authorization", "X-Auth-Token"])
def test_a_request_names_its_user_once(url: str, name: str) -> None:
    """Neither of two credentials is the one that counts."""
    response = exchange(url, GET + f"{name}: one\r\n{name.lower()}: two\r\n\r\n".encode())

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


def test_connect_is_rejected_and_the_connection_closed(url: str) -> None:
    response = exchange(url, b"CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\nabc")

    assert statuses(response) == [405]


def test_a_client_that_has_closed_its_side_gets_its_responses(shared_emulator: Any) -> None:
    with connected(shared_emulator.endpoint) as connection:
        send(connection, (GET + b"\r\n") * 3)
        connection.shutdown(socket.SHUT_WR)

        assert statuses(read_all(connection)) == [200] * 3


def test_a_bad_request_behind_good_ones_does_not_cost_them_their_responses(shared_emulator: Any) -> None:
    with connected(shared_emulator.endpoint) as connection:
        send(connection, (GET + b"\r\n") * 2 + b"GET /v3 HTTP/1.1\r\n\r\n")

        assert statuses(read_all(connection)) == [200, 200]


class Impatient(ConnectionProtocol):
    head_timeout_s = 0.1


async def application(_scope: Any, receive: Any, send: Any) -> None:
    """An application that reads the body, and takes three times as long as a head may take."""
    await receive()
    await asyncio.sleep(0.3)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body"})


def serve(talk: Callable[[str], Any]) -> Any:
    """The result of `talk`, called in a thread with the URL of a server that wants its heads quickly."""

    async def run() -> Any:
        config = uvicorn.Config(application, http=Impatient, ws="none", lifespan="off", log_config=None)
        server = uvicorn.Server(config)
        listening = socket.create_server(("127.0.0.1", 0))
        serving = asyncio.create_task(server._serve([listening]))
        try:
            return await asyncio.to_thread(talk, f"http://127.0.0.1:{listening.getsockname()[1]}")
        finally:
            server.should_exit = True
            await serving

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("sent", "expected"),
    [(b"", []), (GET, [408]), (GET + b"\r\n" + GET, [200]), (GET + b"Content-Length: 1\r\n\r\n", None)],
)
def test_a_head_that_does_not_end_is_given_up(sent: bytes, expected: list[int] | None) -> None:
    """Heads have a time limit; bodies and responses do not count against it."""

    def talk(url: str) -> list[int] | None:
        with connected(url) as connection:
            send(connection, sent)
            if expected is None:
                connection.settimeout(0.4)
                with pytest.raises(TimeoutError):
                    connection.recv(1)
                connection.sendall(b"x")
                connection.settimeout(10)
                return None if connection.recv(100).startswith(b"HTTP/1.1 200") else []
            if expected == [200]:
                return statuses(connection.recv(65536))
            return statuses(read_all(connection))

    assert serve(talk) == expected


def test_without_file_descriptors_one_line_a_minute_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """asyncio reports each of thousands of attempts to accept a connection, with a traceback."""
    now = 0.0
    shortage = OSError(errno.EMFILE, "Too many open files")

    async def run() -> None:
        nonlocal now
        loop = asyncio.get_running_loop()
        limit_accept_errors(loop, lambda: now)
        for moment in (0.0, 1.0, 59.0, 60.0):
            now = moment
            for _ in range(100):
                loop.call_exception_handler(
                    {"message": "socket.accept() out of system resource", "exception": shortage}
                )
        loop.call_exception_handler({"message": "something else"})

    with caplog.at_level(logging.ERROR):
        asyncio.run(run())

    said = [record.message for record in caplog.records]
    line = "no new connection can be accepted (Too many open files): close some, or allow more open files (ulimit -n)"
    assert said == [line, line, "something else"]
