"""Operations on a job of either version, and on the jobs of a project."""

import os
from abc import abstractmethod
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, Self, TypeVar

from modelarts_toolkit.connection._async.connection import AsyncConnection
from modelarts_toolkit.errors import ConfigError, ObsError
from modelarts_toolkit.jobs._async.creation import AsyncCreation, create
from modelarts_toolkit.jobs._async.following import POLL as LOG_POLL
from modelarts_toolkit.jobs._async.following import AsyncLogSource, follow_logs
from modelarts_toolkit.jobs._async.waiting import POLL as WAIT_POLL
from modelarts_toolkit.jobs._async.waiting import AsyncPolledJob, wait_for
from modelarts_toolkit.jobs.comparison import Comparison
from modelarts_toolkit.jobs.explain import Verdict
from modelarts_toolkit.jobs.log_cursor import LogCursor
from modelarts_toolkit.jobs.polling import ASYNCIO, AsyncClock, OnProgress, TimeLimit
from modelarts_toolkit.storage.local_files import path_below

if TYPE_CHECKING:
    from modelarts_toolkit.jobs.curves import Curve
    from modelarts_toolkit.storage.transfers import Transfer

T = TypeVar("T")
HandleT = TypeVar("HandleT", bound="AsyncJobHandle")
GivenT = TypeVar("GivenT")


class AsyncJobHandle(AsyncPolledJob):
    """A job and its operations; its attributes come from the newest response."""

    folders: Mapping[str, Path] = MappingProxyType({})
    """The local folders that the job file names for outputs."""

    _connected: AsyncConnection | None = None
    _clock: AsyncClock = ASYNCIO

    def _connect(self, connection: AsyncConnection, clock: AsyncClock) -> None:
        self._connected = connection
        self._clock = clock

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

    @abstractmethod
    async def explain(self) -> Verdict:
        """Explain the job's state and, if it failed, why and what to do, from its events and the end of its log."""

    async def curves(self) -> "dict[str, Curve]":
        """Read the numbers in the log of the first task, such as `loss: 0.31`, as curves by name.

        While the job runs, its last line may lack its end: the number there is read later.
        """
        from modelarts_toolkit.jobs.curves import Curves

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

        `until` is a phase, such as "Running", or a stage, such as "preparing": the wait ends as soon as the job is in
        it or has passed it. Raises ValueError if it is neither.
        It ends within `timeout` seconds in any case; if there was no response, it raises the last call's error. 0 makes
        one request, with the time limits of a single call.
        While calls fail, it retries for 300 s and logs each failure. `on_progress` gets every response and failure.
        `poll` is the shortest and the longest pause between two polls, in seconds.
        """
        limit = TimeLimit(self._clock, timeout)
        await wait_for(self, self._clock, limit, poll=poll, on_progress=on_progress, until=until)
        return self

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

    def log_batches(
        self,
        source: AsyncLogSource,
        *,
        follow: bool = False,
        poll: tuple[float, float] = LOG_POLL,
        on_progress: OnProgress | None = None,
        late_lines: bool = True,
    ) -> AsyncIterator[Iterable[str]]:
        """As `logs`, but yield the lines of a response together, and continue at the source's read position.

        Without `late_lines` no line is expected after the job's end, as with the emulator.
        """
        return follow_logs(
            self, source, self._clock, poll=poll, on_progress=on_progress, follow=follow, late_lines=late_lines
        )

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

        The metrics are those of `Job.curves`.
        """
        found = [await self.get(job) for job in jobs]
        return Comparison(tuple(found), tuple([await each.curves() for each in found]))

    async def _create(self, creation: AsyncCreation[T], timeout: float | None = None) -> T:  # noqa: ASYNC109
        network, retries = self._connection._network, self._connection.config.retries
        return await create(creation, self._clock, network.service_time, timeout, retries)


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
