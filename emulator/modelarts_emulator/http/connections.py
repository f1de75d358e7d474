"""The HTTP protocol of both ports: uvicorn's, put right where a test shows that it is wrong.

* Fields behind a chunked body are left out (RFC 9110, 6.5): uvicorn adds them to the headers that were checked already.
* A client that has sent its last request may close its side of the connection and still gets its responses.
* `Upgrade: h2c` is ignored, as RFC 9110 (7.8) lets a server do; uvicorn would lose the body of such a request.

It overrides methods that uvicorn does not document, so pyproject.toml names the versions that it was tested with.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from email.utils import formatdate
from typing import Any

import httptools
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

__all__ = ["ConnectionProtocol", "ResponseHeaders", "limit_accept_errors"]

ACCEPT_ERROR_PERIOD_S = 60

log = logging.getLogger(__name__)


class ConnectionProtocol(HttpToolsProtocol):
    """One connection."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._is_head = True  # what comes next belongs to the head of a request

    def eof_received(self) -> bool:  # type: ignore[override]
        """Whether the connection stays open: until the responses to all complete requests are sent."""
        is_responding = self.cycle is not None and not self.cycle.response_complete  # type: ignore[redundant-expr]
        if not (is_responding and self._is_head):
            return False
        self.cycle.keep_alive = False
        return True

    def data_received(self, data: bytes) -> None:
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

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._is_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        if self.parser.should_upgrade():
            return  # data_received gives the parser the same head without the upgrade
        self._is_head = False
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        if self.parser.should_upgrade():
            return
        self._is_head = True
        super().on_message_complete()

    def _without_upgrade(self, rest: bytes) -> bytes:
        """What a new parser is to be given instead of the request whose head has just been parsed."""
        method, version = self.parser.get_method(), self.parser.get_http_version()
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn does
        fields = (b"%s: %s\r\n" % field for field in self.headers if field[0] != b"upgrade")
        return b"".join([method, b" ", self.url, b" HTTP/", version.encode(), b"\r\n", *fields, b"\r\n", rest])


class ResponseHeaders:
    """An ASGI application that dates responses by `clock`, and closes connections on which a body may still come.

    S3 clients send `Expect: 100-continue` with every upload, curl with bodies of a megabyte and more. One whose body
    was never asked for may keep it to itself (RFC 9110, 10.1.1), or not, and the server cannot tell the rest of that
    request from the next one.
    """

    def __init__(self, app: ASGIApp, clock: Callable[[], float]) -> None:
        self._app = app
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_body_open = any(name == b"expect" and value.lower() == b"100-continue" for name, value in scope["headers"])

        async def receive_body() -> Message:
            nonlocal is_body_open
            is_body_open = False
            return await receive()

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["Date"] = formatdate(self._clock(), usegmt=True)
                if is_body_open:
                    headers["Connection"] = "close"
            await send(message)

        await self._app(scope, receive_body, send_with_headers)


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
