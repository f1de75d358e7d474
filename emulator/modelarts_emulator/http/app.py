"""The imitated API as an ASGI application: documents in front, handlers behind, the service's errors on the way out."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send

import modelarts_openapi
from modelarts_emulator.control.fault_responses import Strike
from modelarts_emulator.control.routes import control_routes
from modelarts_emulator.http.call import Answer, Call, Handler, Services
from modelarts_emulator.http.contract import Contract, Operation, bind
from modelarts_emulator.http.errors import DiskFull, LoginRefusal, NotOffered, Refusal, is_disk_full
from modelarts_emulator.http.json import Encoded, Flow, encode
from modelarts_emulator.http.router import Paths
from modelarts_emulator.settings.accounts import Identity
from modelarts_emulator.v2.handlers import HANDLERS

__all__ = ["create_app", "respond"]

log = logging.getLogger(__name__)

# The emulator speaks for itself with these; no document has them.
OWN_STATUSES = (HTTPStatus.NOT_IMPLEMENTED, HTTPStatus.SERVICE_UNAVAILABLE)
MAX_BODY = 12 * 1024 * 1024

# The use case "Using PyTorch to Create a Training Job" prints this path, the page of the operation another one.
# IAM's own links, and OpenStack clients, end with a slash.
ALIASES = {"/v2/{project_id}/job/training-job-engines": "/v2/{project_id}/training-job-engines", "/v3/": "/v3"}


def create_app(services: Services, check_answers: bool = False) -> ASGIApp:
    """The application; raises EmulatorError if a document and the handlers do not belong together.

    With `check_answers`, an answer that its document does not allow becomes a 500 that says so.
    """
    methods: dict[str, dict[str, Bound]] = {}
    for name, handlers in HANDLERS.items():
        contract = Contract.of(name, modelarts_openapi.load(name))
        bound = bind(contract, handlers)
        services.faults.operations[name] = {entry.operation_id: entry.public for entry in contract.operations}
        if services.unread is not None:
            bound = {operation_id: services.unread.watch(operation_id, bound[operation_id]) for operation_id in bound}
        for operation in contract.operations:
            methods.setdefault(operation.path, {})[operation.method] = Bound(operation, bound[operation.operation_id])
    for alias, path in ALIASES.items():
        methods[alias] = methods[path]
    resources: Paths[ASGIApp] = Paths()
    for path, bounds in methods.items():
        resources.add(path, Resource(services, bounds, check_answers))
    return Application(resources, Starlette(routes=control_routes(services)))


class Application:
    """The resources of all documents, and the control API beside them."""

    def __init__(self, resources: Paths[ASGIApp], control: Starlette) -> None:
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


class Resource:
    """All operations on one path, as an ASGI application."""

    def __init__(self, services: Services, methods: Mapping[str, Bound], check_answers: bool) -> None:
        self._services = services
        self._methods = methods
        self._check_answers = check_answers
        self._document = next(iter(methods.values())).operation.document

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._services.faults and (strike := self._strike(scope["method"])) is not None:
            await strike(self._serve, scope, receive, send)
        else:
            await self._serve(scope, receive, send)

    def _strike(self, method: str) -> Strike | None:
        if (bound := self._methods.get(method)) is None:
            return None
        operation = bound.operation
        return self._services.faults.strike(self._document, operation.operation_id, operation.public)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        bound = self._methods.get(scope["method"])
        try:
            answer = await self._answer(scope, receive, bound)
        except (Refusal, LoginRefusal) as refusal:
            answer = self._refuse(refusal)
        except ClientDisconnect:
            return
        except Exception as error:
            answer = self._refuse(_failure(scope, error))
        if self._check_answers and bound is not None and answer.status not in OWN_STATUSES:
            answer = self._checked(bound.operation, answer)
        await respond(answer, send)

    async def _answer(self, scope: Scope, receive: Receive, bound: Bound | None) -> Answer:
        if bound is None:
            allowed = ", ".join(sorted(self._methods))
            message = f"{scope['method']} is not possible here, only {allowed}."
            raise Refusal("ModelArts.2803", message, headers={"Allow": allowed})
        operation, headers = bound.operation, Headers(scope=scope)
        identities = () if operation.public else self._authenticate(headers, scope["path_params"])
        body = await _body(receive) if operation.body is not None else b""
        return bound.handler(self._read(scope, operation, headers, body, identities))

    def _checked(self, operation: Operation, answer: Answer) -> Answer:
        if isinstance(answer.body, Flow):
            answer = replace(answer, body=Encoded("".join(answer.body.pieces)))
        body = json.loads(answer.body) if isinstance(answer.body, Encoded) else answer.body
        problem = operation.check_answer(answer.status, body)
        if problem is None:
            return answer
        log.error("%s", problem)
        return self._refuse(Refusal("ModelArts.2950", f"The answer does not fit the document: {problem}."))

    def _authenticate(self, headers: Headers, path: Mapping[str, str]) -> tuple[Identity, ...]:
        """The identities of the token's user; in a project's path, those in this project. Raises Refusal."""
        token = headers.get("x-auth-token", "")
        if not token and headers.get("authorization"):
            raise Refusal("ModelArts.0201", "The request has no token; the emulator does not verify signatures yet.")
        grant = self._services.tokens.read(token)
        identities = tuple(entry for entry in self._services.identities if entry.user_id == grant.user_id)
        wanted = path.get("project_id")
        if wanted is not None:
            if grant.project_id is None:
                raise Refusal("ModelArts.0212", "The token is for an account, not for a project.")
            if wanted != grant.project_id:
                message = f"The project in the path ({wanted}) is not the one of the token ({grant.project_id})."
                raise Refusal("ModelArts.2786", message)
            identities = tuple(entry for entry in identities if entry.project_id == wanted)
        if not identities:
            raise Refusal("ModelArts.0203", "The token's user is not known any more.")
        return identities

    def _read(
        self, scope: Scope, operation: Operation, headers: Headers, body: bytes, identities: tuple[Identity, ...]
    ) -> Call:
        path, query = scope["path_params"], parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        operation.refuse_unknown_query(name for name, _ in query)
        operation.read_parameters("header", headers.getlist)
        return Call(
            services=self._services,
            path=operation.read_parameters("path", lambda name: [path[name]]),
            query=operation.read_parameters("query", lambda name: [text for given, text in query if given == name]),
            headers=headers,
            body=operation.read_body(body, headers.get("content-type", "")),
            identities=identities,
        )

    def _refuse(self, refusal: Refusal | LoginRefusal) -> Answer:
        if self._document == "iam" and isinstance(refusal, Refusal):
            headers = refusal.headers
            refusal = LoginRefusal(refusal.status, refusal.message)
            refusal.headers = headers
        return Answer(refusal.status, refusal.envelope(), refusal.headers)


def _failure(scope: Scope, error: Exception) -> Refusal:
    """What the client is told about an error that is none of its own; the output tells the rest."""
    if is_disk_full(error):
        refusal = DiskFull()
        log.error("%s %s failed: %s", scope["method"], scope["path"], refusal.message)
        return refusal
    log.error("%s %s failed", scope["method"], scope["path"], exc_info=error)
    return Refusal("ModelArts.2950", "The emulator failed; its output says how.")


async def _body(receive: Receive) -> bytes:
    content, is_complete = bytearray(), False
    while not is_complete:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        content += message.get("body", b"")
        is_complete = not message.get("more_body", False)
        if len(content) > MAX_BODY:
            raise Refusal(
                "APIG.0201", f"The request body has more than {MAX_BODY} bytes.", headers={"Connection": "close"}
            )
    return bytes(content)


async def respond(answer: Answer, send: Send) -> None:
    """Send the answer; one that flows lets other calls be answered between two of its pieces."""
    headers = [(b"x-request-id", secrets.token_hex(16).encode())]
    headers += ((name.lower().encode(), value.encode("latin-1")) for name, value in answer.headers.items())
    if isinstance(answer.body, Flow):
        await _let_flow(answer.status, headers, answer.body, send)
        return
    content = b""
    if answer.body is not None:
        content = (answer.body if isinstance(answer.body, Encoded) else encode(answer.body)).encode()
        headers.append((b"content-type", b"application/json"))
    if answer.status != HTTPStatus.NO_CONTENT:
        headers.append((b"content-length", str(len(content)).encode()))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": content})


async def _let_flow(status: int, headers: list[tuple[bytes, bytes]], flow: Flow, send: Send) -> None:
    headers.append((b"content-type", b"application/json"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    for piece in flow.pieces:
        await send({"type": "http.response.body", "body": piece.encode(), "more_body": True})
        await asyncio.sleep(0)  # the other calls have their turn
    await send({"type": "http.response.body", "body": b""})


async def _no_such_path(scope: Scope, _receive: Receive, send: Send) -> None:
    refusal = Refusal("APIG.0101", f"There is no API at {scope['method']} {scope['path']}.")
    body = refusal.envelope()
    if scope["path"].startswith("/v1/"):
        refusal = NotOffered("version 1 of the API")
        body = {"is_success": False, "error_message": refusal.message, "error_code": refusal.code}
    await respond(Answer(refusal.status, body), send)
