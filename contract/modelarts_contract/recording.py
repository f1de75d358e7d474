"""Keeps the exchanges of clients: as a transport of httpx, or as a reverse proxy for clients of any kind."""

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

__all__ = ["AsyncRecordingTransport", "Recording", "RecordingTransport", "keeping", "recorded"]

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


class RecordingTransport(httpx.BaseTransport):
    """Sends requests through another transport, and keeps each exchange whose response was read to its end."""

    def __init__(self, transport: httpx.BaseTransport, keep: Keep) -> None:
        self._transport = transport
        self._keep = keep

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return _keeping(self._transport.handle_request(request), request, self._keep)

    def close(self) -> None:
        self._transport.close()


class AsyncRecordingTransport(httpx.AsyncBaseTransport):
    """As `RecordingTransport`, for asynchronous clients."""

    def __init__(self, transport: httpx.AsyncBaseTransport, keep: Keep) -> None:
        self._transport = transport
        self._keep = keep

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return _keeping_async(await self._transport.handle_async_request(request), request, self._keep)

    async def aclose(self) -> None:
        await self._transport.aclose()


class _Kept:
    """What a stream needs to keep an exchange at its end."""

    def __init__(self, response: httpx.Response, request: httpx.Request, keep: Keep) -> None:
        self._response = response
        self._request = request
        self._keep = keep
        self._started_at = datetime.now(UTC)

    def end(self, chunks: list[bytes]) -> None:
        received = self._response
        content = b"".join(chunks)
        decoded = httpx.Response(received.status_code, headers=received.headers, content=content, request=self._request)
        duration_s = (datetime.now(UTC) - self._started_at).total_seconds()
        self._keep(replace(Exchange.of(decoded, self._started_at), duration_s=duration_s))


class _Stream(httpx.SyncByteStream):
    """Passes the bytes of a response on, and keeps the exchange at their end."""

    def __init__(self, stream: httpx.SyncByteStream, kept: _Kept) -> None:
        self._stream = stream
        self._kept = kept

    def __iter__(self) -> Iterator[bytes]:
        chunks = []
        for chunk in self._stream:
            chunks.append(chunk)
            yield chunk
        self._kept.end(chunks)

    def close(self) -> None:
        self._stream.close()


class _AsyncStream(httpx.AsyncByteStream):
    """As `_Stream`, for asynchronous clients."""

    def __init__(self, stream: httpx.AsyncByteStream, kept: _Kept) -> None:
        self._stream = stream
        self._kept = kept

    async def __aiter__(self) -> AsyncIterator[bytes]:
        chunks = []
        async for chunk in self._stream:
            chunks.append(chunk)
            yield chunk
        self._kept.end(chunks)

    async def aclose(self) -> None:
        await self._stream.aclose()


def _keeping(response: httpx.Response, request: httpx.Request, keep: Keep) -> httpx.Response:
    """The response, which is kept when it has been read."""
    if response.is_stream_consumed:  # it was made with its content
        _Kept(response, request, keep).end([response.content])
    elif isinstance(response.stream, httpx.SyncByteStream):
        response.stream = _Stream(response.stream, _Kept(response, request, keep))
    return response


def _keeping_async(response: httpx.Response, request: httpx.Request, keep: Keep) -> httpx.Response:
    if response.is_stream_consumed:
        _Kept(response, request, keep).end([response.content])
    elif isinstance(response.stream, httpx.AsyncByteStream):
        response.stream = _AsyncStream(response.stream, _Kept(response, request, keep))
    return response


@contextmanager
def recorded(keep: Keep) -> Iterator[None]:
    """Within the block, every client of httpx that sends through its default transports is recorded."""
    originals = httpx.HTTPTransport.handle_request, httpx.AsyncHTTPTransport.handle_async_request

    def handle_request(self: httpx.HTTPTransport, request: httpx.Request) -> httpx.Response:
        return _keeping(originals[0](self, request), request, keep)

    async def handle_async_request(self: httpx.AsyncHTTPTransport, request: httpx.Request) -> httpx.Response:
        return _keeping_async(await originals[1](self, request), request, keep)

    httpx.HTTPTransport.handle_request = handle_request  # type: ignore[method-assign]
    httpx.AsyncHTTPTransport.handle_async_request = handle_async_request  # type: ignore[method-assign]
    try:
        yield
    finally:
        httpx.HTTPTransport.handle_request, httpx.AsyncHTTPTransport.handle_async_request = originals  # type: ignore[method-assign]
