"""Keeps the exchanges of clients: of httpx in this process, or of clients of any kind through a reverse proxy."""

from __future__ import annotations

import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

from modelarts_contract import har
from modelarts_contract.exchange import Exchange
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

    def handle(sent: ProxyRequest, forward: Forward) -> ProxyResponse:
        started_at, began = datetime.now(UTC), time.monotonic()
        response = forward(sent)
        url, duration_s = upstream.rstrip("/") + sent.target, time.monotonic() - began
        received = (response.status, sent.headers, sent.body, response.headers, response.body)
        keep(Exchange(sent.method, url, *received, started_at, duration_s))
        return response

    return handle


class _Stream(httpx.SyncByteStream, httpx.AsyncByteStream):
    """Passes the bytes of a response on, and gives all of them to `end` at their end."""

    def __init__(self, stream: Any, end: Callable[[bytes], None]) -> None:
        self._stream, self._end = stream, end

    def __iter__(self) -> Iterator[bytes]:
        chunks = []
        for chunk in self._stream:
            chunks.append(chunk)
            yield chunk
        self._end(b"".join(chunks))

    async def __aiter__(self) -> AsyncIterator[bytes]:
        chunks = []
        async for chunk in self._stream:
            chunks.append(chunk)
            yield chunk
        self._end(b"".join(chunks))

    def close(self) -> None:
        self._stream.close()

    async def aclose(self) -> None:
        await self._stream.aclose()


@contextmanager
def recorded(keep: Keep) -> Iterator[None]:
    """Within the block, keep the exchanges of every client of httpx, each when its response was read to its end."""
    send, send_async = httpx.HTTPTransport.handle_request, httpx.AsyncHTTPTransport.handle_async_request

    def watched(request: httpx.Request, response: httpx.Response) -> httpx.Response:
        started_at = datetime.now(UTC)

        def end(content: bytes) -> None:
            decoded = httpx.Response(response.status_code, headers=response.headers, content=content, request=request)
            duration_s = (datetime.now(UTC) - started_at).total_seconds()
            keep(replace(Exchange.of(decoded, started_at), duration_s=duration_s))

        response.stream = _Stream(response.stream, end)
        return response

    def handle_request(self: httpx.HTTPTransport, request: httpx.Request) -> httpx.Response:
        return watched(request, send(self, request))

    async def handle_async_request(self: httpx.AsyncHTTPTransport, request: httpx.Request) -> httpx.Response:
        return watched(request, await send_async(self, request))

    httpx.HTTPTransport.handle_request = handle_request  # type: ignore[method-assign]
    httpx.AsyncHTTPTransport.handle_async_request = handle_async_request  # type: ignore[method-assign]
    try:
        yield
    finally:
        httpx.HTTPTransport.handle_request = send  # type: ignore[method-assign]
        httpx.AsyncHTTPTransport.handle_async_request = send_async  # type: ignore[method-assign]
