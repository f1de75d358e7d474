"""The imitated API as an ASGI application: documents in front, handlers behind, the service's errors on the way out."""

from __future__ import annotations

import asyncio
import functools
import logging
import secrets
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Generic, TypeVar

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send

import modelarts_openapi
from modelarts_documents.messages import pairs
from modelarts_emulator.http.access import Access, is_signed
from modelarts_emulator.http.contract import Contract, Operation, bind, encode
from modelarts_emulator.http.errors import Problem, ServiceError, reject_not_emulated, unavailable
from modelarts_emulator.http.family import ApiFamily, Call, ErrorFormat, Handler, Response
from modelarts_emulator.settings.accounts import Identity

log = logging.getLogger(__name__)

# No document has these: the emulator itself cannot serve the request.
OWN_STATUSES = (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.NOT_IMPLEMENTED)
MAX_BODY = 12 * 1024 * 1024

Middleware = Callable[[Operation, ASGIApp, Scope, Receive, Send], Awaitable[None]]
"""Code that runs between a request and its operation, such as injected faults: it may respond instead of the app."""


@dataclass(frozen=True, slots=True)
class BoundFamily:
    """A family with its document, and its handlers with the family's context."""

    family: ApiFamily
    contract: Contract
    handlers: Mapping[str, Handler]


def bind_families(families: Iterable[ApiFamily], contexts: Mapping[str, Any]) -> list[BoundFamily]:
    """The families with their documents and contexts; raises EmulatorError if a document and its handlers differ."""
    bound = []
    for family in families:
        contract = _contract(family.name)
        table = bind(contract, family.handlers, family.not_emulated)
        handlers = {name: functools.partial(handler, contexts[family.name]) for name, handler in table.items()}
        for operation_id, reason in family.not_emulated.items():
            handlers[operation_id] = functools.partial(reject_not_emulated, operation_id, reason)
        bound.append(BoundFamily(family, contract, handlers))
    return bound


@functools.cache
def _contract(name: str) -> Contract:
    """The document of that name, read and compiled once for all emulators of this process."""
    return Contract.of(name, modelarts_openapi.load(name))


Target = TypeVar("Target")


class Router(Generic[Target]):
    """Finds what a path leads to, by path templates; a literal segment wins over a parameter in its place."""

    def __init__(self, targets: Mapping[str, Target]) -> None:
        # By the number of segments and the places of the parameters: by the other segments, a target and the names.
        self._routes: dict[int, dict[tuple[int, ...], dict[tuple[str, ...], tuple[Target, list[str]]]]] = {}
        for template in sorted(targets, key=lambda path: [part.startswith("{") for part in path.split("/")]):
            parts = template.split("/")
            places = tuple(place for place, part in enumerate(parts) if part.startswith("{"))
            routes = self._routes.setdefault(len(parts), {}).setdefault(places, {})
            routes[_without(parts, places)] = targets[template], [parts[place][1:-1] for place in places]

    def find(self, path: str) -> tuple[Target, dict[str, str]] | None:
        """What the path leads to, and the values of the parameters; None if no template fits."""
        parts = path.split("/")
        for places, routes in self._routes.get(len(parts), {}).items():
            values = [parts[place] for place in places]
            if all(values) and (found := routes.get(_without(parts, places))) is not None:
                return found[0], dict(zip(found[1], values, strict=True))
        return None


def _without(parts: Sequence[str], places: Sequence[int]) -> tuple[str, ...]:
    return tuple(part for place, part in enumerate(parts) if place not in places)


@dataclass(frozen=True, slots=True)
class Bound:
    """An operation, the function that serves it in a thread or in the event loop, and the errors of its family."""

    operation: Operation
    handler: Handler
    errors: ErrorFormat
    is_inline: bool


@dataclass
class Api:
    """The operations of all documents; `control` serves what no document has.

    Handlers run in the threads of `pool`, so that the event loop waits for no database, no lock and no store; with
    `is_quick_inline`, the quick ones of a family run in the event loop, because a thread costs more than they do.
    With `check_responses`, a response that its document does not allow becomes a 500 that says so.
    """

    families: Sequence[BoundFamily]
    access: Access
    control: Starlette
    middleware: Middleware
    pool: Executor
    is_quick_inline: bool = False
    check_responses: bool = False

    def __post_init__(self) -> None:
        self.router = Router(_operations(self.families, self.is_quick_inline))
        self.control.router.redirect_slashes = False
        self.control.router.default = _no_such_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = self.router.find(scope["path"])
        if found is None:
            await self.control(scope, receive, send)
            return
        methods, scope["path_params"] = found
        bound = methods.get(scope["method"])
        if bound is None:
            await respond(_no_such_method(scope, methods), send)
        else:
            await self.middleware(bound.operation, functools.partial(self._serve, bound), scope, receive, send)

    async def _serve(self, bound: Bound, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            handle = await self._admit(bound, scope, receive)
        except ClientDisconnect:
            return
        except Exception as error:
            response = self._rejection(bound, scope, error)
        else:
            loop = asyncio.get_running_loop()
            response = handle() if bound.is_inline else await loop.run_in_executor(self.pool, handle)
        log.debug("%s %s: %s", scope["method"], scope["path"], response.status)
        await respond(response, send)

    async def _admit(self, bound: Bound, scope: Scope, receive: Receive) -> Callable[[], Response]:
        """What makes the response to the request, once all of it has arrived; raises ServiceError."""
        operation, headers = bound.operation, Headers(scope=scope)
        if operation.public or not is_signed(headers):
            # A body is not read before it is known that the request may send it.
            identities = () if operation.public else self.access.check(scope, headers, b"")
            body = await _body(receive) if operation.body is not None else b""
        else:
            body = await _body(receive)
            identities = self.access.check(scope, headers, body)
        return functools.partial(self._handle, bound, scope, headers, body, identities)

    def _handle(
        self, bound: Bound, scope: Scope, headers: Headers, body: bytes, identities: tuple[Identity, ...]
    ) -> Response:
        """The response with its body as JSON text."""
        try:
            response = bound.handler(_read(scope, bound.operation, headers, body, identities))
        except Exception as error:
            return self._rejection(bound, scope, error)
        response = self._checked(bound, response)
        return response if response.body is None else Response(response.status, encode(response.body), response.headers)

    def _rejection(self, bound: Bound, scope: Scope, error: Exception) -> Response:
        if not isinstance(error, ServiceError):
            error = _failure(scope, error)
        else:
            log.info("rejected %s %s: %s", scope["method"], scope["path"], error.message)
        return self._checked(bound, bound.errors.response(error))

    def _checked(self, bound: Bound, response: Response) -> Response:
        """The response, or an error if responses are checked and the document does not allow this one."""
        if not self.check_responses or response.status in OWN_STATUSES:
            return response
        problem = bound.operation.check_response(response.status, response.body)
        if problem is None:
            return response
        log.error("%s", problem)
        error = ServiceError(Problem.INTERNAL_ERROR, f"The response does not fit the document: {problem}.")
        return bound.errors.response(error)


def _operations(families: Iterable[BoundFamily], is_quick_inline: bool) -> dict[str, dict[str, Bound]]:
    """The operations by path and method."""
    paths: dict[str, dict[str, Bound]] = defaultdict(dict)
    for bound in families:
        for operation in bound.contract.operations:
            handler = bound.handlers[operation.operation_id]
            is_inline = is_quick_inline and operation.operation_id in bound.family.quick
            paths[operation.path][operation.method] = Bound(operation, handler, bound.family.errors, is_inline)
        for alias, path in bound.family.aliases.items():
            paths[alias] = paths[path]
    return paths


def _read(scope: Scope, operation: Operation, headers: Headers, body: bytes, identities: tuple[Identity, ...]) -> Call:
    query = pairs(scope["query_string"].decode("latin-1"))
    operation.reject_unknown_query(name for name, _ in query)
    sent = [entry.name for entry in operation.parameters if entry.place == "header"]
    operation.read_parameters("header", [(name, text) for name in sent for text in headers.getlist(name)])
    return Call(
        path=operation.read_parameters("path", scope["path_params"].items()),
        query=operation.read_parameters("query", query),
        headers=headers,
        body=operation.read_body(body, headers.get("content-type", "")),
        identities=identities,
    )


def _failure(scope: Scope, error: Exception) -> ServiceError:
    """The response to an error of the emulator itself; the log has the details."""
    if (known := unavailable(error)) is not None:
        log.error("%s %s failed: %s", scope["method"], scope["path"], known.message)
        return known
    log.error("%s %s failed", scope["method"], scope["path"], exc_info=error)
    return ServiceError(Problem.INTERNAL_ERROR, "The emulator failed; see its output.")


async def _body(receive: Receive) -> bytes:
    content, is_complete = bytearray(), False
    while not is_complete:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        content += message.get("body", b"")
        is_complete = not message.get("more_body", False)
        if len(content) > MAX_BODY:
            fact = f"The request body has more than {MAX_BODY} bytes."
            raise ServiceError(Problem.BODY_TOO_LARGE, fact, headers={"Connection": "close"})
    return bytes(content)


async def respond(response: Response, send: Send) -> None:
    """Send the response; a body that is bytes is JSON already."""
    headers = [(b"x-request-id", secrets.token_hex(16).encode())]
    headers += ((name.lower().encode(), value.encode("latin-1")) for name, value in response.headers.items())
    content = b""
    if response.body is not None:
        content = response.body if isinstance(response.body, bytes) else encode(response.body)
        headers.append((b"content-type", b"application/json"))
    if response.status != HTTPStatus.NO_CONTENT:
        headers.append((b"content-length", str(len(content)).encode()))
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await send({"type": "http.response.body", "body": content})


def _no_such_method(scope: Scope, methods: Mapping[str, Bound]) -> Response:
    allowed = ", ".join(sorted(methods))
    message = f"{scope['method']} is not possible here, only {allowed}."
    error = ServiceError(Problem.METHOD_NOT_ALLOWED, message, headers={"Allow": allowed})
    return next(iter(methods.values())).errors.response(error)


async def _no_such_path(scope: Scope, _receive: Receive, send: Send) -> None:
    """The gateway in front of all services responds to paths that none of them has."""
    body = {
        "error_msg": f"There is no API at {scope['method']} {scope['path']}.",
        "error_code": "APIG.0101",
        "error_solution": "Check the method and the path of the request.",
    }
    await respond(Response(HTTPStatus.NOT_FOUND, body), send)
