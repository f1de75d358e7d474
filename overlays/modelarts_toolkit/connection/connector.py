"""What the clients of both kinds are made of: the settings, the login, and the HTTP clients made from them.

Source of the lookup of a project's id: the page "Obtaining a Project ID".
"""

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

import httpx

from modelarts_api.client import Call, Client
from modelarts_api.types import UNSET, Unset
from modelarts_runtime.per_loop import PerLoop
from modelarts_toolkit.auth.access_keys import AkSkAuth
from modelarts_toolkit.auth.tokens import IamTokenAuth, TokenAuth
from modelarts_toolkit.errors import ApiError, ConfigError
from modelarts_toolkit.http.transport import CONNECT_TIMEOUT_S, TIMEOUT, Network, Verify
from modelarts_toolkit.settings.config import Config, Settings

if TYPE_CHECKING:
    from modelarts_api.iam.models import ProjectList


UNRESOLVED = "project-id-not-known-yet"  # stands in paths for the id


class ProjectClient(Client):
    """Knows its project by name, and puts its id into paths when it makes its first call; one lookup for all threads.

    `iam` is the client of the identity service, `found` is called with the id.
    Calls raise ConfigError if the user has not exactly one project of this name.
    """

    def __init__(self, base_url: str, *, iam: Client, name: str, found: Callable[[str], object], **arguments: Any):
        super().__init__(base_url, **arguments)
        self._iam = iam
        self._name = name
        self._found = found
        self._id: str | None = None
        self._thread_lock = PerLoop(threading.Lock)
        self._task_lock = PerLoop(asyncio.Lock)

    def request(self, method: str, url: str, **arguments: Any) -> httpx.Response:
        """As `Client.request`."""
        if UNRESOLVED in url and self._id is None:
            from modelarts_api.iam import Api

            with self._thread_lock.of_process():
                if self._id is None:
                    self._accept(Api(self._iam).projects.list_projects(name=self._name))
        return super().request(method, self._with_id(url), **arguments)

    async def request_async(self, method: str, url: str, **arguments: Any) -> httpx.Response:
        """As `Client.request_async`."""
        if UNRESOLVED in url and self._id is None:
            from modelarts_api.iam import AsyncApi

            async with self._task_lock.of_loop():
                if self._id is None:
                    self._accept(await AsyncApi(self._iam).projects.list_projects(name=self._name))
        return await super().request_async(method, self._with_id(url), **arguments)

    def _with_id(self, url: str) -> str:
        return url if self._id is None else url.replace(UNRESOLVED, self._id, 1)

    def _accept(self, response: "ProjectList") -> None:
        ids = [project.id for project in response.projects if getattr(project, "name", None) == self._name]
        if len(ids) != 1 or not isinstance(ids[0], str):
            found = f"{len(ids)} projects" if ids else "no project"
            raise ConfigError(f'IAM knows {found} named "{self._name}" for this user: set MODELARTS_PROJECT_ID')
        self._found(ids[0])
        self._id = ids[0]


class Connector:
    """The settings, the login, and the HTTP clients made from them; making one sends nothing."""

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
        """Take the settings from the arguments, the environment or a profile (see `modelarts_toolkit.settings.config`).

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
        self._network = Network(transport, config=config, verify=verify)
        limit_s = config.timeout_s
        of_settings = TIMEOUT if limit_s is None else httpx.Timeout(limit_s, connect=min(limit_s, CONNECT_TIMEOUT_S))
        self._timeout = of_settings if timeout is None else timeout
        read_s = timeout.read if isinstance(timeout, httpx.Timeout) else timeout
        self._obs_config = config if read_s is None else replace(config, timeout_s=read_s)
        self._verify: Verify = verify
        self._clients: list[Client] = []
        self._not_offered: set[str] = set()

    def __repr__(self) -> str:
        project = self.config.project_id or self.config.project_name
        return f"{type(self).__name__}(endpoint={self.config.endpoint!r}, project={project!r})"

    def options(
        self,
        *,
        timeout: float | httpx.Timeout | Unset | None = UNSET,
        headers: Mapping[str, str] | None = None,
        retries: int | None = None,
    ) -> Call:
        """Options of the calls in a block, and their responses: `with ma.options(timeout=5) as call: ...`.

        As `modelarts_api.client.Client.options`, for all calls to ModelArts and IAM, also those that `jobs` and
        `v1_jobs` make. `retries` is the maximum for one request, and `timeout` counts anew for each of them.
        A login that a call waits for has the timeout and the retries of the call, but not its headers, and is not in
        `responses`. A lookup of the project's id is a call like others. Object storage (`obs`, uploads and downloads)
        has no options.
        """
        return Call(self._clients, timeout=timeout, headers=headers, retries=retries)

    @contextmanager
    def optional(self, operation_id: str) -> Iterator[bool]:
        """Say whether to call an operation that not every cloud has, and pass over its response if this one has not.

        Which operations there are is learned from responses, not from the name of a cloud: no such path (404 without
        a code of the service), not implemented (501), or not allowed for this user (403). It is remembered.
        """
        try:
            yield operation_id not in self._not_offered
        except ApiError as error:
            is_path_unknown = error.status == 404 and not str(error.error_code).startswith("ModelArts.")
            if not is_path_unknown and error.status not in (403, 501):
                raise
            self._not_offered.add(operation_id)

    def _client(self, setting: str, kind: type[Client] = Client, **more: Any) -> Client:
        """Make the client of an endpoint, of this kind and with its own arguments."""
        self.config.require(setting)
        endpoint = str(getattr(self.config, setting))
        auth = self._auth
        if setting == "iam_endpoint" and isinstance(auth, AkSkAuth):
            auth = auth.of_project(None)  # signed requests to IAM belong to no project
        # The login goes to IAM through whichever client needs it.
        others = [self.config.iam_endpoint] if self.config.iam_endpoint else []
        httpx_args = {"auth": auth, **self._network.arguments(endpoint, *others)}
        unit = self.config.offset_unit or "page"
        client = kind(endpoint, timeout=self._timeout, httpx_args=httpx_args, offset_unit=unit, **more)
        self._clients.append(client)
        return client

    @property
    def _project_id(self) -> str:
        """The project's id, or what stands in paths for it until the first call has asked for it."""
        return self.config.project_id or UNRESOLVED

    @cached_property
    def _identity(self) -> Client:
        return self._client("iam_endpoint")

    @cached_property
    def _training(self) -> Client:
        """The client of both versions of the training service."""
        if self.config.project_id is not None:
            return self._client("endpoint")
        name = str(self.config.project_name)
        return self._client("endpoint", ProjectClient, iam=self._identity, name=name, found=self._use_project)

    def _use_project(self, project_id: str) -> None:
        """Give the operations of later calls the id that was found for the project's name."""
        self.config = replace(self.config, project_id=project_id)
        if isinstance(self._auth, AkSkAuth):
            self._auth.project_id = project_id
        for api in vars(self).values():  # those that were used already
            if getattr(api, "project_id", None) == UNRESOLVED:
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
