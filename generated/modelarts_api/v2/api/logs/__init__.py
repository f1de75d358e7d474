# Generated from openapi/v2 by scripts/generate.py; do not edit.
"""The operations tagged `logs`."""

from __future__ import annotations

from modelarts_runtime.client import Client
from modelarts_runtime.types import UNSET, Unset

from ... import models


class Logs:
    """The operations tagged `logs`, bound to a client and a project."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    def show_obs_url_of_training_job_logs(
        self,
        training_job_id: str,
        task_id: str,
        *,
        content_type: models.ShowObsUrlOfTrainingJobLogsContentType | Unset = UNSET,
    ) -> models.LogUrl:
        """Get a link to a log.

        A link to the complete log of a task in object storage. It works for five minutes, without a token.

        Args:
            training_job_id: Id of a job, from `metadata.id`.
            task_id: Name of a task, from `status.tasks` of its job: `worker-0` for the first.
            content_type: Kind of link: one that a browser shows (`text/plain`), or one that it saves to
                disk (`application/octet-stream`).

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.2764, 2775, 2788, 2818, 2819, 2820, 2822): There is no such job (2775) or
                    task, or its log is not there.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/training_management/querying_the_logs_of_a_specified_task_in_a_training_job_obs_link.rst
        """
        from . import show_obs_url_of_training_job_logs

        return show_obs_url_of_training_job_logs.sync(
            project_id=self._project_id,
            training_job_id=training_job_id,
            task_id=task_id,
            content_type=content_type,
            client=self._client,
        )

    def show_training_job_logs_from_aom(
        self,
        training_job_id: str,
        task_id: str,
        *,
        base_line: str | Unset = UNSET,
        lines: int | Unset = UNSET,
        order: models.ShowTrainingJobLogsFromAomOrder | Unset = UNSET,
    ) -> models.LogLines:
        """Read a log by cursor.

        A piece of a task's log, with the cursors to read on from it in either direction. It reaches the whole
        log, where the preview ends after 5 MB.

        Args:
            training_job_id: Id of a job, from `metadata.id`.
            task_id: Name of a task, from `status.tasks` of its job: `worker-0` for the first.
            base_line: Cursor to read on from, `start_line` or `end_line` of another piece; the newest lines
                if it is left out.
            lines: Most lines that the response may have, 1 to 500. The service's default: 50.
            order: Which lines follow a cursor: the later ones (`desc`) or the earlier ones (`asc`). The
                lines themselves are always in the order of the log. The service's default: 'desc'.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.2764, 2775, 2788, 2818, 2819, 2820): There is no such job (2775) or task, its
                    log has been deleted, or the cursor is not right.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785). The permission for it is
                    `modelarts:trainJob:getLogs`.
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://support.huaweicloud.com/api-modelarts/ShowTrainingJobLogsFromAom.html
        """
        from . import show_training_job_logs_from_aom

        return show_training_job_logs_from_aom.sync(
            project_id=self._project_id,
            training_job_id=training_job_id,
            task_id=task_id,
            base_line=base_line,
            lines=lines,
            order=order,
            client=self._client,
        )

    def show_training_job_logs_preview(
        self,
        training_job_id: str,
        task_id: str,
    ) -> models.LogPreview | None:
        """Show the end of a log.

        The newest 5 MB of a task's log; it is not paged. The service keeps logs for 30 days.

        Args:
            training_job_id: Id of a job, from `metadata.id`.
            task_id: Name of a task, from `status.tasks` of its job: `worker-0` for the first.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.2764, 2775, 2788, 2818, 2819, 2820): There is no such job (2775) or task, or
                    its log has been deleted.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/training_management/querying_the_logs_of_a_specified_task_in_a_given_training_job_preview.rst
        """
        from . import show_training_job_logs_preview

        return show_training_job_logs_preview.sync(
            project_id=self._project_id,
            training_job_id=training_job_id,
            task_id=task_id,
            client=self._client,
        )


class AsyncLogs:
    """The operations tagged `logs`, bound to a client and a project; asynchronous."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    async def show_obs_url_of_training_job_logs(
        self,
        training_job_id: str,
        task_id: str,
        *,
        content_type: models.ShowObsUrlOfTrainingJobLogsContentType | Unset = UNSET,
    ) -> models.LogUrl:
        """Get a link to a log; see `Logs.show_obs_url_of_training_job_logs`."""
        from . import show_obs_url_of_training_job_logs

        return await show_obs_url_of_training_job_logs.asyncio(
            project_id=self._project_id,
            training_job_id=training_job_id,
            task_id=task_id,
            content_type=content_type,
            client=self._client,
        )

    async def show_training_job_logs_from_aom(
        self,
        training_job_id: str,
        task_id: str,
        *,
        base_line: str | Unset = UNSET,
        lines: int | Unset = UNSET,
        order: models.ShowTrainingJobLogsFromAomOrder | Unset = UNSET,
    ) -> models.LogLines:
        """Read a log by cursor; see `Logs.show_training_job_logs_from_aom`."""
        from . import show_training_job_logs_from_aom

        return await show_training_job_logs_from_aom.asyncio(
            project_id=self._project_id,
            training_job_id=training_job_id,
            task_id=task_id,
            base_line=base_line,
            lines=lines,
            order=order,
            client=self._client,
        )

    async def show_training_job_logs_preview(
        self,
        training_job_id: str,
        task_id: str,
    ) -> models.LogPreview | None:
        """Show the end of a log; see `Logs.show_training_job_logs_preview`."""
        from . import show_training_job_logs_preview

        return await show_training_job_logs_preview.asyncio(
            project_id=self._project_id,
            training_job_id=training_job_id,
            task_id=task_id,
            client=self._client,
        )
