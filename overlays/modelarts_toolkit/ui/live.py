"""What changes on a page: its parts, loaded again and again for all tabs together, and sent as events."""

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from modelarts_toolkit.ui.problems import PROBLEMS

HEARTBEAT_S = 15.0
LONGEST_PAUSE_S = 30.0
LOAD_SHARE = 3  # the least ratio of a pause to the time that loading took


def event(name: str, data: object, id_: str | None = None) -> str:
    """An event as text/event-stream has it."""
    head = f"id: {id_}\n" if id_ is not None else ""
    return f"{head}event: {name}\ndata: {json.dumps(data)}\n\n"


@dataclass(slots=True, eq=False)
class LivePage:
    """The parts of a page by the ids of their elements; they are loaded as long as somebody looks."""

    load: Callable[[], Awaitable[Mapping[str, str]]]
    problem: Callable[[Exception], str]
    """The part `problem` for an error."""
    pause_s: float
    _epoch: str = field(default_factory=lambda: secrets.token_hex(4))
    _version: int = 0
    _parts: dict[str, tuple[int, str]] = field(default_factory=dict)  # of each, since which version it is so
    watchers: int = 0
    _poller: asyncio.Task[None] | None = None
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def events(self, last_id: str) -> AsyncIterator[str]:
        """The parts that have changed since the event of this id, and then as they change."""
        epoch, _, number = last_id.partition("-")
        seen = int(number) if epoch == self._epoch and number.isdigit() else 0
        self.watchers += 1
        if self._poller is None or self._poller.done():
            self._poller = asyncio.create_task(self._poll())
        try:
            while True:
                new = {id_: html for id_, (version, html) in self._parts.items() if version > seen}
                if new:
                    seen = self._version
                    yield event("parts", new, f"{self._epoch}-{seen}")
                try:
                    async with self._changed:
                        await asyncio.wait_for(
                            self._changed.wait_for(lambda known=seen: self._version > known),  # type: ignore[misc]
                            HEARTBEAT_S,
                        )
                except TimeoutError:
                    yield ": still here\n\n"
        finally:
            self.watchers -= 1

    async def _poll(self) -> None:
        pause_s = self.pause_s
        clock = asyncio.get_running_loop()
        while self.watchers:
            began = clock.time()
            try:
                found = {"problem": "", **await self.load()}
                pause_s = max(self.pause_s, LOAD_SHARE * (clock.time() - began))
            except PROBLEMS as error:
                found, pause_s = {"problem": self.problem(error)}, min(2 * pause_s, LONGEST_PAUSE_S)
            changed = {id_ for id_, html in found.items() if self._parts.get(id_, (0, ""))[1] != html}
            if changed:
                self._version += 1
                self._parts |= {id_: (self._version, found[id_]) for id_ in changed}
                async with self._changed:
                    self._changed.notify_all()
            await asyncio.sleep(pause_s)

    async def close(self) -> None:
        """End the loading."""
        if self._poller is not None:
            self._poller.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await self._poller
