# Generated from openapi/v1 by scripts/generate.py; do not edit.
"""The operations tagged `visualization_jobs`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import partial

from modelarts_runtime.client import Client
from modelarts_runtime.pages import Cursor, walk, walk_async
from modelarts_runtime.types import UNSET, Unset

from ... import models


class VisualizationJobs:
    """The operations tagged `visualization_jobs`, bound to a client and a project."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    def create_visualization_job(
        self,
        body: models.CreateVisualizationJobRequestDict,
    ) -> models.CreatedVisualizationJob:
        """Create a visualization job.

        Starts a tool that shows the results of a training, such as TensorBoard. The call returns at once;
        `service_url` appears when the job runs.

        Args:
            body: The job.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.0101, 0103, 0104, 0105, 0107, 0118): The job cannot be started: its name is
                    in use (0103), the quota is used up (0118), or a parameter is wrong. The same body may come
                    with status 200.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/historical_apis/training_management_old_version/visualization_jobs/creating_a_visualization_job.rst
        """
        from . import create_visualization_job

        return create_visualization_job.sync(
            project_id=self._project_id,
            body=body,
            client=self._client,
        )

    def delete_visualization_job(
        self,
        job_id: int,
    ) -> models.Acknowledgement:
        """Delete a visualization job.

        Removes a job, unless it is being cancelled (status 9). The call returns before that has happened.

        Args:
            job_id: Id of a visualization job.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.0101, 0104, 0105, 0107): There is no such job, or its status does not allow
                    it (0105). The same body may come with status 200.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/historical_apis/training_management_old_version/visualization_jobs/deleting_a_visualization_job.rst
        """
        from . import delete_visualization_job

        return delete_visualization_job.sync(
            project_id=self._project_id,
            job_id=job_id,
            client=self._client,
        )

    def list_visualization_jobs(
        self,
        *,
        status: str | Unset = UNSET,
        per_page: int | Unset = UNSET,
        page: int | Unset = UNSET,
        sort_by: models.ListVisualizationJobsSortBy | Unset = UNSET,
        order: models.ListVisualizationJobsOrder | Unset = UNSET,
        search_content: str | Unset = UNSET,
        workspace_id: str | Unset = UNSET,
    ) -> models.VisualizationJobList:
        """List visualization jobs.

        Visualization jobs that meet conditions, sorted and in pages.

        Args:
            status: Only jobs in this status, given by its number; all of them without it. The pages suggest
                that several numbers are possible, but not how they are written.
            per_page: Entries per page. The service's default: 10.
            page: Number of the page, counted from 1. The service's default: 1.
            sort_by: Member that the entries are sorted by. The service's default: 'job_id'.
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

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/historical_apis/training_management_old_version/visualization_jobs/querying_a_visualization_job_list.rst
        """
        from . import list_visualization_jobs

        return list_visualization_jobs.sync(
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

    def iter_visualization_jobs(
        self,
        *,
        status: str | Unset = UNSET,
        per_page: int | Unset = UNSET,
        page: int | Unset = UNSET,
        sort_by: models.ListVisualizationJobsSortBy | Unset = UNSET,
        order: models.ListVisualizationJobsOrder | Unset = UNSET,
        search_content: str | Unset = UNSET,
        workspace_id: str | Unset = UNSET,
    ) -> Iterator[models.VisualizationJobSummary]:
        """List visualization jobs, one by one from page to page.

        Asks for a page when its first record is wanted. A page has 1000 records, the most that is allowed,
        unless `per_page` says otherwise. Starts at `page`, or at the first page. No record comes twice:
        `job_id` identifies it. Records that come or go meanwhile move the others: some can be missed.

        Args:
            status: Only jobs in this status, given by its number; all of them without it. The pages suggest
                that several numbers are possible, but not how they are written.
            per_page: Records per page; 1000 if left out.
            page: Where to start, counted in pages from 1.
            sort_by: Member that the entries are sorted by. The service's default: 'job_id'.
            order: Ascending or descending. The service's default: 'asc'.
            search_content: Text to look for, in names for instance. The service's default: ''.
            workspace_id: Workspace whose jobs are meant. The service's default: '0'.

        Raises:
            ApiError: the service rejects a page, as for `list_visualization_jobs`.
            ValueError: at once, if `page` is not a position in the list.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/historical_apis/training_management_old_version/visualization_jobs/querying_a_visualization_job_list.rst
        """
        from . import list_visualization_jobs

        return walk(
            Cursor(list_visualization_jobs.PAGES, {"per_page": per_page, "page": page}, self._client.offset_unit),
            partial(
                list_visualization_jobs.sync,
                project_id=self._project_id,
                status=status,
                sort_by=sort_by,
                order=order,
                search_content=search_content,
                workspace_id=workspace_id,
                client=self._client,
            ),
        )

    def restart_visualization_job(
        self,
        job_id: int,
    ) -> models.Acknowledgement:
        """Restart a visualization job.

        Starts a job again that no longer runs. The call returns before that has happened.

        Args:
            job_id: Id of a visualization job.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.0101, 0104, 0105, 0107): There is no such job, or it is running (0105). The
                    same body may come with status 200.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/historical_apis/training_management_old_version/visualization_jobs/restarting_a_visualization_job.rst
        """
        from . import restart_visualization_job

        return restart_visualization_job.sync(
            project_id=self._project_id,
            job_id=job_id,
            client=self._client,
        )

    def show_visualization_job(
        self,
        job_id: int,
    ) -> models.VisualizationJob:
        """Show a visualization job.

        A visualization job with its status and the address of its tool.

        Args:
            job_id: Id of a visualization job.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.0101, 0104, 0105, 0107): There is no such job, or a parameter is wrong
                    (0104). Unlike other error responses, this one has no `is_success`. The same body may come
                    with status 200.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/historical_apis/training_management_old_version/visualization_jobs/querying_the_details_about_a_visualization_job.rst
        """
        from . import show_visualization_job

        return show_visualization_job.sync(
            project_id=self._project_id,
            job_id=job_id,
            client=self._client,
        )

    def stop_visualization_job(
        self,
        job_id: int,
    ) -> models.Acknowledgement:
        """Stop a visualization job.

        Cancels a job that has not ended yet. The call returns before that has happened.

        Args:
            job_id: Id of a visualization job.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.0101, 0104, 0105, 0107): There is no such job, or it has ended (0105). The
                    same body may come with status 200.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/historical_apis/training_management_old_version/visualization_jobs/stopping_a_visualization_job.rst
        """
        from . import stop_visualization_job

        return stop_visualization_job.sync(
            project_id=self._project_id,
            job_id=job_id,
            client=self._client,
        )

    def update_visualization_job(
        self,
        job_id: int,
        body: models.UpdateVisualizationJobRequestDict,
    ) -> models.Acknowledgement:
        """Describe a visualization job.

        Replaces the description of a job. Nothing else about a job can be changed.

        Args:
            job_id: Id of a visualization job.
            body: The description.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.0101, 0104, 0105, 0107): There is no such job, or a parameter is wrong
                    (0104). The same body may come with status 200.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/historical_apis/training_management_old_version/visualization_jobs/modifying_the_description_of_a_visualization_job.rst
        """
        from . import update_visualization_job

        return update_visualization_job.sync(
            project_id=self._project_id,
            job_id=job_id,
            body=body,
            client=self._client,
        )


class AsyncVisualizationJobs:
    """The operations tagged `visualization_jobs`, bound to a client and a project; asynchronous."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    async def create_visualization_job(
        self,
        body: models.CreateVisualizationJobRequestDict,
    ) -> models.CreatedVisualizationJob:
        """Create a visualization job; see `VisualizationJobs.create_visualization_job`."""
        from . import create_visualization_job

        return await create_visualization_job.asyncio(
            project_id=self._project_id,
            body=body,
            client=self._client,
        )

    async def delete_visualization_job(
        self,
        job_id: int,
    ) -> models.Acknowledgement:
        """Delete a visualization job; see `VisualizationJobs.delete_visualization_job`."""
        from . import delete_visualization_job

        return await delete_visualization_job.asyncio(
            project_id=self._project_id,
            job_id=job_id,
            client=self._client,
        )

    async def list_visualization_jobs(
        self,
        *,
        status: str | Unset = UNSET,
        per_page: int | Unset = UNSET,
        page: int | Unset = UNSET,
        sort_by: models.ListVisualizationJobsSortBy | Unset = UNSET,
        order: models.ListVisualizationJobsOrder | Unset = UNSET,
        search_content: str | Unset = UNSET,
        workspace_id: str | Unset = UNSET,
    ) -> models.VisualizationJobList:
        """List visualization jobs; see `VisualizationJobs.list_visualization_jobs`."""
        from . import list_visualization_jobs

        return await list_visualization_jobs.asyncio(
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

    def iter_visualization_jobs(
        self,
        *,
        status: str | Unset = UNSET,
        per_page: int | Unset = UNSET,
        page: int | Unset = UNSET,
        sort_by: models.ListVisualizationJobsSortBy | Unset = UNSET,
        order: models.ListVisualizationJobsOrder | Unset = UNSET,
        search_content: str | Unset = UNSET,
        workspace_id: str | Unset = UNSET,
    ) -> AsyncIterator[models.VisualizationJobSummary]:
        """List visualization jobs, one by one; see `VisualizationJobs.iter_visualization_jobs`."""
        from . import list_visualization_jobs

        return walk_async(
            Cursor(list_visualization_jobs.PAGES, {"per_page": per_page, "page": page}, self._client.offset_unit),
            partial(
                list_visualization_jobs.asyncio,
                project_id=self._project_id,
                status=status,
                sort_by=sort_by,
                order=order,
                search_content=search_content,
                workspace_id=workspace_id,
                client=self._client,
            ),
        )

    async def restart_visualization_job(
        self,
        job_id: int,
    ) -> models.Acknowledgement:
        """Restart a visualization job; see `VisualizationJobs.restart_visualization_job`."""
        from . import restart_visualization_job

        return await restart_visualization_job.asyncio(
            project_id=self._project_id,
            job_id=job_id,
            client=self._client,
        )

    async def show_visualization_job(
        self,
        job_id: int,
    ) -> models.VisualizationJob:
        """Show a visualization job; see `VisualizationJobs.show_visualization_job`."""
        from . import show_visualization_job

        return await show_visualization_job.asyncio(
            project_id=self._project_id,
            job_id=job_id,
            client=self._client,
        )

    async def stop_visualization_job(
        self,
        job_id: int,
    ) -> models.Acknowledgement:
        """Stop a visualization job; see `VisualizationJobs.stop_visualization_job`."""
        from . import stop_visualization_job

        return await stop_visualization_job.asyncio(
            project_id=self._project_id,
            job_id=job_id,
            client=self._client,
        )

    async def update_visualization_job(
        self,
        job_id: int,
        body: models.UpdateVisualizationJobRequestDict,
    ) -> models.Acknowledgement:
        """Describe a visualization job; see `VisualizationJobs.update_visualization_job`."""
        from . import update_visualization_job

        return await update_visualization_job.asyncio(
            project_id=self._project_id,
            job_id=job_id,
            body=body,
            client=self._client,
        )
