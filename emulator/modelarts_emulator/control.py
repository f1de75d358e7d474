"""The control API under `/_emulator/`: not imitated, only for those who run the emulator.

It asks for no token, so it refuses what a web page could send: every request that names an origin.
"""

from __future__ import annotations

import asyncio
from importlib.metadata import version
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from modelarts_emulator import jobs
from modelarts_emulator.calls import Services
from modelarts_emulator.handlers import HANDLERS
from modelarts_emulator.tables import algorithms

__all__ = ["control_routes"]


def control_routes(services: Services) -> list[BaseRoute]:
    """Health and reset."""

    async def health(_request: Request) -> Response:
        """Whether the emulator serves, and what it can do."""
        return JSONResponse(_health(services))

    async def reset(request: Request) -> Response:
        """Forget all algorithms and jobs, end the jobs' processes, delete all buckets; tokens stay valid."""
        if request.headers.get("origin"):
            return JSONResponse({"error_msg": "a web page must not reset the emulator"}, 403)
        _forget(services)
        await services.supervisor.clear_away()
        await asyncio.to_thread(services.store.clear)
        return Response(status_code=204)

    return [Route("/_emulator/health", health, methods=["GET"]), Route("/_emulator/reset", reset, methods=["POST"])]


def _health(services: Services) -> dict[str, Any]:
    return {
        "status": "ok",
        "version": version("modelarts-toolkit"),
        "obs_endpoint": services.obs_endpoint,
        "capabilities": {
            "documents": list(HANDLERS),
            "authentication": ["token"],
            "executor": type(services.executor).__name__,
            "offset_unit": services.offset_unit,
        },
    }


def _forget(services: Services) -> None:
    with services.engine.begin() as connection:
        for job in jobs.every(connection):
            jobs.remove(connection, job)
        connection.execute(algorithms.delete())
    services.supervisor.wake()
