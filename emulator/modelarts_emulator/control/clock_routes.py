"""The clock over HTTP, `/_emulator/clock`: what time it is (GET), and moving it (POST)."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.routing import Route

from modelarts_emulator.control.bodies import answering, read_object
from modelarts_emulator.execution.simulated.time_travel import Timekeeper

__all__ = ["clock_routes"]

COMMANDS = '{"hold": true}, {"go_on": true}, {"advance": seconds} or {"to": seconds since 1970}'


def clock_routes(timekeeper: Timekeeper) -> list[Route]:
    """Both calls; each responds once everything has happened that was due."""

    async def show(_request: Request) -> dict[str, Any]:
        return _view(timekeeper)

    async def move(request: Request) -> dict[str, Any]:
        await _obey(timekeeper, await read_object(request))
        return _view(timekeeper)

    path = "/_emulator/clock"
    return [Route(path, answering(show), methods=["GET"]), Route(path, answering(move), methods=["POST"])]


def _view(timekeeper: Timekeeper) -> dict[str, Any]:
    return {"now": timekeeper.now, "held": timekeeper.is_held}


async def _obey(timekeeper: Timekeeper, body: dict[str, Any]) -> None:
    match body:
        case {"hold": True} if len(body) == 1:
            await timekeeper.hold()
        case {"go_on": True} if len(body) == 1:
            await timekeeper.go_on()
        case {"advance": int() | float() as seconds} if len(body) == 1 and not isinstance(seconds, bool):
            await timekeeper.advance(seconds)
        case {"to": int() | float() as moment} if len(body) == 1 and not isinstance(moment, bool):
            await timekeeper.move_to(moment)
        case _:
            raise ValueError(f"the body says nothing that the clock can do: send {COMMANDS}")
