"""Answers leave in one piece."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from uvicorn import Config
from uvicorn.server import ServerState

from modelarts_emulator.http.write_coalescing import LARGEST, PackingProtocol


class Wire(asyncio.Transport):
    """A transport that keeps the pieces that are written to it."""

    def __init__(self) -> None:
        super().__init__({"peername": ("127.0.0.1", 1), "sockname": ("127.0.0.1", 2)})
        self.pieces: list[bytes] = []
        self.is_closed = False

    def write(self, data: Any) -> None:
        self.pieces.append(bytes(data))

    def is_closing(self) -> bool:
        return self.is_closed

    def close(self) -> None:
        self.is_closed = True


def written(use: Callable[[Any], None]) -> list[bytes]:
    """What reaches the wire of what the server writes to the transport that its protocol has."""

    async def serve() -> list[bytes]:
        wire = Wire()
        protocol = PackingProtocol(Config(app=print, ws="none"), ServerState(), {}, asyncio.get_running_loop())
        protocol.connection_made(wire)
        use(protocol.transport)
        await asyncio.sleep(0)
        return wire.pieces

    return asyncio.run(serve())


def test_what_is_written_in_one_turn_leaves_in_one_piece() -> None:
    def use(transport: Any) -> None:
        transport.write(b"head,")
        transport.write(b"body")

    assert written(use) == [b"head,body"]


def test_what_is_written_before_the_end_still_leaves() -> None:
    def use(transport: Any) -> None:
        transport.write(b"last")
        transport.close()
        transport.write(b"too late")

    assert written(use) == [b"last"]


def test_much_leaves_at_once() -> None:
    many = b"x" * (LARGEST + 1)

    def use(transport: Any) -> None:
        for piece in (b"head,", many, b"rest"):
            transport.write(piece)

    assert written(use) == [b"head," + many, b"rest"]
