# Generated from openapi/v1 by scripts/generate.py; do not edit.
"""The operations tagged `training_job_versions`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import partial

from modelarts_runtime.client import Client
from modelarts_runtime.pages import Cursor, walk, walk_async
from modelarts_runtime.types import UNSET, Unset

from ... import models


class TrainingJobVersions:
    """The operations tagged `training_job_versions`, bound to a client and a project."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    def create_training_job_version(
        self,
        job_id: int,
        body: models.CreateTrainingJobVersionRequestDict,
    ) -> models.CreatedTrainingJobVersion:
        """Create a version.

        Makes a further version of a job from a complete set of settings and starts it. The call returns at
        once, while the version is still initialising (status 1).

        Args:
            job_id: Id of a training job.
            body: The version.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: The request is rejected: a parameter is wrong (0101, 0104, 0107), or the operation
                    failed (0105). The same body may come with status 200.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/historical_apis/training_management_old_version/training_jobs/creating_a_version_of_a_training_job.rst
        """
        from . import create_training_job_version

        return create_training_job_version.sync(
            project_id=self._project_id,
            job_id=job_id,
            body=body,
            client=self._client,
        )

    def delete_training_job_version(
        self,
        job_id: int,
        version_id: int,
    ) -> models.Acknowledgement:
        """Delete a version.

        Removes a version of a job. The call returns before that has happened: the version is deleted when lists
        no longer contain it.

        Args:
            job_id: Id of a training job.
            version_id: Id of a version of the job.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: The request is rejected: a parameter is wrong (0101, 0104, 0107), or the operation
                    failed (0105). The same body may come with status 200.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/historical_apis/training_management_old_version/training_jobs/deleting_a_version_of_a_training_job.rst
        """
        from . import delete_training_job_version

        return delete_training_job_version.sync(
            project_id=self._project_id,
            job_id=job_id,
            version_id=version_id,
            client=self._client,
        )

    def list_training_job_versions(
        self,
        job_id: int,
        *,
        per_page: int | Unset = UNSET,
        page: int | Unset = UNSET,
    ) -> models.TrainingJobVersionList:
        """List versions of a job.

        All versions of a job, or one page of them, with settings and metrics.

        Args:
            job_id: Id of a training job.
            per_page: Entries per page. The service's default: 10.
            page: Number of the page, counted from 1. 0 turns paging off: one response has everything. The
                service's default: 0.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: The request is rejected: a parameter is wrong (0101, 0104, 0107), or the operation
                    failed (0105). The same body may come with status 200.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/historical_apis/training_management_old_version/training_jobs/obtaining_training_job_versions.rst
        """
        from . import list_training_job_versions

        return list_training_job_versions.sync(
            project_id=self._project_id,
            job_id=job_id,
            per_page=per_page,
            page=page,
            client=self._client,
        )

    def iter_training_job_versions(
        self,
        job_id: int,
        *,
        per_page: int | Unset = UNSET,
        page: int | Unset = UNSET,
    ) -> Iterator[models.TrainingJobVersion]:
        """List versions of a job, one by one from page to page.

        Asks for a page when its first record is wanted. A page has 1000 records, the most that is allowed,
        unless `per_page` says otherwise. Starts at `page`, or at the first page. No record comes twice:
        `version_id` identifies it. Records that come or go meanwhile move the others: some can be missed.

        Args:
            job_id: Id of a training job.
            per_page: Records per page; 1000 if left out.
            page: Where to start, counted in pages from 1.

        Raises:
            ApiError: the service rejects a page, as for `list_training_job_versions`.
            ValueError: at once, if `page` is not a position in the list.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/historical_apis/training_management_old_version/training_jobs/obtaining_training_job_versions.rst
        """
        from . import list_training_job_versions

        return walk(
            Cursor(list_training_job_versions.PAGES, {"per_page": per_page, "page": page}, self._client.offset_unit),
            partial(
                list_training_job_versions.sync,
                project_id=self._project_id,
                job_id=job_id,
                client=self._client,
            ),
        )

    def show_training_job_version(
        self,
        job_id: int,
        version_id: int,
    ) -> models.TrainingJobVersion:
        """Show a version.

        A version with its settings, its status and its metrics. This is the call to poll.

        Args:
            job_id: Id of a training job.
            version_id: Id of a version of the job.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: The request is rejected: a parameter is wrong (0101, 0104, 0107), or the operation
                    failed (0105). The same body may come with status 200.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/historical_apis/training_management_old_version/training_jobs/querying_the_details_about_a_training_job_version.rst
        """
        from . import show_training_job_version

        return show_training_job_version.sync(
            project_id=self._project_id,
            job_id=job_id,
            version_id=version_id,
            client=self._client,
        )

    def stop_training_job_version(
        self,
        job_id: int,
        version_id: int,
    ) -> models.Acknowledgement:
        """Stop a version.

        Cancels a running version. The call returns before that has happened: status 9 leads to 12.

        Args:
            job_id: Id of a training job.
            version_id: Id of a version of the job.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: The request is rejected: a parameter is wrong (0101, 0104, 0107), or the operation
                    failed (0105). The same body may come with status 200.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/historical_apis/training_management_old_version/training_jobs/stopping_a_training_job.rst
        """
        from . import stop_training_job_version

        return stop_training_job_version.sync(
            project_id=self._project_id,
            job_id=job_id,
            version_id=version_id,
            client=self._client,
        )


class AsyncTrainingJobVersions:
    """The operations tagged `training_job_versions`, bound to a client and a project; asynchronous."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    async def create_training_job_version(
        self,
        job_id: int,
        body: models.CreateTrainingJobVersionRequestDict,
    ) -> models.CreatedTrainingJobVersion:
        """Create a version; see `TrainingJobVersions.create_training_job_version`."""
        from . import create_training_job_version

        return await create_training_job_version.asyncio(
            project_id=self._project_id,
            job_id=job_id,
            body=body,
            client=self._client,
        )

    async def delete_training_job_version(
        self,
        job_id: int,
        version_id: int,
    ) -> models.Acknowledgement:
        """Delete a version; see `TrainingJobVersions.delete_training_job_version`."""
        from . import delete_training_job_version

        return await delete_training_job_version.asyncio(
            project_id=self._project_id,
            job_id=job_id,
            version_id=version_id,
            client=self._client,
        )

    async def list_training_job_versions(
        self,
        job_id: int,
        *,
        per_page: int | Unset = UNSET,
        page: int | Unset = UNSET,
    ) -> models.TrainingJobVersionList:
        """List versions of a job; see `TrainingJobVersions.list_training_job_versions`."""
        from . import list_training_job_versions

        return await list_training_job_versions.asyncio(
            project_id=self._project_id,
            job_id=job_id,
            per_page=per_page,
            page=page,
            client=self._client,
        )

    def iter_training_job_versions(
        self,
        job_id: int,
        *,
        per_page: int | Unset = UNSET,
        page: int | Unset = UNSET,
    ) -> AsyncIterator[models.TrainingJobVersion]:
        """List versions of a job, one by one; see `TrainingJobVersions.iter_training_job_versions`."""
        from . import list_training_job_versions

        return walk_async(
            Cursor(list_training_job_versions.PAGES, {"per_page": per_page, "page": page}, self._client.offset_unit),
            partial(
                list_training_job_versions.asyncio,
                project_id=self._project_id,
                job_id=job_id,
                client=self._client,
            ),
        )

    async def show_training_job_version(
        self,
        job_id: int,
        version_id: int,
    ) -> models.TrainingJobVersion:
        """Show a version; see `TrainingJobVersions.show_training_job_version`."""
        from . import show_training_job_version

        return await show_training_job_version.asyncio(
            project_id=self._project_id,
            job_id=job_id,
            version_id=version_id,
            client=self._client,
        )

    async def stop_training_job_version(
        self,
        job_id: int,
        version_id: int,
    ) -> models.Acknowledgement:
        """Stop a version; see `TrainingJobVersions.stop_training_job_version`."""
        from . import stop_training_job_version

        return await stop_training_job_version.asyncio(
            project_id=self._project_id,
            job_id=job_id,
            version_id=version_id,
            client=self._client,
        )
