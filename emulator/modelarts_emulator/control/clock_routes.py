"""The clock over HTTP, `/_emulator/clock`: what time it is (GET), and moving it (POST)."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.routing import Route

from modelarts_emulator.control.bodies import json_endpoint, read_object
from modelarts_emulator.execution.simulated.time_travel import TimeTravel

__all__ = ["clock_routes"]

COMMANDS = '{"freeze": true}, {"resume": true}, {"advance": seconds} or {"to": seconds since 1970}'


def clock_routes(time_travel: TimeTravel) -> list[Route]:
    """Both calls; each responds once everything has happened that was due."""

    async def show(_request: Request) -> dict[str, Any]:
        return _view(time_travel)

    async def move(request: Request) -> dict[str, Any]:
        await _apply(time_travel, await read_object(request))
        return _view(time_travel)

    path = "/_emulator/clock"
    return [Route(path, json_endpoint(show), methods=["GET"]), Route(path, json_endpoint(move), methods=["POST"])]


def _view(time_travel: TimeTravel) -> dict[str, Any]:
    return {"now": time_travel.now, "frozen": time_travel.is_frozen}


async def _apply(time_travel: TimeTravel, body: dict[str, Any]) -> None:
    match body:
        case {"freeze": True} if len(body) == 1:
            await time_travel.freeze()
        case {"resume": True} if len(body) == 1:
            await time_travel.resume()
        case {"advance": int() | float() as seconds} if len(body) == 1 and not isinstance(seconds, bool):
            await time_travel.advance(seconds)
        case {"to": int() | float() as moment} if len(body) == 1 and not isinstance(moment, bool):
            await time_travel.advance_to(moment)
        case _:
            raise ValueError(f"the body says nothing that the clock can do: send {COMMANDS}")
