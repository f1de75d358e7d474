"""The log of a job, as a file, and for all tabs that follow it: read once, kept, and sent from any line on."""

import asyncio
import tempfile
from array import array
from collections.abc import AsyncIterator
from typing import IO

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from modelarts_api.phases import RUNNING
from modelarts_toolkit.errors import NotFound
from modelarts_toolkit.jobs._async.handles import AsyncJobHandle
from modelarts_toolkit.jobs.polling import Progress
from modelarts_toolkit.texts import colours_of, last_state
from modelarts_toolkit.ui.job_row import find
from modelarts_toolkit.ui.live import HEARTBEAT_S, STILL_HERE, Feed, FeedClosed, event
from modelarts_toolkit.ui.problems import PROBLEMS, is_job_missing, text_of
from modelarts_toolkit.ui.site import Site, slug

ALL_TASKS = "all"
LINES_PER_EVENT = 2000
LINES_PER_BLOCK = 500  # that the page leaves out together
LONGEST_LINE = 10_000  # characters that are shown; the download has them all
SHOWN_LINES = 100_000  # at most, the last ones; the page says which are left out
PAUSE_S = 0.1  # in which lines are collected for one event
RETRY_S = 5.0
EMPTY_PAUSE_S = 1.0  # between two looks at why there are no lines


class LogFeed(Feed):
    """One log, of a task or of all of them; `poll` is the shortest and longest pause between two looks, in seconds."""

    def __init__(self, job: AsyncJobHandle, task: str | None, poll: tuple[float, float]) -> None:
        super().__init__()
        self._job = job
        self._source = job.log_source(task, all_tasks=task is None)
        self._pauses = poll
        self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        self._starts = array("Q", [0])  # of lines in the file, and of what comes next
        self.is_complete = False
        self._problem = ""
        self._unfinished = ""
        self._progress: Progress | None = None

    async def events(self, last_id: str) -> AsyncIterator[str]:
        """`lines` after the event of this id; `start` says which line comes next, `end` that none does.

        `unfinished` is the newest state of a line that has no end yet, such as a progress bar.
        `empty` says why there are no lines.
        `problem` says why no lines come at the moment; empty when they come again.
        """
        known = self._number(last_id)
        left_out = -(-max(0, self.count - SHOWN_LINES) // LINES_PER_BLOCK) * LINES_PER_BLOCK  # as by a tab that follows
        next_line = left_out if known is None else min(known, self.count)
        said = dict.fromkeys(self._texts(), "")

        def is_new() -> bool:
            return self.count > next_line or self.is_complete or self._texts() != said

        with self._watched():
            if known is None:
                yield event("start", next_line + 1, self._place(next_line))
            while True:
                while next_line < self.count:
                    lines = self.lines(next_line, LINES_PER_EVENT)
                    next_line += len(lines)
                    yield event("lines", lines, self._place(next_line))
                for name, text in self._texts().items():
                    if text != said[name]:
                        said[name] = text
                        yield event(name, text)
                if self.is_complete:
                    yield event("end", self._job.phase if self._job.is_terminal else "")
                    return
                if await self._news(is_new, EMPTY_PAUSE_S if said["empty"] else HEARTBEAT_S):
                    await asyncio.sleep(PAUSE_S if self.count - next_line < LINES_PER_EVENT else 0)
                else:
                    yield STILL_HERE

    def lines(self, first: int, most: int) -> list[str]:
        """Lines from a position on, as many as there are. Raises FeedClosed."""
        if self._is_closed:
            raise FeedClosed
        self._file.seek(self._starts[first])
        count = min(most, self.count - first)
        lines = (self._file.readline().decode("utf-8", "replace").rstrip("\r\n") for _ in range(count))
        return [_shown(line) for line in lines]

    @property
    def count(self) -> int:
        """How many lines there are."""
        return len(self._starts) - 1

    def _texts(self) -> dict[str, str]:
        """What is shown beside the lines, by the names of events."""
        return {"unfinished": self._unfinished, "problem": self._problem, "empty": self._why_empty()}

    def _why_empty(self) -> str:
        """The reason why there are no lines; empty if there are."""
        if self.count or self._unfinished:
            return ""
        if self._problem or (self.is_complete and not self._job.is_terminal):
            return self._problem
        phase, stage = self._job.phase, self._progress and self._progress.stage
        if self.is_complete:
            return f"The job has ended ({phase}). Its script has printed nothing here, or did not start."
        if phase == RUNNING or self._job.is_terminal:
            return "There are no lines yet. What a script prints without flush=True can come late."
        message = f" ({stage.name}). {stage.en_message or ''}".rstrip() if stage else "."
        return f"There are no lines yet: the job is {phase}{message}"

    async def _read(self) -> None:
        """Read the log until the job has ended, or nobody looks any more."""
        while self.watchers and not self.is_complete:
            try:
                batches = self._job.log_batches(self._source, follow=True, poll=self._pauses, on_progress=self._note)
                async for lines in batches:
                    for line in lines:
                        self._append(line)
                    self._unfinished = _shown(self._source.unfinished)
                    await self._say()
                    if not self.watchers:
                        return
                self.is_complete, self._unfinished = True, ""
                await self._say()
            except NotFound as error:
                self.is_complete = True
                await self._say("" if is_job_missing(error) else str(error))  # which the page says
            except PROBLEMS as error:
                await self._say(text_of(error))
                await asyncio.sleep(RETRY_S)

    def _append(self, line: str) -> None:
        self._file.seek(self._starts[-1])
        size = self._file.write(line.replace("\n", " ").encode("utf-8", "replace") + b"\n")
        self._starts.append(self._starts[-1] + size)

    async def _say(self, problem: str = "") -> None:
        self._problem = problem
        await super()._say()

    async def close(self) -> None:
        """End the reading, and forget the lines."""
        await super().close()
        self._file.close()

    def _note(self, progress: Progress) -> None:
        self._progress = progress


def _shown(line: str) -> str:
    """What a tab shows of a line: its last state, and of a very long one the begin."""
    text = last_state(line)
    shown, rest = text[:LONGEST_LINE], text[LONGEST_LINE:]
    return f"{shown}… ({len(rest)} more characters are in the download){colours_of(rest)}" if rest else text


def log_routes(site: Site) -> list[Route]:
    """The log of a job as a stream of events, and as a file."""

    async def stream(request: Request) -> Response:
        task = request.query_params.get("task") or None
        job = await find(site, request)
        first = task or next(iter(job.tasks), None)
        key = (request.url.path, task)

        def make() -> LogFeed:
            return LogFeed(job, None if task == ALL_TASKS else first, site.log_poll)

        return await site.feeds.stream(request, key, make)

    async def file(request: Request) -> Response:
        task = request.query_params.get("task") or None
        job = await find(site, request)
        source = job.log_source(None if task == ALL_TASKS else task, all_tasks=task == ALL_TASKS)
        batches = job.log_batches(source)
        first = await anext(batches, None)

        async def content() -> AsyncIterator[bytes]:
            lines = first
            try:
                while lines is not None:
                    yield "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
                    lines = await anext(batches, None)
            except PROBLEMS as error:
                yield f"The rest could not be read. {text_of(error)}\n".encode()

        headers = {"Content-Disposition": f'attachment; filename="{slug(str(job.name or job.id))}.log"'}
        return StreamingResponse(content(), media_type="text/plain; charset=utf-8", headers=headers)

    return [
        Route(f"{prefix}/jobs/{{key}}/log{suffix}", handler)
        for prefix in ("", "/v1")
        for suffix, handler in (("", stream), (".txt", file))
    ]
