"""The control API under `/_emulator/`: not imitated, only for those who run the emulator.

All calls but the health check need the control token, which `modelarts emulator env` prints.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from sqlalchemy.exc import OperationalError
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from modelarts_emulator.control.call_routes import call_routes
from modelarts_emulator.control.calls import Calls
from modelarts_emulator.control.clock_routes import clock_routes
from modelarts_emulator.control.fault_routes import fault_routes
from modelarts_emulator.control.faults import Faults
from modelarts_emulator.control.plan_routes import plan_routes
from modelarts_emulator.control.reset import Reset
from modelarts_emulator.control.task_faults import TaskFaults
from modelarts_emulator.engine.database import service_error
from modelarts_emulator.execution.simulated.time_travel import TimeTravel
from modelarts_emulator.http.errors import EmulatorError, ServiceError, store_unavailable
from modelarts_emulator.storage.errors import StoreError

if TYPE_CHECKING:
    from modelarts_emulator.execution.simulated.plans import Plans

__all__ = ["Control", "control_app"]

REMEDY = (
    'Send "Authorization: Bearer $MODELARTS_EMULATOR_TOKEN";'
    ' the variable is one of those that "modelarts emulator env" prints.'
)


@dataclass(frozen=True, slots=True)
class Control:
    """What the control API controls; `health` is given the Host header of the request."""

    token: str = field(repr=False)
    health: Callable[[str], dict[str, Any]]
    reset: Reset
    time_travel: TimeTravel
    faults: Faults
    task_faults: TaskFaults
    plans: Plans | None
    calls: Calls | None = None


def control_app(control: Control) -> Starlette:
    """Health, reset, and what the modules of the single calls offer."""

    async def health(request: Request) -> Response:
        """Whether the emulator serves, and what it can do."""
        return JSONResponse(
            {"status": "ok", "version": version("modelarts-toolkit"), **control.health(request.headers["host"])}
        )

    async def start_over(_request: Request) -> Response:
        """Delete everything but tokens; 409 if the fixtures cannot be loaded any more."""
        try:
            await control.reset()
        except EmulatorError as error:
            return JSONResponse({"error_msg": str(error)}, 409)
        return Response(status_code=204)

    controls = [
        Route("/_emulator/reset", start_over, methods=["POST"]),
        *clock_routes(control.time_travel),
        *plan_routes(control.plans),
        *fault_routes(control.faults, control.task_faults),
        *call_routes(control.calls),
    ]
    for route in controls:
        route.app = _TokenCheck(route.app, control.token)
    routes = [Route("/_emulator/health", health, methods=["GET"]), *controls]
    return Starlette(
        routes=routes, exception_handlers=dict.fromkeys((OperationalError, ServiceError, StoreError), _unavailable)
    )


async def _unavailable(_request: Request, error: Exception) -> Response:
    """Tell that the database or the object store cannot be used now; raises any other error."""
    if isinstance(error, StoreError):
        error = store_unavailable(error)
    found = error if isinstance(error, ServiceError) else service_error(error)
    if found is None or found.status is None:
        raise error
    return JSONResponse({"error_msg": found.message, "error_solution": found.solution}, found.status)


class _TokenCheck:
    """An ASGI application that serves only requests with the control token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._app
        scheme, _, token = Headers(scope=scope).get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not hmac.compare_digest(token.encode("latin-1"), self._token):
            fact = "The request does not have the token of the control API."
            app = JSONResponse({"error_msg": fact, "error_solution": REMEDY}, 401, {"WWW-Authenticate": "Bearer"})
        await app(scope, receive, send)
