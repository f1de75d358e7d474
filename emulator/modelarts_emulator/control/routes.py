"""The control API under `/_emulator/`: not imitated, only for those who run the emulator.

It asks for no token, so it refuses what a web page could send: every request that names an origin.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from modelarts_emulator.calls import Services
from modelarts_emulator.control.clock_calls import clock_routes
from modelarts_emulator.control.fault_calls import fault_routes
from modelarts_emulator.control.plan_calls import plan_routes
from modelarts_emulator.control.reset import reset
from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.handlers import HANDLERS

__all__ = ["control_routes"]


def control_routes(services: Services) -> list[BaseRoute]:
    """Health, reset, and what the modules of the single calls offer."""

    async def health(_request: Request) -> Response:
        """Whether the emulator serves, and what it can do."""
        return JSONResponse(_health(services))

    async def start_over(_request: Request) -> Response:
        """Forget everything but tokens; 409 if the seeds have gone bad."""
        try:
            await reset(services)
        except EmulatorError as error:
            return JSONResponse({"error_msg": str(error)}, 409)
        return Response(status_code=204)

    routes = [
        Route("/_emulator/health", health, methods=["GET"]),
        Route("/_emulator/reset", start_over, methods=["POST"]),
        *clock_routes(services),
        *plan_routes(services),
        *fault_routes(services),
    ]
    for route in routes:
        route.app = _Guard(route.app)
    return list(routes)


class _Guard:
    """An application that no web page can call: browsers name the page's origin."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._app
        if Headers(scope=scope).get("origin"):
            app = JSONResponse({"error_msg": "a web page must not control the emulator: use another client"}, 403)
        await app(scope, receive, send)


def _health(services: Services) -> dict[str, Any]:
    return {
        "status": "ok",
        "version": version("modelarts-toolkit"),
        "obs_endpoint": services.obs_endpoint,
        "capabilities": {
            "documents": list(HANDLERS),
            "authentication": ["token"],
            "executor": "process" if services.plans is None else "simulated",
            "offset_unit": services.offset_unit,
        },
    }
