# Generated from openapi/iam by scripts/generate.py; do not edit.
"""The operations tagged `projects`."""

from __future__ import annotations

from modelarts_runtime.client import Client
from modelarts_runtime.types import UNSET, Unset

from ... import models


class Projects:
    """The operations tagged `projects`, bound to a client."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def list_projects(
        self,
        *,
        name: str | Unset = UNSET,
        domain_id: str | Unset = UNSET,
        parent_id: str | Unset = UNSET,
        enabled: bool | Unset = UNSET,
        is_domain: bool | Unset = UNSET,
    ) -> models.ProjectList:
        """List projects.

        The projects that the user can enter. A client that knows only its region finds the project id here: the
        project is named after the region.

        Args:
            name: Only the project of this name.
            domain_id: Only projects of the account with this id.
            parent_id: Only projects below the project or account with this id.
            enabled: Only projects that can be used, or only those that cannot.
            is_domain: Only entries that stand for an account, or only those that do not.

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
            domain_id=domain_id,
            parent_id=parent_id,
            enabled=enabled,
            is_domain=is_domain,
            client=self._client,
        )

    def list_user_domains(
        self,
    ) -> models.DomainList:
        """List the user's accounts.

        The accounts that the user of the token can choose as the scope of another token; there is one.

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

        Source: https://github.com/opentelekomcloud-docs/identity-access-management/blob/9d2eac9fd0f9940ede2c67284534aca0a35d79ea/api-ref/source/apis/tenant_management/querying_the_list_of_domains_accessible_to_users.rst
        """
        from . import list_user_domains

        return list_user_domains.sync(
            client=self._client,
        )

    def list_user_projects(
        self,
    ) -> models.ProjectList:
        """List the user's projects.

        The projects that the user of the token can choose as the scope of another token.

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

        Source: https://github.com/opentelekomcloud-docs/identity-access-management/blob/9d2eac9fd0f9940ede2c67284534aca0a35d79ea/api-ref/source/apis/project_management/querying_the_list_of_projects_accessible_to_users.rst
        """
        from . import list_user_projects

        return list_user_projects.sync(
            client=self._client,
        )

    def show_project(
        self,
        project: str,
    ) -> models.ProjectDetails:
        """Show a project.

        A project that the user can enter, by its id.

        Args:
            project: Id of the project.

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

        Source: https://github.com/opentelekomcloud-docs/identity-access-management/blob/9d2eac9fd0f9940ede2c67284534aca0a35d79ea/api-ref/source/apis/project_management/querying_information_about_a_specified_project.rst
        """
        from . import show_project

        return show_project.sync(
            project=project,
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
        domain_id: str | Unset = UNSET,
        parent_id: str | Unset = UNSET,
        enabled: bool | Unset = UNSET,
        is_domain: bool | Unset = UNSET,
    ) -> models.ProjectList:
        """List projects; see `Projects.list_projects`."""
        from . import list_projects

        return await list_projects.asyncio(
            name=name,
            domain_id=domain_id,
            parent_id=parent_id,
            enabled=enabled,
            is_domain=is_domain,
            client=self._client,
        )

    async def list_user_domains(
        self,
    ) -> models.DomainList:
        """List the user's accounts; see `Projects.list_user_domains`."""
        from . import list_user_domains

        return await list_user_domains.asyncio(
            client=self._client,
        )

    async def list_user_projects(
        self,
    ) -> models.ProjectList:
        """List the user's projects; see `Projects.list_user_projects`."""
        from . import list_user_projects

        return await list_user_projects.asyncio(
            client=self._client,
        )

    async def show_project(
        self,
        project: str,
    ) -> models.ProjectDetails:
        """Show a project; see `Projects.show_project`."""
        from . import show_project

        return await show_project.asyncio(
            project=project,
            client=self._client,
        )
