"""A connection that knows its project by name only, and asks for the id when it makes its first call.

Source: the page "Obtaining a Project ID".
"""

import asyncio
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import httpx

from modelarts_api.client import Client
from modelarts_toolkit.errors import ConfigError

if TYPE_CHECKING:
    from modelarts_api.iam.models import ProjectList

UNRESOLVED = "project-id-not-known-yet"  # stands in paths for the id


class ProjectClient(Client):
    """Puts the id of the project called `name` into paths; one lookup for all threads and tasks.

    `iam` is the client of the identity service, `found` is called with the id.
    Calls raise ConfigError if the user has not exactly one project of this name.
    """

    def __init__(self, base_url: str, *, iam: Client, name: str, found: Callable[[str], object], **arguments: Any):
        super().__init__(base_url, **arguments)
        self._iam = iam
        self._name = name
        self._found = found
        self._id: str | None = None
        self._thread_lock = threading.Lock()
        self._task_lock = asyncio.Lock()

    def request(self, method: str, url: str, **arguments: Any) -> httpx.Response:
        """As `Client.request`."""
        if UNRESOLVED in url and self._id is None:
            from modelarts_api.iam import Api

            with self._thread_lock:
                if self._id is None:
                    self._accept(Api(self._iam).projects.list_projects(name=self._name))
        return super().request(method, self._with_id(url), **arguments)

    async def request_async(self, method: str, url: str, **arguments: Any) -> httpx.Response:
        """As `Client.request_async`."""
        if UNRESOLVED in url and self._id is None:
            from modelarts_api.iam import AsyncApi

            async with self._task_lock:
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
