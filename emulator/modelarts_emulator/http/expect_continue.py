"""The header `Expect: 100-continue`: a client that waits to hear whether its body is wanted.

S3 clients send it with every upload, curl with bodies of a megabyte and more.
A client that is rejected instead may keep its body to itself (RFC 9110, 10.1.1), or not; the server cannot tell the
rest of that request from the next one, so the connection ends with the rejection.
"""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Expectations"]


class Expectations:
    """An ASGI application that closes the connection after a response for which the body was never asked for."""

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
