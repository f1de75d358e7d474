"""What changes on a page: its parts, loaded again and again for all tabs together, and sent as events."""

import asyncio
import json
import secrets
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress

from modelarts_toolkit.ui.problems import PROBLEMS, is_job_missing

HEARTBEAT_S = 15.0
STILL_HERE = ": still here\n\n"
LONGEST_PAUSE_S = 30.0
LOAD_SHARE = 3  # the least ratio of a pause to the time that loading took


def event(name: str, data: object, id_: str | None = None) -> str:
    """An event as text/event-stream has it."""
    head = f"id: {id_}\n" if id_ is not None else ""
    return f"{head}event: {name}\ndata: {json.dumps(data)}\n\n"


class FeedClosed(Exception):  # noqa: N818
    """The page's server ends: no more events come."""


class Feed(ABC):
    """What tabs follow: one task reads it as long as somebody looks; the place of an event is `_place(number)`."""

    def __init__(self) -> None:
        self.watchers = 0
        self._epoch = secrets.token_hex(4)
        self._reader: asyncio.Task[None] | None = None
        self._changed = asyncio.Condition()
        self._is_closed = False

    @abstractmethod
    def events(self, last_id: str) -> AsyncIterator[str]:
        """The events after the one of this id, and then as they come."""

    @abstractmethod
    async def _read(self) -> None:
        """Read until nobody looks any more, and say what is new."""

    @contextmanager
    def _watched(self) -> Iterator[None]:
        self.watchers += 1
        if self._reader is None or self._reader.done():
            self._reader = asyncio.create_task(self._read())
        try:
            yield
        finally:
            self.watchers -= 1

    def _place(self, number: int) -> str:
        return f"{self._epoch}-{number}"

    def _number(self, last_id: str) -> int | None:
        """The number of a place; None for a place of another feed."""
        epoch, _, number = last_id.partition("-")
        return int(number) if epoch == self._epoch and number.isdigit() else None

    async def _say(self) -> None:
        """Wake all that wait for news."""
        async with self._changed:
            self._changed.notify_all()

    async def _news(self, is_new: Callable[[], bool], limit_s: float = HEARTBEAT_S) -> bool:
        """Wait for news; False if nothing has come within `limit_s` seconds. Raises FeedClosed."""
        found = False
        with suppress(TimeoutError):
            async with self._changed:
                found = await asyncio.wait_for(self._changed.wait_for(lambda: is_new() or self._is_closed), limit_s)
        if self._is_closed:
            raise FeedClosed
        return found

    async def close(self) -> None:
        """End the reading, and the streams of those who watch."""
        self._is_closed = True
        await self._say()
        if self._reader is not None:
            self._reader.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await self._reader


class LivePage(Feed):
    """The parts of a page by the ids of their elements; `problem` makes the part of that name for an error.

    The stream about a job that is deleted meanwhile ends with the event `gone`.
    """

    def __init__(
        self, load: Callable[[], Awaitable[Mapping[str, str]]], problem: Callable[[Exception], str], pause_s: float
    ) -> None:
        super().__init__()
        self._load, self._problem, self._pause_s = load, problem, pause_s
        self._version = 0
        self._parts: dict[str, tuple[int, str]] = {}  # of each, since which version it is so
        self._is_gone = False

    async def events(self, last_id: str) -> AsyncIterator[str]:
        """The parts that have changed since the event of this id, and then as they change."""
        seen = self._number(last_id) or 0
        with self._watched():
            while True:
                if new := {id_: html for id_, (version, html) in self._parts.items() if version > seen}:
                    seen = self._version
                    yield event("parts", new, self._place(seen))
                if self._is_gone:
                    yield event("gone", None)
                    return
                if not await self._news(lambda known=seen: self._version > known or self._is_gone):  # type: ignore[misc]
                    yield STILL_HERE

    async def _read(self) -> None:
        pause_s = self._pause_s
        clock = asyncio.get_running_loop()
        while self.watchers:
            began = clock.time()
            try:
                found = {"problem": "", **await self._load()}
                pause_s = max(self._pause_s, LOAD_SHARE * (clock.time() - began))
            except PROBLEMS as error:
                if is_job_missing(error):
                    self._is_gone = True
                    await self._say()
                    return
                found, pause_s = {"problem": self._problem(error)}, min(2 * pause_s, LONGEST_PAUSE_S)
            changed = {id_ for id_, html in found.items() if self._parts.get(id_, (0, ""))[1] != html}
            if changed:
                self._version += 1
                self._parts |= {id_: (self._version, found[id_]) for id_ in changed}
                await self._say()
            await asyncio.sleep(pause_s)
