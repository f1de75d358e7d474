"""Operations on a job of either version, and on the jobs of a project."""

import math
import os
import time
from abc import abstractmethod
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, Protocol, Self, TypeVar

from modelarts_api.phases import ABNORMAL, FAILED
from modelarts_toolkit.connection._async.connection import AsyncConnection
from modelarts_toolkit.errors import ApiError, ConfigError, Conflict, NotFound, ObsError, ServiceFailure, WaitTimeout
from modelarts_toolkit.http.deadlines import call_within_async
from modelarts_toolkit.http.transport import DATE_ERROR_S
from modelarts_toolkit.jobs._async.waiting import AsyncPolledJob, AsyncWatch, has_reached, judge
from modelarts_toolkit.jobs.comparison import Comparison
from modelarts_toolkit.jobs.log_cursor import LogCursor
from modelarts_toolkit.jobs.polling import (
    ASYNCIO,
    TRANSIENT,
    AsyncClock,
    AsyncFind,
    AsyncSend,
    OnProgress,
    OutageBudget,
    Pace,
    TimeLimit,
)
from modelarts_toolkit.jobs.state import MOMENTS
from modelarts_toolkit.storage.local_files import path_below

if TYPE_CHECKING:
    from modelarts_toolkit.curves.curves import Curve
    from modelarts_toolkit.storage.transfers import Transfer

T = TypeVar("T")
HandleT = TypeVar("HandleT", bound="AsyncJobHandle")
GivenT = TypeVar("GivenT")

WAIT_POLL = (0.5, 10.0)
LOG_POLL = (0.5, 5.0)
FILE_WAIT_S = 60.0  # after the job's end, for the log's file to get lines that the previews missed
READS_AFTER_END = 2  # of each log, at least, if lines may come late
CREATION_POLL = (1.0, 10.0)
CREATION_OUTAGE_S = 120.0
LONGEST_PAUSE_S = 60.0  # whatever Retry-After says
MAY_WORK_LATER = frozenset({502, 503, 504})


class AsyncLogReader(Protocol):
    """The log of one task, as far as it has been read."""

    has_new: bool  # the last read found new text
    is_behind: bool  # lines are missing that may still come
    is_read: bool  # all lines of the last read were emitted

    def read(self, limit_s: float, *, may_come: bool) -> AsyncIterator[Iterable[str]]:
        """Request new lines, for `limit_s` seconds at most, and yield them in pieces as they arrive.

        `may_come`: missing lines may still arrive later. Raises the errors of its calls; the next `read` continues
        after the yielded lines.
        """

    def rest(self) -> Iterable[str]:
        """Return the remaining lines at the end."""


class AsyncLogSource(Protocol):
    """The logs of a job's tasks."""

    async def open(self, limit_s: float) -> Sequence[AsyncLogReader]:
        """Return the logs of the job as it is now, always in the same order."""

    @property
    def unfinished(self) -> str:
        """What a terminal shows of the last line, if it has no end yet; of several tasks, that of the newest one.

        `follow_logs` yields an empty piece when only this has changed.
        """

    @property
    def begun(self) -> str:
        """Of the first log the last line up to its last carriage return, if it has no end yet."""


class AsyncJobHandle(AsyncPolledJob):
    """A job and its operations; its attributes come from the newest response."""

    folders: Mapping[str, Path] = MappingProxyType({})
    """The local folders that the job file names for outputs."""

    _connected: AsyncConnection | None = None
    _clock: AsyncClock = ASYNCIO

    def __getstate__(self) -> dict[str, object]:
        """Pickle and copy all but the connection, which belongs to its client."""
        return {name: value for name, value in vars(self).items() if name not in ("_connected", "_clock")}

    @property
    def _connection(self) -> AsyncConnection:
        if self._connected is None:
            raise ConfigError(
                f"{self} was copied or pickled, without its connection: get it again by its id {self.key}"
            )
        return self._connected

    @abstractmethod
    def log_source(
        self, task: str | None = None, *, all_tasks: bool = False, cursor: LogCursor | None = None
    ) -> AsyncLogSource:
        """Return the logs for `log_batches`, with their read positions."""

    @abstractmethod
    async def stop(self) -> Self:
        """Stop the job; it is in phase Terminating at once, and Terminated later."""

    @abstractmethod
    async def delete(self) -> None:
        """Delete the job, even while it runs; its outputs stay in object storage."""

    async def curves(self) -> "dict[str, Curve]":
        """Read the numbers in the log of the first task, such as `loss: 0.31`, as curves by name.

        While the job runs, its last line may lack its end: the number there is read later.
        """
        from modelarts_toolkit.curves.curves import Curves

        source, found, newest, is_open, was_open = self.log_source(), Curves(), "", False, False
        async for lines in self.log_batches(source):
            is_open, was_open = source.unfinished != "", is_open  # the last piece is the line without an end
            for line in lines:
                found.add(newest)
                newest = line
        found.add(newest, is_cut=was_open and not self.is_terminal)
        return found.found()

    async def refresh(self) -> Self:
        """Request the job's current state."""
        await self.poll()
        return self

    async def wait(
        self,
        *,
        until: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - limits the wait; the job keeps running
        poll: tuple[float, float] = WAIT_POLL,
        on_progress: OnProgress | None = None,
    ) -> Self:
        """Wait until the job has completed; raises JobFailed, JobStopped or WaitTimeout.

        Abnormal counts as failed; an unknown phase is waited on.
        `until` is a phase, such as "Running", or a stage, such as "preparing": the wait ends as soon as the job is in
        it or has passed it. Raises ValueError if it is neither.
        It ends within `timeout` seconds in any case; if there was no response, it raises the last call's error. 0 makes
        one request, with the time limits of a single call.
        While calls fail, it retries for 300 s and logs each failure. `on_progress` gets every response and failure.
        `poll` is the shortest and the longest pause between two polls, in seconds.
        """
        if until is not None and until not in MOMENTS:
            raise ValueError(f"a job has no phase or stage {until!r}: use {', '.join(MOMENTS)}")
        clock, limit = self._clock, TimeLimit(self._clock, timeout)
        watch, pace = AsyncWatch(self, clock, on_progress), Pace(poll)
        outage = OutageBudget(clock, f"waiting for job {self.key}")
        while True:
            phase_before = watch.phase
            try:
                state = await watch.poll(min(limit.call_limit_s(), outage.call_limit_s()))
            except TRANSIENT as error:
                watch.report(error)
                if not limit.is_over:
                    outage.record_failure(error)
                elif watch.state is None:
                    raise
            else:
                outage.record_success()
                if until is not None and await has_reached(self, state, until, limit):
                    return self
                if state.is_ended:
                    await judge(self, state, limit)
                    return self
            if limit.is_over and watch.state is not None:
                fact = f"timed out after {limit.timeout_s:g} s: {watch.state} is still {watch.phase}"
                raise WaitTimeout(f"{fact} (it was not stopped)", self)
            await clock.sleep(limit.pause_s(pace.after(news=watch.phase != phase_before)))

    async def logs(
        self,
        task: str | None = None,
        *,
        follow: bool = False,
        all_tasks: bool = False,
        cursor: LogCursor | None = None,
        poll: tuple[float, float] = LOG_POLL,
        on_progress: OnProgress | None = None,
    ) -> AsyncIterator[str]:
        """Yield the log lines of a task, by default the first; with `follow` as they arrive, until the job has ended.

        With `all_tasks`, yield all tasks' lines, such as `[worker-1] epoch 3`; a `cursor` continues an earlier read.
        Each line comes once: lines that a preview no longer shows are read from the log's file. If the service has no
        such file, a line starting with `[modelarts-toolkit]` says how much is missing.
        While calls fail, it retries for 300 s, as `wait` does.
        """
        source = self.log_source(task, all_tasks=all_tasks, cursor=cursor)
        async for lines in self.log_batches(source, follow=follow, poll=poll, on_progress=on_progress):
            for line in lines:
                yield line

    async def log_batches(
        self,
        source: AsyncLogSource,
        *,
        follow: bool = False,
        poll: tuple[float, float] = LOG_POLL,
        on_progress: OnProgress | None = None,
        late_lines: bool = True,
    ) -> AsyncIterator[Iterable[str]]:
        """As `logs`, but yield the lines of a response together, and continue at the source's read position.

        Each round requests the job and then the new lines of each log. The service collects lines with a delay, so
        after the job's end logs are read until no new lines come, READS_AFTER_END times at least; without `late_lines`,
        as with the emulator, once.
        """
        clock = self._clock
        watch, pace = AsyncWatch(self, clock, on_progress), Pace(poll)
        outage = OutageBudget(clock, f"following the log of job {self.key}")
        logs: Sequence[AsyncLogReader] = ()
        ended_at, last_reads = math.inf, 0
        while True:
            began, phase = clock.now(), watch.phase
            try:
                if not last_reads and (await watch.poll(outage.call_limit_s())).is_ended:
                    ended_at = clock.now()
                logs = await source.open(outage.call_limit_s())
                for log in logs:
                    may_come = follow and clock.now() - ended_at < FILE_WAIT_S
                    async for lines in log.read(outage.call_limit_s(), may_come=may_come):
                        outage.record_success()  # the caller may take long for these lines
                        yield lines
            except TRANSIENT as error:
                watch.report(error)
                outage.record_failure(error)
            else:
                outage.record_success()
                last_reads += ended_at < math.inf or not follow
                if last_reads and _is_settled(logs, last_reads, may_grow=follow and late_lines):
                    break
            took = clock.now() - began  # pause for as long as requests took: a preview of 5 MB is slow on a slow line
            is_news = watch.phase != phase or any(log.has_new for log in logs)
            await clock.sleep(max(pace.after(news=is_news), took))
        for log in logs:
            yield log.rest()

    async def download(self, folder: str | os.PathLike[str] | None = None, *, overwrite: bool = False) -> "Transfer":
        """Download each output channel into a subfolder with its name.

        Without `folder`, download the outputs for which the job file names local folders into these.
        Files that this job did not write, and that differ, are replaced only with `overwrite`; else ObsError is raised.
        Raises ObsError if all of them are empty, or at the end if one could not be downloaded completely.
        """
        if folder is None and not self.folders:
            raise ValueError("no job file named local folders for this job's outputs: name a folder")
        if not self.has_settings:
            await self.poll()
        urls = {name: url for name, url in self.outputs().items() if folder is not None or name in self.folders}
        done: list[Transfer] = []
        failure: ObsError | None = None
        for name, url in urls.items():
            try:
                target = self.folders[name] if folder is None else path_below(Path(folder), name, is_followed=True)
                if (transfer := await self.download_output(name, target, overwrite=overwrite)) is not None:
                    done.append(transfer)
            except (ObsError, ValueError) as error:
                failure = failure or (error if isinstance(error, ObsError) else ObsError(f"output {error}", url))
        if failure is not None:
            raise failure
        if not done:
            places = ", ".join(urls.values()) or "no output channel"
            raise ObsError(f"the job has no outputs yet ({places})", url=next(iter(urls.values()), ""))
        return replace(done[0], files=sum(each.files for each in done), bytes=sum(each.bytes for each in done))

    async def download_output(
        self, name: str, folder: str | os.PathLike[str], *, overwrite: bool = False
    ) -> "Transfer | None":
        """Download one output channel into the folder, as `download`; None if the channel is empty or missing."""
        url, obs = self.outputs().get(name), self._connection.obs
        if not url or not await obs.exists(url):
            return None
        return await obs.download(url, folder, writer=self.writer, overwrite=overwrite)

    @property
    def writer(self) -> str:
        """What names this job as the writer of local files."""
        return f"job {self.key} of {self.created_at}"


class AsyncJobCollection(Generic[HandleT, GivenT]):
    """The jobs of a project; `get` returns one, whose methods are the operations on it."""

    def __init__(self, connection: AsyncConnection, *, clock: AsyncClock = ASYNCIO) -> None:
        self._connection = connection
        self._clock = clock

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._connection!r})"

    @abstractmethod
    async def get(self, job: GivenT) -> HandleT:
        """Return the job as it is now; raises NotFound if no job has this id or name."""

    async def compare(self, jobs: Iterable[GivenT]) -> Comparison:
        """Compare jobs by settings, hyperparameters, metrics and result; raises NotFound if one does not exist.

        The metrics are those of `Job.curves`, the results of failed jobs those of `Job.explain`.
        """
        found = [await self.get(job) for job in jobs]
        curves = tuple([await each.curves() for each in found])
        reasons = tuple([(await each.explain()).text if each.phase in (FAILED, ABNORMAL) else "" for each in found])
        return Comparison(tuple(found), curves, reasons)

    async def _create(
        self,
        purpose: str,
        send: AsyncSend[T],
        find: AsyncFind[T],
        *,
        name_taken: str = "",
        is_name_unique: bool = False,
        timeout: float | None = None,  # noqa: ASYNC109 - the job is looked up at its end
    ) -> T:
        """Create something at most once: after a lost response, find its result or send the request again.

        `purpose` describes the request in messages. `find` gets a time (Unix seconds of the service's clock) and
        returns the result of an attempt since then, None if there is none; each of its calls may take the seconds of
        its second argument. `name_taken` is the code of the rejection of a name that belongs to something else.
        `is_name_unique`: the name is random, so that nobody else has it, which is proof enough.
        This assumes two rules that the service's pages do not confirm: names are unique in a project (ModelArts.2751),
        and a search finds a job at once. If the first is false, a repeated request could create a second job; if the
        second is false, it raises Conflict.
        Gives up after `timeout` seconds (CREATION_OUTAGE_S by default) or after the repetitions of the setting
        `retries`, and raises the last error. Raises ValueError for a timeout that is not positive.
        """
        if timeout is not None and timeout <= 0:
            raise ValueError(f"timeout must be a positive number of seconds, not {timeout:g}")
        outage = OutageBudget(self._clock, purpose, CREATION_OUTAGE_S if timeout is None else timeout)
        retries = self._connection.config.retries
        began, pace, repetitions_left = time.time(), Pace(CREATION_POLL), math.inf if retries is None else retries
        outcome_unknown = False
        pending_error: Exception | None = None  # to be raised if nothing was created
        while True:
            try:
                if outcome_unknown:
                    since = began + self._connection._network.seconds_ahead - DATE_ERROR_S
                    found = await find(since, outage.call_limit_s())
                    if found is not None:
                        return found
                if pending_error is not None:
                    raise pending_error
                return await call_within_async(outage.call_limit_s(), send)
            except TRANSIENT as error:
                if error is pending_error:
                    raise
                if pending_error is not None and repetitions_left <= 0:
                    raise pending_error from None
                outcome_unknown = True
                if repetitions_left <= 0:
                    pending_error = error
                    continue
                if isinstance(error, ServiceFailure) and error.status not in MAY_WORK_LATER:
                    pending_error = error
                repetitions_left -= 1
                remaining_s = outage.record_failure(error)
                asked_s = (error.retry_after if isinstance(error, ApiError) else None) or 0.0
                pause_s = max(pace.after(news=False), min(asked_s, LONGEST_PAUSE_S))
                if pause_s >= remaining_s:
                    pending_error, repetitions_left = pending_error or error, 0
            except ApiError as error:
                may_be_ours = is_name_unique and isinstance(error, NotFound | Conflict)  # an attempt behind a gateway
                if error.error_code and error.error_code == name_taken:
                    may_be_ours = is_name_unique or outcome_unknown  # by an earlier attempt
                if pending_error is not None or not may_be_ours:
                    raise (pending_error or error) from None
                pending_error, outcome_unknown = error, True
                continue
            await self._clock.sleep(min(pause_s, remaining_s))


def _is_settled(logs: Sequence[AsyncLogReader], reads: int, *, may_grow: bool) -> bool:
    """Whether the logs of a job that has ended, or that is not followed, have been read completely."""
    if any(log.is_behind for log in logs):
        return False
    if may_grow:
        return reads >= READS_AFTER_END and not any(log.has_new for log in logs)
    return all(log.is_read for log in logs)


async def listed(items: AsyncIterator[T], limit: int | None = None) -> list[T]:
    """List the first items, all of them without a limit. Raises ValueError for a negative limit."""
    if limit is not None and limit < 0:
        raise ValueError(f"limit must be 0 or more, or None for all, not {limit}")
    found: list[T] = []
    if limit != 0:
        async for item in items:
            found.append(item)
            if len(found) == limit:
                break
    return found
