"""The HTTP servers of both ports, and a log of requests.

uvicorn loses the body of a request that offers HTTP/2, as Java's HttpClient and `curl --http2` do, and reads a head of
any size. Methods that it does not document are overridden for that, so pyproject.toml names the versions that were
tested.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.utils import formatdate
from pathlib import Path
from typing import Any

import httptools
import uvicorn
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from modelarts_emulator.errors import EmulatorError

log = logging.getLogger(__name__)

AGENT_LENGTH = 200  # characters
BACKLOG = 1024  # connections that wait to be accepted
HEAD_BYTES = 64 << 10  # of a request's head, and of what follows its body
FULL = "socket.accept() out of system resource"  # what asyncio says for every connection that it cannot accept
FULL_INTERVAL_S = 60
GRACEFUL_SHUTDOWN_S = 2
"""What responses under way may still take when the emulator stops."""


def bind(host: str, port: int) -> socket.socket:
    """Open a socket that listens after `accept_connections`, and until then keeps others off its port.

    Port 0 is any free one. Raises EmulatorError if host and port cannot be used.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        # Without the protocol's number asyncio does not switch off Nagle's algorithm, which costs 40 ms per response.
        opened = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    except OSError as error:
        raise EmulatorError(f"{host} cannot be used ({error.strerror}): choose another address with --host") from error
    try:
        # Linux lets two sockets with this option have the same port until one of them listens.
        with contextlib.suppress(OSError):
            opened.bind((host, port))
            return opened
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections of an earlier server are closing
        opened.bind((host, port))
    except OSError as error:
        opened.close()
        raise _port_error(host, port, error) from error
    return opened


def accept_connections(bound: socket.socket) -> None:
    """Let clients connect; they wait until a server serves the socket. Raises EmulatorError if the port is taken."""
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # also of its connections, for the next server
        bound.listen(BACKLOG)
    except OSError as error:
        host, port = bound.getsockname()[:2]
        raise _port_error(host, port, error) from error


def _port_error(host: str, port: int, error: OSError) -> EmulatorError:
    return EmulatorError(
        f"port {port} cannot be used on {host} ({error.strerror}): choose other ports with --port and --obs-port,"
        " end the program that listens there, or choose another address with --host"
    )


class Server(uvicorn.Server):
    """uvicorn without its signal handlers, because the emulator has its own."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().set_exception_handler(LoopErrors())
        await super().startup(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class LoopErrors:
    """Logs errors of the event loop as asyncio does, but a lack of file descriptors once a minute."""

    def __init__(self) -> None:
        self._next_s = 0.0

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        message = context.get("message") or ""
        if "_start_serving" in message:
            return  # the server stopped before asyncio tried again to accept
        if message != FULL:
            loop.default_exception_handler(context)
        elif loop.time() >= self._next_s:
            self._next_s = loop.time() + FULL_INTERVAL_S
            log.error("no connection can be accepted: %s; close some, or raise `ulimit -n`", context["exception"])


def server_config(app: ASGIApp, clock: Callable[[], float]) -> uvicorn.Config:
    """How uvicorn serves the application, whose responses are dated by `clock`, in seconds since 1970."""
    return uvicorn.Config(
        ResponseHeaders(app, clock),
        http=ConnectionProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        # Longer than clients keep idle connections, so that they, not the emulator, close them.
        timeout_keep_alive=75,
        timeout_graceful_shutdown=GRACEFUL_SHUTDOWN_S,
    )


async def wait_until_stopped(stop: asyncio.Event, *services: asyncio.Task[None]) -> None:
    """Wait for `stop`; raises what ended a service before, or EmulatorError if it ended without an error."""
    stopping = asyncio.create_task(stop.wait())
    ended, _ = await asyncio.wait([stopping, *services], return_when=asyncio.FIRST_COMPLETED)
    if stopping in ended:
        return
    stopping.cancel()
    for task in ended:
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error
    raise EmulatorError("a part of the emulator ended by itself: start the emulator again")


class ConnectionProtocol(HttpToolsProtocol):
    """One connection, on which `Upgrade: h2c` is ignored, as RFC 9110 (7.8) allows, and CONNECT is rejected.

    It is closed if a head, or what follows a body, is larger than HEAD_BYTES.
    """

    _has_progressed = False
    _pending_bytes = 0  # since the last head or piece of a body was complete

    def data_received(self, data: bytes) -> None:
        self._has_progressed = False
        self._parse(data)
        self._pending_bytes = 0 if self._has_progressed else self._pending_bytes + len(data)
        if self._pending_bytes > HEAD_BYTES and not self.transport.is_closing():
            self.send_400_response(f"The head of a request can have {HEAD_BYTES} bytes.")

    def _parse(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        while data:
            try:
                self.parser.feed_data(data)
            except httptools.HttpParserUpgrade as upgrade:
                if self.parser.get_method() == b"CONNECT":
                    self.send_400_response("This server is not a proxy: CONNECT is not possible.")
                    return
                data = self._without_upgrade(data[upgrade.args[0] :])
            except httptools.HttpParserError:
                self.send_400_response("Invalid HTTP request received.")
                return
            else:
                return

    def on_body(self, body: bytes) -> None:
        self._has_progressed = True
        super().on_body(body)

    def on_headers_complete(self) -> None:
        self._has_progressed = True
        if not self.parser.should_upgrade():  # if it should, data_received gives the parser the head without that
            super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._has_progressed = True
        if not self.parser.should_upgrade():
            super().on_message_complete()

    def _without_upgrade(self, rest: bytes) -> bytes:
        """What a new parser is to be given instead of the request whose head has just been parsed."""
        method, version = self.parser.get_method(), self.parser.get_http_version()
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn does
        fields = (b"%s: %s\r\n" % field for field in self.headers if field[0] != b"upgrade")
        return b"".join([method, b" ", self.url, b" HTTP/", version.encode(), b"\r\n", *fields, b"\r\n", rest])


@dataclass(frozen=True, slots=True)
class ResponseHeaders:
    """An ASGI application that dates responses by `clock`, and closes connections on which a body may still come.

    S3 clients send `Expect: 100-continue` with every upload, curl with bodies of a megabyte and more. If the server
    responds before it has asked for the body, the client may still send it, or not (RFC 9110, 10.1.1). The server could
    take such a body for the next request, so it closes the connection.
    """

    app: ASGIApp
    clock: Callable[[], float]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_body_open = any(name == b"expect" and value.lower() == b"100-continue" for name, value in scope["headers"])

        async def receive_body() -> Message:
            nonlocal is_body_open
            is_body_open = False
            return await receive()

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                date = formatdate(self.clock(), usegmt=True).encode()
                message["headers"] = [*message["headers"], (b"date", date)]
                if is_body_open:
                    MutableHeaders(scope=message)["Connection"] = "close"
            await send(message)

        await self.app(scope, receive_body, send_with_headers)


class AccessLog:
    """An ASGI application that serves with another one, and appends a line of JSON to `path` before each response.

    In a line, `at` is when the response began, in seconds since 1970 by the clock of the machine, `path` has no query,
    which can hold secrets, and `duration_ms` ends with the begin of the response. Several emulators may share a file.
    Raises EmulatorError if it cannot be written.
    """

    def __init__(self, app: ASGIApp, path: Path, executor: str) -> None:
        self._app = app
        self._path = path
        self._executor = executor
        try:
            self._append("")
        except OSError as error:
            raise EmulatorError(
                f"the access log {path} cannot be written ({error.strerror}): name another file with --access-log"
            ) from error

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.perf_counter()

        async def logged(message: Message) -> None:
            if message["type"] == "http.response.start":
                line = self._line(scope, message["status"], time.perf_counter() - began)
                try:
                    self._append(line)
                except OSError as error:
                    log.error("cannot write to the access log: %s", error.strerror)
            await send(message)

        await self._app(scope, receive, logged)

    def _append(self, line: str) -> None:
        descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, line.encode())
        finally:
            os.close(descriptor)

    def _line(self, scope: Scope, status: int, duration_s: float) -> str:
        entry = {
            "at": round(time.time(), 3),
            "method": scope["method"],
            "path": scope["path"],
            "status": status,
            "duration_ms": round(duration_s * 1000, 2),
            "user_agent": Headers(scope=scope).get("user-agent", "")[:AGENT_LENGTH],
            "executor": self._executor,
        }
        return json.dumps(entry) + "\n"
