"""A reverse proxy on a free port: each request goes to a function, which may send it on to the upstream service."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import httpx
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from modelarts_contract import loopback
from modelarts_toolkit.config import Config
from modelarts_toolkit.transport import proxy_for, tls_context

__all__ = ["Forward", "Handle", "ProxyRequest", "ProxyResponse", "serving"]

TIMEOUT_S = 60


@dataclass(frozen=True)
class ProxyRequest:
    """A request on its way; `auth` is how it is authenticated on top of its headers."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    auth: httpx.Auth | None = field(default=None, repr=False)


@dataclass(frozen=True)
class ProxyResponse:
    """The response that goes back to the client."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(repr=False)

    def with_json(self, change: Callable[[Any], Any]) -> ProxyResponse:
        """The same, if it is a success, with its JSON changed."""
        if self.status not in {200, 201} or not self.body:
            return self
        return replace(self, body=json.dumps(change(json.loads(self.body))).encode())


Forward = Callable[[ProxyRequest], ProxyResponse]
Handle = Callable[[ProxyRequest, Forward], ProxyResponse]


@contextlib.contextmanager
def serving(upstream: str, handle: Handle, *, config: Config | None = None) -> Iterator[str]:
    """Serve what is behind `upstream` through the function, one request at a time; yield the address.

    `config` has the certificates and the proxy of the way to `upstream`; raises ConfigError if they cannot be used.
    """
    config = config or Config()
    tls = tls_context(is_https=upstream.startswith("https:"), ca_bundle=config.ca_bundle)
    proxy = proxy_for(upstream, config.proxy)
    with httpx.Client(base_url=upstream, timeout=TIMEOUT_S, verify=tls, proxy=proxy, trust_env=False) as client:

        def forward(request: ProxyRequest) -> ProxyResponse:
            target = request.path + (f"?{request.query}" if request.query else "")
            auth = request.auth or httpx.Auth()  # httpx.Auth() adds nothing; None would read the user's .netrc
            found = client.request(
                request.method,
                target,
                content=request.body,
                headers=dict(request.headers),
                auth=auth,
                follow_redirects=False,
            )
            return ProxyResponse(found.status_code, found.content, dict(found.headers))

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            received = Request(scope, receive)
            headers = loopback.forwarded(received.headers)
            request = ProxyRequest(
                received.method, scope["raw_path"].decode(), received.url.query, headers, await received.body()
            )
            try:
                response = handle(request, forward)
            except httpx.TransportError as error:
                text = f"no response from {upstream}: {type(error).__name__}"
                response = ProxyResponse(502, json.dumps({"error_code": "Proxy", "error_msg": text}).encode(), {})
            await Response(response.body, response.status, loopback.returned(response.headers))(scope, receive, send)

        with loopback.serving(app) as url:
            yield url
