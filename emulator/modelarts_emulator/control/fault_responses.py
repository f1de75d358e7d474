"""Strikes: what a call that something goes wrong with looks like to its client."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from itertools import chain
from typing import Any, Literal

from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from modelarts_emulator.http.errors import REMEDIES, LoginRefusal, Refusal
from modelarts_emulator.storage.server import xml

__all__ = ["Kind", "Moment", "Strike", "Trouble"]

Kind = Literal["status", "latency", "drop", "expired_token", "html"]
Moment = Literal["before", "after", "body"]

MESSAGE = "This answer was asked for through the emulator's faults."
SOLUTION = "Clear the faults: DELETE /_emulator/faults."


@dataclass(frozen=True, slots=True)
class Trouble:
    """What goes wrong: an answer of this status and code, seconds that pass, or a connection that is closed.

    `moment` is when: before anything is done, after all is done, or in the middle of the answer's body.
    """

    kind: Kind
    status: int | None = None
    code: str | None = None
    message: str | None = None
    retry_after: int | None = None
    seconds: float | None = None
    moment: Moment | None = None


@dataclass(frozen=True, slots=True)
class Strike:
    """What befalls one call: `delay` seconds, then the trouble, or the answer that it would have got anyway.

    `connections` are those of the servers, as uvicorn keeps them: each knows both its ends and its transport.
    """

    document: str
    delay: float
    trouble: Trouble | None
    connections: Sequence[Iterable[Any]]

    async def __call__(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the call, if it is to be served, with `app`."""
        if self.delay:
            await asyncio.sleep(self.delay)
        if self.trouble is None:
            await app(scope, receive, send)
        elif self.trouble.kind == "drop":
            await self._drop(self.trouble.moment, app, scope, receive, send)
        else:
            await self._answer(self.trouble)(scope, receive, send)

    async def _drop(self, moment: Moment | None, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        async def keep(_message: Message) -> None:
            """Let no byte of the answer out."""

        is_broken = False

        async def break_off(message: Message) -> None:
            """Let the head of the answer and half of its body's first piece out, and no more."""
            nonlocal is_broken
            if is_broken:
                return
            if message["type"] == "http.response.body":
                piece = message.get("body", b"")
                is_broken = bool(piece)
                message = {**message, "body": piece[: len(piece) // 2], "more_body": True}
            await send(message)

        if moment != "before":
            await app(scope, receive, break_off if moment == "body" else keep)
        self._hang_up(scope)
        while (await receive())["type"] != "http.disconnect":
            pass

    def _hang_up(self, scope: Scope) -> None:
        ends = (scope["client"], scope["server"])
        for connection in chain.from_iterable(self.connections):
            if (connection.client, connection.server) == ends:
                connection.transport.close()
                return
        raise ConnectionError(f"the connection with {scope['client']} is not known and cannot be dropped")

    def _answer(self, trouble: Trouble) -> Response:
        if trouble.kind == "html":
            return _page(trouble.status or HTTPStatus.BAD_GATEWAY)
        if trouble.kind == "expired_token":
            refusal = Refusal("ModelArts.0202", "The token has expired.")
            trouble = Trouble("status", refusal.status, refusal.code, refusal.message)
        status, code = trouble.status or HTTPStatus.INTERNAL_SERVER_ERROR, trouble.code or ""
        message = trouble.message or MESSAGE
        headers = {} if trouble.retry_after is None else {"Retry-After": str(trouble.retry_after)}
        if self.document == "obs":
            content = xml.render("Error", [("Code", code), ("Message", message)], namespace=None)
            return Response(content, status, headers, media_type="application/xml")
        headers["X-Request-Id"] = secrets.token_hex(16)
        if self.document == "iam":
            return JSONResponse(LoginRefusal(status, message).envelope(), status, headers)
        solution = REMEDIES[code][1] if trouble.message and code in REMEDIES else SOLUTION
        envelope = {"error_msg": message, "error_code": code, "error_solution": solution}
        return JSONResponse(envelope, status, headers)


def _page(status: int) -> Response:
    """The error page of a proxy on the way, which knows nothing of the service's envelopes."""
    title = f"{status} {HTTPStatus(status).phrase}"
    content = f"<html><head><title>{title}</title></head><body><h1>{title}</h1><hr>proxy</body></html>"
    return HTMLResponse(content, status)
