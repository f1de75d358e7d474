"""The imitated API as an ASGI application: documents in front, handlers behind, the service's errors on the way out."""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

import modelarts_openapi
from modelarts_emulator.calls import Answer, Call, Handler, Services
from modelarts_emulator.contract import Contract, Operation, bind
from modelarts_emulator.control import control_routes
from modelarts_emulator.errors import LoginRefusal, NotOffered, Refusal
from modelarts_emulator.handlers import HANDLERS
from modelarts_emulator.identity import Identity
from modelarts_emulator.wire import Encoded, encode

__all__ = ["create_app"]

log = logging.getLogger(__name__)

MAX_BODY = 12 * 1024 * 1024

# The use case "Using PyTorch to Create a Training Job" prints this path, the page of the operation another one.
ALIASES = {"/v2/{project_id}/job/training-job-engines": "/v2/{project_id}/training-job-engines"}


def create_app(services: Services, check_answers: bool = False) -> Starlette:
    """The application; raises EmulatorError if a document and the handlers do not belong together.

    With `check_answers`, an answer that its document does not allow becomes a 500 that says so.
    """
    paths: dict[str, dict[str, Bound]] = {}
    for name, handlers in HANDLERS.items():
        contract = Contract.of(name, modelarts_openapi.load(name))
        bound = bind(contract, handlers)
        for operation in contract.operations:
            paths.setdefault(operation.path, {})[operation.method] = Bound(operation, bound[operation.operation_id])
    for alias, path in ALIASES.items():
        paths[alias] = paths[path]
    # A literal segment wins over a parameter at the same place.
    ordered = sorted(paths, key=lambda path: [(segment.startswith("{"), segment) for segment in path.split("/")])
    routes: list[BaseRoute] = [Route(path, Resource(services, paths[path], check_answers)) for path in ordered]
    app = Starlette(routes=[*control_routes(services), *routes])
    app.router.redirect_slashes = False
    app.add_exception_handler(HTTPException, _no_such_path)
    return app


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
        request = Request(scope, receive)
        bound = self._methods.get(request.method)
        try:
            answer = await self._answer(request, bound)
        except (Refusal, LoginRefusal) as refusal:
            answer = self._refuse(refusal)
        except ClientDisconnect:
            return
        except Exception:
            log.exception("%s %s failed", request.method, request.url.path)
            answer = self._refuse(Refusal("ModelArts.2950", "The emulator failed; its output says how."))
        # 501 is the emulator speaking for itself; no document has it.
        if self._check_answers and bound is not None and answer.status != HTTPStatus.NOT_IMPLEMENTED:
            answer = self._checked(bound.operation, answer)
        await _respond(answer)(scope, receive, send)

    async def _answer(self, request: Request, bound: Bound | None) -> Answer:
        if bound is None:
            allowed = ", ".join(sorted(self._methods))
            message = f"{request.method} is not possible here, only {allowed}."
            raise Refusal("ModelArts.2803", message, headers={"Allow": allowed})
        operation = bound.operation
        identities = () if operation.public else self._authenticate(request)
        return bound.handler(await self._read(request, operation, identities))

    def _checked(self, operation: Operation, answer: Answer) -> Answer:
        body = json.loads(answer.body) if isinstance(answer.body, Encoded) else answer.body
        problem = operation.check_answer(answer.status, body)
        if problem is None:
            return answer
        log.error("%s", problem)
        return self._refuse(Refusal("ModelArts.2950", f"The answer does not fit the document: {problem}."))

    def _authenticate(self, request: Request) -> tuple[Identity, ...]:
        """The identities of the token's user; in a project's path, those in this project. Raises Refusal."""
        token = request.headers.get("x-auth-token", "")
        if not token and request.headers.get("authorization"):
            raise Refusal("ModelArts.0201", "The request has no token; the emulator does not verify signatures yet.")
        grant = self._services.tokens.read(token)
        identities = tuple(entry for entry in self._services.identities if entry.user_id == grant.user_id)
        wanted = request.path_params.get("project_id")
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

    async def _read(self, request: Request, operation: Operation, identities: tuple[Identity, ...]) -> Call:
        query = parse_qsl(request.scope["query_string"].decode("latin-1"), keep_blank_values=True)
        operation.refuse_unknown_query(name for name, _ in query)
        headers = request.headers
        operation.read_parameters("header", headers.getlist)
        body = await _body(request) if operation.body is not None else b""
        return Call(
            services=self._services,
            path=operation.read_parameters("path", lambda name: [request.path_params[name]]),
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


async def _body(request: Request) -> bytes:
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > MAX_BODY:
            raise Refusal(
                "APIG.0201", f"The request body has more than {MAX_BODY} bytes.", headers={"Connection": "close"}
            )
    return bytes(content)


def _respond(answer: Answer) -> Response:
    headers = {"X-Request-Id": secrets.token_hex(16), **answer.headers}
    if answer.body is None:
        return Response(status_code=answer.status, headers=headers)
    content = answer.body if isinstance(answer.body, Encoded) else encode(answer.body)
    return Response(content.encode(), answer.status, headers, media_type="application/json")


def _no_such_path(request: Request, _error: Exception) -> Response:
    refusal = Refusal("APIG.0101", f"There is no API at {request.method} {request.url.path}.")
    if request.url.path.startswith("/v1/"):
        refusal = NotOffered("version 1 of the API")
    return _respond(Answer(refusal.status, refusal.envelope()))
