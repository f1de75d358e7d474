"""One connection to a project, with all its operations and workflows; making one, and its attributes, sends nothing."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, Unpack

import httpx

from modelarts_api.client import Client

from . import flows
from .auth import IamTokenAuth, TokenAuth
from .calls import CallOptions, call_options
from .config import Config, Settings
from .errors import ConfigError
from .flows import ASYNCIO, BLOCKING
from .job_state import AnyJob
from .jobs import stopping
from .log_cursor import LogCursor
from .logs import POLL as LOG_POLL
from .logs import following
from .projects import UNRESOLVED, ProjectClient
from .signing import AkSkAuth
from .submitting import JobRequest, submitting
from .transport import CONNECT_TIMEOUT_S, TIMEOUT, Network, Verify
from .waiting import POLL as WAIT_POLL
from .waiting import OnProgress, waiting

if TYPE_CHECKING:
    from modelarts_api import iam, v1, v2
    from modelarts_api.v2.models import TrainingJob

    from .job_handles import AsyncJobs, Jobs
    from .obs import AsyncObs, Obs
    from .v1_handles import AsyncV1Jobs, V1Jobs


class _Connection:
    """What both clients share: the settings, the login, and the HTTP clients made from them."""

    _is_async: bool

    def __init__(
        self,
        *,
        profile: str | None = None,
        cloud: str | None = None,
        config: Config | None = None,
        auth: httpx.Auth | None = None,
        transport: httpx.BaseTransport | httpx.AsyncBaseTransport | None = None,
        timeout: httpx.Timeout | float | None = None,
        verify: Verify = True,
        **settings: Unpack[Settings],
    ) -> None:
        """Take the settings from the arguments, the environment or a profile (see `modelarts_toolkit.config`).

        `cloud` names a cloud of OpenStack's `clouds.yaml`; `config` replaces all of these sources.
        `auth` replaces the login by token, password or keys, `transport` the network below the retries, `timeout` (in
        seconds) the setting `timeout_s`, and `verify` the certificates that are trusted, also by object storage.
        Raises ConfigError for what is missing; nothing is sent before the first call.
        """
        if config is not None and (profile or cloud or settings):
            raise ConfigError("give either a Config or the settings themselves, not both")
        self.config = config = config or Config.load(profile, cloud=cloud, **settings)
        self._auth = auth or auth_of(config)
        config.require("endpoint", *(() if config.project_id else ("iam_endpoint", "project_name")))
        self.network = Network(transport, is_async=self._is_async, config=config, verify=verify)
        limit_s = config.timeout_s
        of_settings = TIMEOUT if limit_s is None else httpx.Timeout(limit_s, connect=min(limit_s, CONNECT_TIMEOUT_S))
        self._timeout = of_settings if timeout is None else timeout
        read_s = timeout.read if isinstance(timeout, httpx.Timeout) else timeout
        self._obs_config = config if read_s is None else replace(config, timeout_s=read_s)
        self._verify: Verify = verify
        self._clients: list[Client] = []

    def __repr__(self) -> str:
        project = self.config.project_id or self.config.project_name
        return f"{type(self).__name__}(endpoint={self.config.endpoint!r}, project={project!r})"

    def options(
        self, *, timeout: float | None = None, headers: Mapping[str, str] | None = None
    ) -> AbstractContextManager[CallOptions]:
        """Give the calls of a `with` block a timeout in seconds and more headers, and report their responses.

            with ma.options(timeout=5) as call:
                job = ma.v2.training_jobs.show_training_job_details(job_id)
            print(call.request_id, call.status, call.response_headers)

        It holds for the calls of this thread or task.
        """
        return call_options(timeout, headers)

    def _client(self, setting: str) -> Client:
        return self._remember(Client(**self._arguments(setting)))

    def _arguments(self, setting: str) -> dict[str, Any]:
        """What a client of the endpoint is made with."""
        self.config.require(setting)
        endpoint = str(getattr(self.config, setting))
        # The login goes to IAM through whichever client needs it.
        others = [self.config.iam_endpoint] if self.config.iam_endpoint else []
        return {
            "base_url": endpoint,
            "timeout": self._timeout,
            "httpx_args": {"auth": self._auth_for(setting), **self.network.arguments(endpoint, *others)},
            "offset_unit": self.config.offset_unit or "page",
        }

    def _auth_for(self, setting: str) -> httpx.Auth:
        """The login for an endpoint; signed requests to IAM belong to no project."""
        return (
            self._auth.of_project(None)
            if setting == "iam_endpoint" and isinstance(self._auth, AkSkAuth)
            else self._auth
        )

    def _remember(self, client: Client) -> Client:
        self._clients.append(client)
        return client

    @cached_property
    def _identity(self) -> Client:
        return self._client("iam_endpoint")

    @cached_property
    def _training(self) -> Client:
        """The client of both versions of the training service."""
        if self.config.project_id is not None:
            return self._client("endpoint")
        arguments = self._arguments("endpoint")
        name = str(self.config.project_name)
        return self._remember(ProjectClient(**arguments, iam=self._identity, name=name, found=self._use_project))

    def _use_project(self, project_id: str) -> None:
        """Give the operations of later calls the id that was found for the project's name."""
        self.config = replace(self.config, project_id=project_id)
        if isinstance(self._auth, AkSkAuth):
            self._auth.project_id = project_id
        for api in (vars(self).get("v1"), vars(self).get("v2")):
            if api is not None:
                api.project_id = project_id


def auth_of(config: Config) -> httpx.Auth:
    """The login that the settings ask for; raises ConfigError for what is missing."""
    login = config.require_login()
    if login == "token":
        return TokenAuth(str(config.token))
    if login == "keys":
        return AkSkAuth(
            str(config.access_key),
            str(config.secret_key),
            security_token=config.security_token,
            project_id=config.project_id,
        )
    return IamTokenAuth(
        str(config.iam_endpoint),
        username=str(config.username),
        password=str(config.password),
        domain_name=str(config.domain_name),
        project_name=config.project_name,
        project_id=config.project_id,
    )


class ModelArts(_Connection):
    """ModelArts, IAM and object storage of one project; a context manager that closes its connections.

    The generated operations are `v2`, `v1` and `iam`, such as `ma.v2.training_jobs.show_training_job_details(job_id)`.
    """

    _is_async = False

    @cached_property
    def iam(self) -> "iam.Api":
        """The operations of the identity service."""
        from modelarts_api.iam import Api

        return Api(self._identity)

    @cached_property
    def v2(self) -> "v2.Api":
        """The operations of the training service; the first call logs in, and asks for the project's id if need be."""
        from modelarts_api.v2 import Api

        return Api(self._training, self.config.project_id or UNRESOLVED)

    @cached_property
    def v1(self) -> "v1.Api":
        """The operations of the training service's first version."""
        from modelarts_api.v1 import Api

        return Api(self._training, self.config.project_id or UNRESOLVED)

    @cached_property
    def obs(self) -> "Obs":
        """Object storage; raises ConfigError without its endpoint and keys."""
        from .obs import Obs

        return Obs(self._obs_config, verify=self._verify)

    @cached_property
    def jobs(self) -> "Jobs":
        """Training jobs by id or name, as handles with `.id`, `.phase`, `.wait()`, `.logs()`, `.download()`, ..."""
        from .job_handles import Jobs

        return Jobs(self)

    @cached_property
    def v1_jobs(self) -> "V1Jobs":
        """Training jobs of the first version, by id or name: submit, wait, logs, versions, ..."""
        from .v1_handles import V1Jobs

        return V1Jobs(self)

    def submit(self, body: JobRequest, *, unique: bool = False, timeout: float | None = None) -> "TrainingJob":
        """Create a training job; if the response gets lost, look the job up by its name before trying again.

        Hyperparameters may be numbers and booleans; with `unique` the name gets a random suffix.
        It is created at most once if names are unique in the project and searches are up to date, as the service's
        pages suggest.
        Gives up `timeout` seconds after the first attempt (120 by default), and after the setting `retries`.
        Raises Conflict if the name belongs to another job.
        """
        return flows.run(
            submitting(
                self.v2,
                body,
                BLOCKING,
                self.network.service_time,
                unique=unique,
                timeout=timeout,
                retries=self.config.retries,
            )
        )

    def stop(self, job: AnyJob) -> "TrainingJob":
        """Stop a job; returns it at once, in phase Terminating."""
        return flows.run(stopping(self.v2, job))

    def wait(
        self,
        job: AnyJob,
        *,
        timeout: float | None = None,
        poll: tuple[float, float] = WAIT_POLL,
        on_progress: OnProgress | None = None,
    ) -> "TrainingJob":
        """Wait for the job's end: the completed job, or JobFailed, JobStopped, WaitTimeout.

        Returns within `timeout` seconds whatever the service does; without a single response the last call's error is
        raised, and 0 asks once, with the timeouts of a single call.
        While calls fail, it retries for 300 s, logs each failure, and reports it to `on_progress`, which also hears of
        every response.
        `poll` is the shortest and the longest pause between two polls, in seconds.
        """
        return flows.run(waiting(lambda: self.v2, job, BLOCKING, timeout=timeout, poll=poll, on_progress=on_progress))

    def follow_logs(
        self,
        job: AnyJob,
        task: str | None = None,
        *,
        all_tasks: bool = False,
        cursor: LogCursor | None = None,
        poll: tuple[float, float] = LOG_POLL,
        on_progress: OnProgress | None = None,
    ) -> Iterator[str]:
        """Yield the log lines of a task (the first one by default) as they come, until the job has ended.

        With `all_tasks` those of every task, such as `[worker-1] epoch 3`; a `cursor` continues where it was.
        No line comes twice, and none is left out, however many come at once: what a preview no longer shows is read
        from the log's file. A line starting with `[modelarts-toolkit]` says where the service has no such file.
        While calls fail, it retries for 300 s, as `wait` does.
        """
        return flows.stream(
            following(
                lambda: self.v2,
                self.network.fetch,
                job,
                BLOCKING,
                task=task,
                all_tasks=all_tasks,
                cursor=cursor,
                poll=poll,
                on_progress=on_progress,
            )
        )

    def close(self) -> None:
        """Close all connections."""
        for client in self._clients:
            client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncModelArts(_Connection):
    """The asynchronous twin of `ModelArts`, for one event loop; use it with `async with`."""

    _is_async = True

    @cached_property
    def iam(self) -> "iam.AsyncApi":
        """The operations of the identity service."""
        from modelarts_api.iam import AsyncApi

        return AsyncApi(self._identity)

    @cached_property
    def v2(self) -> "v2.AsyncApi":
        """As `ModelArts.v2`."""
        from modelarts_api.v2 import AsyncApi

        return AsyncApi(self._training, self.config.project_id or UNRESOLVED)

    @cached_property
    def v1(self) -> "v1.AsyncApi":
        """The operations of the training service's first version."""
        from modelarts_api.v1 import AsyncApi

        return AsyncApi(self._training, self.config.project_id or UNRESOLVED)

    @cached_property
    def obs(self) -> "AsyncObs":
        """Object storage; raises ConfigError without its endpoint and keys."""
        from .obs import AsyncObs

        return AsyncObs(self._obs_config, verify=self._verify)

    @cached_property
    def jobs(self) -> "AsyncJobs":
        """As `ModelArts.jobs`."""
        from .job_handles import AsyncJobs

        return AsyncJobs(self)

    @cached_property
    def v1_jobs(self) -> "AsyncV1Jobs":
        """As `ModelArts.v1_jobs`."""
        from .v1_handles import AsyncV1Jobs

        return AsyncV1Jobs(self)

    async def submit(
        self,
        body: JobRequest,
        *,
        unique: bool = False,
        timeout: float | None = None,  # noqa: ASYNC109 - the job is looked up at its end
    ) -> "TrainingJob":
        """As `ModelArts.submit`."""
        return await flows.run_async(
            submitting(
                self.v2,
                body,
                ASYNCIO,
                self.network.service_time,
                unique=unique,
                timeout=timeout,
                retries=self.config.retries,
            )
        )

    async def stop(self, job: AnyJob) -> "TrainingJob":
        """As `ModelArts.stop`."""
        return await flows.run_async(stopping(self.v2, job))

    async def wait(
        self,
        job: AnyJob,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - limits the wait; the job keeps running
        poll: tuple[float, float] = WAIT_POLL,
        on_progress: OnProgress | None = None,
    ) -> "TrainingJob":
        """As `ModelArts.wait`."""
        return await flows.run_async(
            waiting(lambda: self.v2, job, ASYNCIO, timeout=timeout, poll=poll, on_progress=on_progress)
        )

    def follow_logs(
        self,
        job: AnyJob,
        task: str | None = None,
        *,
        all_tasks: bool = False,
        cursor: LogCursor | None = None,
        poll: tuple[float, float] = LOG_POLL,
        on_progress: OnProgress | None = None,
    ) -> AsyncIterator[str]:
        """As `ModelArts.follow_logs`."""
        return flows.stream_async(
            following(
                lambda: self.v2,
                self.network.fetch,
                job,
                ASYNCIO,
                task=task,
                all_tasks=all_tasks,
                cursor=cursor,
                poll=poll,
                on_progress=on_progress,
            )
        )

    async def aclose(self) -> None:
        """Close all connections."""
        for client in self._clients:
            await client.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
