"""The imitated API as an ASGI application: documents in front, handlers behind, the service's errors on the way out.

The router leads paths of the documents, such as `/v2/{project_id}/algorithms`, to the operations on them.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any, Generic, Protocol, TypeVar
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send

import modelarts_openapi
from modelarts_emulator.http.access import Access, is_signed
from modelarts_emulator.http.contract import Contract, Operation, bind, encode
from modelarts_emulator.http.errors import (
    DiskFull,
    NotEmulated,
    Problem,
    ServiceError,
    Unavailable,
    database_unavailable,
    is_disk_full,
    store_unavailable,
)
from modelarts_emulator.http.family import ApiFamily, Call, ErrorFormat, Handler, Response
from modelarts_emulator.settings.accounts import Identity
from modelarts_emulator.storage.errors import EXHAUSTED, StoreError

__all__ = ["BoundFamily", "HandlerThreads", "bind_families", "create_app", "respond"]

log = logging.getLogger(__name__)

# No document has these: the emulator itself cannot serve the request.
OWN_STATUSES = (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.NOT_IMPLEMENTED)
MAX_BODY = 12 * 1024 * 1024


class Middleware(Protocol):
    """What may come between a request and its operation, such as injected faults."""

    async def __call__(self, operation: Operation, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the request with `app`, or otherwise."""


@dataclass(frozen=True, slots=True)
class HandlerThreads:
    """Where handlers run, so that the event loop waits for no database server, no lock and no store.

    `writers` limits how many of the threads those take that write: they may wait long for a database that is locked,
    and those that only read do not wait behind them.
    """

    pool: Executor
    writers: asyncio.Semaphore

    async def run(self, handle: Callable[[], Response], is_writing: bool) -> Response:
        """The response, made in a thread."""
        async with self.writers if is_writing else contextlib.nullcontext():
            return await asyncio.get_running_loop().run_in_executor(self.pool, handle)


def bind_families(families: Iterable[ApiFamily], contexts: Mapping[str, Any]) -> list[BoundFamily]:
    """The families with their documents, and their handlers with the families' contexts.

    Raises EmulatorError if a document and its handlers do not agree.
    """
    bound = []
    for family in families:
        contract = _contract(family.name)
        table = bind(contract, family.handlers)
        handlers = {name: functools.partial(handler, contexts[family.name]) for name, handler in table.items()}
        for operation in contract.operations:
            if operation.not_emulated is not None:
                handlers[operation.operation_id] = functools.partial(_reject_not_emulated, operation)
        bound.append(BoundFamily(family, contract, handlers))
    return bound


def _reject_not_emulated(operation: Operation, _call: Call) -> Response:
    raise NotEmulated(operation.operation_id, operation.not_emulated or "")


@functools.cache
def _contract(name: str) -> Contract:
    """The document of that name, read and compiled once for all emulators of this process."""
    return Contract.of(name, modelarts_openapi.load(name))


@dataclass(frozen=True, slots=True)
class BoundFamily:
    """A family with its document, and the handlers that it needs."""

    family: ApiFamily
    contract: Contract
    handlers: Mapping[str, Handler]


Target = TypeVar("Target")


@dataclass(slots=True)
class _Node(Generic[Target]):
    literals: dict[str, _Node[Target]] = field(default_factory=dict)
    parameter: _Node[Target] | None = None
    end: tuple[Target, tuple[str, ...]] | None = None


class Router(Generic[Target]):
    """Path templates and what each leads to; a literal segment wins over a parameter in its place."""

    def __init__(self) -> None:
        self._root: _Node[Target] = _Node()

    def add(self, template: str, target: Target) -> None:
        """Let a template lead to the target; raises ValueError if it does already lead somewhere."""
        node, names = self._root, []
        for segment in template.split("/"):
            if segment.startswith("{"):
                names.append(segment[1:-1])
                if node.parameter is None:
                    node.parameter = _Node()
                node = node.parameter
            else:
                node = node.literals.setdefault(segment, _Node())
        if node.end is not None:
            raise ValueError(f"{template} is there already")
        node.end = target, tuple(names)

    def find(self, path: str) -> tuple[Target, dict[str, str]] | None:
        """Where the path leads, and the values of the parameters; None if no operation has it."""
        values: list[str] = []
        end = _find(self._root, path.split("/"), 0, values)
        return None if end is None else (end[0], dict(zip(end[1], values, strict=True)))


def _find(
    node: _Node[Target], segments: list[str], place: int, values: list[str]
) -> tuple[Target, tuple[str, ...]] | None:
    if place == len(segments):
        return node.end
    segment = segments[place]
    literal = node.literals.get(segment)
    if literal is not None and (found := _find(literal, segments, place + 1, values)) is not None:
        return found
    if node.parameter is None or not segment:
        return None
    values.append(segment)
    found = _find(node.parameter, segments, place + 1, values)
    if found is None:
        values.pop()
    return found


def create_app(
    families: Sequence[BoundFamily],
    access: Access,
    control: Starlette,
    middleware: Middleware,
    threads: HandlerThreads,
    check_responses: bool = False,
) -> ASGIApp:
    """The application; `control` serves what no document has.

    With `check_responses`, a response that its document does not allow becomes a 500 that says so.
    """
    resources: Router[ASGIApp] = Router()
    for bound in families:
        family = bound.family
        methods: dict[str, dict[str, Bound]] = {}
        for operation in bound.contract.operations:
            handler = bound.handlers[operation.operation_id]
            is_writing = operation.method not in ("GET", "HEAD") and operation.operation_id not in family.reading
            methods.setdefault(operation.path, {})[operation.method] = Bound(operation, handler, is_writing)
        for alias, path in family.aliases.items():
            methods[alias] = methods[path]
        for path, bounds in methods.items():
            resources.add(path, Resource(access, bounds, family.errors, middleware, threads, check_responses))
    return Application(resources, control)


class Application:
    """The resources of all documents, and the control API beside them."""

    def __init__(self, resources: Router[ASGIApp], control: Starlette) -> None:
        self._resources = resources
        self._control = control
        self._control.router.redirect_slashes = False
        self._control.router.default = _no_such_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = self._resources.find(scope["path"])
        if found is None:
            await self._control(scope, receive, send)
            return
        resource, scope["path_params"] = found
        await resource(scope, receive, send)


@dataclass(frozen=True, slots=True)
class Bound:
    """An operation and the function that serves it."""

    operation: Operation
    handler: Handler
    is_writing: bool


class Resource:
    """All operations on one path, as an ASGI application."""

    def __init__(
        self,
        access: Access,
        methods: Mapping[str, Bound],
        errors: ErrorFormat,
        middleware: Middleware,
        threads: HandlerThreads,
        check_responses: bool,
    ) -> None:
        self._access = access
        self._threads = threads
        self._methods = methods
        self._errors = errors
        self._middleware = middleware
        self._check_responses = check_responses

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        bound = self._methods.get(scope["method"])
        if bound is None:
            await self._serve(scope, receive, send)
        else:
            await self._middleware(bound.operation, self._serve, scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        bound = self._methods.get(scope["method"])
        try:
            handle = await self._admit(scope, receive, bound)
        except ClientDisconnect:
            return
        except Exception as error:
            response = self._rejection(scope, bound, error)
        else:
            response = await self._threads.run(handle, bound is not None and bound.is_writing)
        log.debug("%s %s: %s", scope["method"], scope["path"], response.status)
        await respond(response, send)

    async def _admit(self, scope: Scope, receive: Receive, bound: Bound | None) -> Callable[[], Response]:
        """What makes the response to the request, once all of it has arrived; raises ServiceError."""
        if bound is None:
            allowed = ", ".join(sorted(self._methods))
            message = f"{scope['method']} is not possible here, only {allowed}."
            raise ServiceError(Problem.METHOD_NOT_ALLOWED, message, headers={"Allow": allowed})
        operation, headers = bound.operation, Headers(scope=scope)
        if operation.public or not is_signed(headers):
            # A body is not read before it is known that the request may send it.
            identities = () if operation.public else self._access.check(scope, headers, b"")
            body = await _body(receive) if operation.body is not None else b""
        else:
            body = await _body(receive)
            identities = self._access.check(scope, headers, body)
        return functools.partial(self._handle, scope, bound, headers, body, identities)

    def _handle(
        self,
        scope: Scope,
        bound: Bound,
        headers: Headers,
        body: bytes,
        identities: tuple[Identity, ...],
    ) -> Response:
        """The response with its body as JSON text, in a thread: database and object store may take their time."""
        try:
            response = bound.handler(_read(scope, bound.operation, headers, body, identities))
        except Exception as error:
            return self._rejection(scope, bound, error)
        if self._check_responses and response.status not in OWN_STATUSES:
            response = self._checked(bound.operation, response)
        return response if response.body is None else replace(response, body=encode(response.body))

    def _rejection(self, scope: Scope, bound: Bound | None, error: Exception) -> Response:
        if isinstance(error, ServiceError):
            response = self._errors.response(error)
            log.info("rejected (%s) %s %s: %s", response.status, scope["method"], scope["path"], error.message)
        else:
            response = self._errors.response(_failure(scope, error))
        if self._check_responses and bound is not None and response.status not in OWN_STATUSES:
            response = self._checked(bound.operation, response)
        return response

    def _checked(self, operation: Operation, response: Response) -> Response:
        problem = operation.check_response(response.status, response.body)
        if problem is None:
            return response
        log.error("%s", problem)
        error = ServiceError(Problem.INTERNAL_ERROR, f"The response does not fit the document: {problem}.")
        return self._errors.response(error)


def _read(scope: Scope, operation: Operation, headers: Headers, body: bytes, identities: tuple[Identity, ...]) -> Call:
    path, query = scope["path_params"], parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    operation.reject_unknown_query(name for name, _ in query)
    operation.read_parameters("header", headers.getlist)
    return Call(
        path=operation.read_parameters("path", lambda name: [path[name]]),
        query=operation.read_parameters("query", lambda name: [text for given, text in query if given == name]),
        headers=headers,
        body=operation.read_body(body, headers.get("content-type", "")),
        identities=identities,
    )


def _failure(scope: Scope, error: Exception) -> ServiceError:
    """What the client reads about an error that is not its own; the output has the rest."""
    if is_disk_full(error):
        full = DiskFull()
        log.error("%s %s failed: %s", scope["method"], scope["path"], full.message)
        return full
    unavailable = store_unavailable(error) if isinstance(error, StoreError) else database_unavailable(error)
    if isinstance(error, OSError) and error.errno in EXHAUSTED:
        remedy = "End connections or programs, or raise the limit (ulimit -n)"
        unavailable = Unavailable("The emulator has reached a limit of the system", error.strerror, remedy)
    if unavailable is not None:
        log.error("%s %s failed: %s", scope["method"], scope["path"], unavailable.message)
        return unavailable
    log.error("%s %s failed", scope["method"], scope["path"], exc_info=error)
    return ServiceError(Problem.INTERNAL_ERROR, "The emulator failed; its output says how.")


async def _body(receive: Receive) -> bytes:
    content, is_complete = bytearray(), False
    while not is_complete:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        content += message.get("body", b"")
        is_complete = not message.get("more_body", False)
        if len(content) > MAX_BODY:
            raise ServiceError(
                Problem.BODY_TOO_LARGE,
                f"The request body has more than {MAX_BODY} bytes.",
                headers={"Connection": "close"},
            )
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


async def _no_such_path(scope: Scope, _receive: Receive, send: Send) -> None:
    """The gateway in front of all services responds to paths that none of them has."""
    body = {
        "error_msg": f"There is no API at {scope['method']} {scope['path']}.",
        "error_code": "APIG.0101",
        "error_solution": "Check the method and the path of the request.",
    }
    await respond(Response(HTTPStatus.NOT_FOUND, body), send)
