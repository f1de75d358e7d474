# Generated from openapi/v2 by scripts/generate.py; do not edit.
"""The operations tagged `images`."""

from __future__ import annotations

from modelarts_runtime.client import Client

from ... import models


class Images:
    """The operations tagged `images`, bound to a client and a project."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    def create_save_image_job(
        self,
        training_job_id: str,
        task_id: str,
        body: models.SaveImageRequestDict,
    ) -> models.SavedImage:
        """Save a task as an image.

        Makes a container image of a running task and stores it in the image registry. The response comes at
        once, the image later.

        Args:
            training_job_id: Id of a job, from `metadata.id`.
            task_id: Name of a task, from `status.tasks` of its job: `worker-0` for the first.
            body: Where the image is stored.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.2764, 2775, 2787, 2788, 2883, 2885): There is no such job (2775), it is not
                    running (2883), or the registry cannot be used (2885).
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785). The permission for it is
                    `modelarts:trainJob:create`.
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://support.huaweicloud.com/intl/en-us/api-modelarts/CreateSaveImageJob.html
        """
        from . import create_save_image_job

        return create_save_image_job.sync(
            project_id=self._project_id,
            training_job_id=training_job_id,
            task_id=task_id,
            body=body,
            client=self._client,
        )

    def show_save_image_job(
        self,
        training_job_id: str,
        task_id: str,
    ) -> models.SavedImage:
        """Show the image of a task.

        How far the image of a task is. A task has one image job, so the path has no id of it. Ask again until
        it is `ACTIVE` or `CREATE_FAILED`.

        Args:
            training_job_id: Id of a job, from `metadata.id`.
            task_id: Name of a task, from `status.tasks` of its job: `worker-0` for the first.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: There is no such job (2775), or a parameter is not right.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785). The permission for it is
                    `modelarts:trainJob:get`.
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://support.huaweicloud.com/api-modelarts/ShowSaveImageJob.html
        """
        from . import show_save_image_job

        return show_save_image_job.sync(
            project_id=self._project_id,
            training_job_id=training_job_id,
            task_id=task_id,
            client=self._client,
        )


class AsyncImages:
    """The operations tagged `images`, bound to a client and a project; asynchronous."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    async def create_save_image_job(
        self,
        training_job_id: str,
        task_id: str,
        body: models.SaveImageRequestDict,
    ) -> models.SavedImage:
        """Save a task as an image; see `Images.create_save_image_job`."""
        from . import create_save_image_job

        return await create_save_image_job.asyncio(
            project_id=self._project_id,
            training_job_id=training_job_id,
            task_id=task_id,
            body=body,
            client=self._client,
        )

    async def show_save_image_job(
        self,
        training_job_id: str,
        task_id: str,
    ) -> models.SavedImage:
        """Show the image of a task; see `Images.show_save_image_job`."""
        from . import show_save_image_job

        return await show_save_image_job.asyncio(
            project_id=self._project_id,
            training_job_id=training_job_id,
            task_id=task_id,
            client=self._client,
        )
