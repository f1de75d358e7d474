"""Faults over HTTP: `/_emulator/faults` adds them (POST), lists them with what they did (GET), clears them (DELETE).

A body with the member `job` disturbs a job instead; see `disturbances`.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import jsonschema_rs
from starlette.requests import Request
from starlette.routing import Route

from modelarts_emulator.control.bodies import answering, read_object
from modelarts_emulator.control.fault_responses import Trouble
from modelarts_emulator.control.faults import STORE, Fault
from modelarts_emulator.control.task_faults import KINDS, disturb
from modelarts_emulator.http.call import Services
from modelarts_emulator.http.errors import REMEDIES

__all__ = ["add_fault", "fault_routes", "fault_views"]

STATUSES = [status.value for status in HTTPStatus if status >= HTTPStatus.BAD_REQUEST]
# What stands in an answer whose fault names only a status; what is not here needs a code.
CODES = {
    429: "ModelArts.2799",
    500: "ModelArts.2950",
    502: "ModelArts.2950",
    503: "ModelArts.2950",
    504: "ModelArts.2950",
}
STORE_CODES = {403: "AccessDenied", 429: "SlowDown", 500: "InternalError", 503: "SlowDown"}
WAIT = 1  # seconds that a 429 asks for unless told otherwise

_WHERE = {
    "kind": {"type": "string"},
    "document": {"enum": ["iam", "v2", STORE]},
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


async def add_fault(services: Services, body: dict[str, Any]) -> dict[str, Any]:
    """Put in place what the body describes, and show it; raises ValueError for a body that is not right."""
    if "job" in body:
        return await disturb(services, body)
    return services.faults.add(_read(body)).view()


def fault_views(services: Services) -> list[dict[str, Any]]:
    """The faults in place, with how many calls each has seen (`calls`) and struck."""
    return [fault.view() for fault in services.faults]


def fault_routes(services: Services) -> list[Route]:
    """The three calls."""

    async def add(request: Request) -> dict[str, Any]:
        return await add_fault(services, await read_object(request))

    async def show(_request: Request) -> dict[str, Any]:
        return {"faults": fault_views(services)}

    async def clear(_request: Request) -> None:
        services.faults.clear()

    path = "/_emulator/faults"
    return [
        Route(path, answering(add), methods=["POST"]),
        Route(path, answering(show), methods=["GET"]),
        Route(path, answering(clear), methods=["DELETE"]),
    ]


def _read(body: dict[str, Any]) -> Fault:
    kind = body.get("kind")
    validator = _VALIDATORS.get(kind) if isinstance(kind, str) else None
    if kind in KINDS:
        raise ValueError(f"job: {kind} befalls a job, name it by its id")
    if validator is None:
        raise ValueError(f"kind: use one of {', '.join(_KINDS)}, or with a job one of {', '.join(KINDS)}")
    for error in validator.iter_errors(body):
        raise ValueError(f"{'.'.join(map(str, error.instance_path)) or kind}: {error.message}")
    document = body.get("document")
    if document == STORE and kind == "expired_token":
        raise ValueError("document: the object store has no tokens, its requests are signed")
    where = {name: body[name] for name in _WHERE if name in body and name not in ("kind", "operations")}
    return Fault(_trouble(kind, body), tuple(body.get("operations", ("*",))), **where)


def _trouble(kind: Any, body: Mapping[str, Any]) -> Trouble:
    members = {name: body[name] for name in _KINDS[kind] if name in body}
    if kind == "drop":
        members.setdefault("moment", "before")
    elif kind == "html":
        members.setdefault("status", HTTPStatus.BAD_GATEWAY.value)
    elif kind == "status":
        members |= _answer(members, body.get("document"))
    return Trouble(kind, **members)


def _answer(members: Mapping[str, Any], document: str | None) -> dict[str, Any]:
    """Status, code and waiting time of a refusal, each of them from the others where it is not given."""
    status, code = members.get("status"), members.get("code")
    if status is None:
        if code not in REMEDIES:
            raise ValueError("status: give the HTTP status of the answer, or a code that the emulator knows")
        status = REMEDIES[code][0]
    if code is None:
        code = (STORE_CODES if document == STORE else CODES).get(status)
        if code is None and document != "iam":
            raise ValueError(f"code: give the error code that comes with status {status}")
    answer = {"status": status, "code": code}
    return {"retry_after": WAIT, **answer, **members} if status == HTTPStatus.TOO_MANY_REQUESTS else answer
