"""Training jobs as handles: `ma.jobs.get("digits").wait().download("out")`.

Everything here drives the flows of `jobs`, `submitting`, `waiting` and `logs`.
"""

import os
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from . import flows, jobs
from .errors import JobError
from .explain import Verdict
from .flows import ASYNCIO, BLOCKING
from .job_state import AnyJob, JobHandle
from .jobs import Rows
from .log_cursor import LogCursor
from .logs import POLL as LOG_POLL
from .submitting import JobRequest
from .waiting import POLL as WAIT_POLL
from .waiting import OnProgress

if TYPE_CHECKING:
    from modelarts_api.v2.models import Event

    from .client import AsyncModelArts, ModelArts
    from .obs import Transfer

_Events: TypeAlias = "list[Event]"
_Jobs: TypeAlias = "list[Job]"
_AsyncJobs: TypeAlias = "list[AsyncJob]"


class Jobs:
    """The training jobs of a project.

    A job is given as a handle, as a `TrainingJob`, by its id, or by its name; a name costs one more call.
    """

    def __init__(self, ma: "ModelArts") -> None:
        self._ma = ma

    def __repr__(self) -> str:
        return f"Jobs({self._ma!r})"

    def list(
        self, *, name: str | None = None, phase: str | Iterable[str] | None = None, limit: int | None = None
    ) -> _Jobs:
        """List jobs, newest first: those whose names contain `name`, in this phase or one of these phases.

        `limit` is the number of jobs at most. Raises ValueError for a phase that no job has.
        """
        return [Job(self._ma, found) for found in flows.run(jobs.searching(self._ma.v2, name, phase, limit))]

    def get(self, job: AnyJob) -> "Job":
        """Return the job as it is now; raises NotFound if there is none of this id or name."""
        return Job(self._ma, flows.run(jobs.showing(self._ma.v2, job)))

    def submit(self, body: JobRequest, *, unique: bool = False, timeout: float | None = None) -> "Job":
        """As `ModelArts.submit`; returns a handle."""
        return Job(self._ma, self._ma.submit(body, unique=unique, timeout=timeout))

    def wait(
        self,
        job: AnyJob,
        *,
        timeout: float | None = None,
        poll: tuple[float, float] = WAIT_POLL,
        on_progress: OnProgress | None = None,
    ) -> "Job":
        """As `ModelArts.wait`; returns a handle."""
        flow = jobs.waiting_for(self._ma.v2, job, BLOCKING, timeout, poll, on_progress)
        return Job(self._ma, flows.run(flow))

    def logs(
        self,
        job: AnyJob,
        task: str | None = None,
        *,
        follow: bool = False,
        all_tasks: bool = False,
        cursor: LogCursor | None = None,
        poll: tuple[float, float] = LOG_POLL,
    ) -> Iterator[str]:
        """Yield the log lines of a task, the first one by default; with `follow` until the job has ended.

        With `all_tasks` those of every task, such as `[worker-1] epoch 3`; a `cursor` continues where it was.
        """
        fetch = self._ma.network.fetch
        flow = jobs.reading_logs(
            self._ma.v2, fetch, job, BLOCKING, task=task, all_tasks=all_tasks, cursor=cursor, poll=poll, follow=follow
        )
        return flows.stream(flow)

    def stop(self, job: AnyJob) -> "Job":
        """Stop the job; returns it at once, in phase Terminating."""
        return Job(self._ma, self._ma.stop(job))

    def delete(self, job: AnyJob) -> None:
        """Delete the job, stopping it if need be; its outputs stay in object storage."""
        flows.run(jobs.deleting(self._ma.v2, job))

    def events(self, job: AnyJob, *, level: str | None = None) -> _Events:
        """List what happened to the job, oldest first; of one level, such as "Error", if given."""
        return flows.run(jobs.listing_events(self._ma.v2, job, level))

    def metrics(self, job: AnyJob, task: str | None = None) -> Rows:
        """Return a row for each task and minute: `task`, `minute`, and percentages such as `cpuUsage`.

        None stands where nothing was measured.
        """
        return flows.run(jobs.reading_metrics(self._ma.v2, job, task))

    def explain(self, job: AnyJob) -> Verdict:
        """Say where the job stands and, if it failed, why and what to do, from its events and the end of its log."""
        return flows.run(jobs.explaining_job(self._ma.v2, job))

    def trials(self, job: AnyJob) -> Rows:
        """Return a row for each trial of a hyperparameter search, with the columns that the service has."""
        return flows.run(jobs.reading_trials(self._ma.v2, job))

    def outputs(self, job: AnyJob) -> dict[str, str]:
        """Return the obs:// URL of each output channel by its name."""
        return flows.run(jobs.listing_outputs(self._ma.v2, job))

    def download(self, job: AnyJob, folder: str | os.PathLike[str]) -> "Transfer":
        """Download each output channel into the subfolder of its name; raises ObsError if there is nothing."""
        return flows.run(jobs.downloading(self._ma.v2, lambda: self._ma.obs, job, Path(folder)))


class Job(JobHandle):
    """One training job; its attributes are those of the newest response, `details` is that response."""

    def __init__(self, ma: "ModelArts", details: Any) -> None:
        super().__init__(details)
        self._ma = ma

    def refresh(self) -> Self:
        """Ask for the job."""
        return self._take(self._ma.jobs.get(self))

    def wait(
        self,
        *,
        timeout: float | None = None,
        poll: tuple[float, float] = WAIT_POLL,
        on_progress: OnProgress | None = None,
    ) -> Self:
        """Wait for the end, as `ModelArts.wait`; raises JobFailed, JobStopped or WaitTimeout."""
        try:
            self.details = self._ma.wait(self, timeout=timeout, poll=poll, on_progress=on_progress)
        except JobError as error:
            self.details = error.job
            raise
        return self

    def stop(self) -> Self:
        """Stop the job; it is in phase Terminating at once, and Terminated later."""
        return self._take(self._ma.jobs.stop(self))

    def delete(self) -> None:
        """As `Jobs.delete`."""
        self._ma.jobs.delete(self)

    def logs(
        self,
        task: str | None = None,
        *,
        follow: bool = False,
        all_tasks: bool = False,
        cursor: LogCursor | None = None,
        poll: tuple[float, float] = LOG_POLL,
    ) -> Iterator[str]:
        """As `Jobs.logs`."""
        return self._ma.jobs.logs(self, task, follow=follow, all_tasks=all_tasks, cursor=cursor, poll=poll)

    def events(self, *, level: str | None = None) -> _Events:
        """As `Jobs.events`."""
        return self._ma.jobs.events(self, level=level)

    def metrics(self, task: str | None = None) -> Rows:
        """As `Jobs.metrics`."""
        return self._ma.jobs.metrics(self, task)

    def explain(self) -> Verdict:
        """As `Jobs.explain`."""
        return self._ma.jobs.explain(self)

    def trials(self) -> Rows:
        """As `Jobs.trials`."""
        return self._ma.jobs.trials(self)

    def outputs(self) -> dict[str, str]:
        """As `Jobs.outputs`; sends nothing."""
        return jobs.output_urls(self.details)

    def download(self, folder: str | os.PathLike[str]) -> "Transfer":
        """As `Jobs.download`."""
        return self._ma.jobs.download(self, folder)

    def _take(self, newer: JobHandle) -> Self:
        self.details = newer.details
        return self


class AsyncJobs:
    """The asynchronous twin of `Jobs`."""

    def __init__(self, ma: "AsyncModelArts") -> None:
        self._ma = ma

    def __repr__(self) -> str:
        return f"AsyncJobs({self._ma!r})"

    async def list(
        self, *, name: str | None = None, phase: str | Iterable[str] | None = None, limit: int | None = None
    ) -> _AsyncJobs:
        """As `Jobs.list`."""
        found = await flows.run_async(jobs.searching(self._ma.v2, name, phase, limit))
        return [AsyncJob(self._ma, each) for each in found]

    async def get(self, job: AnyJob) -> "AsyncJob":
        """As `Jobs.get`."""
        return AsyncJob(self._ma, await flows.run_async(jobs.showing(self._ma.v2, job)))

    async def submit(
        self,
        body: JobRequest,
        *,
        unique: bool = False,
        timeout: float | None = None,  # noqa: ASYNC109 - the job is looked up at its end
    ) -> "AsyncJob":
        """As `Jobs.submit`."""
        return AsyncJob(self._ma, await self._ma.submit(body, unique=unique, timeout=timeout))

    async def wait(
        self,
        job: AnyJob,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - limits the wait; the job keeps running
        poll: tuple[float, float] = WAIT_POLL,
        on_progress: OnProgress | None = None,
    ) -> "AsyncJob":
        """As `Jobs.wait`."""
        flow = jobs.waiting_for(self._ma.v2, job, ASYNCIO, timeout, poll, on_progress)
        return AsyncJob(self._ma, await flows.run_async(flow))

    def logs(
        self,
        job: AnyJob,
        task: str | None = None,
        *,
        follow: bool = False,
        all_tasks: bool = False,
        cursor: LogCursor | None = None,
        poll: tuple[float, float] = LOG_POLL,
    ) -> AsyncIterator[str]:
        """As `Jobs.logs`."""
        fetch = self._ma.network.fetch
        flow = jobs.reading_logs(
            self._ma.v2, fetch, job, ASYNCIO, task=task, all_tasks=all_tasks, cursor=cursor, poll=poll, follow=follow
        )
        return flows.stream_async(flow)

    async def stop(self, job: AnyJob) -> "AsyncJob":
        """As `Jobs.stop`."""
        return AsyncJob(self._ma, await self._ma.stop(job))

    async def delete(self, job: AnyJob) -> None:
        """As `Jobs.delete`."""
        await flows.run_async(jobs.deleting(self._ma.v2, job))

    async def events(self, job: AnyJob, *, level: str | None = None) -> _Events:
        """As `Jobs.events`."""
        return await flows.run_async(jobs.listing_events(self._ma.v2, job, level))

    async def metrics(self, job: AnyJob, task: str | None = None) -> Rows:
        """As `Jobs.metrics`."""
        return await flows.run_async(jobs.reading_metrics(self._ma.v2, job, task))

    async def explain(self, job: AnyJob) -> Verdict:
        """As `Jobs.explain`."""
        return await flows.run_async(jobs.explaining_job(self._ma.v2, job))

    async def trials(self, job: AnyJob) -> Rows:
        """As `Jobs.trials`."""
        return await flows.run_async(jobs.reading_trials(self._ma.v2, job))

    async def outputs(self, job: AnyJob) -> dict[str, str]:
        """As `Jobs.outputs`."""
        return await flows.run_async(jobs.listing_outputs(self._ma.v2, job))

    async def download(self, job: AnyJob, folder: str | os.PathLike[str]) -> "Transfer":
        """As `Jobs.download`."""
        return await flows.run_async(jobs.downloading(self._ma.v2, lambda: self._ma.obs, job, Path(folder)))


class AsyncJob(JobHandle):
    """The asynchronous twin of `Job`."""

    def __init__(self, ma: "AsyncModelArts", details: Any) -> None:
        super().__init__(details)
        self._ma = ma

    async def refresh(self) -> Self:
        """As `Job.refresh`."""
        return self._take(await self._ma.jobs.get(self))

    async def wait(
        self,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - limits the wait; the job keeps running
        poll: tuple[float, float] = WAIT_POLL,
        on_progress: OnProgress | None = None,
    ) -> Self:
        """As `Job.wait`."""
        try:
            self.details = await self._ma.wait(self, timeout=timeout, poll=poll, on_progress=on_progress)
        except JobError as error:
            self.details = error.job
            raise
        return self

    async def stop(self) -> Self:
        """As `Job.stop`."""
        return self._take(await self._ma.jobs.stop(self))

    async def delete(self) -> None:
        """As `Jobs.delete`."""
        await self._ma.jobs.delete(self)

    def logs(
        self,
        task: str | None = None,
        *,
        follow: bool = False,
        all_tasks: bool = False,
        cursor: LogCursor | None = None,
        poll: tuple[float, float] = LOG_POLL,
    ) -> AsyncIterator[str]:
        """As `Jobs.logs`."""
        return self._ma.jobs.logs(self, task, follow=follow, all_tasks=all_tasks, cursor=cursor, poll=poll)

    async def events(self, *, level: str | None = None) -> _Events:
        """As `Jobs.events`."""
        return await self._ma.jobs.events(self, level=level)

    async def metrics(self, task: str | None = None) -> Rows:
        """As `Jobs.metrics`."""
        return await self._ma.jobs.metrics(self, task)

    async def explain(self) -> Verdict:
        """As `Jobs.explain`."""
        return await self._ma.jobs.explain(self)

    async def trials(self) -> Rows:
        """As `Jobs.trials`."""
        return await self._ma.jobs.trials(self)

    def outputs(self) -> dict[str, str]:
        """As `Job.outputs`."""
        return jobs.output_urls(self.details)

    async def download(self, folder: str | os.PathLike[str]) -> "Transfer":
        """As `Jobs.download`."""
        return await self._ma.jobs.download(self, folder)

    def _take(self, newer: JobHandle) -> Self:
        self.details = newer.details
        return self
