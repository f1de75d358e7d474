"""Records the exchanges of clients: of httpx and requests in this process, or of any client through a reverse proxy."""

from __future__ import annotations

import functools
import threading
import time
import weakref
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import httpx

from modelarts_contract import har
from modelarts_contract.exchange import Exchange, content_of
from modelarts_contract.redaction import Redaction

if TYPE_CHECKING:
    from modelarts_contract.proxy import Forward, Handle, ProxyRequest, ProxyResponse

__all__ = ["Recording", "keeping", "recorded"]

Keep = Callable[[Exchange], None]


class Recording:
    """A HAR file that grows with every exchange; what is written is redacted already. Safe to use from threads."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.count = 0
        self._redact = Redaction()
        self._lock = threading.Lock()

    def keep(self, exchange: Exchange) -> None:
        """Redact and write, the first time in place of an earlier file; raises OSError if it cannot be written."""
        with self._lock:
            redacted = self._redact(exchange)
            if self.count:
                har.append(self.file, redacted)
            else:
                har.write(self.file, [redacted])
            self.count += 1


def keeping(upstream: str, keep: Keep) -> Handle:
    """Return what a proxy in front of `upstream` does to keep the exchanges that pass."""

    def handle(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        started_at, began = datetime.now(UTC), time.monotonic()
        response = forward(request)
        url, duration_s = upstream.rstrip("/") + request.target, time.monotonic() - began
        received = (response.status, request.headers, request.body, response.headers, response.body)
        keep(Exchange(request.method, url, *received, started_at, duration_s))
        return response

    return handle


@contextmanager
def recorded(keep: Keep) -> Iterator[None]:
    """Within the block, keep the exchanges of every client of httpx and requests, also those that a mock responds to.

    An exchange is kept when its response has been read to its end, or is closed; then its body is not known. A
    transport of httpx that hands the request to other transports, such as one that retries, has no exchange of its own.
    """
    with ExitStack() as stack:
        for owner, name, is_client in senders():
            decorate = watching_async if "async" in name or owner is httpx.AsyncClient else watching
            stack.enter_context(mock.patch.object(owner, name, decorate(getattr(owner, name), keep, is_client)))
        with suppress(ImportError):
            import requests  # where it is installed

            known = weakref.WeakSet[Any]()
            for name in ("request", "send"):  # mocks may have replaced one of them
                watched = watching_requests(getattr(requests.Session, name), known, keep)
                stack.enter_context(mock.patch.object(requests.Session, name, watched))
        yield


def senders() -> Iterator[tuple[type, str, bool]]:
    """The methods of httpx that send one request: those of clients, and those of each transport that is defined now."""
    for client in (httpx.Client, httpx.AsyncClient):
        yield client, "_send_single_request", True
    for base, name in ((httpx.BaseTransport, "handle_request"), (httpx.AsyncBaseTransport, "handle_async_request")):
        for transport in set(subclasses(base)):
            if name in vars(transport):
                yield transport, name, False


def subclasses(base: type) -> Iterator[type]:
    inner: list[type] = base.__subclasses__()
    for each in inner:
        yield each
        yield from subclasses(each)


INNER: ContextVar[list[None] | None] = ContextVar("INNER", default=None)  # an entry for each exchange below


@contextmanager
def level(*, is_client: bool) -> Iterator[list[None]]:
    """Yield a list that has entries if a transport inside has kept the exchange; tell the level around, too.

    A client that an application behind a transport uses is no level of the request to that application.
    """
    around, found = INNER.get(), list[None]()
    token = INNER.set(found)
    try:
        yield found
    finally:
        INNER.reset(token)
    if around is not None and not is_client:
        around.append(None)


def watching(send: Callable[..., httpx.Response], keep: Keep, is_client: bool) -> Callable[..., httpx.Response]:
    @functools.wraps(send)
    def watched(self: Any, request: httpx.Request) -> httpx.Response:
        started_at = datetime.now(UTC)
        with level(is_client=is_client) as inner:
            response = send(self, request)
        return response if inner else kept_at_its_end(request, response, started_at, keep)

    return watched


def watching_async(send: Callable[..., Any], keep: Keep, is_client: bool) -> Callable[..., Any]:
    @functools.wraps(send)
    async def watched(self: Any, request: httpx.Request) -> httpx.Response:
        started_at = datetime.now(UTC)
        with level(is_client=is_client) as inner:
            response: httpx.Response = await send(self, request)
        return response if inner else kept_at_its_end(request, response, started_at, keep)

    return watched


def kept_at_its_end(
    request: httpx.Request, response: httpx.Response, started_at: datetime, keep: Keep
) -> httpx.Response:
    """The response; its exchange is kept at once if it has been read, and else at the end of its stream."""

    def end(complete: httpx.Response) -> None:
        duration_s = (datetime.now(UTC) - started_at).total_seconds()
        keep(replace(Exchange.of(complete, started_at), duration_s=duration_s))

    def end_of_stream(content: bytes | None) -> None:
        with suppress(httpx.DecodingError):
            if content is not None:
                end(httpx.Response(response.status_code, headers=response.headers, content=content, request=request))
                return
        end(response)

    response.request = request
    if content_of(response) is None:
        response.stream = _Stream(response.stream, end_of_stream)
    else:
        end(response)
    return response


class _Stream(httpx.SyncByteStream, httpx.AsyncByteStream):
    """Passes the bytes of a response on, and gives all of them to `end`, or None if it is closed before their end."""

    def __init__(self, stream: Any, end: Callable[[bytes | None], None]) -> None:
        self._stream, self._end = stream, end
        self._chunks: list[bytes] = []

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._stream:
            self._chunks.append(chunk)
            yield chunk
        self._finish(b"".join(self._chunks))

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            self._chunks.append(chunk)
            yield chunk
        self._finish(b"".join(self._chunks))

    def close(self) -> None:
        self._finish(None)
        self._stream.close()

    async def aclose(self) -> None:
        self._finish(None)
        await self._stream.aclose()

    def _finish(self, content: bytes | None) -> None:
        end, self._end = self._end, lambda _: None
        end(content)


def watching_requests(send: Callable[..., Any], known: weakref.WeakSet[Any], keep: Keep) -> Callable[..., Any]:
    """Keep the response of requests, and those that redirected it; the body of one that is streamed is not known."""

    @functools.wraps(send)
    def watched(self: Any, *arguments: Any, **options: Any) -> Any:
        started_at = datetime.now(UTC)
        response = send(self, *arguments, **options)
        for each in (*response.history, response):
            if each not in known:
                known.add(each)
                is_stream = each is response and (options.get("stream") or self.stream)
                keep(exchange_of_requests(each, started_at, has_body=not is_stream))
        return response

    return watched


def exchange_of_requests(response: Any, started_at: datetime, *, has_body: bool) -> Exchange:
    request = response.request
    body = request.body or b""
    return Exchange(
        method=request.method,
        url=request.url,
        status=response.status_code,
        request_headers=dict(request.headers),
        request_body=body.encode() if isinstance(body, str) else body if isinstance(body, bytes) else b"",
        response_headers=dict(response.headers),
        response_body=response.content if has_body else b"",
        started_at=started_at,
        duration_s=response.elapsed.total_seconds(),
        has_request_body=isinstance(body, str | bytes),
        has_body=has_body,
    )
