"""Head and body of a response in one piece: the server writes them one by one, and each is a call of the system."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

__all__ = ["PackingProtocol"]

LARGEST = 1 << 16  # bytes that wait; to wait with more would only cost memory


class PackingProtocol(HttpToolsProtocol):
    """uvicorn's protocol, on a transport that packs what is written within one turn of the event loop."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(_Packing(transport, self.loop))  # type: ignore[arg-type]


class _Packing:
    """A transport that writes at the end of the turn, or earlier if there is much to write."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._pieces: list[bytes] = []
        self._size = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        if not self._pieces:
            self._loop.call_soon(self._send)
        self._pieces.append(data)
        self._size += len(data)
        if self._size > LARGEST:
            self._send()

    def close(self) -> None:
        self._send()
        self._transport.close()

    def _send(self) -> None:
        if self._pieces and not self._transport.is_closing():
            self._transport.write(b"".join(self._pieces))
        self._pieces.clear()
        self._size = 0
