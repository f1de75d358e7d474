"""Training jobs of version 1: `ma.v1_jobs.wait(ma.v1_jobs.submit(request))`.

Everything here drives the flows of `v1_jobs`; results are the models of the generated client.
A job is given by its id, its name or a response about it, a version of it by its id or name, or both as `sum/V0002`.
"""

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from . import flows, v1_jobs
from .flows import ASYNCIO, BLOCKING
from .logs import POLL as LOG_POLL
from .v1_jobs import AnyV1Job, AnyVersion
from .waiting import POLL as WAIT_POLL
from .waiting import OnProgress

if TYPE_CHECKING:
    from modelarts_api.v1.models import CreatedTrainingJob, CreatedTrainingJobVersion, TrainingJob, TrainingJobVersion

    from .client import AsyncModelArts, ModelArts
    from .v1_jobs import JobBody

    _Jobs: TypeAlias = list[TrainingJob]
    _Versions: TypeAlias = list[TrainingJobVersion]


class V1Jobs:
    """The training jobs of version 1 in a project; without a version, the newest one of a job is meant."""

    def __init__(self, ma: "ModelArts") -> None:
        self._ma = ma

    def __repr__(self) -> str:
        return f"V1Jobs({self._ma!r})"

    def list(self, *, name: str | None = None, status: int | None = None, limit: int | None = None) -> "_Jobs":
        """List jobs, newest first: those whose names contain `name`, whose newest version has this status."""
        return flows.run(v1_jobs.searching(self._ma.v1, name, status, limit))

    def versions(self, job: AnyV1Job) -> "_Versions":
        """List the versions of a job, oldest first."""
        return flows.run(v1_jobs.listing_versions(self._ma.v1, job))

    def get(self, job: AnyV1Job, version: AnyVersion = None) -> "TrainingJobVersion":
        """Return a version as it is now; raises ConfigError if there is none of this name."""
        return flows.run(v1_jobs.showing(self._ma.v1, job, version))

    def submit(self, body: "JobBody", *, unique: bool = False, timeout: float | None = None) -> "CreatedTrainingJob":
        """Create a job and its first version, at most once, as `ModelArts.submit`."""
        service_time, retries = self._ma.network.service_time, self._ma.config.retries
        return flows.run(
            v1_jobs.submitting(
                self._ma.v1, body, BLOCKING, service_time, unique=unique, timeout=timeout, retries=retries
            )
        )

    def submit_version(
        self,
        job: AnyV1Job,
        changes: Mapping[str, Any] | None = None,
        *,
        parameters: Mapping[str, Any] | None = None,
        version: AnyVersion = None,
    ) -> "CreatedTrainingJobVersion":
        """Create a version with the settings of an earlier one but for `changes`, fields of `config`.

        `parameters` are other values of hyperparameters.
        """
        flow = v1_jobs.submitting_version(
            self._ma.v1,
            job,
            changes or {},
            BLOCKING,
            self._ma.network.service_time,
            parameters=parameters,
            version=version,
            retries=self._ma.config.retries,
        )
        return flows.run(flow)

    def wait(
        self,
        job: AnyV1Job,
        version: AnyVersion = None,
        *,
        timeout: float | None = None,
        poll: tuple[float, float] = WAIT_POLL,
        on_progress: OnProgress | None = None,
    ) -> "TrainingJobVersion":
        """Wait for the end of a version, as `ModelArts.wait`; the errors carry a `TrainingJobVersion`."""
        return flows.run(v1_jobs.waiting_for(self._ma.v1, job, version, BLOCKING, timeout, poll, on_progress))

    def logs(
        self,
        job: AnyV1Job,
        version: AnyVersion = None,
        *,
        task: str | None = None,
        all_tasks: bool = False,
        follow: bool = False,
        poll: tuple[float, float] = LOG_POLL,
    ) -> Iterator[str]:
        """Yield the lines of a node's log, the first one's by default; with `follow` until the version has ended.

        `task` is a node (`worker-1`) or a log file; with `all_tasks` the lines of all nodes come, each with its node.
        """
        flow = v1_jobs.reading_logs(
            self._ma.v1, job, version, BLOCKING, task=task, all_tasks=all_tasks, poll=poll, follow=follow
        )
        return flows.stream(flow)

    def stop(self, job: AnyV1Job, version: AnyVersion = None) -> "TrainingJobVersion":
        """Stop a version; returns it at once."""
        return flows.run(v1_jobs.stopping(self._ma.v1, job, version))

    def delete(self, job: AnyV1Job) -> None:
        """Delete a job with all its versions; results stay in object storage."""
        flows.run(v1_jobs.deleting(self._ma.v1, job))

    def delete_version(self, job: AnyV1Job, version: AnyVersion) -> None:
        """Delete a version of a job."""
        flows.run(v1_jobs.deleting_version(self._ma.v1, job, version))


class AsyncV1Jobs:
    """The asynchronous twin of `V1Jobs`."""

    def __init__(self, ma: "AsyncModelArts") -> None:
        self._ma = ma

    def __repr__(self) -> str:
        return f"AsyncV1Jobs({self._ma!r})"

    async def list(self, *, name: str | None = None, status: int | None = None, limit: int | None = None) -> "_Jobs":
        """As `V1Jobs.list`."""
        return await flows.run_async(v1_jobs.searching(self._ma.v1, name, status, limit))

    async def versions(self, job: AnyV1Job) -> "_Versions":
        """As `V1Jobs.versions`."""
        return await flows.run_async(v1_jobs.listing_versions(self._ma.v1, job))

    async def get(self, job: AnyV1Job, version: AnyVersion = None) -> "TrainingJobVersion":
        """As `V1Jobs.get`."""
        return await flows.run_async(v1_jobs.showing(self._ma.v1, job, version))

    async def submit(
        self,
        body: "JobBody",
        *,
        unique: bool = False,
        timeout: float | None = None,  # noqa: ASYNC109 - the job is looked up at its end
    ) -> "CreatedTrainingJob":
        """As `V1Jobs.submit`."""
        service_time, retries = self._ma.network.service_time, self._ma.config.retries
        return await flows.run_async(
            v1_jobs.submitting(
                self._ma.v1, body, ASYNCIO, service_time, unique=unique, timeout=timeout, retries=retries
            )
        )

    async def submit_version(
        self,
        job: AnyV1Job,
        changes: Mapping[str, Any] | None = None,
        *,
        parameters: Mapping[str, Any] | None = None,
        version: AnyVersion = None,
    ) -> "CreatedTrainingJobVersion":
        """As `V1Jobs.submit_version`."""
        flow = v1_jobs.submitting_version(
            self._ma.v1,
            job,
            changes or {},
            ASYNCIO,
            self._ma.network.service_time,
            parameters=parameters,
            version=version,
            retries=self._ma.config.retries,
        )
        return await flows.run_async(flow)

    async def wait(
        self,
        job: AnyV1Job,
        version: AnyVersion = None,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - limits the wait; the job keeps running
        poll: tuple[float, float] = WAIT_POLL,
        on_progress: OnProgress | None = None,
    ) -> "TrainingJobVersion":
        """As `V1Jobs.wait`."""
        flow = v1_jobs.waiting_for(self._ma.v1, job, version, ASYNCIO, timeout, poll, on_progress)
        return await flows.run_async(flow)

    def logs(
        self,
        job: AnyV1Job,
        version: AnyVersion = None,
        *,
        task: str | None = None,
        all_tasks: bool = False,
        follow: bool = False,
        poll: tuple[float, float] = LOG_POLL,
    ) -> AsyncIterator[str]:
        """As `V1Jobs.logs`."""
        flow = v1_jobs.reading_logs(
            self._ma.v1, job, version, ASYNCIO, task=task, all_tasks=all_tasks, poll=poll, follow=follow
        )
        return flows.stream_async(flow)

    async def stop(self, job: AnyV1Job, version: AnyVersion = None) -> "TrainingJobVersion":
        """As `V1Jobs.stop`."""
        return await flows.run_async(v1_jobs.stopping(self._ma.v1, job, version))

    async def delete(self, job: AnyV1Job) -> None:
        """As `V1Jobs.delete`."""
        await flows.run_async(v1_jobs.deleting(self._ma.v1, job))

    async def delete_version(self, job: AnyV1Job, version: AnyVersion) -> None:
        """As `V1Jobs.delete_version`."""
        await flows.run_async(v1_jobs.deleting_version(self._ma.v1, job, version))
