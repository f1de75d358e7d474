"""What lies between the HTTP client and the network: retries, whole answers, proxies.

From the outside in: `Reporting` (one error for "no answer") > httpx-retries > `Whole` (an answer that breaks off
in its body is no answer) > httpx's own transport.
"""

import logging
import re
import time
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx
from httpx_retries import RetryTransport

from .errors import ConnectionFailed
from .retries import retry_for

# Seconds. Answers are small; a service that is silent for longer than this has lost the request.
TIMEOUT = httpx.Timeout(30.0, connect=10.0)


class TokensHidden(logging.Filter):
    """Keeps tokens out of what httpcore logs of an answer's headers at level DEBUG."""

    TOKEN = re.compile(r"(b'x-(?:subject|auth|security)-token', b')[^']*", re.IGNORECASE)

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = self.TOKEN.sub(r"\1***", record.getMessage()), ()
        return True


for _name in ("httpcore.http11", "httpcore.http2"):
    logging.getLogger(_name).addFilter(TokensHidden())


class ServiceTime:
    """What the service's clock says, as far as its answers told."""

    def __init__(self) -> None:
        self._heard: tuple[str, float] | None = None

    def listen(self, response: httpx.Response) -> None:
        if (date := response.headers.get("date")) is not None:
            self._heard = (date, time.time())

    def ahead(self) -> float:
        """Seconds by which the service's clock is ahead of ours (± 1 s); 0 when it has not told its time."""
        if self._heard is None:
            return 0.0
        date, at = self._heard
        try:
            return parsedate_to_datetime(date).timestamp() - at
        except ValueError:
            return 0.0


class Whole(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Reads the body before it returns the answer, so that a connection lost half-way is retried, too."""

    def __init__(self, inner: httpx.BaseTransport | httpx.AsyncBaseTransport, service_time: ServiceTime) -> None:
        self._inner = inner
        self._service_time = service_time

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = self._inner.handle_request(request)  # type: ignore[union-attr]
        stream = response.stream
        try:
            response.stream = httpx.ByteStream(b"".join(stream))  # type: ignore[arg-type]
        finally:
            stream.close()  # type: ignore[union-attr]
        self._service_time.listen(response)
        return response

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self._inner.handle_async_request(request)  # type: ignore[union-attr]
        stream = response.stream
        try:
            response.stream = httpx.ByteStream(b"".join([part async for part in stream]))  # type: ignore[union-attr]
        finally:
            await stream.aclose()  # type: ignore[union-attr]
        self._service_time.listen(response)
        return response

    def close(self) -> None:
        self._inner.close()  # type: ignore[union-attr]

    async def aclose(self) -> None:
        await self._inner.aclose()  # type: ignore[union-attr]


class Reporting(RetryTransport):
    """Retries what may be repeated, and says in our own words that no answer came."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.extensions.setdefault("retry", retry_for(request))
        try:
            return super().handle_request(request)
        except httpx.TransportError as error:
            raise _failure(request, error) from error

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        request.extensions.setdefault("retry", retry_for(request))
        try:
            return await super().handle_async_request(request)
        except httpx.TransportError as error:
            raise _failure(request, error) from error


class Network:
    """The transports of one connection: one for each proxy, shared by all clients."""

    def __init__(self, inner: httpx.BaseTransport | httpx.AsyncBaseTransport | None, *, is_async: bool) -> None:
        self.service_time = ServiceTime()
        self._inner = inner
        self._is_async = is_async
        self._stacks: dict[str | None, Reporting] = {}

    def arguments(self, *endpoints: str) -> dict[str, Any]:
        """For `httpx.Client`: how to reach the endpoints, the first one by default."""
        mounts = {f"all://{urlsplit(url).netloc}": self._stack(proxy_for(url)) for url in endpoints}
        return {"transport": self._stack(proxy_for(endpoints[0])), "mounts": mounts if len(self._stacks) > 1 else None}

    def _stack(self, proxy: str | None) -> Reporting:
        if proxy not in self._stacks:
            kind = httpx.AsyncHTTPTransport if self._is_async else httpx.HTTPTransport
            self._stacks[proxy] = Reporting(Whole(self._inner or kind(proxy=proxy), self.service_time))
        return self._stacks[proxy]

    def close(self) -> None:
        for stack in self._stacks.values():
            stack.close()

    async def aclose(self) -> None:
        for stack in self._stacks.values():
            await stack.aclose()


def retrying(proxy: str | None) -> httpx.BaseTransport:
    """The transport of a client that speaks to something else than the services of a connection."""
    return Reporting(Whole(httpx.HTTPTransport(proxy=proxy), ServiceTime()))


def _failure(request: httpx.Request, error: httpx.TransportError) -> ConnectionFailed:
    place = f"{request.url.scheme}://{request.url.netloc.decode()}"
    remedy = (
        "is the service running, and is this its address?" if isinstance(error, httpx.ConnectError) else "try again"
    )
    reason = str(error) or type(error).__name__
    return ConnectionFailed(f"{request.method} {request.url.path}: no answer from {place} ({reason}): {remedy}")


def proxy_for(url: str) -> str | None:
    """The proxy that the environment asks for; never one for this machine itself."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if _is_loopback(host) or proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    return f"http://{proxy}" if proxy and "://" not in proxy else proxy


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
