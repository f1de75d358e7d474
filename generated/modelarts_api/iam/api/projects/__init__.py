# Generated from openapi/iam by scripts/generate.py; do not edit.
"""The operations tagged `projects`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from functools import partial
from typing import Any

from ....client import Client
from ....pages import Cursor, walk, walk_async
from ....types import UNSET, Unset
from ... import models


class Projects:
    """The operations tagged `projects`, bound to a client."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def list_projects(
        self,
        *,
        name: str | Unset = UNSET,
    ) -> models.ProjectList:
        """List projects.

        The projects that the user can enter. A client that knows only its region finds the project id here: the
        project is named after the region.

        Args:
            name: Only the project of this name.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: The body or a parameter is malformed.
                401: User or password is wrong, or the token is missing or expired.
                403: The user may not do this.
                404: There is no such thing.
                429: Too many calls; wait before the next one.
                500: The service failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/appendix/obtaining_a_project_id_and_name.rst
        """
        from . import list_projects

        return list_projects.sync(
            name=name,
            client=self._client,
        )


class AsyncProjects:
    """The operations tagged `projects`, bound to a client; asynchronous."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def list_projects(
        self,
        *,
        name: str | Unset = UNSET,
    ) -> models.ProjectList:
        """List projects.

        The projects that the user can enter. A client that knows only its region finds the project id here: the
        project is named after the region.

        Args:
            name: Only the project of this name.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: The body or a parameter is malformed.
                401: User or password is wrong, or the token is missing or expired.
                403: The user may not do this.
                404: There is no such thing.
                429: Too many calls; wait before the next one.
                500: The service failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/appendix/obtaining_a_project_id_and_name.rst
        """
        from . import list_projects

        return await list_projects.asyncio(
            name=name,
            client=self._client,
        )
