"""What all pages share: the client, the templates, and how errors of the service are shown."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache, lru_cache, partial
from http import HTTPStatus
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Route

from modelarts_toolkit import AsyncModelArts
from modelarts_toolkit.errors import ApiError, ConnectionFailed, NotFound, ObsError
from modelarts_toolkit.http.transport import DATE_ERROR_S
from modelarts_toolkit.texts import lasted, number_text, size_text, when
from modelarts_toolkit.ui.emulator import USER_AGENT, EmulatorControl
from modelarts_toolkit.ui.job_extras import JobExtras
from modelarts_toolkit.ui.live import Feed, FeedClosed, LivePage
from modelarts_toolkit.ui.own_curves import OwnCurves
from modelarts_toolkit.ui.problems import is_job_missing, text_of

FOLDER = Path(__file__).parent
MOST_FEEDS = 100  # that are kept for tabs
RETRY_S = 10  # after which a page that could not be loaded is loaded again
_CODES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-Z\\^-~]|[\x00-\x08\x0b-\x1f\x7f]"
)
_NOTHING_THERE = re.compile("does not exist|there is nothing at")  # of object storage
MENU = (("/", "Jobs"), ("/queue", "Queue"), ("/storage", "Storage"))

Context = Mapping[str, Any]


class Feeds:
    """What tabs follow or have followed; what nobody looks at makes room, the oldest first."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, Feed] = {}

    async def stream(self, request: Request, key: Hashable, make: Callable[[], Feed]) -> Response:
        """The events of the feed with this key, which is made if it is missing.

        They continue at the position that a browser sends, or the script of a tab that was hidden.
        """
        if key not in self._kept:
            idle = [each for each, found in self._kept.items() if not found.watchers]
            for old in idle[: max(0, len(self._kept) + 1 - MOST_FEEDS)]:
                await self._kept.pop(old).close()
            self._kept[key] = make()
        stream = _until_closed(
            self._kept[key].events(request.headers.get("last-event-id") or request.query_params.get("after", ""))
        )
        return StreamingResponse(stream, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})

    async def close(self) -> None:
        for each in self._kept.values():
            await each.close()


async def _until_closed(events: AsyncIterator[str]) -> AsyncIterator[str]:
    with suppress(FeedClosed):
        async for each in events:
            yield each


@dataclass(slots=True)
class Site:
    """One service as the pages show it; `emulator` is None for a cloud."""

    ma: AsyncModelArts
    may_write: bool
    emulator: EmulatorControl | None = None
    page_pause_s: float = 5.0
    """Between two looks at what is on a page."""
    patience_s: float = 30.0
    """How long a page is loaded at most."""
    log_poll: tuple[float, float] = (1.0, 5.0)
    feeds: Feeds = field(default_factory=Feeds)
    curves: OwnCurves = field(default_factory=OwnCurves)
    extras: JobExtras = field(default_factory=JobExtras)
    reasons: dict[str, str] = field(default_factory=dict)
    """Why jobs failed, by their ids, as far as it was looked up; empty if nothing is known."""

    def __post_init__(self) -> None:
        self.ma._network.user_agent = USER_AGENT  # so that an emulator's record of calls tells them apart

    def now(self) -> datetime:
        """The time by the service's clock, which may be another than ours, and which stands if it is frozen."""
        network = self.ma._network
        return network.date if self.emulator and self.emulator.is_frozen and network.date else network.time

    @property
    def ahead(self) -> timedelta | None:
        """How far the clock of an emulator is ahead of ours, in whole seconds; None for a cloud, which may be off."""
        seconds = round(self.ma._network.seconds_ahead)
        return timedelta(seconds=seconds) if self.emulator and abs(seconds) > DATE_ERROR_S else None

    def page_context(self, request: Request) -> dict[str, Any]:
        """What every template needs."""
        config = self.ma.config
        path = request.url.path.removesuffix("/live") or "/"
        menu = MENU if self.emulator is None else (*MENU, ("/emulator", "Emulator"))
        return {
            "menu": menu,
            "path": path,
            "jobs_url": "/v1/jobs" if path.startswith("/v1/") else "/",
            "endpoint": config.endpoint,
            "project": config.project_id or config.project_name,
            "site": self,
            "is_emulator": self.emulator is not None,
            "may_write": self.may_write,
            "page_key": request.scope.get("page_key", ""),
            "live": path.rstrip("/") + "/live" + (f"?{request.url.query}" if request.url.query else ""),
        }


@dataclass(frozen=True, slots=True)
class Page:
    """A page: what it shows, and the parts of it that live, each a template of its own that the page's includes."""

    path: str
    template: str
    load: Callable[[Site, Request], Awaitable[Context]]
    parts: tuple[str, ...] = ()

    def routes(self, site: Site) -> list[Route]:
        """The page, and the events with its parts."""
        found = [Route(self.path, partial(self._show, site))]
        if self.parts:
            found.append(Route(f"{self.path.rstrip('/')}/live", partial(self._live, site)))
        return found

    async def _loaded(self, site: Site, request: Request) -> Context:
        """What the page shows; raises ConnectionFailed for a service that is too slow for somebody who waits."""
        try:
            async with asyncio.timeout(site.patience_s):
                return await self.load(site, request)
        except TimeoutError as error:
            raise ConnectionFailed(f"the service did not respond within {site.patience_s:g} s") from error

    async def _show(self, site: Site, request: Request) -> Response:
        context = await self._loaded(site, request)
        return HTMLResponse(render(self.template, {**site.page_context(request), **context}))

    async def _live(self, site: Site, request: Request) -> Response:
        async def load() -> Mapping[str, str]:
            loaded = await self._loaded(site, request)
            if site.emulator is not None:
                await site.emulator.call("GET", "clock")
            context = {**site.page_context(request), **loaded}
            return {name: render(f"parts/{name}.html", context) for name in ("clock", *self.parts)}

        def problem(error: Exception) -> str:
            return render("parts/problem.html", {"problem": text_of(error)})

        key = str(request.url.remove_query_params("after"))
        return await site.feeds.stream(request, key, lambda: LivePage(load, problem, site.page_pause_s))


def said_of(error: Exception, request: Request) -> str:
    """What is said of an error where somebody asked for something."""
    if not is_job_missing(error):
        return text_of(error)
    key = request.path_params.get("key") or " and no job ".join(request.query_params.getlist("job"))
    fact = f"There is no job {key}." if key else "One of these jobs does not exist."
    return f"{fact} It may have been deleted."


def error_page(site: Site, request: Request, error: Exception) -> Response:
    """The page about an error, with the status of the service's response."""
    said = error.status if isinstance(error, ApiError) else 0
    status = said if said >= HTTPStatus.BAD_REQUEST else HTTPStatus.BAD_GATEWAY
    if type(error) is ValueError:  # what the address asks for
        status = HTTPStatus.BAD_REQUEST
    title, problem = "This did not work", said_of(error, request)
    is_nothing_there = isinstance(error, ObsError) and _NOTHING_THERE.search(problem)
    if isinstance(error, NotFound) or is_job_missing(error) or is_nothing_there:
        title, status = "This does not exist", HTTPStatus.NOT_FOUND  # the service mostly says it with 400
    may_pass = isinstance(error, ConnectionFailed) or said == HTTPStatus.TOO_MANY_REQUESTS or said >= 500
    context = {"title": title, "problem": problem, "retry_s": RETRY_S if may_pass else None}
    headers = {"Refresh": str(RETRY_S)} if may_pass else {}
    return HTMLResponse(render("error.html", site.page_context(request) | context), status, headers)


def render(template: str, context: Context) -> str:
    """The text of a template; whatever is put into it is escaped."""
    return _environment().get_template(template).render(context)


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"moment": when, "lasted": lasted, "passing": passing, "ago": ago, "size": size_text}
    environment.filters |= {"number": number_text, "slug": slug, "plain": plain, "breakable": breakable}
    return environment


def slug(text: str) -> str:
    """A text as part of an element's id, or of the name of a file."""
    return re.sub(r"[^A-Za-z0-9_-]", "-", text)


def plain(text: str) -> str:
    """A line without the codes with which terminals colour it."""
    return _CODES.sub("", text)


@lru_cache(1000)
def breakable(path: str) -> Markup:
    """The path of a field, which a line may break after its dots only."""
    return Markup("<wbr>").join(re.split(r"(?<=[.\]])", path))


def passing(duration: timedelta | None) -> Markup:
    """A duration that still grows, which the browser counts on; empty for None."""
    if duration is None:
        return Markup()
    seconds = max(duration, timedelta()) // timedelta(seconds=1)
    text = lasted(timedelta(seconds=seconds)) or "0 s"
    return Markup('<span data-passed="{}">{}</span>').format(max(duration.total_seconds(), 0), text)


_AGES = ((172800, "days", 86400), (3600, "h", 3600), (60, "min", 60), (0, "s", 1))  # from how many seconds on


def ago(age: timedelta) -> Markup:
    """How long ago something was, in one unit, from two days on in days; the browser counts on what is in seconds."""
    seconds = max(age, timedelta()) // timedelta(seconds=1)
    unit, length = next((unit, length) for least, unit, length in _AGES if seconds >= least)
    text = Markup("{} {} ago").format(seconds // length, unit)
    return Markup('<span data-passed="{}" data-ago>{}</span>').format(seconds, text) if length == 1 else text
