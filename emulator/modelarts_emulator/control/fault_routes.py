"""Faults over HTTP: `/_emulator/faults` adds them (POST), lists them with what they did (GET), clears them (DELETE).

A body with the member `job` injects a fault into a job instead; see `task_faults`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

import jsonschema_rs
from starlette.requests import Request
from starlette.routing import Route

from modelarts_emulator.control.bodies import json_endpoint, read_object
from modelarts_emulator.control.fault_responses import FaultSpec
from modelarts_emulator.control.fault_targets import STORE, FaultTarget
from modelarts_emulator.control.faults import Fault, Faults
from modelarts_emulator.control.task_faults import KINDS, TaskFaults

__all__ = ["add_fault", "fault_routes", "fault_views"]

STATUSES = [status.value for status in HTTPStatus if status >= HTTPStatus.BAD_REQUEST]
RETRY_AFTER_S = 1  # what a 429 asks for by default

_WHERE = {
    "kind": {"type": "string"},
    "document": {"type": "string"},
    "operations": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 100},
    "count": {"type": "integer", "minimum": 1},
    "probability": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    "seed": {"type": "integer", "minimum": 0, "maximum": 2**63},
    "after": {"type": "integer", "minimum": 0},
}
_STATUS = {"enum": STATUSES}
_KINDS: dict[str, dict[str, Any]] = {
    "status": {
        "status": _STATUS,
        "code": {"type": "string", "pattern": r"^[A-Za-z0-9.]{1,40}$"},
        "message": {"type": "string", "maxLength": 1000},
        "retry_after": {"type": "integer", "minimum": 0, "maximum": 86400},
    },
    "latency": {"seconds": {"type": "number", "exclusiveMinimum": 0, "maximum": 600}},
    "drop": {"moment": {"enum": ["before", "after", "body"]}},
    "expired_token": {},
    "html": {"status": _STATUS},
}
_VALIDATORS = {
    kind: jsonschema_rs.Draft202012Validator(
        {
            "type": "object",
            "properties": _WHERE | members,
            "required": ["seconds"] if kind == "latency" else [],
            "additionalProperties": False,
        }
    )
    for kind, members in _KINDS.items()
}


async def add_fault(faults: Faults, tasks: TaskFaults, body: dict[str, Any]) -> dict[str, Any]:
    """Put in place what the body describes, and show it; raises ValueError for a body that is not right."""
    if "job" in body:
        return await tasks.inject(body)
    return faults.add(_read(faults, body)).view()


def fault_views(faults: Faults) -> list[dict[str, Any]]:
    """The faults in place, with how many calls each has seen (`calls`) and changed (`applied`)."""
    return [fault.view() for fault in faults]


def fault_routes(faults: Faults, tasks: TaskFaults) -> list[Route]:
    """The three calls."""

    async def add(request: Request) -> dict[str, Any]:
        return await add_fault(faults, tasks, await read_object(request))

    async def show(_request: Request) -> dict[str, Any]:
        return {"faults": fault_views(faults)}

    async def clear(_request: Request) -> None:
        faults.clear()

    path = "/_emulator/faults"
    return [
        Route(path, json_endpoint(add), methods=["POST"]),
        Route(path, json_endpoint(show), methods=["GET"]),
        Route(path, json_endpoint(clear), methods=["DELETE"]),
    ]


def _read(faults: Faults, body: dict[str, Any]) -> Fault:
    kind = body.get("kind")
    validator = _VALIDATORS.get(kind) if isinstance(kind, str) else None
    if kind in KINDS:
        raise ValueError(f"job: {kind} is a fault of a job: name the job by its id")
    if validator is None:
        raise ValueError(f"kind: use one of {', '.join(_KINDS)}, or with a job one of {', '.join(KINDS)}")
    for error in validator.iter_errors(body):
        raise ValueError(f"{'.'.join(map(str, error.instance_path)) or kind}: {error.message}")
    document = body.get("document")
    if document is not None and document not in faults.targets:
        raise ValueError(f"document: {document!r} is not one of {', '.join(faults.targets)}")
    if document == STORE and kind == "expired_token":
        raise ValueError("document: the object store has no tokens, its requests are signed")
    where = {name: body[name] for name in _WHERE if name in body and name not in ("kind", "operations")}
    return Fault(_fault_spec(faults, kind, body), tuple(body.get("operations", ("*",))), **where)


def _fault_spec(faults: Faults, kind: Any, body: Mapping[str, Any]) -> FaultSpec:
    members = {name: body[name] for name in _KINDS[kind] if name in body}
    if kind == "drop":
        members.setdefault("moment", "before")
    elif kind == "html":
        members.setdefault("status", HTTPStatus.BAD_GATEWAY.value)
    elif kind == "status":
        targets = [target for target in faults.targets.values() if target.name == body.get("document", target.name)]
        named = [target for target in targets if target.by_default or "document" in body]
        members |= _error(members, named)
    return FaultSpec(kind, **members)


def _error(members: Mapping[str, Any], targets: Sequence[FaultTarget]) -> dict[str, Any]:
    """Status, code and waiting time of an error, each of them from the others where it is not given."""
    status, code = members.get("status"), members.get("code")
    if status is None:
        known = (target.status_of(code) for target in targets) if code is not None else ()
        status = next((found for found in known if found is not None), None)
        if status is None:
            raise ValueError("status: give the HTTP status of the response, or a code that the emulator knows")
    if code is None:
        codes = [found for target in targets if (found := target.default_code(status)) is not None]
        if not codes or (len(targets) > 1 and not any(codes)):
            raise ValueError(f"code: give the error code that comes with status {status}")
        code = max(codes) or None
    error = {"status": status, "code": code}
    return {"retry_after": RETRY_AFTER_S, **error, **members} if status == HTTPStatus.TOO_MANY_REQUESTS else error
