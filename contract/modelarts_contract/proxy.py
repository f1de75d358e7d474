"""A reverse proxy on this machine, in front of a service, that keeps the exchanges of clients of any kind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from urllib.parse import urlsplit

import httpx
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from modelarts_toolkit.transport import proxy_for, tls_context

from . import loopback
from .exchange import Exchange
from .recording import Keep

__all__ = ["serving"]

TIMEOUT_S = 60


@contextmanager
def serving(upstream: str, keep: Keep, port: int = 0) -> Iterator[str]:
    """Serve what is behind the URL on 127.0.0.1, on a free port for 0; yields the proxy's URL.

    Requests that are signed for the service's host cannot pass a proxy: clients need a token.
    Raises OSError if the port is in use.
    """
    parts = urlsplit(upstream)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{upstream} is not an http or https URL")
    tls, proxy = tls_context(is_https=parts.scheme == "https"), proxy_for(upstream)
    client = httpx.Client(base_url=upstream, timeout=TIMEOUT_S, verify=tls, proxy=proxy, trust_env=False)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        target = scope["raw_path"].decode() + (f"?{request.url.query}" if request.url.query else "")
        headers = loopback.forwarded(request.headers)
        started_at = datetime.now(UTC)
        try:
            body = await request.body()
            found = await run_in_threadpool(client.request, request.method, target, content=body, headers=headers)
        except httpx.TransportError as error:
            text = f"no response from {upstream}: {type(error).__name__}"
            await Response(text, 502, media_type="text/plain")(scope, receive, send)
            return
        await Response(found.content, found.status_code, loopback.returned(found.headers))(scope, receive, send)
        keep(Exchange.of(found, started_at))

    with client, loopback.serving(app, port) as url:
        yield url
