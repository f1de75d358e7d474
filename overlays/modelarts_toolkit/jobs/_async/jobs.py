"""Training jobs: `ma.jobs` and its handles."""

import math
import os
import re
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Self, TypeAlias

from modelarts_api.codes import JOB_NAME_TAKEN
from modelarts_api.phases import PHASES, Phase
from modelarts_api.types import UNSET
from modelarts_runtime.model import Model
from modelarts_toolkit.connection._async.connection import AsyncConnection
from modelarts_toolkit.errors import ApiError, BadRequest, ConnectionFailed
from modelarts_toolkit.http.deadlines import call_within_async
from modelarts_toolkit.job_requests.request_body import is_made_of, request_of
from modelarts_toolkit.job_requests.rerun import as_request
from modelarts_toolkit.jobs import explain as explaining
from modelarts_toolkit.jobs._async.handles import AsyncJobCollection, AsyncJobHandle, listed
from modelarts_toolkit.jobs._async.task_logs import AsyncTaskLogs
from modelarts_toolkit.jobs.explain import Verdict
from modelarts_toolkit.jobs.info import AnyJob, JobList, TrainingJobInfo, job_id
from modelarts_toolkit.jobs.log_cursor import LogCursor
from modelarts_toolkit.jobs.log_errors import LINES
from modelarts_toolkit.jobs.polling import ASYNCIO, AsyncClock
from modelarts_toolkit.jobs.state import JobState
from modelarts_toolkit.jobs.tables import Rows, trial_rows, usage_rows
from modelarts_toolkit.reading import entries, part, read

if TYPE_CHECKING:
    from modelarts_api.v2.models import (
        CreateTrainingJobRequestDict,
        Event,
        ExperimentReference,
        FilterRequestDict,
        ListTrainingJobEventsLevel,
        ListTrainingJobsRequestDict,
        Stage,
        TagConditionRequestDict,
        TrainingJob,
    )
    from modelarts_toolkit.curves.curves import Curve
    from modelarts_toolkit.job_requests.job_request import JobRequest
    from modelarts_toolkit.jobfiles.settings import JobSettings

JOBS_PER_PAGE = 50
TRIALS_PER_PAGE = 50
EXPLANATION_LIMIT_S = 30.0  # for the log
STARTED = "] training started."  # an event about a task, as the page "Obtaining Events" shows it

_Jobs: TypeAlias = "JobList[AsyncJob]"
_Texts: TypeAlias = "list[str]"
_Events: TypeAlias = "list[Event]"
_Stages: TypeAlias = "list[Stage]"

# The usual form of ids; any other text is first looked up as a name.
_ID = re.compile(r"[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)


class AsyncJob(TrainingJobInfo, AsyncJobHandle):
    """One training job; its attributes come from the newest response, `details`."""

    def __init__(
        self,
        connection: AsyncConnection,
        details: "TrainingJob | None" = None,
        *,
        key: str = "",
        clock: AsyncClock = ASYNCIO,
    ) -> None:
        self._connected, self._clock = connection, clock
        self._details = details
        self._key = key

    @property
    def key(self) -> str:
        """The job's id."""
        return self._key or self.id

    async def poll(self, limit_s: float = math.inf) -> None:
        """Request the job, for `limit_s` seconds at most."""
        self._details = await call_within_async(
            limit_s, lambda: self._connection.v2.training_jobs.show_training_job_details(self.key)
        )

    async def last_lines(self, limit_s: float, task: str | None = None) -> list[str]:
        """Read the end of the failed task's log; a log that cannot be read must not hide why the job failed."""
        task, logs = task or self.state.failed_task, self._connection.v2.logs
        try:
            preview = await call_within_async(limit_s, lambda: logs.show_training_job_logs_preview(self.key, task))
        except (ApiError, ConnectionFailed):
            return []
        content: object = None if preview is None else preview.content
        return content.splitlines()[-LINES:] if isinstance(content, str) else []

    def log_source(
        self, task: str | None = None, *, all_tasks: bool = False, cursor: LogCursor | None = None
    ) -> AsyncTaskLogs:
        """Return the logs for `log_batches`, with their read positions."""
        known = LogCursor() if cursor is None else cursor
        known.bind(self.key)
        return AsyncTaskLogs(self._connection, self, task, all_tasks, known, cursor is not None)

    async def stop(self) -> Self:
        """Stop the job; it is in phase Terminating at once, and Terminated later."""
        self._details = await self._connection.v2.training_jobs.stop_training_job(
            self.key, {"action_type": "terminate"}
        )
        return self

    async def restart(self) -> Self:
        """Run a job again that has ended, under the same id; raises Conflict if it has not ended."""
        self._details = await self._connection.v2.training_jobs.stop_training_job(self.key, {"action_type": "restart"})
        return self

    async def delete(self) -> None:
        """Delete the job, even while it runs; its outputs stay in object storage."""
        await self._connection.v2.training_jobs.delete_training_job(self.key)

    async def events(self, *, level: "ListTrainingJobEventsLevel | None" = None) -> "_Events":
        """List the events of the job, oldest first; with `level` only those, such as "Error"."""
        events = self._connection.v2.events.iter_training_job_events(self.key, order="asc", level=level or UNSET)
        return await listed(events)

    async def metrics(self, task: str | None = None) -> Rows:
        """Return a row for each task and minute: `task`, `minute`, and percentages such as `cpuUsage`.

        A missing measurement is None.
        """
        if not task:
            await self.poll()
        rows = Rows()
        for name in (task,) if task else self.tasks:
            response = await self._connection.v2.metrics.show_training_job_metrics(self.key, name)
            series = [] if response is None else response.metrics  # no content: nothing was measured yet
            rows.extend(usage_rows(name, {metric.metric: metric.value for metric in series}))
        return rows

    async def trials(self) -> Rows:
        """Return a row for each trial of a hyperparameter search, with the service's columns."""
        rows, new = Rows(), Rows()
        while True:
            page = await self._connection.v2.hyperparameter_searches.show_auto_search_trials(
                self.key, offset=len(rows), limit=TRIALS_PER_PAGE
            )
            before, new = new, Rows(trial_rows(page.items))
            if not new or new == before:  # a service that ignores the offset repeats its page
                return rows
            rows += new
            if len(rows) == page.total:
                return rows

    async def curves(self) -> "dict[str, Curve]":
        """Read the curves that the job reports, if the service has them, or else those in its log."""
        return await self.reported_curves() or await super().curves()

    async def reported_curves(self) -> "dict[str, Curve]":
        """Read the curves that the job reports; none if it reports nothing, or the service has no such reports."""
        with suppress(BadRequest), self._connection.optional("showFtMetrics") as is_offered:  # 400: it reports nothing
            if is_offered:
                from modelarts_toolkit.curves.curves import reported_curves

                return reported_curves(await self._connection.v2.fine_tuning.show_ft_metrics(self.key))
        return {}

    async def stages(self) -> "_Stages":
        """List the stages of the newest run, such as preparing, with their times; empty if the service has none."""
        with self._connection.optional("listTrainingJobStages") as is_offered:
            if is_offered:
                response = await self._connection.v2.training_jobs.list_training_job_stages(self.key)
                runs = sorted(response.running_records or (), key=lambda run: run.record_order or 0)
                stages = [stage for run in runs[-1:] for stage in run.stages or ()]
                return sorted(stages, key=lambda stage: stage.stage_order or 0)
        return []

    async def stage(self) -> "Stage | None":
        """As `PolledJob.stage`."""
        return next(reversed(await self.stages()), None)

    async def explain(self) -> Verdict:
        """Explain the job's state and, if it failed, why and what to do, from its events and the end of its log."""
        await self.poll()
        events = await self.events()
        texts = [str(event.message) for event in events]
        if verdict := explaining.without_log(self.state, texts):
            return verdict if self.is_terminal else explaining.at_stage(verdict, await self.stage())
        start = max((place for place, text in enumerate(texts) if text.endswith(STARTED)), default=0)  # of the last run
        errors = [str(event.message) for event in events[start:] if event.level in ("Error", "Warning")]
        state = self.state.named_by(texts)
        lines = await self.last_lines(EXPLANATION_LIMIT_S, state.failed_task)
        return explaining.of_failure(state, lines, errors, texts)

    def as_request(self, *, name: str | None = None) -> "JobRequest":
        """Return the request for a job like this one, as `modelarts_toolkit.as_request`."""
        return as_request(self.details, name=name)


class AsyncJobs(AsyncJobCollection[AsyncJob, AnyJob]):
    """The training jobs of a project.

    A job is given as a handle, as a `TrainingJob`, by its id, or by its name; looking up a name takes one extra
    request.
    """

    def _handle(self, details: "TrainingJob | None" = None, *, key: str = "") -> AsyncJob:
        return AsyncJob(self._connection, details, key=key, clock=self._clock)

    async def list(
        self,
        *,
        name: str | None = None,
        phase: "Phase | Iterable[Phase] | None" = None,
        tags: Mapping[str, str | None] | None = None,
        experiment: str | None = None,
        limit: int | None = None,
    ) -> "_Jobs":
        """List jobs, newest first, whose names contain `name`, in this phase or one of these phases.

        With `tags`, list only jobs with all of these tags (None: any value); with `experiment`, only jobs of the
        experiment with this name or id. `limit` is the maximum number of jobs.
        Raises ValueError for an unknown phase, ApiError for `tags` if the service has none.
        """
        phases: _Texts = [phase] if isinstance(phase, str) else [*(phase or ())]
        for unknown in set(phases).difference(PHASES):
            raise ValueError(f"{unknown!r} is not a phase of a job: use {', '.join(PHASES)}")
        query = _query(name)
        if phases:
            query["filters"] = [*query["filters"], {"key": "phase", "operator": "in", "value": phases}]
        if limit and not tags and not experiment:
            query["limit"] = min(limit, JOBS_PER_PAGE)
        jobs = self._connection.v2.training_jobs.iter_training_jobs(query)
        if tags:
            jobs = _among(jobs, await self._tagged(tags))
        if experiment:
            jobs = _of_experiment(jobs, experiment)
        return JobList([self._handle(details) for details in await listed(jobs, limit)])

    async def _tagged(self, tags: Mapping[str, str | None]) -> set[str | None]:
        """Return the ids of the jobs with all these tags; the search for jobs would leave out past months."""
        conditions: list[TagConditionRequestDict] = [
            {"key": key} if value is None else {"key": key, "values": [value]} for key, value in tags.items()
        ]
        found = await listed(self._connection.v2.tags.iter_training_jobs_by_tags({"tags": conditions}))
        return {each.resource_id for each in found}

    async def get(self, job: AnyJob) -> AsyncJob:
        """Return the job as it is now; raises NotFound if no job has this id or name.

        A text that is not a job's name counts as an id.
        """
        given = job_id(job)
        if isinstance(job, str) and not _ID.fullmatch(job):
            found = await listed(self._connection.v2.training_jobs.iter_training_jobs(_query(job)))
            states = [JobState.of_job(each) for each in found]
            named = (state.id for state in states if state.name == job and state.id)  # the filter is fuzzy
            given = next(named, given)
        return await self._handle(key=given).refresh()

    async def submit(
        self,
        body: "JobRequest",
        *,
        unique: bool = False,
        timeout: float | None = None,  # noqa: ASYNC109 - the job is looked up at its end
    ) -> AsyncJob:
        """Create a training job; if the response is lost, look the job up by its name before trying again.

        Hyperparameters may be numbers and booleans; with `unique` the name gets a random suffix.
        The job is created at most once if names are unique in the project and searches are up to date, as the
        service's pages suggest.
        Gives up `timeout` seconds after the first attempt (120 by default), and after the setting `retries`.
        Raises Conflict if the name belongs to another job.
        """
        if not isinstance(body, Mapping | Model):
            kind = type(body).__name__
            raise TypeError(f"a job is described by a mapping such as {{'metadata': ...}}, not by {kind}")
        request = request_of(body, unique=unique)
        created = await self._create(
            f"creating job {read(lambda: request['metadata']['name'], str)}",
            partial(self._connection.v2.training_jobs.create_training_job, request),
            partial(self._created, request, is_name_unique=unique),
            name_taken=JOB_NAME_TAKEN,
            is_name_unique=unique,
            timeout=timeout,
        )
        return self._handle(created)

    async def _created(
        self, request: "CreateTrainingJobRequestDict", since: float, limit_s: float, *, is_name_unique: bool
    ) -> "TrainingJob | None":
        """Find the job that a request has created since then; see `_create`."""
        name = str(read(lambda: request["metadata"]["name"], str))
        query, api = _query(name), self._connection.v2.training_jobs
        query |= {"limit": JOBS_PER_PAGE, "offset": 0}
        response = await call_within_async(limit_s, lambda: api.list_training_jobs(query))
        for job in entries(lambda: response.items):
            is_named = JobState.of_job(job).name == name  # the filter is fuzzy
            if is_named and (is_name_unique or is_made_of(job, request, since)):
                return job
        return None

    async def submit_file(
        self,
        path: str | os.PathLike[str],
        settings: "JobSettings | None" = None,
        *,
        unique: bool = False,
        timeout: float | None = None,  # noqa: ASYNC109 - the job is looked up at its end
    ) -> AsyncJob:
        """Submit the job that a file describes (see `modelarts job submit`), after uploading its local folders.

        `settings` have the short keys of job files, and override the file's.
        `unique` gives the name a random suffix; so does a file without a name.
        When the job has ended, `download()` fetches its outputs into the local folders that the file names.
        Raises ConfigError with every problem and its place before anything is sent.
        """
        from modelarts_toolkit.jobfiles._async import preparation
        from modelarts_toolkit.jobfiles.file import read_job_file
        from modelarts_toolkit.jobfiles.plan import plan_of

        document = read_job_file(os.fspath(path))
        plan = plan_of(document, settings or {})
        preparation.reject(preparation.local_problems(plan), document)
        request = await preparation.prepare(self._connection, plan)
        job = await self.submit(request, unique=unique or not plan.has_own_name, timeout=timeout)
        job.folders = plan.outputs
        return job

    async def check_file(
        self,
        path: str | os.PathLike[str],
        settings: "JobSettings | None" = None,
        *,
        unique: bool = False,
        offline: bool = False,
    ) -> "_Texts":
        """List the problems of the job that a file describes, each with its place, as `modelarts job check` does.

        Nothing is uploaded, and with `offline` no request is sent. With `unique` its name may be taken.
        """
        from modelarts_toolkit.jobfiles._async import preparation
        from modelarts_toolkit.jobfiles.file import read_job_file
        from modelarts_toolkit.jobfiles.plan import plan_of
        from modelarts_toolkit.jobfiles.settings import located

        document = read_job_file(os.fspath(path))
        plan = plan_of(document, settings or {})
        if offline:
            problems = preparation.local_problems(plan)
        else:
            problems = await preparation.problems_with_service(self._connection, plan, exact_name=not unique)
        return [located(each, document) for each in problems]


def _query(name: str | None) -> "ListTrainingJobsRequestDict":
    """Return the search for jobs whose names contain a text, or for all, newest first."""
    filters: Sequence[FilterRequestDict] = [{"key": "name", "operator": "like", "value": [name]}] if name else []
    return {"sort_by": "create_time", "order": "desc", "filters": filters}


async def _among(jobs: "AsyncIterator[TrainingJob]", ids: set[str | None]) -> "AsyncIterator[TrainingJob]":
    """Yield the jobs with these ids, up to the last of them."""
    missing = set(ids)
    while missing and (job := await anext(jobs, None)) is not None:
        if (key := JobState.of_job(job).id) in missing:
            missing.remove(key)
            yield job


async def _of_experiment(jobs: "AsyncIterator[TrainingJob]", wanted: str) -> "AsyncIterator[TrainingJob]":
    """Yield the jobs of the experiment with this name or id."""
    async for job in jobs:
        if (reference := _experiment_of(job)) is not None and wanted in (reference.name, reference.id):
            yield job


def _experiment_of(job: "TrainingJob") -> "ExperimentReference | None":
    return part(lambda: job.metadata.training_experiment_reference)
