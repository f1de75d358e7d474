"""Plans over HTTP, `/_emulator/plans`: what simulated jobs are going to do; see `execution.simulated.plan`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.routing import Route

from modelarts_emulator.control.bodies import json_endpoint, read_object
from modelarts_emulator.execution.simulated.time_travel import RealTimeError

if TYPE_CHECKING:
    from modelarts_emulator.execution.simulated.plans import Plans

__all__ = ["plan_routes", "require_plans"]


def require_plans(plans: Plans | None) -> Plans:
    """The plans of simulated jobs; raises RealTimeError if jobs really run."""
    if plans is None:
        raise RealTimeError("jobs that really run follow no plan: start the emulator with --executor simulated")
    return plans


def plan_routes(plans: Plans | None) -> list[Route]:
    """Put a plan in place (POST), list all (GET), forget all (DELETE)."""

    async def add(request: Request) -> dict[str, Any]:
        return require_plans(plans).add(**await read_object(request))

    async def show(_request: Request) -> dict[str, Any]:
        return {"plans": require_plans(plans).list()}

    async def clear(_request: Request) -> None:
        require_plans(plans).clear()

    path = "/_emulator/plans"
    return [
        Route(path, json_endpoint(add), methods=["POST"]),
        Route(path, json_endpoint(show), methods=["GET"]),
        Route(path, json_endpoint(clear), methods=["DELETE"]),
    ]
