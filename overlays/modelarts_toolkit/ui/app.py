"""The application: its pages behind the check of who may use them, and the emulator's own page."""

import contextlib
import logging
import socket
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from functools import partial

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from modelarts_toolkit.ui import comparison, job, jobs, log_feed, queue, storage
from modelarts_toolkit.ui.access import Access
from modelarts_toolkit.ui.emulator import EmulatorControl
from modelarts_toolkit.ui.problems import PROBLEMS
from modelarts_toolkit.ui.site import FOLDER, Context, Page, Site, error_page, said_of

STEPS = {"minute": 60, "hour": 3600, "day": 86400}  # of the clock, in seconds


def listen(port: int) -> socket.socket:
    """Listen on 127.0.0.1, on a free port for 0; raises OSError if the port is in use.

    A response is sent at once: otherwise its body waits 40 ms until the browser has acknowledged its head.
    """
    listening = socket.create_server(("127.0.0.1", port))
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # connections inherit it
    return listening


class PageServer(uvicorn.Server):
    """Serves the pages; at its end it first ends the streams of open tabs, so that nothing has to be cut off."""

    def __init__(self, site: Site, *, token: str, port: int) -> None:
        app = create_app(site, token=token, port=port)
        super().__init__(
            uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=1, ws="none")
        )
        self._site = site

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End within seconds: a page that is still loading then is cut off, which is no error to report."""
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        await self._site.feeds.close()
        await super().shutdown(sockets)


def create_app(site: Site, *, token: str, port: int) -> ASGIApp:
    """The pages of a service for those who have the token; it closes what the site has opened when it ends."""

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        yield
        await site.feeds.close()
        await site.curves.close()

    pages = [*jobs.PAGES, *queue.PAGES, *comparison.PAGES, *job.PAGES, *storage.PAGES]
    routes = [*log_feed.log_routes(site), Route("/storage/download", partial(storage.download, site))]
    if site.emulator is not None:
        pages.append(Page("/emulator", "emulator.html", load_emulator, ("emulator", "calls")))
        routes.append(Route("/emulator/{action}", partial(_control, site.emulator), methods=["POST"]))
    for page in pages:
        routes += page.routes(site)
    routes += job.action_routes(site)
    app = Starlette(
        routes=[Mount("/static", StaticFiles(directory=FOLDER / "static")), *routes],
        exception_handlers={404: partial(_missing, site), **dict.fromkeys(PROBLEMS, partial(_failed, site))},
        lifespan=lifespan,
    )
    return Access(app, token, port)


async def load_emulator(site: Site, request: Request) -> Context:
    """What the emulator says of itself, with the calls that the address asks for."""
    assert site.emulator is not None  # noqa: S101 - the page is routed for emulators only
    wanted, has_own = request.query_params.get("call", ""), "own" in request.query_params
    found = await site.emulator.show(wanted, has_own=has_own)
    now = datetime.fromtimestamp(found["clock"]["now"], UTC)
    return {"title": "Emulator", "steps": STEPS, "now": now, "wanted": wanted, "has_own": has_own, **found}


async def _control(emulator: EmulatorControl, request: Request) -> Response:
    """Freeze, resume or move the clock, or clear faults, plans or calls."""
    action = request.path_params["action"]
    calls: dict[str, tuple[str, str, dict[str, object] | None]] = {
        "freeze": ("POST", "clock", {"freeze": True}),
        "resume": ("POST", "clock", {"resume": True}),
        **{step: ("POST", "clock", {"advance": seconds}) for step, seconds in STEPS.items()},
        **{f"clear-{what}": ("DELETE", what, None) for what in ("faults", "plans", "calls")},
    }
    if action not in calls:
        return JSONResponse({"problem": f"the emulator has no action {action}"}, 404)
    await emulator.call(*calls[action])
    return JSONResponse({"location": "/emulator"})


async def _failed(site: Site, request: Request, error: Exception) -> Response:
    """What a page shows in place of what was asked for, or what its script says of an action."""
    if request.method == "POST":
        return JSONResponse({"problem": said_of(error, request)}, 502)
    return error_page(site, request, error)


async def _missing(site: Site, request: Request, _error: Exception) -> Response:
    error = ValueError(f"The page {request.url.path} does not exist: use the menu.")
    response = error_page(site, request, error)
    response.status_code = 404
    return response
