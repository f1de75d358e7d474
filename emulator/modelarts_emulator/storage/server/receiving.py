"""Writes the body of a request to a draft, without holding up other requests while the disk works."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, Self, TypeVar

from starlette.concurrency import run_in_threadpool

from modelarts_emulator.storage.server.body import Body

_BLOCK = 1 << 18  # bytes that are kept in memory; a smaller body is written and committed in one visit to a thread


class _Draft(Protocol):
    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def write(self, data: bytes | bytearray) -> None: ...


D = TypeVar("D", bound=_Draft)
T = TypeVar("T")


async def receive(body: Body, begin: Callable[[], D], commit: Callable[[D], T]) -> T:
    """Write the body to the draft that `begin` makes, and return the result of `commit`; a failure leaves nothing."""
    draft: D | None = None
    held = bytearray()

    def write() -> D:
        nonlocal draft
        if draft is None:
            draft = begin()
        draft.write(held)
        return draft

    def finish() -> T:
        with write() as written:
            return commit(written)

    try:
        async for data in body:
            held += data
            if len(held) >= _BLOCK:
                await run_in_threadpool(write)
                held = bytearray()
        return await run_in_threadpool(finish)
    finally:
        if draft is not None:
            draft.__exit__()
