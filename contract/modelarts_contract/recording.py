"""Keeps the exchanges of clients: of httpx in this process, or of clients of any kind through a reverse proxy."""

from __future__ import annotations

import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import httpx

from . import har
from .exchange import Exchange
from .redaction import Redaction

if TYPE_CHECKING:
    from .proxy import Forward, Handle, ProxyRequest, ProxyResponse

__all__ = ["Recording", "keeping", "recorded"]

Keep = Callable[[Exchange], None]


class Recording:
    """A HAR file that grows with every exchange; what is written is redacted already. Safe to use from threads."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._redact = Redaction()
        self._count = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return self._count

    def keep(self, exchange: Exchange) -> None:
        """Redact and write, the first time in place of an earlier file; raises OSError if it cannot be written."""
        with self._lock:
            redacted = self._redact(exchange)
            if self._count:
                har.append(self.file, redacted)
            else:
                har.write(self.file, [redacted])
            self._count += 1


def keeping(upstream: str, keep: Keep) -> Handle:
    """Return what a proxy in front of `upstream` does to keep the exchanges that pass."""

    def handle(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        started_at, began = datetime.now(UTC), time.monotonic()
        response = forward(request)
        exchange = Exchange(
            method=request.method,
            url=upstream.rstrip("/") + request.target,
            status=response.status,
            request_headers=request.headers,
            request_body=request.body,
            response_headers=response.headers,
            response_body=response.body,
            started_at=started_at,
            duration_s=time.monotonic() - began,
        )
        keep(exchange)
        return response

    return handle


class _Stream(httpx.SyncByteStream, httpx.AsyncByteStream):
    """Passes the bytes of a response on, and keeps the exchange at their end."""

    def __init__(self, response: httpx.Response, request: httpx.Request, keep: Keep) -> None:
        self._response, self._request, self._keep = response, request, keep
        self._stream = response.stream
        self._started_at = datetime.now(UTC)

    def __iter__(self) -> Iterator[bytes]:
        assert isinstance(self._stream, httpx.SyncByteStream)  # noqa: S101 - for the type checker
        chunks = []
        for chunk in self._stream:
            chunks.append(chunk)
            yield chunk
        self.end(b"".join(chunks))

    async def __aiter__(self) -> AsyncIterator[bytes]:
        assert isinstance(self._stream, httpx.AsyncByteStream)  # noqa: S101 - for the type checker
        chunks = []
        async for chunk in self._stream:
            chunks.append(chunk)
            yield chunk
        self.end(b"".join(chunks))

    def end(self, content: bytes) -> None:
        received = self._response
        decoded = httpx.Response(received.status_code, headers=received.headers, content=content, request=self._request)
        duration_s = (datetime.now(UTC) - self._started_at).total_seconds()
        self._keep(replace(Exchange.of(decoded, self._started_at), duration_s=duration_s))

    def close(self) -> None:
        if isinstance(self._stream, httpx.SyncByteStream):
            self._stream.close()

    async def aclose(self) -> None:
        if isinstance(self._stream, httpx.AsyncByteStream):
            await self._stream.aclose()


@contextmanager
def recorded(keep: Keep) -> Iterator[None]:
    """Within the block, keep the exchanges of every client of httpx, each when its response was read to its end."""
    send, send_async = httpx.HTTPTransport.handle_request, httpx.AsyncHTTPTransport.handle_async_request

    def handle_request(self: httpx.HTTPTransport, request: httpx.Request) -> httpx.Response:
        response = send(self, request)
        response.stream = _Stream(response, request, keep)
        return response

    async def handle_async_request(self: httpx.AsyncHTTPTransport, request: httpx.Request) -> httpx.Response:
        response = await send_async(self, request)
        response.stream = _Stream(response, request, keep)
        return response

    httpx.HTTPTransport.handle_request = handle_request  # type: ignore[method-assign]
    httpx.AsyncHTTPTransport.handle_async_request = handle_async_request  # type: ignore[method-assign]
    try:
        yield
    finally:
        httpx.HTTPTransport.handle_request = send  # type: ignore[method-assign]
        httpx.AsyncHTTPTransport.handle_async_request = send_async  # type: ignore[method-assign]
