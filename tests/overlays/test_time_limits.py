"""`wait(timeout=...)` returns in time whatever the service does: over real sockets and in real time."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from modelarts_toolkit import ApiError, AsyncModelArts, ConnectionFailed, ModelArts, WaitTimeout
from modelarts_toolkit.settings.config import Settings

TIMEOUT_S = 0.5
LATEST_S = 20.0  # on a busy machine; a call without the limit would take 30 s and more

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10000\r\n\r\n"
JOB = {"metadata": {"id": "job-1"}, "status": {"phase": "Running"}}
TOKEN = b"HTTP/1.1 201 Created\r\nX-Subject-Token: t\r\nContent-Length: 2\r\n\r\n{}"


def response(status: str, body: object = None, *headers: str) -> bytes:
    content = json.dumps(body or {}).encode()
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(content)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content


class Server:
    """A server that behaves for each path as the test says: it sends bytes with pauses of 50 ms, then waits."""

    def __init__(self) -> None:
        self.login: Callable[[], Iterator[bytes]] = lambda: iter([TOKEN])
        self.job: Callable[[], Iterator[bytes]] = lambda: iter([])
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._stopped = threading.Event()
        self._sockets = [self._listener]
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self._sockets.append(connection)
                self._threads.append(threading.Thread(target=self._serve, args=[connection]))
                self._threads[-1].start()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError):
            while request := connection.recv(65536):
                if b"GET /" in request or b"POST /" in request:  # else the body of a request
                    for piece in (self.job if b"GET /" in request else self.login)():
                        connection.sendall(piece)
                        if self._stopped.wait(0.05):
                            return

    def close(self) -> None:
        self._stopped.set()
        for each in self._sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        for thread in self._threads:
            thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


@pytest.fixture(params=["sync", "async"])
def wait(request: pytest.FixtureRequest, server: Server, settings: Settings) -> Callable[[], Any]:
    """Wait for a job for TIMEOUT_S seconds."""
    addresses: Settings = {"endpoint": server.address, "iam_endpoint": server.address}

    def waiting() -> Any:
        arguments: Settings = {**settings, **addresses}
        if request.param == "sync":
            with ModelArts(**arguments) as ma:
                return ma.jobs._handle(key="job-1").wait(timeout=TIMEOUT_S, poll=(0.1, 0.1))

        async def run() -> Any:
            async with AsyncModelArts(**arguments) as ma:
                return await ma.jobs._handle(key="job-1").wait(timeout=TIMEOUT_S, poll=(0.1, 0.1))

        return asyncio.run(run())

    return waiting


def trickle() -> Iterator[bytes]:
    """A response that comes byte by byte, head and body."""
    return (bytes([byte]) for byte in HEAD + b" " * 10000)


def slow_body() -> Iterator[bytes]:
    yield HEAD
    yield from [b" "] * 10000


BEHAVIOURS: dict[str, Callable[[], Iterator[bytes]]] = {
    "silent": lambda: iter([]),
    "slow body": slow_body,
    "byte by byte": trickle,
    "500": lambda: iter([response("500 Internal Server Error")]),
    "429": lambda: iter([response("429 Too Many Requests", None, "Retry-After: 30")]),
}


@pytest.mark.parametrize(
    ("call", "behaviour"), [*(("job", each) for each in BEHAVIOURS), ("login", "silent"), ("login", "slow body")]
)
def test_a_wait_ends_in_time_although_the_service_never_responds(
    server: Server, wait: Callable[[], Any], call: str, behaviour: str
) -> None:
    """The login is part of the time given; without a single response, the error is the reason."""
    setattr(server, call, BEHAVIOURS[behaviour])
    began = time.monotonic()

    with pytest.raises((ConnectionFailed, ApiError)):
        wait()

    assert time.monotonic() - began < LATEST_S


def test_a_timeout_of_zero_asks_once(server: Server, settings: Settings) -> None:
    """The call has the ordinary time of a call."""
    asked: list[float] = []

    def answer() -> Iterator[bytes]:
        asked.append(time.monotonic())
        return iter([response("200 OK", JOB)])

    server.job = answer

    addresses: Settings = {"endpoint": server.address, "iam_endpoint": server.address}
    arguments: Settings = {**settings, **addresses}

    with ModelArts(**arguments) as ma, pytest.raises(WaitTimeout, match="timed out after 0 s"):
        ma.jobs._handle(key="job-1").wait(timeout=0)

    assert len(asked) == 1
