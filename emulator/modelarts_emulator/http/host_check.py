"""Checks of the headers Host and Origin, which keep web pages away from the emulator.

A browser sends requests of any web page to a server on the same machine.
If the page's own host name resolves to 127.0.0.1 (DNS rebinding), the page can even read the responses: Host names the
foreign host then. Otherwise Origin names the page, and a server that permits no origin never permits a page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.settings.client_env import HOST, endpoint

LOOPBACK = (HOST, "localhost", "[::1]")
ONCE = {b"host": "Host", b"authorization": "Authorization", b"x-auth-token": "X-Auth-Token"}  # headers
SHOWN = 100  # characters of a header in a message
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[\w.-]+)(:\d{1,5})?", re.IGNORECASE | re.ASCII)
_ADDRESS = re.compile(r"[\d.]+(:|$)", re.ASCII)

Rejection = Callable[[HTTPStatus, str, str], Response]  # from status, fact and remedy


def check_allowed_host(name: str) -> None:
    """Raise EmulatorError unless this can be in a Host header."""
    if not _HOST.fullmatch(name):
        raise EmulatorError(f"{name!r} is not the name of a host: allow NAME, with any port, or NAME:PORT")


def bucket_domains(host: str, allowed: Sequence[str]) -> tuple[str, ...]:
    """The domains below which names of hosts are names of buckets."""
    names = ("localhost", host, *(name.partition(":")[0] for name in allowed))
    return tuple(name.lower() for name in names if not _ADDRESS.match(name) and ":" not in name)


class HostCheck:
    """An ASGI application that rejects requests for other hosts than its own, and all requests of web pages.

    It serves `host`, on which it listens, and the names of the loopback address, all with its own port, and `allowed`:
    names with a port or, for any port, without one. `has_buckets`: names below those are also served, except names
    below addresses; whatever is below localhost is this machine, for browsers as well.
    """

    def __init__(
        self,
        app: ASGIApp,
        port: int,
        rejection: Rejection,
        host: str = HOST,
        allowed: Sequence[str] = (),
        has_buckets: bool = False,
    ) -> None:
        self._app = app
        self._rejection = rejection
        self._endpoint = endpoint(port, host)
        own = {*LOOPBACK, self._endpoint.removeprefix("http://").rpartition(":")[0]}
        self._hosts = frozenset({f"{name}:{port}" for name in own} | {name.lower() for name in allowed})
        self._has_buckets = has_buckets

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        rejection = self._check(Headers(scope=scope))
        await (rejection or self._app)(scope, receive, send)

    def _check(self, headers: Headers) -> Response | None:
        names = [name for name, _ in headers.raw]
        for name, shown in ONCE.items():
            if (count := names.count(name)) > 1 or (name == b"host" and not count):  # RFC 9112, 3.2
                fact = f"The request must have one {shown} header, not {count}."
                return self._rejection(HTTPStatus.BAD_REQUEST, fact, "Send it once.")
        if not self._is_allowed(headers["host"].lower()):
            fact = f"The request is for the host {headers['host'][:SHOWN]!r}, which is not the emulator."
            remedy = f"Send it to {self._endpoint}, or start the emulator with --allowed-host and its name."
            return self._rejection(HTTPStatus.MISDIRECTED_REQUEST, fact, remedy)
        if b"origin" in names:
            fact = "The request has the header Origin, so it comes from a web page, which must not use the emulator."
            return self._rejection(HTTPStatus.FORBIDDEN, fact, "Use a client that is not a web page.")
        return None

    def _is_allowed(self, host: str) -> bool:
        """Whether the host is one of its own, or an allowed one."""
        match = _HOST.fullmatch(host)
        if match is None:
            return False
        if host in self._hosts or match[1] in self._hosts:
            return True
        _, dot, rest = host.partition(".")
        return self._has_buckets and bool(dot) and not _ADDRESS.match(rest) and self._is_allowed(rest)


def json_rejection(status: HTTPStatus, fact: str, remedy: str) -> Response:
    """The response of IAM, ModelArts and the control API."""
    return JSONResponse({"error_msg": fact, "error_solution": remedy}, status)
