"""What tabs of one server share: sessions, live pages and logs."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any

import httpx
from starlette.responses import PlainTextResponse

from modelarts_toolkit.ui import access
from modelarts_toolkit.ui.access import Access
from modelarts_toolkit.ui.live import LivePage
from modelarts_toolkit.ui.log_feed import LogFeed

LIMIT_S = 120


def test_the_oldest_session_ends_when_there_are_too_many() -> None:
    """So that nobody fills the memory by logging in."""
    app = Access(PlainTextResponse("in"), "token", 80)

    async def log_in() -> tuple[str, str]:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:80") as client:
            await client.post("http://127.0.0.1:80/session", data={"token": "token"}, headers={"Host": "127.0.0.1:80"})
            return next(iter(client.cookies.items()))

    async def status(cookie: tuple[str, str]) -> int:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app)) as client:
            headers = {"Host": "127.0.0.1:80", "Cookie": "=".join(cookie)}
            return (await client.get("http://127.0.0.1:80/", headers=headers)).status_code

    async def run() -> tuple[int, int]:
        first = await log_in()
        for _ in range(access.MAX_SESSIONS - 1):
            last = await log_in()
        assert await status(first) == 200
        last = await log_in()
        return await status(first), await status(last)

    assert asyncio.run(run()) == (401, 200)


def test_a_tab_of_an_earlier_server_gets_all_parts_and_one_that_is_gone_is_not_loaded_for() -> None:
    """The number that the earlier server gave means nothing here."""
    loads = 0

    async def load() -> Mapping[str, str]:
        nonlocal loads
        loads += 1
        return {"rows": "same"}

    async def run() -> tuple[str, int]:
        page = LivePage(load, str, 0.01)
        stream: Any = page.events("0000dead-1000")
        first = await asyncio.wait_for(anext(stream), LIMIT_S)
        await stream.aclose()
        await asyncio.sleep(0.05)
        before = loads
        await asyncio.sleep(0.1)
        return first, loads - before

    first, later = asyncio.run(run())
    assert '"rows": "same"' in first
    assert later == 0


class Printing:
    """A job whose log has a line break within a line."""

    phase, is_terminal = "Completed", True

    def log_source(self, _task: str | None, *, all_tasks: bool) -> object:
        return all_tasks

    async def log_batches(self, _source: object, **_: object) -> AsyncIterator[Iterable[str]]:
        yield ["one\ntwo", "three"]


def test_a_line_break_within_a_line_does_not_shift_the_others() -> None:
    async def run() -> list[str]:
        job: Any = Printing()
        feed = LogFeed(job, None, (0.01, 0.01))
        events = [event async for event in feed.events("")]
        lines = feed.lines(0, 10)
        await feed.close()
        assert "event: end" in events[-1]
        return lines

    assert asyncio.run(run()) == ["one two", "three"]
