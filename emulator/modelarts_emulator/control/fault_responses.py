"""What faults can be injected into, and the responses of such calls."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from itertools import chain
from typing import Any, Literal

from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from modelarts_emulator.http.app import BoundFamily
from modelarts_emulator.http.errors import Problem, ServiceError
from modelarts_emulator.s3 import xml

__all__ = ["STORE", "FaultSpec", "FaultTarget", "InjectedFault", "family_target", "store_target"]

Kind = Literal["status", "latency", "drop", "expired_token", "html"]
Moment = Literal["before", "after", "body"]

STORE = "obs"
METHODS = ("GET", "HEAD", "PUT", "POST", "DELETE")
STORE_CODES = {403: "AccessDenied", 429: "SlowDown", 500: "InternalError", 503: "SlowDown"}
MESSAGE = "This response was asked for through the emulator's faults."
SOLUTION = "Clear the faults: DELETE /_emulator/faults."


@dataclass(frozen=True, slots=True)
class FaultTarget:
    """`operations` says of each whether it needs no token.

    `status_of` gives the status of an error code, `default_code` the code of a status; both may be None. A target
    that is not `by_default` has only those faults that name it.
    """

    name: str
    operations: Mapping[str, bool]
    respond: Callable[[ServiceError], Response]
    status_of: Callable[[str], int | None]
    default_code: Callable[[int], str | None]
    by_default: bool = True


@dataclass(frozen=True, slots=True)
class FaultSpec:
    """What goes wrong: a response of this status and code, seconds that pass, or a connection that is closed.

    `moment` is when: before anything is done, after all is done, or in the middle of the response's body.
    """

    kind: Kind
    status: int | None = None
    code: str | None = None
    message: str | None = None
    retry_after: int | None = None
    seconds: float | None = None
    moment: Moment | None = None


@dataclass(frozen=True, slots=True)
class InjectedFault:
    """The fault of one call: after `delay` seconds, what the spec says, or without one the usual response.

    `connections` are those of the servers, as uvicorn keeps them: each knows both its ends and its transport.
    """

    target: FaultTarget
    delay: float
    spec: FaultSpec | None
    connections: Sequence[Iterable[Any]]

    async def __call__(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the call, if it is to be served, with `app`."""
        if self.delay:
            await asyncio.sleep(self.delay)
        if self.spec is None:
            await app(scope, receive, send)
        elif self.spec.kind == "drop":
            await self._drop(self.spec.moment, app, scope, receive, send)
        else:
            await self._response(self.spec)(scope, receive, send)

    async def _drop(self, moment: Moment | None, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        async def keep(_message: Message) -> None:
            """Keep back every byte of the response."""

        is_broken = False

        async def break_off(message: Message) -> None:
            """Let the head of the response and half of its body's first piece out, and no more."""
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

    def _response(self, spec: FaultSpec) -> Response:
        if spec.kind == "html":
            return _page(spec.status or HTTPStatus.BAD_GATEWAY)
        if spec.kind == "expired_token":
            return self.target.respond(ServiceError(Problem.TOKEN_EXPIRED, "The token has expired."))
        status, code = spec.status or HTTPStatus.INTERNAL_SERVER_ERROR, spec.code or ""
        headers = {} if spec.retry_after is None else {"Retry-After": str(spec.retry_after)}
        is_documented = bool(spec.message) and self.target.status_of(code) is not None
        solution = None if is_documented else SOLUTION
        message = spec.message or MESSAGE
        return self.target.respond(ServiceError(code, message, headers=headers, status=status, solution=solution))


def _page(status: int) -> Response:
    """The error page of a proxy on the way, which knows nothing of the service's envelopes."""
    title = f"{status} {HTTPStatus(status).phrase}"
    content = f"<html><head><title>{title}</title></head><body><h1>{title}</h1><hr>proxy</body></html>"
    return HTMLResponse(content, status)


def family_target(bound: BoundFamily) -> FaultTarget:
    """The operations of a family that the emulator offers."""
    errors = bound.family.errors

    def respond(error: ServiceError) -> Response:
        response = errors.response(error)
        headers = {**response.headers, "X-Request-Id": secrets.token_hex(16)}
        return JSONResponse(response.body, response.status, headers)

    operations = {operation.operation_id: operation.public for operation in bound.contract.operations}
    return FaultTarget(bound.family.name, operations, respond, errors.status_of, errors.default_code)


def store_target() -> FaultTarget:
    """The object store, whose operations are the methods of HTTP; its requests are signed and have no token."""

    def respond(error: ServiceError) -> Response:
        members = [("Code", str(error.code)), ("Message", error.message)]
        content = xml.render("Error", members, namespace=None)
        return Response(content, error.status or 500, error.headers, media_type="application/xml")

    return FaultTarget(
        STORE, dict.fromkeys(METHODS, True), respond, lambda _code: None, STORE_CODES.get, by_default=False
    )
