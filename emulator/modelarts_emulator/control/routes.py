"""The control API under `/_emulator/`: not imitated, only for those who run the emulator.

All calls but the health check need the control token, which `modelarts emulator env` prints.
"""

from __future__ import annotations

import hmac
from importlib.metadata import version
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from modelarts_emulator.control.clock_routes import clock_routes
from modelarts_emulator.control.fault_routes import fault_routes
from modelarts_emulator.control.plan_routes import plan_routes
from modelarts_emulator.control.reset import reset
from modelarts_emulator.http.call import Services
from modelarts_emulator.http.errors import EmulatorError
from modelarts_emulator.v2.handlers import HANDLERS

__all__ = ["control_routes"]

REMEDY = (
    'Send "Authorization: Bearer $MODELARTS_EMULATOR_TOKEN";'
    ' the variable is one of those that "modelarts emulator env" prints.'
)


def control_routes(services: Services) -> list[BaseRoute]:
    """Health, reset, and what the modules of the single calls offer."""

    async def health(request: Request) -> Response:
        """Whether the emulator serves, and what it can do."""
        return JSONResponse(_health(services, request.headers["host"]))

    async def start_over(_request: Request) -> Response:
        """Forget everything but tokens; 409 if the seeds have gone bad."""
        try:
            await reset(services)
        except EmulatorError as error:
            return JSONResponse({"error_msg": str(error)}, 409)
        return Response(status_code=204)

    controls = [
        Route("/_emulator/reset", start_over, methods=["POST"]),
        *clock_routes(services),
        *plan_routes(services),
        *fault_routes(services),
    ]
    for route in controls:
        route.app = _TokenCheck(route.app, services.control_token)
    return [Route("/_emulator/health", health, methods=["GET"]), *controls]


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


def _health(services: Services, host: str) -> dict[str, Any]:
    return {
        "status": "ok",
        "version": version("modelarts-toolkit"),
        "obs_endpoint": services.obs_endpoint(host),
        "capabilities": {
            "documents": list(HANDLERS),
            "authentication": ["token"],
            "executor": "process" if services.plans is None else "simulated",
            "offset_unit": services.offset_unit,
        },
    }
