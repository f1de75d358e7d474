"""The contract tests find what they are for: each test breaks one promise in a proxy and expects it to be reported."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "QUERY"]
UNIT_PHASES = ["--phases", "examples,coverage", "--max-examples", "5"]


class Proxy:
    """Everything goes to the service and back; subclasses break one thing on the way."""

    def __init__(self, upstream: str) -> None:
        self.client = httpx.Client(base_url=upstream)

    def send(self, request: Request, body: bytes, headers: dict[str, str]) -> httpx.Response:
        target = request.scope["raw_path"].decode() + (f"?{request.url.query}" if request.url.query else "")
        return self.client.request(request.method, target, content=body, headers=headers)

    async def answer(self, request: Request) -> Response:
        headers = {name: value for name, value in request.headers.items() if name not in {"host", "content-length"}}
        status, content, fields = self.tampered(request, await request.body(), headers)
        kept = {name: value for name, value in fields.items() if name not in {"content-length", "transfer-encoding"}}
        return Response(content, status, kept)

    def tampered(self, request: Request, body: bytes, headers: dict[str, str]) -> tuple[int, bytes, dict[str, str]]:
        answer = self.send(request, body, headers)
        return answer.status_code, answer.content, dict(answer.headers)


class WrongStatus(Proxy):
    def tampered(self, request: Request, body: bytes, headers: dict[str, str]) -> tuple[int, bytes, dict[str, str]]:
        status, content, fields = super().tampered(request, body, headers)
        return 203 if status == 200 else status, content, fields


class MissingMember(Proxy):
    def tampered(self, request: Request, body: bytes, headers: dict[str, str]) -> tuple[int, bytes, dict[str, str]]:
        status, content, fields = super().tampered(request, body, headers)
        if status == 200:
            members = json.loads(content)
            content = json.dumps({key: members[key] for key in members if key != "flavors"}).encode()
        return status, content, fields


class OpenDoor(Proxy):
    """Whoever comes without a token, or with a wrong one, gets in."""

    token = ""

    def send(self, request: Request, body: bytes, headers: dict[str, str]) -> httpx.Response:
        return super().send(request, body, {**headers, "x-auth-token": self.token})


class OpenToNeighbours(OpenDoor):
    """The token of another project opens ours; without a token the door is shut."""

    def send(self, request: Request, body: bytes, headers: dict[str, str]) -> httpx.Response:
        answer = Proxy.send(self, request, body, headers)
        return super().send(request, body, headers) if answer.status_code in {403, 404} else answer


class Undead(Proxy):
    """What was deleted is still shown."""

    def __init__(self, upstream: str) -> None:
        super().__init__(upstream)
        self.seen: dict[str, httpx.Response] = {}

    def tampered(self, request: Request, body: bytes, headers: dict[str, str]) -> tuple[int, bytes, dict[str, str]]:
        answer = self.send(request, body, headers)
        if request.method == "DELETE" and answer.status_code == 202:
            return 202, b"", {}
        if request.method == "GET" and answer.status_code == 200:
            self.seen[request.url.path] = answer
        if request.method == "POST" and answer.status_code == 201 and request.url.path.endswith("/training-jobs"):
            self.seen[f"{request.url.path}/{answer.json()['metadata']['id']}"] = httpx.Response(
                200, content=answer.content, headers={"content-type": "application/json"}
            )
        if request.method == "GET" and answer.status_code == 400:
            answer = self.seen.get(request.url.path, answer)
        return answer.status_code, answer.content, dict(answer.headers)


class Forgetful(Proxy):
    """A job that was just created is said not to exist."""

    def tampered(self, request: Request, body: bytes, headers: dict[str, str]) -> tuple[int, bytes, dict[str, str]]:
        status, content, fields = super().tampered(request, body, headers)
        if request.method == "GET" and status == 200:
            content = b'{"error_code": "ModelArts.2775", "error_msg": "The training job is not found."}'
            status = 400
        return status, content, fields


class Gullible(Proxy):
    """Whatever the body says, something is found."""

    def tampered(self, request: Request, body: bytes, headers: dict[str, str]) -> tuple[int, bytes, dict[str, str]]:
        status, content, fields = super().tampered(request, body, headers)
        if status == 400:
            return 200, b'{"total": 0, "count": 0, "items": []}', {"content-type": "application/json"}
        return status, content, fields


class Unlisted(Proxy):
    """A refusal carries a code that no page lists for it."""

    def tampered(self, request: Request, body: bytes, headers: dict[str, str]) -> tuple[int, bytes, dict[str, str]]:
        status, content, fields = super().tampered(request, body, headers)
        return status, content.replace(b"ModelArts.2775", b"ModelArts.9999"), fields


class Broken(Proxy):
    def tampered(self, request: Request, body: bytes, headers: dict[str, str]) -> tuple[int, bytes, dict[str, str]]:
        status, content, fields = super().tampered(request, body, headers)
        return (500 if status == 200 else status), content, fields


JOBS = ["createTrainingJob", "showTrainingJobDetails", "deleteTrainingJob"]
STATEFUL = ["--phases", "stateful", "--max-examples", "25"]
LIES = {"ServerError", "JsonSchemaError", "RejectedPositiveData"}
OPEN = {"IgnoredAuth", "MissingHeaderNotRejected", "AcceptedNegativeData", "NeighbourSeesNothing"}
BREAKS: dict[str, tuple[type[Proxy], list[str], list[str], set[str]]] = {
    "wrong status": (WrongStatus, ["showTrainingJobFlavors"], UNIT_PHASES, {"UndefinedStatusCode"}),
    "server error": (Broken, ["showTrainingJobFlavors"], UNIT_PHASES, LIES),
    "missing required member": (MissingMember, ["showTrainingJobFlavors"], UNIT_PHASES, {"JsonSchemaError"}),
    "lost authentication": (OpenDoor, ["showTrainingJobFlavors"], UNIT_PHASES, OPEN),
    "use after delete": (Undead, JOBS, STATEFUL, {"UseAfterFree"}),
    "lost job": (Forgetful, JOBS, STATEFUL, {"CreatedIsFound"}),
    "invalid body accepted": (Gullible, ["listTrainingJobs"], UNIT_PHASES, {"AcceptedNegativeData"}),
    "another project reads": (OpenToNeighbours, ["showTrainingJobFlavors"], UNIT_PHASES, {"NeighbourSeesNothing"}),
    "unlisted error code": (Unlisted, ["showTrainingJobDetails"], UNIT_PHASES, {"documented_code"}),
}


@contextlib.contextmanager
def serving(proxy: Proxy) -> Iterator[str]:
    app = Starlette(routes=[Route("/{path:path}", proxy.answer, methods=METHODS)])
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical", lifespan="off"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()
    proxy.client.close()


@pytest.mark.parametrize(("broken", "operations", "options", "findings"), BREAKS.values(), ids=BREAKS)
def test_a_broken_promise_is_found(
    broken: type[Proxy],
    operations: list[str],
    options: list[str],
    findings: set[str],
    service: Any,
    contract: Callable[..., Any],
) -> None:
    if not service.stand_ins.get("neighbour"):
        pytest.skip("the proxies stand in front of our own emulator only")
    proxy = broken(service.endpoint)
    if isinstance(proxy, OpenDoor):
        proxy.token = service.token()
    only = [part for operation in operations for part in ("--include-operation-id", operation)]

    with serving(proxy) as url:
        outcome = contract("v2", *only, *options, url=url, name=f"broken-{broken.__name__.lower()}")

    assert (outcome.exit_status, outcome.findings) == (1, findings)
