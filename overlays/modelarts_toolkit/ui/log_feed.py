"""The log of a job for all tabs that follow it: read once, kept in a file, and sent from any line on."""

import asyncio
import tempfile
from array import array
from collections.abc import AsyncIterator
from typing import IO

from modelarts_toolkit.errors import NotFound
from modelarts_toolkit.jobs._async.handles import AsyncJobHandle
from modelarts_toolkit.texts import last_state
from modelarts_toolkit.ui.live import STILL_HERE, Feed, FeedClosed, event
from modelarts_toolkit.ui.problems import PROBLEMS, text_of

LINES_PER_EVENT = 2000
LINES_PER_MARK = 256  # lines between two places of the file that are remembered
LONGEST_LINE = 10_000  # characters that are shown; the download has them all
SHOWN_LINES = 100_000  # of a longer log the last ones are sent first
PAUSE_S = 0.1  # in which lines are collected for one event
RETRY_S = 5.0


class LogFeed(Feed):
    """One log, of a task or of all of them; `poll` is the shortest and longest pause between two looks, in seconds."""

    def __init__(self, job: AsyncJobHandle, task: str | None, poll: tuple[float, float]) -> None:
        super().__init__()
        self._job = job
        self._source = job.log_source(task, all_tasks=task is None)
        self._pauses = poll
        self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        self._marks = array("Q", [0])
        self._size = 0  # bytes
        self.count = 0
        self.is_complete = False
        self._problem = ""
        self._unfinished = ""

    async def events(self, last_id: str) -> AsyncIterator[str]:
        """`lines` after the event of this id; `start` says which line comes next, `end` that none does.

        `unfinished` is the newest state of a line that has no end yet, such as a progress bar.
        `problem` says why no lines come at the moment; empty when they come again.
        """
        known = self._number(last_id)
        next_line = max(0, self.count - SHOWN_LINES) if known is None else min(known, self.count)
        said = unfinished = ""

        def is_new() -> bool:
            is_same = self._problem == said and self._unfinished == unfinished
            return self.count > next_line or self.is_complete or not is_same

        with self._watched():
            if known is None:
                yield event("start", next_line + 1, self._place(next_line))
            while True:
                while next_line < self.count:
                    lines = self.lines(next_line, LINES_PER_EVENT)
                    next_line += len(lines)
                    yield event("lines", lines, self._place(next_line))
                if self._unfinished != unfinished:
                    unfinished = self._unfinished
                    yield event("unfinished", unfinished)
                if self._problem != said:
                    said = self._problem
                    yield event("problem", said)
                if self.is_complete:
                    yield event("end", self._job.phase if self._job.is_terminal else "")
                    return
                if await self._news(is_new):
                    await asyncio.sleep(PAUSE_S if self.count - next_line < LINES_PER_EVENT else 0)
                else:
                    yield STILL_HERE

    def lines(self, first: int, most: int) -> list[str]:
        """Lines from a position on, as many as there are. Raises FeedClosed."""
        if self._is_closed:
            raise FeedClosed
        self._file.flush()
        self._file.seek(self._marks[first // LINES_PER_MARK])
        for _ in range(first % LINES_PER_MARK):
            self._file.readline()
        count = min(most, self.count - first)
        lines = (self._file.readline().decode("utf-8", "replace").rstrip("\r\n") for _ in range(count))
        return [last_state(line)[:LONGEST_LINE] for line in lines]

    async def _read(self) -> None:
        """Read the log until the job has ended, or nobody looks any more."""
        while self.watchers and not self.is_complete:
            try:
                async for lines in self._job.log_batches(self._source, follow=True, poll=self._pauses):
                    for line in lines:
                        self._append(line)
                    self._unfinished = last_state(self._source.unfinished)[:LONGEST_LINE]
                    await self._say()
                    if not self.watchers:
                        return
                self.is_complete, self._unfinished = True, ""
                await self._say()
            except NotFound as error:
                self.is_complete = True
                await self._say(str(error))
            except PROBLEMS as error:
                await self._say(text_of(error))
                await asyncio.sleep(RETRY_S)

    def _append(self, line: str) -> None:
        self._file.seek(self._size)
        self._size += self._file.write(line.replace("\n", " ").encode("utf-8", "replace") + b"\n")
        self.count += 1
        if self.count % LINES_PER_MARK == 0:
            self._marks.append(self._size)

    async def _say(self, problem: str = "") -> None:
        self._problem = problem
        await super()._say()

    async def close(self) -> None:
        """End the reading, and forget the lines."""
        await super().close()
        self._file.close()
