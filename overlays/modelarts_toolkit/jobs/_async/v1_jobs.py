"""Training jobs of version 1: `ma.v1_jobs`, its handles and their logs.

Give a job as a handle, by its id or by its name, and a version by both ids or names, such as `sum/V0002`;
the default is the newest version.

Source of the logs: the pages "Obtaining the Name of a Training Job Log File" and "Querying Training Job Logs":
`order=desc` reads the records after the cursor, `asc` those before it, and without a cursor the response has the newest
ones.
"""

import math
from collections import deque
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from modelarts_api.codes import V1_NAME_TAKEN
from modelarts_api.types import UNSET
from modelarts_api.v1.models import CreatedTrainingJob, CreatedTrainingJobVersion, TrainingJobVersion
from modelarts_runtime.types import whole_number
from modelarts_toolkit.connection._async.connection import AsyncConnection
from modelarts_toolkit.errors import ApiError, ConfigError, ConnectionFailed, NotFound
from modelarts_toolkit.http.deadlines import call_within_async
from modelarts_toolkit.job_requests.request_body import is_since, repeats
from modelarts_toolkit.job_requests.v1_requests import VersionChanges, is_same, job_request, version_request
from modelarts_toolkit.jobs import explain as explaining
from modelarts_toolkit.jobs._async.handles import AsyncJobCollection, AsyncJobHandle, listed
from modelarts_toolkit.jobs.explain import Verdict
from modelarts_toolkit.jobs.info import TrainingJobVersionInfo
from modelarts_toolkit.jobs.log_cursor import LogCursor
from modelarts_toolkit.jobs.log_errors import LINES
from modelarts_toolkit.jobs.polling import ASYNCIO, AsyncClock
from modelarts_toolkit.reading import read

if TYPE_CHECKING:
    from modelarts_api.v1.models import (
        CreateTrainingJobRequestDict,
        CreateTrainingJobVersionRequestDict,
        LogLines,
        TrainingJob,
    )

AnyV1Job: TypeAlias = "AsyncV1Job | int | str"
AnyVersion: TypeAlias = "int | str | None"
_V1Jobs: TypeAlias = "list[AsyncV1Job]"
_Found: TypeAlias = "list[TrainingJob]"
_Summary: TypeAlias = "TrainingJob | CreatedTrainingJob | CreatedTrainingJobVersion"
_Versions: TypeAlias = "list[TrainingJobVersion]"

PAGE = 100  # jobs of a search
EXPLANATION_LIMIT_S = 30.0  # for the log
PIECE_LINES = 500  # the most that a response holds
PIECE_LIMIT_S = 60.0


class AsyncV1Job(TrainingJobVersionInfo, AsyncJobHandle):
    """One version of a training job; its attributes come from the newest response, `details`."""

    def __init__(
        self,
        connection: AsyncConnection,
        details: "TrainingJobVersion | None" = None,
        *,
        job_id: int,
        version_id: int | None,
        is_listed: bool = False,
        clock: AsyncClock = ASYNCIO,
    ) -> None:
        self._connected, self._clock = connection, clock
        self._details = details
        self.job_id = job_id
        self._version_id = version_id
        self._is_listed = is_listed  # the details have only what a list has

    @property
    def version_id(self) -> int:
        """The id of the version; raises NotFound if the job was created without one."""
        if self._version_id is None:
            raise _missing(self._connection, f"job {self.job_id} has no version yet", "Create one: submit_version().")
        return self._version_id

    @property
    def key(self) -> str:
        """The ids of job and version."""
        return f"{self.job_id}/{self.version_id}" if self._version_id is not None else str(self.job_id)

    async def poll(self, limit_s: float = math.inf) -> None:
        """Request the version, for `limit_s` seconds at most."""
        api = self._connection.v1.training_job_versions
        self._details = await call_within_async(
            limit_s, lambda: api.show_training_job_version(self.job_id, self.version_id)
        )
        self._is_listed = False

    @property
    def has_settings(self) -> bool:
        """Whether the newest response has the settings; that of `list` and `submit` has not."""
        return super().has_settings and not self._is_listed

    async def last_lines(self, limit_s: float) -> list[str]:
        """Read the end of the first node's log; none if it cannot be read."""
        try:
            files = await self._log_files(limit_s)
            return records(await self._log_piece(limit_s, files[0], lines=LINES)) if files else []
        except (ApiError, ConnectionFailed):
            return []

    def log_source(
        self, task: str | None = None, *, all_tasks: bool = False, cursor: LogCursor | None = None
    ) -> "AsyncVersionLogs":
        """Return the logs for `log_batches`, with their read positions."""
        if cursor is not None:
            raise ValueError("logs of version 1 do not support a cursor: leave it out")
        return AsyncVersionLogs(self, task, all_tasks)

    async def _log_files(self, limit_s: float) -> Sequence[str]:
        """Request the names of the log files."""
        logs = self._connection.v1.logs
        found = await call_within_async(limit_s, lambda: logs.list_training_job_log_files(self.job_id, self.version_id))
        return found.log_file_list

    async def _log_piece(
        self,
        limit_s: float,
        file: str,
        lines: int = PIECE_LINES,
        cursor: str | None = None,
        order: Literal["asc", "desc"] = "desc",
    ) -> "LogLines":
        """Request the records after a cursor, or before it; without one, the newest ones."""
        logs = self._connection.v1.logs
        return await call_within_async(
            limit_s,
            lambda: logs.show_training_job_log(
                self.job_id,
                self.version_id,
                log_file=file,
                lines=lines,
                base_line=UNSET if cursor is None else cursor,
                order=UNSET if cursor is None else order,
            ),
        )

    async def stop(self) -> Self:
        """Stop the version; the phase is from a request right after."""
        await self._connection.v1.training_job_versions.stop_training_job_version(self.job_id, self.version_id)
        return await self.refresh()

    async def delete(self) -> None:
        """Delete the job with all its versions; results stay in object storage."""
        await self._connection.v1.training_jobs.delete_training_job(self.job_id)

    async def delete_version(self) -> None:
        """Delete this version; the job stays."""
        await self._connection.v1.training_job_versions.delete_training_job_version(self.job_id, self.version_id)

    async def explain(self) -> Verdict:
        """Explain the version's state and, if it failed, why and what to do, from the end of its log."""
        await self.poll()
        if verdict := explaining.without_log(self.state, ()):
            return verdict
        return explaining.of_failure(self.state, await self.last_lines(EXPLANATION_LIMIT_S), (), ())


class AsyncV1Jobs(AsyncJobCollection[AsyncV1Job, AnyV1Job]):
    """The training jobs of version 1 in a project; the default version is the newest one of a job."""

    def _handle(
        self, details: "TrainingJobVersion", job_id: int, version_id: int | None, *, is_listed: bool = False
    ) -> AsyncV1Job:
        return AsyncV1Job(
            self._connection, details, job_id=job_id, version_id=version_id, is_listed=is_listed, clock=self._clock
        )

    def _listed(self, response: "_Summary") -> AsyncV1Job:
        """Return the handle of a list entry or a created job, whose details have some fields of a version."""
        details = TrainingJobVersion.from_dict(response.to_dict())
        details.job_id, details.job_name = response.job_id, response.job_name
        details.status, details.create_time = response.status, response.create_time
        return self._handle(details, int(response.job_id), response.version_id, is_listed=True)

    async def list(self, *, name: str | None = None, status: int | None = None, limit: int | None = None) -> "_V1Jobs":
        """List jobs, newest first, whose names contain `name` and whose newest version has this status.

        Each handle is for the newest version; `refresh()` requests all of its fields.
        """
        return [self._listed(job) for job in await self._search(name, status, limit)]

    async def _search(
        self, name: str | None, status: int | None = None, limit: int | None = None, limit_s: float = math.inf
    ) -> "_Found":
        api = self._connection.v1.training_jobs
        found = api.iter_training_jobs(
            sort_by="create_time",
            order="desc",
            per_page=min(limit or PAGE, PAGE),
            search_content=name or UNSET,
            status=UNSET if status is None else str(status),
        )
        return await call_within_async(limit_s, lambda: listed(found, limit))

    async def versions(self, job: AnyV1Job) -> "_V1Jobs":
        """List the versions of a job, oldest first."""
        job_id = await self._job_id(job)
        return [self._handle(version, job_id, version.version_id) for version in await self._versions(job_id)]

    async def _versions(self, job_id: int, limit_s: float = math.inf) -> "_Versions":
        api = self._connection.v1.training_job_versions
        found = await call_within_async(limit_s, lambda: listed(api.iter_training_job_versions(job_id)))
        return sorted(found, key=lambda version: version.version_id)

    async def _job_id(self, job: AnyV1Job) -> int:
        """Find the id of a job; digits are an id, unless a job has this name. Raises NotFound for an unknown name."""
        if isinstance(job, AsyncV1Job):
            return job.job_id
        if isinstance(job, int):
            return job
        for found in await self._search(job):
            if found.job_name == job:
                return int(found.job_id)
        if job.isascii() and job.isdigit():
            return int(job)
        raise _missing(self._connection, f'there is no job "{job}"', "Give the id or the name of a job.")

    async def get(self, job: AnyV1Job, version: AnyVersion = None) -> AsyncV1Job:
        """Return a version as it is now; raises NotFound if none has this id or name."""
        if isinstance(job, AsyncV1Job) and version is None:
            job_id, version_id = job.job_id, job.version_id
        else:
            job_id, version_id = await self._ids(job, version)
        return await AsyncV1Job(self._connection, job_id=job_id, version_id=version_id, clock=self._clock).refresh()

    async def _ids(self, job: AnyV1Job, version: AnyVersion) -> tuple[int, int]:
        """Return the ids of a job and a version; raises NotFound for an unknown name."""
        if isinstance(job, str) and version is None:
            job, _, part = job.partition("/")
            version = part or None
        job_id = await self._job_id(job)
        if version is not None and str(version).isascii() and str(version).isdigit():
            return job_id, int(version)
        found = await self._versions(job_id)
        if version is not None:
            found = [each for each in found if str(each.version_name).upper() == str(version).upper()]
        if not found:
            what = "no version yet" if version is None else f"no version {version}"
            remedy = "modelarts v1 version list shows all versions."
            raise _missing(self._connection, f"job {job} has {what}", remedy)
        return job_id, found[-1].version_id

    async def submit(
        self,
        body: "CreateTrainingJobRequestDict",
        *,
        unique: bool = False,
        timeout: float | None = None,  # noqa: ASYNC109 - the job is looked up at its end
    ) -> AsyncV1Job:
        """Create a job and its first version; if the response is lost, look the job up before trying again.

        With `unique` the name gets a random suffix.
        Gives up `timeout` seconds after the first attempt (120 by default), and after the setting `retries`.
        """
        request = job_request(body, unique=unique)
        created = await self._create(
            f"creating job {read(lambda: request['job_name'], str)}",
            partial(self._connection.v1.training_jobs.create_training_job, request),
            partial(self._created, request, is_name_unique=unique),
            name_taken=V1_NAME_TAKEN,
            is_name_unique=unique,
            timeout=timeout,
        )
        return self._listed(created)

    async def _created(
        self, request: "CreateTrainingJobRequestDict", since: float, limit_s: float, *, is_name_unique: bool
    ) -> "CreatedTrainingJob | None":
        """Find the job of this name that was created since then, if its newest version matches the request."""
        name = read(lambda: request["job_name"], str)
        for found in await self._search(name, limit=PAGE, limit_s=limit_s):
            if found.job_name == name and (is_name_unique or await self._is_made_of(found, request, since, limit_s)):
                return CreatedTrainingJob.from_dict(found.to_dict())
        return None

    async def _is_made_of(
        self, job: "TrainingJob", request: "CreateTrainingJobRequestDict", since: float, limit_s: float
    ) -> bool:
        if not is_since(job.create_time, since) or not repeats(job.job_desc, read(lambda: request["job_desc"], str)):
            return False
        if not (version_id := job.version_id):
            return True
        show = self._connection.v1.training_job_versions.show_training_job_version
        return is_same(await call_within_async(limit_s, lambda: show(job.job_id, version_id)), request["config"])

    async def submit_version(
        self,
        job: AnyV1Job,
        changes: "VersionChanges | None" = None,
        *,
        parameters: Mapping[str, Any] | None = None,
        version: AnyVersion = None,
    ) -> AsyncV1Job:
        """Create a version with the settings of an earlier one, changed by `changes`, fields of `config`.

        `parameters` are new values of hyperparameters.
        """
        before = await self.get(job, version)
        body = version_request(before.details, changes or {}, parameters or {})
        send = self._connection.v1.training_job_versions.create_training_job_version
        purpose, find = f"creating a version of job {before.job_id}", self._created_version
        created = await self._create(purpose, partial(send, before.job_id, body), partial(find, before.job_id, body))
        return self._listed(created)

    async def _created_version(
        self, job_id: int, body: "CreateTrainingJobVersionRequestDict", since: float, limit_s: float
    ) -> "CreatedTrainingJobVersion | None":
        """Find the version that was created since then with the same predecessor and settings."""
        config = body["config"]
        for version in reversed(await self._versions(job_id, limit_s)):
            is_next = version.pre_version_id == config["pre_version_id"]
            if is_next and is_since(version.create_time, since) and is_same(version, config):
                return CreatedTrainingJobVersion.from_dict({**version.to_dict(), "job_id": job_id})
        return None


def _missing(connection: AsyncConnection, fact: str, remedy: str) -> NotFound:
    """Return the error for a job that is not in the service's lists."""
    url = f"{connection.config.endpoint}/v1/{connection.config.project_id}/training-jobs"
    return NotFound(404, None, f"version 1 of the API: {fact}", remedy, None, "GET", url)


@dataclass(slots=True, eq=False)
class AsyncVersionLogs:
    """The logs of a version's nodes: of the first node, of `task` (`worker-1`, or a file), or of all."""

    _version: AsyncV1Job
    _task: str | None
    _all_tasks: bool
    _logs: "dict[str, AsyncRecordLog]" = field(default_factory=dict)
    unfinished: str = ""  # records are whole lines
    begun: str = ""

    async def open(self, limit_s: float) -> "Sequence[AsyncRecordLog]":
        """As `LogSource.open`; the list of log files is read as long as there are fewer logs than nodes.

        Raises ConfigError for a task that the version does not have.
        """
        if len(self._logs) < (self._version.nodes or 1 if self._all_tasks else 1):
            files = await self._version._log_files(limit_s)  # empty before the version has been started
            named = {f"worker-{index}": file for index, file in enumerate(files)}
            wanted = [name for name, file in named.items() if self._all_tasks or self._task in (None, name, file)]
            if named and not wanted:
                raise ConfigError(f"there is no task {self._task}: the version has {', '.join(named)}")
            for name in wanted if self._all_tasks else wanted[:1]:
                if name not in self._logs:
                    prefix = f"[{name}] " if self._all_tasks else ""
                    self._logs[name] = AsyncRecordLog(self._version, named[name], prefix)
        return [*self._logs.values()]


@dataclass(slots=True, eq=False)
class AsyncRecordLog:
    """The log of a node, as far as it has been read."""

    _version: AsyncV1Job
    _file: str
    _prefix: str
    _cursor: str | None = None
    has_new: bool = False
    is_behind: bool = False  # nothing is missing: the cursor continues at the end of the last piece
    is_read: bool = True

    async def read(self, limit_s: float, *, may_come: bool) -> AsyncIterator[Iterable[str]]:  # noqa: ARG002 - of logs that are behind
        """Yield the records after those that were read, while pieces are full; the first time, the whole log."""
        piece = await self._version._log_piece(limit_s, self._file, cursor=self._cursor)
        self.has_new = False
        earlier = await self._before(piece) if self._cursor is None else []
        while True:
            before, self._cursor = self._cursor, str(piece.end_line) if piece.end_line else self._cursor
            lines = [*earlier, *records(piece)]
            self.has_new = self.has_new or bool(lines)
            yield [f"{self._prefix}{line}" for line in lines]
            if (whole_number(piece.lines) or 0) < PIECE_LINES or self._cursor == before:
                return
            piece, earlier = await self._version._log_piece(PIECE_LIMIT_S, self._file, cursor=self._cursor), []

    def rest(self) -> Iterable[str]:
        """Return nothing, because records are whole lines."""
        return ()

    async def _before(self, piece: "LogLines") -> list[str]:
        """Return the records before a piece, from the start of the log; of long records a piece has few."""
        pieces: deque[list[str]] = deque()
        first = ""
        while piece.start_line and whole_number(piece.lines) and str(piece.start_line) != first:
            first = str(piece.start_line)
            piece = await self._version._log_piece(PIECE_LIMIT_S, self._file, cursor=first, order="asc")
            if str(piece.start_line) != first:
                pieces.appendleft(records(piece))
        return [line for lines in pieces for line in lines]


def records(piece: "LogLines") -> list[str]:
    """Split a piece into records, which empty lines separate; a record can be empty."""
    content, count = piece.content or "", whole_number(piece.lines) or 0
    found = content.removesuffix("\n").split("\n\n") if content and count else []
    return [line.strip("\r\n") for line in (found[:count] if len(found) > count else found)]
