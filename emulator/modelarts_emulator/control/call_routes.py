"""Recorded calls over HTTP: `/_emulator/calls` lists them (GET), all or of an operation, and forgets them (DELETE)."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.routing import Route

from modelarts_emulator.control.bodies import json_endpoint
from modelarts_emulator.control.calls import Calls

__all__ = ["call_routes", "require_calls"]

PARAMETERS = {"operation", "document"}


def require_calls(calls: Calls | None) -> Calls:
    """The recorded calls; raises ValueError if none are recorded."""
    if calls is None:
        raise ValueError("calls are not recorded: start the emulator with --record-calls, or record_calls=True")
    return calls


def call_routes(calls: Calls | None) -> list[Route]:
    """The two calls."""

    async def show(request: Request) -> dict[str, Any]:
        given = dict(request.query_params)
        if unknown := sorted(set(given) - PARAMETERS):
            raise ValueError(f"{unknown[0]}: the parameters are {', '.join(sorted(PARAMETERS))}")
        return {"calls": [call.view() for call in require_calls(calls).list(**given)]}

    async def clear(_request: Request) -> None:
        require_calls(calls).clear()

    path = "/_emulator/calls"
    return [
        Route(path, json_endpoint(show), methods=["GET"]),
        Route(path, json_endpoint(clear), methods=["DELETE"]),
    ]
