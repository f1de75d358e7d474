# Generated from openapi/v2 by scripts/generate.py; do not edit.
"""The operations tagged `flavors`."""

from __future__ import annotations

from modelarts_runtime.client import Client
from modelarts_runtime.types import UNSET, Unset

from ... import models


class Flavors:
    """The operations tagged `flavors`, bound to a client and a project."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    def show_training_flavor_max_available_resource(
        self,
        *,
        flavor_id: str,
        pool_id: str,
    ) -> models.AvailableResource:
        """Show what a pool can offer.

        The most cores and memory that a resource pool can still give to a task of the flavor.

        Args:
            flavor_id: Id of the flavor.
            pool_id: Id of the resource pool.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: There is no such workspace (0102), or a parameter or the body is not right.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: Index of 2026-11-12; huaweicloudsdkmodelarts 3.1.219
        """
        from . import show_training_flavor_max_available_resource

        return show_training_flavor_max_available_resource.sync(
            project_id=self._project_id,
            flavor_id=flavor_id,
            pool_id=pool_id,
            client=self._client,
        )

    def show_training_job_flavors(
        self,
        *,
        flavor_type: models.ShowTrainingJobFlavorsFlavorType | Unset = UNSET,
        pool_id: str | Unset = UNSET,
        support_engines: str | Unset = UNSET,
        support_groups: str | Unset = UNSET,
    ) -> models.FlavorList:
        """List flavors for training jobs.

        The flavors of the public pool, with the limit on nodes that a job has to respect. Dedicated pools are
        not among them.

        Args:
            flavor_type: Only flavors with this kind of processor; all of them without it.
            pool_id: Only flavors of this resource pool.
            support_engines: Only flavors for these engines, a JSON list as a text.
            support_groups: Only flavors for this group of users. The service's default: 'public'.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.2764, 2788, 2858): A parameter is unknown or has no valid value.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/training_management/obtaining_the_general_specifications_supported_by_a_training_job.rst
        """
        from . import show_training_job_flavors

        return show_training_job_flavors.sync(
            project_id=self._project_id,
            flavor_type=flavor_type,
            pool_id=pool_id,
            support_engines=support_engines,
            support_groups=support_groups,
            client=self._client,
        )


class AsyncFlavors:
    """The operations tagged `flavors`, bound to a client and a project; asynchronous."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    async def show_training_flavor_max_available_resource(
        self,
        *,
        flavor_id: str,
        pool_id: str,
    ) -> models.AvailableResource:
        """Show what a pool can offer; see `Flavors.show_training_flavor_max_available_resource`."""
        from . import show_training_flavor_max_available_resource

        return await show_training_flavor_max_available_resource.asyncio(
            project_id=self._project_id,
            flavor_id=flavor_id,
            pool_id=pool_id,
            client=self._client,
        )

    async def show_training_job_flavors(
        self,
        *,
        flavor_type: models.ShowTrainingJobFlavorsFlavorType | Unset = UNSET,
        pool_id: str | Unset = UNSET,
        support_engines: str | Unset = UNSET,
        support_groups: str | Unset = UNSET,
    ) -> models.FlavorList:
        """List flavors for training jobs; see `Flavors.show_training_job_flavors`."""
        from . import show_training_job_flavors

        return await show_training_job_flavors.asyncio(
            project_id=self._project_id,
            flavor_type=flavor_type,
            pool_id=pool_id,
            support_engines=support_engines,
            support_groups=support_groups,
            client=self._client,
        )
