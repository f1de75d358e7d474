# Generated from openapi/v1 by scripts/generate.py; do not edit.
"""The operations tagged `training_jobs`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import partial

from modelarts_runtime.client import Client
from modelarts_runtime.pages import Cursor, walk, walk_async
from modelarts_runtime.types import UNSET, Unset

from ... import models


class TrainingJobs:
    """The operations tagged `training_jobs`, bound to a client and a project."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    def create_training_job(
        self,
        body: models.CreateTrainingJobRequestDict,
    ) -> models.CreatedTrainingJob:
        """Create a training job.

        Makes a job with its first version, `V0001`, and starts it. The call returns at once, while the version
        is still initialising (status 1).

        Args:
            body: The job.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.0101, 0102, 0103, 0104, 0105, 0107, 0118): The job cannot be started: its
                    name is in use (0103), the workspace does not exist (0102), the quota is used up (0118), or
                    a parameter is wrong. The same body may come with status 200.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/historical_apis/training_management_old_version/training_jobs/creating_a_training_job.rst
        """
        from . import create_training_job

        return create_training_job.sync(
            project_id=self._project_id,
            body=body,
            client=self._client,
        )

    def delete_training_job(
        self,
        job_id: int,
    ) -> models.Acknowledgement:
        """Delete a training job.

        Removes a job with all its versions. The call returns before that has happened: the job is deleted when
        lists no longer contain it, and status 6 says that it failed.

        Args:
            job_id: Id of a training job.

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

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/historical_apis/training_management_old_version/training_jobs/deleting_a_training_job.rst
        """
        from . import delete_training_job

        return delete_training_job.sync(
            project_id=self._project_id,
            job_id=job_id,
            client=self._client,
        )

    def list_training_jobs(
        self,
        *,
        status: str | Unset = UNSET,
        per_page: int | Unset = UNSET,
        page: int | Unset = UNSET,
        sort_by: models.ListTrainingJobsSortBy | Unset = UNSET,
        order: models.ListTrainingJobsOrder | Unset = UNSET,
        search_content: str | Unset = UNSET,
        workspace_id: str | Unset = UNSET,
    ) -> models.TrainingJobList:
        """List training jobs.

        Jobs that meet conditions, sorted and in pages. If a job has several versions, the entry is about one of
        them.

        Args:
            status: Only jobs in this status, given by its number; all of them without it. The pages suggest
                that several numbers are possible, but not how they are written.
            per_page: Entries per page. The service's default: 10.
            page: Number of the page, counted from 1. The service's default: 1.
            sort_by: Member that the entries are sorted by. The service's default: 'job_name'.
            order: Ascending or descending. The service's default: 'asc'.
            search_content: Text to look for, in names for instance. The service's default: ''.
            workspace_id: Workspace whose jobs are meant. The service's default: '0'.

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

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/historical_apis/training_management_old_version/training_jobs/querying_a_training_job_list.rst
        """
        from . import list_training_jobs

        return list_training_jobs.sync(
            project_id=self._project_id,
            status=status,
            per_page=per_page,
            page=page,
            sort_by=sort_by,
            order=order,
            search_content=search_content,
            workspace_id=workspace_id,
            client=self._client,
        )

    def iter_training_jobs(
        self,
        *,
        status: str | Unset = UNSET,
        per_page: int | Unset = UNSET,
        page: int | Unset = UNSET,
        sort_by: models.ListTrainingJobsSortBy | Unset = UNSET,
        order: models.ListTrainingJobsOrder | Unset = UNSET,
        search_content: str | Unset = UNSET,
        workspace_id: str | Unset = UNSET,
    ) -> Iterator[models.TrainingJob]:
        """List training jobs, one by one from page to page.

        Asks for a page when its first record is wanted. A page has 1000 records, the most that is allowed,
        unless `per_page` says otherwise. Starts at `page`, or at the first page. No record comes twice:
        `job_id` identifies it. Records that come or go meanwhile move the others: some can be missed.

        Args:
            status: Only jobs in this status, given by its number; all of them without it. The pages suggest
                that several numbers are possible, but not how they are written.
            per_page: Records per page; 1000 if left out.
            page: Where to start, counted in pages from 1.
            sort_by: Member that the entries are sorted by. The service's default: 'job_name'.
            order: Ascending or descending. The service's default: 'asc'.
            search_content: Text to look for, in names for instance. The service's default: ''.
            workspace_id: Workspace whose jobs are meant. The service's default: '0'.

        Raises:
            ApiError: the service rejects a page, as for `list_training_jobs`.
            ValueError: at once, if `page` is not a position in the list.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/historical_apis/training_management_old_version/training_jobs/querying_a_training_job_list.rst
        """
        from . import list_training_jobs

        return walk(
            Cursor(list_training_jobs.PAGES, {"per_page": per_page, "page": page}, self._client.offset_unit),
            partial(
                list_training_jobs.sync,
                project_id=self._project_id,
                status=status,
                sort_by=sort_by,
                order=order,
                search_content=search_content,
                workspace_id=workspace_id,
                client=self._client,
            ),
        )

    def update_training_job(
        self,
        job_id: int,
        body: models.UpdateTrainingJobRequestDict,
    ) -> models.Acknowledgement:
        """Describe a training job.

        Replaces the description of a job. Nothing else about a job can be changed; new settings make a new
        version.

        Args:
            job_id: Id of a training job.
            body: The description.

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

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/historical_apis/training_management_old_version/training_jobs/modifying_the_description_of_a_training_job.rst
        """
        from . import update_training_job

        return update_training_job.sync(
            project_id=self._project_id,
            job_id=job_id,
            body=body,
            client=self._client,
        )


class AsyncTrainingJobs:
    """The operations tagged `training_jobs`, bound to a client and a project; asynchronous."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    async def create_training_job(
        self,
        body: models.CreateTrainingJobRequestDict,
    ) -> models.CreatedTrainingJob:
        """Create a training job; see `TrainingJobs.create_training_job`."""
        from . import create_training_job

        return await create_training_job.asyncio(
            project_id=self._project_id,
            body=body,
            client=self._client,
        )

    async def delete_training_job(
        self,
        job_id: int,
    ) -> models.Acknowledgement:
        """Delete a training job; see `TrainingJobs.delete_training_job`."""
        from . import delete_training_job

        return await delete_training_job.asyncio(
            project_id=self._project_id,
            job_id=job_id,
            client=self._client,
        )

    async def list_training_jobs(
        self,
        *,
        status: str | Unset = UNSET,
        per_page: int | Unset = UNSET,
        page: int | Unset = UNSET,
        sort_by: models.ListTrainingJobsSortBy | Unset = UNSET,
        order: models.ListTrainingJobsOrder | Unset = UNSET,
        search_content: str | Unset = UNSET,
        workspace_id: str | Unset = UNSET,
    ) -> models.TrainingJobList:
        """List training jobs; see `TrainingJobs.list_training_jobs`."""
        from . import list_training_jobs

        return await list_training_jobs.asyncio(
            project_id=self._project_id,
            status=status,
            per_page=per_page,
            page=page,
            sort_by=sort_by,
            order=order,
            search_content=search_content,
            workspace_id=workspace_id,
            client=self._client,
        )

    def iter_training_jobs(
        self,
        *,
        status: str | Unset = UNSET,
        per_page: int | Unset = UNSET,
        page: int | Unset = UNSET,
        sort_by: models.ListTrainingJobsSortBy | Unset = UNSET,
        order: models.ListTrainingJobsOrder | Unset = UNSET,
        search_content: str | Unset = UNSET,
        workspace_id: str | Unset = UNSET,
    ) -> AsyncIterator[models.TrainingJob]:
        """List training jobs, one by one; see `TrainingJobs.iter_training_jobs`."""
        from . import list_training_jobs

        return walk_async(
            Cursor(list_training_jobs.PAGES, {"per_page": per_page, "page": page}, self._client.offset_unit),
            partial(
                list_training_jobs.asyncio,
                project_id=self._project_id,
                status=status,
                sort_by=sort_by,
                order=order,
                search_content=search_content,
                workspace_id=workspace_id,
                client=self._client,
            ),
        )

    async def update_training_job(
        self,
        job_id: int,
        body: models.UpdateTrainingJobRequestDict,
    ) -> models.Acknowledgement:
        """Describe a training job; see `TrainingJobs.update_training_job`."""
        from . import update_training_job

        return await update_training_job.asyncio(
            project_id=self._project_id,
            job_id=job_id,
            body=body,
            client=self._client,
        )
