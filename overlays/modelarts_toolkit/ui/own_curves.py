"""The curves in the logs of jobs, for all pages: each log is read once, and later only what it has more."""

import asyncio
import math
from collections.abc import Iterable, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field

from modelarts_toolkit.curves.curves import Curve, Curves
from modelarts_toolkit.jobs._async.handles import AsyncJobHandle, AsyncLogSource
from modelarts_toolkit.jobs._async.jobs import AsyncJob
from modelarts_toolkit.jobs.log_cursor import LogCursor
from modelarts_toolkit.ui.problems import PROBLEMS, text_of

MOST_VALUES = 2_000_000  # that are kept
VALUES_PER_JOB = 2000  # that a job counts for, at least
MOST_READ = 3  # logs at a time that nobody waits for
PAUSE_S = 1.0  # between two looks at a log
DELAY_S = 3.0  # before a log is read that nobody waits for: the page that shows its lines comes first
RETRY_S = 20.0  # after a log could not be read
LATE_LINES_S = 60.0  # after which the log of a job that has ended is read once more
LINES_PER_TURN = 200  # that are read before something else has its turn
NOTICE = "[modelarts-toolkit] "  # a part of the log is missing


@dataclass(slots=True)
class _Reading:
    """How far the log of a job was read; `job` is the handle that its source asks."""

    job: AsyncJobHandle
    source: AsyncLogSource
    curves: Curves = field(default_factory=Curves)
    reported: Mapping[str, Curve] = field(default_factory=dict)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    begun: int = 0  # characters of the line without an end that were read
    states: tuple[object, ...] = ()  # of the job, when its log was read, and as its page or list had it then
    read_s: float = -math.inf  # the last time, on the loop's clock
    pause_s: float = 0.0  # before the next time, if nothing has happened to the job
    reads_at_end: int = 0
    is_known: bool = False
    is_queued: bool = False
    is_awaited: bool = False
    problem: str = ""

    def found(self) -> Mapping[str, Curve]:
        return self.reported or self.curves.found()


class OwnCurves:
    """Curves of jobs by name, as far as their logs were read; what was not asked for the longest time is forgotten."""

    def __init__(self, pause_s: float = PAUSE_S, delay_s: float = DELAY_S) -> None:
        self._pause_s, self._delay_s = pause_s, delay_s
        self._kept: dict[tuple[type, str], _Reading] = {}  # the one that was asked for last comes last
        self._slots = asyncio.Semaphore(MOST_READ)
        self._tasks: set[asyncio.Task[None]] = set()

    async def of(self, job: AsyncJobHandle) -> Mapping[str, Curve]:
        """Read what is new, and return the curves; empty if the log cannot be read.

        A caller that is cancelled does not end the reading.
        """
        reading = self._reading(job)
        if self._is_due(reading, job):
            reading.is_awaited = True
            await asyncio.shield(self._start(reading, job, is_awaited=True))
        return reading.found()

    def known(self, job: AsyncJobHandle, among: int = 1) -> Mapping[str, Curve] | None:
        """Return what is known, None if nothing is, and begin to read what is new.

        The logs of so many running jobs that are shown together are read no more often than that of one.
        """
        reading = self._reading(job)
        if not reading.is_queued and self._is_due(reading, job, among):
            reading.is_queued = True
            self._start(reading, job, is_awaited=False)
        return reading.found() if reading.is_known else None

    async def wait_for_new(self, jobs: Iterable[AsyncJobHandle], limit_s: float) -> None:
        """Read the logs of which nothing is known, but wait no longer than this for them."""
        with suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                await asyncio.gather(*(self.of(job) for job in jobs if self.known(job) is None))

    def problem(self, job: AsyncJobHandle) -> str:
        """Why the log of a job could not be read the last time; empty if it could."""
        return self._reading(job).problem

    async def close(self) -> None:
        """End the reading."""
        for task in [*self._tasks]:
            task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await task

    def _reading(self, job: AsyncJobHandle) -> _Reading:
        key = (type(job), job.key)
        found = self._kept.pop(key, None)
        if found is None:
            cursor = LogCursor() if isinstance(job, AsyncJob) else None  # with it, half a line is not taken as a line
            found = _Reading(job, job.log_source(cursor=cursor))
        self._kept[key] = found
        return found

    def _start(self, reading: _Reading, job: AsyncJobHandle, *, is_awaited: bool) -> asyncio.Task[None]:
        task = asyncio.create_task(self._update(reading, job, is_awaited))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _update(self, reading: _Reading, job: AsyncJobHandle, is_awaited: bool) -> None:
        try:
            if not (is_awaited or reading.is_known):
                await asyncio.sleep(self._delay_s)
            async with nullcontext() if is_awaited else self._slots, reading.lock:
                if self._is_due(reading, job):
                    await self._read(reading, job)
        finally:
            reading.is_queued = reading.is_awaited = False
        self._forget()

    def _is_due(self, reading: _Reading, job: AsyncJobHandle, among: int = 1) -> bool:
        """Whether the log may have more; a job that has ended may have been started again."""
        is_same = _state(job) in reading.states
        if is_same and reading.reads_at_end > 1:
            return False
        pause_s = max(reading.pause_s, self._pause_s * among) if is_same or reading.problem else self._pause_s
        return asyncio.get_running_loop().time() >= reading.read_s + pause_s

    async def _read(self, reading: _Reading, job: AsyncJobHandle) -> None:
        """Read what the log has more; after an error, it is tried again later, from the same place."""
        own = reading.job
        try:
            if isinstance(own, AsyncJob):
                reading.reported = await own.reported_curves()
            if not reading.reported:
                await _read_log(reading)
            reading.problem = ""
        except PROBLEMS as error:
            reading.problem, reading.pause_s = text_of(error), RETRY_S
        else:
            is_same = own.is_terminal and _state(own) in reading.states
            reading.states = (_state(own), _state(job))
            reading.reads_at_end = (reading.reads_at_end if is_same else 0) + own.is_terminal
            reading.pause_s = LATE_LINES_S if own.is_terminal else self._pause_s
        reading.read_s, reading.is_known = asyncio.get_running_loop().time(), True

    def _forget(self) -> None:
        """Make room; what was asked for last stays."""
        while len(self._kept) > 1 and sum(map(_size, self._kept.values())) > MOST_VALUES:
            del self._kept[next(iter(self._kept))]


def _size(reading: _Reading) -> int:
    return max(sum(len(curve.values) for curve in reading.found().values()), VALUES_PER_JOB)


def _state(job: AsyncJobHandle) -> object:
    return (job.phase, job.started_at, job.running_time) if job.is_terminal else "living"


async def _read_log(reading: _Reading) -> None:
    clock, count = asyncio.get_running_loop(), 0
    began_s = clock.time()
    async for lines in reading.job.log_batches(reading.source):
        for line in lines:
            start = 0 if line.startswith(NOTICE) else reading.begun
            reading.begun = 0
            reading.curves.add(line[start:])
            count += 1
            if count % LINES_PER_TURN == 0:
                await asyncio.sleep(0 if reading.is_awaited else clock.time() - began_s)
                began_s = clock.time()
    begun = reading.source.begun
    reading.curves.add(begun[reading.begun :])
    reading.begun = len(begun)
