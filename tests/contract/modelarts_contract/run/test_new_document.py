"""A document that the engine has never seen is tried with an overlay alone."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

import modelarts_openapi
from modelarts_contract import documents, proxy
from modelarts_contract.proxy import ProxyRequest, ProxyResponse
from modelarts_contract.run import runs, session
from modelarts_contract.run.completeness import never_succeeded, rejected_too_often
from modelarts_contract.run.emulated import prepared
from modelarts_contract.run.guard import Guard
from modelarts_contract.run.plan import Plan
from modelarts_contract.run.service import Service
from modelarts_toolkit.settings.config import Config

DOCUMENT = """
openapi: 3.1.0
info: {title: Notes, version: '1'}
paths:
  /notes/{project_id}/drawers:
    post:
      operationId: createDrawer
      parameters: [&project {name: project_id, in: path, required: true, schema: {type: string}}]
      responses: &one
        '2XX': {description: It., content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}
        '400': &no {description: Rejected.}
        '401': *no
  /notes/{project_id}/notes:
    post:
      operationId: createNote
      parameters: [*project]
      requestBody:
        required: true
        content: {application/json: {schema: {$ref: '#/components/schemas/Note'}}}
      responses:
        '200':
          description: It.
          content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}
          links:
            readNote: {operationId: readNote, parameters: {note_id: $response.body#/id}}
        '400': *no
        '401': *no
  /notes/{project_id}/notes/{note_id}:
    get:
      operationId: readNote
      parameters:
        - *project
        - &id {name: note_id, in: path, required: true, schema: {type: string, pattern: '^n[0-9]+$'}}
      responses:
        2XX:
          description: It.
          content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}
          links:
            dropNote: {operationId: dropNote, parameters: {note_id: $response.body#/id}}
            printNote: {operationId: printNote, parameters: {note_id: $response.body#/id}}
        '400': *no
        '401': *no
    delete:
      operationId: dropNote
      parameters: [*project, *id]
      responses: {<<: *one, '409': {description: It is not ready.}}
  /notes/{project_id}/notes/{note_id}/prints:
    post:
      operationId: printNote
      parameters: [*project, *id]
      responses: *one
components:
  schemas:
    Note:
      type: object
      required: [drawer, title]
      properties: {drawer: {type: string}, title: {type: string, minLength: 1}}
      additionalProperties: false
    Thing: {type: object, required: [id], properties: {id: {type: string}}}
  securitySchemes: {token: {type: apiKey, in: header, name: X-Auth-Token}}
security: [token: []]
"""
OVERLAY = """
setup:
  things:
    - {call: createDrawer, keep: {drawer: $response.body#/id}}
    - {call: createNote, body: {drawer: $known.drawer, title: $name.note}, keep: {note_id: $response.body#/id}}
    - {call: readNote, path: {note_id: $known.note_id}, expect: {/state: ready}}
    - {call: createNote, body: {drawer: $known.drawer, title: $name.note}, keep: {dropped: $response.body#/id}}
    - {call: readNote, path: {note_id: $known.dropped}, expect: {/state: ready}}
parameters: {note_id: $known.note_id}
operations:
  createNote:
    x-contract:
      body: {set: {/drawer: $known.drawer}}
  dropNote: # which must have been read before
    x-contract: {statuses: [2xx, 400, 409], leads: [path: {note_id: $known.dropped}]}
  printNote:
    x-contract: {not-emulated: true}
"""
TOKEN = "token-of-the-notes"
READY = 1  # looks at a note after which it can be dropped


def notes() -> Starlette:
    """A service that keeps notes in drawers; a note has to be read before it can be dropped."""
    numbers, drawers, found = itertools.count(1), set[str](), dict[str, int]()

    def rejected(request: Request) -> Response | None:
        return None if request.headers.get("x-auth-token") == TOKEN else Response(status_code=401)

    async def create_drawer(request: Request) -> Response:
        drawers.add(name := f"d{next(numbers)}")
        return rejected(request) or JSONResponse({"id": name})

    async def create_note(request: Request) -> Response:
        if rejection := rejected(request):
            return rejection
        try:
            body: Any = await request.json()
        except ValueError:
            return Response(status_code=400)
        is_right = isinstance(body, dict) and set(body) == {"drawer", "title"} and bool(body["title"])
        if not is_right or not isinstance(body["title"], str) or body["drawer"] not in [*drawers]:
            return Response(status_code=400)
        found[name := f"n{next(numbers)}"] = 0
        return JSONResponse({"id": name})

    async def note(request: Request) -> Response:
        name = request.path_params["note_id"]
        if rejection := rejected(request):
            return rejection
        if name not in found:
            return Response(status_code=400)
        if request.method == "DELETE":
            if found[name] < READY:
                return Response(status_code=409)
            del found[name]
            return JSONResponse({"id": name})
        found[name] += 1
        state = "ready" if found[name] >= READY else "new"
        return JSONResponse({"id": name, "state": state})

    return Starlette(
        routes=[
            Route("/notes/{project_id}/drawers", create_drawer, methods=["POST"]),
            Route("/notes/{project_id}/notes", create_note, methods=["POST"]),
            Route("/notes/{project_id}/notes/{note_id}", note, methods=["GET", "DELETE"]),
        ]
    )


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """The service, to which no proxy of the environment leads."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "")
    documents.add("notes", yaml.safe_load(DOCUMENT), yaml.safe_load(OVERLAY))
    with proxy.serving_app(notes()) as url:
        environment = {"MODELARTS_ENDPOINT": url, "MODELARTS_PROJECT_ID": "p"}
        service = Service(environment, TOKEN, {}, "contract-")
        yield Service(environment, TOKEN, {}, "contract-", stand_ins=prepared(service, "notes"))


def test_a_new_document_is_tried_with_an_overlay_alone(service: Service, tmp_path: Path) -> None:
    """Its things are made, and valid requests are about them.

    Nothing is sent to an operation that is not emulated, nor missed.
    """
    found = runs.run(service, tmp_path, "calls", "notes", *runs.CALLS)

    assert (found.findings, found.exit_status) == ([], 0), found.output
    assert never_succeeded("notes", [found]) == set()
    assert rejected_too_often("notes", [found]) == {}
    tried = {each.operation.rpartition("/")[2] for each in found.responses}
    assert tried == {"drawers", "notes", "{note_id}"}


def test_a_document_that_is_only_written_is_tried(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = yaml.safe_load(DOCUMENT)
    drawers = {**whole, "paths": {"/notes/{project_id}/drawers": whole["paths"]["/notes/{project_id}/drawers"]}}
    documents.add("drawers", drawers, {})
    monkeypatch.setattr(session, "serving", lambda _folder, _names: contextlib.nullcontext(service))

    result = session.tried(Plan(("drawers",)), None, tmp_path)

    assert [finding.message for finding in result.findings] == []
    assert result.documents["drawers"].operations["createDrawer"].verdict == "kept"


def test_the_guard_lets_calls_of_a_new_document_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """What writes is rejected for the same reason as in other documents, not because the operation is unknown."""
    documents.add("notes", yaml.safe_load(DOCUMENT), yaml.safe_load(OVERLAY))
    monkeypatch.setattr(modelarts_openapi, "NAMES", (*modelarts_openapi.NAMES, "notes"))
    guard = Guard(Config(endpoint="https://notes.example.com", project_id="p", token="t"), None, 1e6)
    creation = ProxyRequest("POST", "/notes/p/drawers", "", {}, b"{}")

    rejected = guard.training(creation, lambda _: ProxyResponse(200, b"{}", {}))

    assert b"the run only reads" in rejected.body
