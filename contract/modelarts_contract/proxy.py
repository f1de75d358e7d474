"""A reverse proxy on this machine: each request goes to a function, which may send it on to the upstream service."""

from __future__ import annotations

import contextlib
import functools
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import anyio
import httpx
import uvicorn
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from modelarts_toolkit.errors import ConnectionFailed
from modelarts_toolkit.http.deadlines import call_within
from modelarts_toolkit.http.transport import named_proxy, tls_context
from modelarts_toolkit.settings.config import Config

__all__ = ["ATTEMPTS", "OWN", "Forward", "Handle", "ProxyRequest", "ProxyResponse", "serving", "serving_app"]

OWN = "x-contract-proxy"  # a header of responses that are the proxy's, not the service's
ATTEMPTS = "x-contract-attempts"  # a header that says how often the proxy has sent the request

TIMEOUT_S = 60  # without a byte
LIMIT_S = 600.0  # of a whole response
LARGEST = 64 * 2**20  # bytes of a response
HOST = "127.0.0.1"
START_POLL_S = 0.002
REJECTED = "The request is for another host: use the address that was printed."
# Headers of a connection, and those that httpx or uvicorn write themselves; httpx decodes what it says it can decode.
NOT_FORWARDED = {
    *("host", "content-length", "connection", "transfer-encoding", "keep-alive", "te", "upgrade", "accept-encoding"),
}
NOT_RETURNED = {"content-length", "content-encoding", "transfer-encoding", "connection", "server"}


@dataclass(frozen=True)
class ProxyRequest:
    """A request on its way; `auth` is how it is authenticated on top of its headers."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    auth: httpx.Auth | None = field(default=None, repr=False)

    @property
    def target(self) -> str:
        """The path with the query."""
        return f"{self.path}?{self.query}" if self.query else self.path


@dataclass(frozen=True)
class ProxyResponse:
    """The response that goes back to the client."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "headers", {name.lower(): value for name, value in self.headers.items()})

    @classmethod
    def own(cls, status: int, text: str) -> ProxyResponse:
        """A response of the proxy itself, in the form of the service's errors."""
        body = json.dumps({"error_code": "Proxy", "error_msg": text}).encode()
        return cls(status, body, {"content-type": "application/json", OWN: "1"})


Forward = Callable[[ProxyRequest], ProxyResponse]
Handle = Callable[[ProxyRequest, Forward], ProxyResponse]


@contextlib.contextmanager
def serving(
    upstream: str,
    handle: Handle,
    *,
    config: Config | None = None,
    port: int = 0,
    at_a_time: int = 1,
    limit_s: float = LIMIT_S,
    watch: Callable[[httpx.Response], None] = lambda _: None,
) -> Iterator[str]:
    """Serve what is behind `upstream` through the function, with limited parallel requests; yield the address.

    `config` has the certificates and the proxy of the way to `upstream`; a response that is not complete after
    `limit_s` seconds counts as missing. `watch` gets every response before it is read.
    Raises ValueError for what is not a URL, ConfigError if the settings cannot be used, OSError if the port is in use.
    """
    parts = urlsplit(upstream)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{upstream} is not an http or https URL")
    config = config or Config()
    client = httpx.Client(
        base_url=upstream,
        timeout=TIMEOUT_S,
        verify=tls_context(is_https=parts.scheme == "https", ca_bundle=config.ca_bundle),
        proxy=(named_proxy(upstream, config.proxy) or [None])[0],
        trust_env=False,
        event_hooks={"response": [watch]},
    )
    limiter = functools.cache(lambda: anyio.CapacityLimiter(at_a_time))  # made in the server's event loop

    def forward(request: ProxyRequest) -> ProxyResponse:
        headers, deadline_s = dict(request.headers), time.monotonic() + limit_s
        sent = client.build_request(request.method, request.target, content=request.body, headers=headers)
        try:
            return call_within(limit_s, lambda: received(client, sent, request.auth, deadline_s))
        except ConnectionFailed as error:
            raise httpx.ReadTimeout(str(error), request=sent) from None

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        received = Request(scope, receive)
        headers = {name: value for name, value in received.headers.items() if name not in NOT_FORWARDED}
        body = await received.body()
        request = ProxyRequest(received.method, scope["raw_path"].decode(), received.url.query, headers, body)
        try:
            response = await anyio.to_thread.run_sync(handle, request, forward, limiter=limiter())
        except (httpx.TransportError, OSError) as error:
            is_lost = isinstance(error, httpx.TransportError)
            text = f"no response from {upstream}: {type(error).__name__}" if is_lost else f"not recorded: {error}"
            response = ProxyResponse.own(502, text)
        made_anew = NOT_RETURNED - {"content-length"} if request.method == "HEAD" else NOT_RETURNED
        returned = {name: value for name, value in response.headers.items() if name not in made_anew}
        await Response(response.body, response.status, returned)(scope, receive, send)

    with client, serving_app(app, port) as url:
        yield url


def received(client: httpx.Client, request: httpx.Request, auth: httpx.Auth | None, deadline_s: float) -> ProxyResponse:
    """The response to a request; raises httpx.ReadTimeout if it is longer than LARGEST, or comes after the deadline."""
    with contextlib.closing(client.send(request, auth=auth, stream=True)) as found:
        parts, size = [], 0
        for part in found.iter_bytes():
            parts.append(part)
            size += len(part)
            if size > LARGEST or time.monotonic() > deadline_s:
                raise httpx.ReadTimeout(f"the response does not end: {size} bytes so far", request=request)
        return ProxyResponse(found.status_code, b"".join(parts), dict(found.headers))


def listen(port: int) -> socket.socket:
    """Listen on 127.0.0.1, on a free port for 0; raises OSError if the port is used.

    A response is sent at once: otherwise its body waits 40 ms until the client has acknowledged its head.
    """
    listener = socket.create_server((HOST, port))
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # connections inherit it
    return listener


@contextlib.contextmanager
def serving_app(app: ASGIApp, port: int = 0) -> Iterator[str]:
    """Serve the application on 127.0.0.1, on a free port for 0; yields its URL. Raises OSError if the port is used.

    Requests for another host are rejected: they are those of a web page whose name resolves to this machine.
    """
    listener = listen(port)
    address = f"{HOST}:{listener.getsockname()[1]}"
    hosts = {address.encode(), address.replace(HOST, "localhost").encode()}

    async def checked(scope: Scope, receive: Receive, send: Send) -> None:
        is_ours = all(value in hosts for name, value in scope["headers"] if name == b"host")
        await (app if is_ours else Response(REJECTED, 421))(scope, receive, send)

    # The time of a response is that of the service behind.
    server = uvicorn.Server(uvicorn.Config(checked, log_level="critical", lifespan="off", date_header=False))
    thread = threading.Thread(target=server.run, args=([listener],), name="loopback server")
    thread.start()
    while not server.started and thread.is_alive():  # before, connections are rejected
        time.sleep(START_POLL_S)
    try:
        yield f"http://{address}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
