"""Plans over HTTP, `/_emulator/plans`: what simulated jobs are going to do; see `executors.plan`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.routing import Route

from modelarts_emulator.control.bodies import answering, read_object
from modelarts_emulator.execution.simulated.time_travel import RealTimeError
from modelarts_emulator.http.call import Services

if TYPE_CHECKING:
    from modelarts_emulator.execution.simulated.plans import Plans

__all__ = ["plan_routes", "plans_of"]


def plans_of(services: Services) -> Plans:
    """The plans of simulated jobs; raises RealTimeError if jobs really run."""
    if services.plans is None:
        raise RealTimeError("jobs that really run follow no plan: start the emulator with --executor simulated")
    return services.plans


def plan_routes(services: Services) -> list[Route]:
    """Put a plan in place (POST), list all (GET), forget all (DELETE)."""

    async def add(request: Request) -> dict[str, Any]:
        return plans_of(services).add(**await read_object(request))

    async def show(_request: Request) -> dict[str, Any]:
        return {"plans": plans_of(services).list()}

    async def clear(_request: Request) -> None:
        plans_of(services).clear()

    path = "/_emulator/plans"
    return [
        Route(path, answering(add), methods=["POST"]),
        Route(path, answering(show), methods=["GET"]),
        Route(path, answering(clear), methods=["DELETE"]),
    ]
