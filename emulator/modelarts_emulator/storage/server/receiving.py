"""Writes the body of a request to a draft, without holding up other requests while the disk works."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol, Self, TypeVar

from starlette.concurrency import run_in_threadpool

from modelarts_emulator.storage.server.body import Body

_BLOCK = 1 << 19  # bytes; a smaller body is written and committed in one visit to a thread


class _Draft(Protocol):
    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def write(self, data: bytes | bytearray) -> None: ...


D = TypeVar("D", bound=_Draft)
T = TypeVar("T")


async def receive(body: Body, begin: Callable[[], D], commit: Callable[[D, dict[str, str]], T]) -> T:
    """Write the body to the draft that `begin` makes, and return the result of `commit`; a failure leaves nothing.

    `commit` gets the checksums of the body, by header. While a block is written, the next one arrives.
    """
    draft: D | None = None
    writing: asyncio.Task[D] | None = None

    def write(block: bytearray) -> D:
        nonlocal draft
        body.update(block)
        if draft is None:
            draft = begin()
        draft.write(block)
        return draft

    def finish(block: bytearray) -> T:
        with write(block) as written:
            return commit(written, body.finish())

    held = bytearray()
    try:
        async for data in body:
            held += data
            if len(held) >= _BLOCK:
                if writing is not None:
                    await writing
                writing = asyncio.create_task(run_in_threadpool(write, held))
                held = bytearray()
        if writing is not None:
            await writing
        return await run_in_threadpool(finish, held)
    finally:
        if writing is not None:
            await asyncio.gather(writing, return_exceptions=True)
        if draft is not None:
            draft.__exit__()
