# Generated from openapi/v2 by scripts/generate.py; do not edit.
"""The operations tagged `training_jobs`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import partial

from modelarts_runtime.client import Client
from modelarts_runtime.pages import Cursor, walk, walk_async
from modelarts_runtime.types import ABSENT, UNSET, Unset

from ... import models


class TrainingJobs:
    """The operations tagged `training_jobs`, bound to a client and a project."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    def batch_delete_training_job(
        self,
        body: models.DeleteJobsRequestDict,
    ) -> None:
        """Delete many jobs.

        Removes up to 100 jobs of one workspace in one call. The word `batch-delete` stands where other paths
        have the id of a job.

        Args:
            body: The jobs.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: There is no such job (2775), or a parameter or the body is not right.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785). The permission for it is
                    `modelarts:trainJob:batchDelete`.
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://support.huaweicloud.com/intl/en-us/api-modelarts/BatchDeleteTrainingJob.html
        """
        from . import batch_delete_training_job

        return batch_delete_training_job.sync(
            project_id=self._project_id,
            body=body,
            client=self._client,
        )

    def change_training_job_description(
        self,
        training_job_id: str,
        body: models.ChangeTrainingJobDescriptionRequestDict,
    ) -> None:
        """Change description of a job.

        Gives a job another description, whatever its phase. Huawei Cloud also changes notifications, priority
        and access by it.

        Args:
            training_job_id: Id of a job, from `metadata.id`.
            body: The description.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.2764, 2775, 2787, 2788, 2858): There is no such job (2775), or the body is
                    malformed.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/training_management/modifying_the_description_of_a_training_job.rst
        """
        from . import change_training_job_description

        return change_training_job_description.sync(
            project_id=self._project_id,
            training_job_id=training_job_id,
            body=body,
            client=self._client,
        )

    def create_training_job(
        self,
        body: models.CreateTrainingJobRequestDict,
    ) -> models.TrainingJob:
        """Create a training job.

        Starts a training job and returns at once, while the job is still in phase Creating. Names are unique in
        the project: a call whose response got lost can be looked up by the name.

        Args:
            body: The job.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (56 codes): The body is malformed, or the job cannot be started. Things that do not
                    exist are reported here as well: algorithm (2755), engine (2780), flavor (2781).
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404 (ModelArts.2786, 2890): The project is not that of the token (2786), or there is no such
                    pool (2890).
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/training_management/creating_a_training_job.rst
        """
        from . import create_training_job

        return create_training_job.sync(
            project_id=self._project_id,
            body=body,
            client=self._client,
        )

    def delete_training_job(
        self,
        training_job_id: str,
    ) -> None:
        """Delete a training job.

        Removes a job in whatever phase; a running one is stopped. Its outputs stay in object storage.

        Args:
            training_job_id: Id of a job, from `metadata.id`.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.2764, 2775, 2788): There is no such job (2775).
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/training_management/deleting_a_training_job.rst
        """
        from . import delete_training_job

        return delete_training_job.sync(
            project_id=self._project_id,
            training_job_id=training_job_id,
            client=self._client,
        )

    def list_training_job_stages(
        self,
        training_job_id: str,
    ) -> models.StageList:
        """List the stages of a job.

        What a job has gone through, run by run: scheduling, preparing, running and the end, each with its times
        and steps. It says where a job stands that has not started yet.

        Args:
            training_job_id: Id of a job, from `metadata.id`.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: There is no such job (2775), or a parameter is not right.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785). The permission for it is
                    `modelarts:trainJob:listStages`.
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://support.huaweicloud.com/intl/en-us/api-modelarts/ListTrainingJobStages.html
        """
        from . import list_training_job_stages

        return list_training_job_stages.sync(
            project_id=self._project_id,
            training_job_id=training_job_id,
            client=self._client,
        )

    def list_training_job_tasks(
        self,
        training_job_id: str,
        *,
        schedule_count: int | Unset = UNSET,
    ) -> list[models.TaskAddress]:
        """List the tasks of a job.

        Which task runs on which node. The response is a bare list, without an object around it.

        Args:
            training_job_id: Id of a job, from `metadata.id`.
            schedule_count: Only tasks of this scheduling of the job, 1 for the first.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: There is no such job (2775), or a parameter is not right.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785). The permission for it is
                    `modelarts:trainJob:list`.
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://support.huaweicloud.com/api-modelarts/ListTrainingJobTasks.html
        """
        from . import list_training_job_tasks

        return list_training_job_tasks.sync(
            project_id=self._project_id,
            training_job_id=training_job_id,
            schedule_count=schedule_count,
            client=self._client,
        )

    def list_training_jobs(
        self,
        body: models.ListTrainingJobsRequestDict,
    ) -> models.TrainingJobList:
        """Find training jobs.

        Finds jobs by conditions, sorted and in pages. The conditions travel in a body, hence the POST, which
        changes nothing. The page's example adds `?limit=1` to the address; the body is what counts.

        Args:
            body: Conditions, order and page; `{}` for everything.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.0102, 2764, 2787, 2788, 2789, 2790, 2807, 2808, 2809, 2816, 2858): The body
                    is malformed, or a condition is not supported.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/training_management/querying_a_training_job_list.rst
        """
        from . import list_training_jobs

        return list_training_jobs.sync(
            project_id=self._project_id,
            body=body,
            client=self._client,
        )

    def iter_training_jobs(
        self,
        body: models.ListTrainingJobsRequestDict = ABSENT,
    ) -> Iterator[models.TrainingJob]:
        """Find training jobs, one by one from page to page.

        Asks for a page when its first record is wanted. A page has 50 records, the most that is allowed, unless
        `limit` of the body says otherwise. Starts at `offset` of the body, or at the first page. No record
        comes twice: `metadata.id` identifies it. Records that come or go meanwhile move the others: some can be
        missed. What `offset` counts is the client's `offset_unit`, by default pages.

        Args:
            body: Conditions, order and page; `{}` for everything.

        Raises:
            ApiError: the service rejects a page, as for `list_training_jobs`.
            ValueError: at once, if `offset` is not a position in the list.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/training_management/querying_a_training_job_list.rst
        """
        from . import list_training_jobs

        return walk(
            Cursor(
                list_training_jobs.PAGES,
                {} if body is ABSENT else body,
                self._client.offset_unit,
                self._client.learn_offset_unit,
            ),
            partial(
                list_training_jobs.sync,
                project_id=self._project_id,
                client=self._client,
            ),
        )

    def show_training_job_details(
        self,
        training_job_id: str,
    ) -> models.TrainingJob:
        """Show a training job.

        The job with its phase, its tasks and everything that it was created with. This is the call to poll.

        Args:
            training_job_id: Id of a job, from `metadata.id`.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.2764, 2775, 2788): There is no such job (2775).
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/training_management/querying_the_details_about_a_training_job.rst
        """
        from . import show_training_job_details

        return show_training_job_details.sync(
            project_id=self._project_id,
            training_job_id=training_job_id,
            client=self._client,
        )

    def show_training_job_route_plan(
        self,
        training_job_id: str,
    ) -> models.RoutePlan:
        """Show the route of a job.

        The order of ranks that suits the network best. Only jobs on three or more nodes of Ascend 910 pools
        have a plan.

        Args:
            training_job_id: Id of a job, from `metadata.id`.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: There is no such job (2775), or a parameter is not right.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785). The permission for it is
                    `modelarts:trainJob:getRoutePlan`.
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://support.huaweicloud.com/api-modelarts/ShowTrainingJobRoutePlan.md
        """
        from . import show_training_job_route_plan

        return show_training_job_route_plan.sync(
            project_id=self._project_id,
            training_job_id=training_job_id,
            client=self._client,
        )

    def stop_training_job(
        self,
        training_job_id: str,
        body: models.StopTrainingJobRequestDict,
    ) -> models.TrainingJob:
        """Stop or restart a training job.

        Stops a job that is being created, waits or runs. The response comes at once with phase Terminating; the
        job is stopped for good when its phase is Terminated. With `restart`, runs a job again that has ended.

        Args:
            training_job_id: Id of a job, from `metadata.id`.
            body: The action.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.2764, 2775, 2787, 2788, 2812): There is no such job (2775), or the action is
                    not known (2788; 2812 by the page).
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                409 (ModelArts.2796, 2813, 2878): The job cannot be stopped (2796) or restarted (2813) in
                    its phase, or the phase changed meanwhile.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/training_management/terminating_a_training_job.rst
        """
        from . import stop_training_job

        return stop_training_job.sync(
            project_id=self._project_id,
            training_job_id=training_job_id,
            body=body,
            client=self._client,
        )

    def validate_training_job_name(
        self,
        *,
        job_name: str,
        workspace_id: str | Unset = UNSET,
    ) -> models.NameCheck:
        """Check the name of a job.

        Whether a job of this name exists in the workspace. Names are unique there.

        Args:
            job_name: Name to look for, 1 to 64 letters, digits, `_` and `-`.
            workspace_id: Workspace to look in; `0` is the default workspace. The service's default: '0'.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: There is no such workspace (0102), or a parameter or the body is not right.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785). The permission for it is
                    `modelarts:trainJob:checkName`.
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://support.huaweicloud.com/api-modelarts/ValidateTrainingJobName.html
        """
        from . import validate_training_job_name

        return validate_training_job_name.sync(
            project_id=self._project_id,
            job_name=job_name,
            workspace_id=workspace_id,
            client=self._client,
        )


class AsyncTrainingJobs:
    """The operations tagged `training_jobs`, bound to a client and a project; asynchronous."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    async def batch_delete_training_job(
        self,
        body: models.DeleteJobsRequestDict,
    ) -> None:
        """Delete many jobs; see `TrainingJobs.batch_delete_training_job`."""
        from . import batch_delete_training_job

        return await batch_delete_training_job.asyncio(
            project_id=self._project_id,
            body=body,
            client=self._client,
        )

    async def change_training_job_description(
        self,
        training_job_id: str,
        body: models.ChangeTrainingJobDescriptionRequestDict,
    ) -> None:
        """Change description of a job; see `TrainingJobs.change_training_job_description`."""
        from . import change_training_job_description

        return await change_training_job_description.asyncio(
            project_id=self._project_id,
            training_job_id=training_job_id,
            body=body,
            client=self._client,
        )

    async def create_training_job(
        self,
        body: models.CreateTrainingJobRequestDict,
    ) -> models.TrainingJob:
        """Create a training job; see `TrainingJobs.create_training_job`."""
        from . import create_training_job

        return await create_training_job.asyncio(
            project_id=self._project_id,
            body=body,
            client=self._client,
        )

    async def delete_training_job(
        self,
        training_job_id: str,
    ) -> None:
        """Delete a training job; see `TrainingJobs.delete_training_job`."""
        from . import delete_training_job

        return await delete_training_job.asyncio(
            project_id=self._project_id,
            training_job_id=training_job_id,
            client=self._client,
        )

    async def list_training_job_stages(
        self,
        training_job_id: str,
    ) -> models.StageList:
        """List the stages of a job; see `TrainingJobs.list_training_job_stages`."""
        from . import list_training_job_stages

        return await list_training_job_stages.asyncio(
            project_id=self._project_id,
            training_job_id=training_job_id,
            client=self._client,
        )

    async def list_training_job_tasks(
        self,
        training_job_id: str,
        *,
        schedule_count: int | Unset = UNSET,
    ) -> list[models.TaskAddress]:
        """List the tasks of a job; see `TrainingJobs.list_training_job_tasks`."""
        from . import list_training_job_tasks

        return await list_training_job_tasks.asyncio(
            project_id=self._project_id,
            training_job_id=training_job_id,
            schedule_count=schedule_count,
            client=self._client,
        )

    async def list_training_jobs(
        self,
        body: models.ListTrainingJobsRequestDict,
    ) -> models.TrainingJobList:
        """Find training jobs; see `TrainingJobs.list_training_jobs`."""
        from . import list_training_jobs

        return await list_training_jobs.asyncio(
            project_id=self._project_id,
            body=body,
            client=self._client,
        )

    def iter_training_jobs(
        self,
        body: models.ListTrainingJobsRequestDict = ABSENT,
    ) -> AsyncIterator[models.TrainingJob]:
        """Find training jobs, one by one; see `TrainingJobs.iter_training_jobs`."""
        from . import list_training_jobs

        return walk_async(
            Cursor(
                list_training_jobs.PAGES,
                {} if body is ABSENT else body,
                self._client.offset_unit,
                self._client.learn_offset_unit,
            ),
            partial(
                list_training_jobs.asyncio,
                project_id=self._project_id,
                client=self._client,
            ),
        )

    async def show_training_job_details(
        self,
        training_job_id: str,
    ) -> models.TrainingJob:
        """Show a training job; see `TrainingJobs.show_training_job_details`."""
        from . import show_training_job_details

        return await show_training_job_details.asyncio(
            project_id=self._project_id,
            training_job_id=training_job_id,
            client=self._client,
        )

    async def show_training_job_route_plan(
        self,
        training_job_id: str,
    ) -> models.RoutePlan:
        """Show the route of a job; see `TrainingJobs.show_training_job_route_plan`."""
        from . import show_training_job_route_plan

        return await show_training_job_route_plan.asyncio(
            project_id=self._project_id,
            training_job_id=training_job_id,
            client=self._client,
        )

    async def stop_training_job(
        self,
        training_job_id: str,
        body: models.StopTrainingJobRequestDict,
    ) -> models.TrainingJob:
        """Stop or restart a training job; see `TrainingJobs.stop_training_job`."""
        from . import stop_training_job

        return await stop_training_job.asyncio(
            project_id=self._project_id,
            training_job_id=training_job_id,
            body=body,
            client=self._client,
        )

    async def validate_training_job_name(
        self,
        *,
        job_name: str,
        workspace_id: str | Unset = UNSET,
    ) -> models.NameCheck:
        """Check the name of a job; see `TrainingJobs.validate_training_job_name`."""
        from . import validate_training_job_name

        return await validate_training_job_name.asyncio(
            project_id=self._project_id,
            job_name=job_name,
            workspace_id=workspace_id,
            client=self._client,
        )
