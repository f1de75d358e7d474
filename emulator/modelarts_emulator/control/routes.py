"""The control API under `/_emulator/`: only for those who run the emulator; the service has no such API.

All calls but the health check need the control token, which `modelarts emulator env` prints.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import orjson
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from modelarts_emulator.control.calls import Calls
from modelarts_emulator.control.faults import Faults, TaskFaults
from modelarts_emulator.control.reset import Reset
from modelarts_emulator.control.time_travel import TimeTravel
from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.http.errors import unavailable

if TYPE_CHECKING:
    from modelarts_emulator.execution.simulated.plan import Plans

CLOCK_BODIES = '{"freeze": true}, {"resume": true}, {"advance": seconds} or {"to": seconds since 1970}'
CALL_PARAMETERS = {"operation", "document"}
REMEDY = (
    'Send "Authorization: Bearer $MODELARTS_EMULATOR_TOKEN";'
    ' the variable is one of those that "modelarts emulator env" prints.'
)

Endpoint = Callable[[Request], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Control:
    """What the control API controls; `health` is given the Host header of the request.

    `devices` returns the accelerators with their tasks, `queue` what holds nodes and what waits; `plans` is None if
    jobs really run, `calls` if none are recorded. The methods are the endpoints: each returns the JSON of its response,
    and raises ValueError for a wrong request, EmulatorError for what cannot be done here.
    """

    token: str = field(repr=False)
    health: Callable[[str], dict[str, Any]]
    devices: Callable[[], dict[str, Any]]
    queue: Callable[[], dict[str, Any]]
    reset: Reset
    time_travel: TimeTravel
    faults: Faults
    task_faults: TaskFaults
    plans: Plans | None
    calls: Calls | None = None

    async def show_health(self, request: Request) -> dict[str, Any]:
        """Whether the emulator serves, and what it can do."""
        return {"status": "ok", "version": version("modelarts-toolkit"), **self.health(request.headers["host"])}

    async def show_clock(self, _request: Request) -> dict[str, Any]:
        """What time it is."""
        return {"now": self.time_travel.now, "frozen": self.time_travel.is_frozen}

    async def move_clock(self, request: Request) -> dict[str, Any]:
        """Move the clock, and show it when everything that was due has happened."""
        match await _read_object(request):
            case {"freeze": True, **rest} if not rest:
                await self.time_travel.freeze()
            case {"resume": True, **rest} if not rest:
                await self.time_travel.resume()
            case {"advance": int() | float() as seconds, **rest} if not rest and not isinstance(seconds, bool):
                await self.time_travel.move(lambda now: now + seconds)
            case {"to": int() | float() as moment, **rest} if not rest and not isinstance(moment, bool):
                await self.time_travel.move(lambda _: moment)
            case _:
                raise ValueError(f"the body has no action of the clock: send {CLOCK_BODIES}")
        return await self.show_clock(request)

    async def add_plan(self, request: Request) -> dict[str, Any]:
        """Put a plan in place, and show it."""
        return dict(self._kept("plans").add(**await _read_object(request)))

    async def add_fault(self, request: Request) -> dict[str, Any]:
        """Put a fault of calls in place, or inject one into the job that the body names, and show it."""
        body = await _read_object(request)
        if "job" in body:
            return await self.task_faults.inject(body)
        return self.faults.add(body).view()

    async def list_kept(self, kind: str, request: Request) -> dict[str, Any]:
        """All faults, plans or recorded calls, oldest first; of calls those of an operation or document."""
        given = dict(request.query_params) if kind == "calls" else {}
        if unknown := sorted(set(given) - CALL_PARAMETERS):
            raise ValueError(f"{unknown[0]}: the parameters are {', '.join(sorted(CALL_PARAMETERS))}")
        return {kind: self._kept(kind).list(**given)}

    async def clear_kept(self, kind: str, _request: Request) -> None:
        """Forget all faults, plans or recorded calls."""
        self._kept(kind).clear()

    def _kept(self, kind: str) -> Any:
        if kind == "plans" and self.plans is None:
            raise EmulatorError("jobs that really run follow no plan: start the emulator with --executor simulated")
        if kind == "calls" and self.calls is None:
            raise ValueError("calls are not recorded: start the emulator with --record-calls, or record_calls=True")
        return getattr(self, kind)


def control_app(control: Control) -> Starlette:
    """The application that serves the control API."""
    routes: list[tuple[str, str, Endpoint]] = [
        ("POST", "reset", lambda _: control.reset()),
        ("GET", "clock", control.show_clock),
        ("GET", "devices", lambda _: asyncio.to_thread(control.devices)),
        ("GET", "queue", lambda _: asyncio.to_thread(control.queue)),
        ("POST", "clock", control.move_clock),
        ("POST", "plans", control.add_plan),
        ("POST", "faults", control.add_fault),
    ]
    for kind in ("faults", "plans", "calls"):
        routes += [("GET", kind, partial(control.list_kept, kind)), ("DELETE", kind, partial(control.clear_kept, kind))]
    bound = [
        Route(f"/_emulator/{path}", _endpoint(call, control.token), methods=[method]) for method, path, call in routes
    ]
    return Starlette(routes=[Route("/_emulator/health", _endpoint(control.show_health), methods=["GET"]), *bound])


def _endpoint(call: Endpoint, token: str | None = None) -> Endpoint:
    """An endpoint that responds with the JSON that the call returns, or with its error; all need the token, if any."""

    async def endpoint(request: Request) -> Response:
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        if token and (scheme.lower() != "bearer" or not hmac.compare_digest(given.encode("latin-1"), token.encode())):
            fact = "The request does not have the token of the control API."
            return JSONResponse({"error_msg": fact, "error_solution": REMEDY}, 401, {"WWW-Authenticate": "Bearer"})
        try:
            found = await call(request)
        except Exception as error:
            if (response := _rejection(error)) is None:
                raise
            return response
        return Response(status_code=HTTPStatus.NO_CONTENT) if found is None else JSONResponse(found)

    return endpoint


def _rejection(error: Exception) -> Response | None:
    """400 for a wrong request, 409 for what cannot be done here, such as moving a real clock; None for a defect."""
    if isinstance(error, ValueError | EmulatorError):
        status = HTTPStatus.BAD_REQUEST if isinstance(error, ValueError) else HTTPStatus.CONFLICT
        return JSONResponse({"error_msg": str(error)}, status)
    if (found := unavailable(error)) is None:
        return None
    body = {"error_msg": found.message, "error_solution": found.solution}
    return JSONResponse(body, found.status or HTTPStatus.INSUFFICIENT_STORAGE)


async def _read_object(request: Request) -> dict[str, Any]:
    """The object in the request's body; raises ValueError for anything else."""
    try:
        body = orjson.loads(await request.body())
    except ValueError as error:
        raise ValueError(f"the body is not JSON: {error}") from None
    if not isinstance(body, dict):
        raise ValueError("the body is not a JSON object: send one")
    return body
