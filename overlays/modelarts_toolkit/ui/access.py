"""Who may use the page: the one who started it, in a browser of this machine.

A random token is in the fragment of the address that is printed, which browsers send to nobody. The page's script
sends it once, and gets a cookie for it that no script can read.
A foreign Host (a name that an attacker lets point to this machine) and a foreign Origin (a page that sends requests
from the user's browser) are rejected before anything is looked up.
"""

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from modelarts_toolkit.own_files import own_table
from modelarts_toolkit.ui.site import render

KEY_HEADER = "x-page-key"
MAX_FORM = 4096  # bytes
HEADERS: Mapping[str, str] = own_table(__package__, "headers.json")
_WITHOUT_LOGIN = ("/static/", "/session")
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(slots=True)
class Access:
    """Passes on the requests of those who have logged in; `port` is where the page is served."""

    app: ASGIApp
    token: str = field(repr=False)
    port: int
    _sessions: dict[str, str] = field(default_factory=dict, repr=False)  # of each, the key that its writes carry

    @property
    def _cookie(self) -> str:
        """One for each port, because browsers do not distinguish ports."""
        return f"modelarts-ui-{self.port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        rejection = self._rejection(scope)
        if rejection is None and scope["path"] == "/session":
            rejection = await self._log_in(Request(scope, receive))
        await (rejection or self.app)(scope, receive, with_headers)

    def _rejection(self, scope: Scope) -> Response | None:
        """The response to a request that is not let in; None for one that is, and gets its page key in the scope."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if host not in {f"{name}:{self.port}" for name in _LOOPBACK}:
            return PlainTextResponse("This page is served to this machine only: use its address 127.0.0.1.\n", 421)
        if headers.get("origin") not in (None, f"http://{host}"):
            return PlainTextResponse("Another page sent this request: it is not carried out.\n", 403)
        if scope["path"].startswith(_WITHOUT_LOGIN):
            return None
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and _is_same(given, self.token):
            scope["page_key"] = ""
            return None
        key = self._sessions.get(HTTPConnection(scope).cookies.get(self._cookie, ""))
        if key is None:
            return HTMLResponse(render("login.html", {"title": "Log in"}), 401)
        if scope["method"] not in ("GET", "HEAD") and not _is_same(headers.get(KEY_HEADER, ""), key):
            return PlainTextResponse("The request does not have the key of this page: reload it.\n", 403)
        scope["page_key"] = key
        return None

    async def _log_in(self, request: Request) -> Response:
        """Exchange the token for a cookie."""
        if request.method != "POST":
            return PlainTextResponse("Send the token by POST.\n", 405, {"Allow": "POST"})
        content = bytearray()
        async for chunk in request.stream():
            content += chunk
            if len(content) > MAX_FORM:
                return PlainTextResponse("A token is shorter.\n", 413)
        (token,) = parse_qs(content.decode("latin-1")).get("token", [""])[:1]
        if not _is_same(token, self.token):
            return HTMLResponse(render("login.html", {"title": "This is not the token"}), 401)
        session = secrets.token_urlsafe(32)
        self._sessions[session] = secrets.token_urlsafe(32)
        response = RedirectResponse("/", 303)
        response.set_cookie(self._cookie, session, httponly=True, samesite="strict")
        return response


def _is_same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), wanted.encode())
