"""The HTTP protocol of both ports: uvicorn's, with limits to a request's head and its mistakes put right.

* A head that is too long, has too many fields or takes too long to arrive is rejected and its connection closed.
* A request needs exactly one `Host` field (RFC 9112, 3.2), and at most one each of the `CREDENTIALS`.
* Fields behind a chunked body are left out (RFC 9110, 6.5).
* A client that has sent its last request may close its side of the connection and still gets its responses.
* `Upgrade: h2c` is ignored, as RFC 9110 (7.8) lets a server do; uvicorn would lose the body of such a request.

It overrides methods that uvicorn does not document, so pyproject.toml names the versions that it was tested with.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import httptools
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

__all__ = ["MAX_FIELDS", "MAX_HEAD_BYTES", "ConnectionProtocol", "Expectations", "limit_accept_errors"]

MAX_HEAD_BYTES = 64 * 1024
MAX_FIELDS = 200
CREDENTIALS = ("Authorization", "X-Auth-Token")
ACCEPT_ERROR_PERIOD_S = 60

log = logging.getLogger(__name__)


class _Rejected(Exception):  # noqa: N818 - it never leaves this file
    """Stops the parser; what is wrong is in the protocol's `_rejection`."""


class ConnectionProtocol(HttpToolsProtocol):
    """One connection; `head_timeout_s` is how long a head may take from its first byte, or from the connection's start.

    Another such time starts if earlier requests of the connection still wait for a response.
    """

    head_timeout_s: float = 60

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._is_head = True  # what comes next belongs to the head of a request
        self._is_rejected = False
        self._rejection = (HTTPStatus.BAD_REQUEST, "Invalid HTTP request received.")
        self._head_bytes = 0
        self._bytes_since_progress = 0
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._start_head_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_head_timer()
        super().connection_lost(exc)

    def eof_received(self) -> bool:  # type: ignore[override]
        """Whether the connection stays open: until the responses to all complete requests are sent."""
        if not (self._is_responding and self._is_head):
            return False
        self.cycle.keep_alive = False
        return True

    def data_received(self, data: bytes) -> None:
        """Parse what has arrived; once a request is rejected, nothing more of its connection is read."""
        self._unset_keepalive_if_required()
        while data and not self._is_rejected:
            self._bytes_since_progress += len(data)
            try:
                self.parser.feed_data(data)
            except httptools.HttpParserUpgrade as upgrade:
                data = self._without_upgrade(data[upgrade.args[0] :])
            except httptools.HttpParserError:
                self._reject()
            else:
                # A field that is not complete yet, in the head or behind a chunked body, is only in the parser's hands.
                if self._bytes_since_progress > MAX_HEAD_BYTES:
                    self._rejection = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, _TOO_LONG
                    self._reject()
                elif self._bytes_since_progress:  # most heads arrive as a whole, and need no timer
                    self._start_head_timer()
                return

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._head_bytes = 0

    def on_url(self, url: bytes) -> None:
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count(len(name) + len(value))
        if not self._is_head:
            return
        super().on_header(name, value)
        if len(self.headers) > MAX_FIELDS:
            self._stop(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, f"The request has more than {MAX_FIELDS} headers.")

    def on_headers_complete(self) -> None:
        if self.parser.should_upgrade():
            return  # data_received gives the parser the same head without the upgrade
        if sum(name == b"host" for name, _ in self.headers) != 1:
            self._stop(HTTPStatus.BAD_REQUEST, "The request must have exactly one Host header.")
        for title in CREDENTIALS:
            if sum(name == title.lower().encode() for name, _ in self.headers) > 1:
                self._stop(HTTPStatus.BAD_REQUEST, f"The request has more than one {title} header.")
        self._is_head = False
        self._bytes_since_progress = 0
        self._stop_head_timer()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._bytes_since_progress = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        if self.parser.should_upgrade():
            return
        self._is_head = True
        self._bytes_since_progress = 0
        super().on_message_complete()

    @property
    def _is_responding(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete  # type: ignore[redundant-expr]

    def _count(self, size: int) -> None:
        self._head_bytes += size
        if self._head_bytes > MAX_HEAD_BYTES:
            self._stop(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, _TOO_LONG)

    def _stop(self, status: HTTPStatus, reason: str) -> None:
        self._rejection = status, reason
        raise _Rejected

    def _reject(self) -> None:
        """Respond and close the connection, after the responses to earlier requests if this one has only begun."""
        self._is_rejected = True
        self._stop_head_timer()
        if self._is_responding and self._is_head:
            self.cycle.keep_alive = False
        elif self.pipeline or (self._is_responding and self.cycle.response_started):
            self.transport.close()
        else:
            status, reason = self._rejection
            log.debug("rejected a request: %s", reason)
            content = f"{reason}\n".encode()
            fields = [*self.server_state.default_headers, (b"content-type", b"text/plain; charset=utf-8")]
            fields += [(b"content-length", str(len(content)).encode()), (b"connection", b"close")]
            head = [f"HTTP/1.1 {status.value} {status.phrase}".encode(), *(b"%s: %s" % field for field in fields)]
            self.transport.write(b"\r\n".join([*head, b"", content]))
            self.transport.close()

    def _without_upgrade(self, rest: bytes) -> bytes:
        """What a new parser is to be given instead of the request whose head has just been parsed."""
        method, version = self.parser.get_method(), self.parser.get_http_version()
        self._bytes_since_progress = 0
        if method == b"CONNECT":
            self._rejection = HTTPStatus.METHOD_NOT_ALLOWED, "This server is not a proxy: CONNECT is not possible."
            self._reject()
            return b""
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn does
        fields = (b"%s: %s\r\n" % field for field in self.headers if field[0] != b"upgrade")
        return b"".join([method, b" ", self.url, b" HTTP/", version.encode(), b"\r\n", *fields, b"\r\n", rest])

    def _start_head_timer(self) -> None:
        if self._is_head and self._head_timer is None and not self._is_rejected:
            self._head_timer = self.loop.call_later(self.head_timeout_s, self._time_out)

    def _stop_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _time_out(self) -> None:
        self._head_timer = None
        if self._is_responding:
            self._start_head_timer()
        elif self._bytes_since_progress:
            self._rejection = HTTPStatus.REQUEST_TIMEOUT, f"The head took more than {self.head_timeout_s} s to arrive."
            self._reject()
        else:
            self.transport.close()


_TOO_LONG = f"The head of the request has more than {MAX_HEAD_BYTES} bytes."


class Expectations:
    """An ASGI application that closes the connection after a response for which the body was never asked for.

    S3 clients send `Expect: 100-continue` with every upload, curl with bodies of a megabyte and more. One that is
    rejected may keep its body to itself (RFC 9110, 10.1.1), or not, and the server cannot tell the rest of that request
    from the next one.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not any(name == b"expect" and value.lower() == b"100-continue" for name, value in scope["headers"]):
            await self._app(scope, receive, send)
            return
        is_asked_for = False

        async def asking() -> Message:
            nonlocal is_asked_for
            is_asked_for = True
            return await receive()

        async def closing(message: Message) -> None:
            if message["type"] == "http.response.start" and not is_asked_for:
                MutableHeaders(scope=message)["Connection"] = "close"
            await send(message)

        await self._app(scope, asking, closing)


def limit_accept_errors(loop: asyncio.AbstractEventLoop, clock: Callable[[], float] = time.monotonic) -> None:
    """Log one line a minute while connections cannot be accepted; asyncio logs thousands, each with a traceback."""
    logged_at = -float("inf")

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        nonlocal logged_at
        if context.get("message") != "socket.accept() out of system resource":
            loop.default_exception_handler(context)
        elif clock() - logged_at >= ACCEPT_ERROR_PERIOD_S:
            logged_at = clock()
            log.error(
                "no new connection can be accepted (%s): close some, or allow more open files (ulimit -n)",
                context["exception"].strerror,
            )

    loop.set_exception_handler(handle)
