# Generated from openapi/v1 by scripts/generate.py; do not edit.
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

    def list_training_job_log_files(
        self,
        job_id: int,
        version_id: int,
    ) -> models.LogFileList:
        """List log files.

        Names of the log files of a version: one for each node.

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

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/historical_apis/training_management_old_version/training_jobs/obtaining_the_name_of_a_training_job_log_file.rst
        """
        from . import list_training_job_log_files

        return list_training_job_log_files.sync(
            project_id=self._project_id,
            job_id=job_id,
            version_id=version_id,
            client=self._client,
        )

    def show_training_job_log(
        self,
        job_id: int,
        version_id: int,
        *,
        log_file: str,
        base_line: str | Unset = UNSET,
        lines: int | Unset = UNSET,
        order: models.ShowTrainingJobLogOrder | Unset = UNSET,
    ) -> models.LogLines:
        """Read a log.

        A piece of a log file, its newest records at first. The response has the cursors to read on from it in
        either direction.

        Args:
            job_id: Id of a training job.
            version_id: Id of a version of the job.
            log_file: Name of a log file, from the list of log files.
            base_line: Cursor to read from: `start_line` or `end_line` of an earlier piece. Without it the
                newest records are read.
            lines: Most records to read. The service's default: 50.
            order: Direction from the cursor: `desc` reads the records after it, `asc` those before it,
                against intuition. The default is not documented.

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

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/historical_apis/training_management_old_version/training_jobs/querying_training_job_logs.rst
        """
        from . import show_training_job_log

        return show_training_job_log.sync(
            project_id=self._project_id,
            job_id=job_id,
            version_id=version_id,
            log_file=log_file,
            base_line=base_line,
            lines=lines,
            order=order,
            client=self._client,
        )


class AsyncLogs:
    """The operations tagged `logs`, bound to a client and a project; asynchronous."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    async def list_training_job_log_files(
        self,
        job_id: int,
        version_id: int,
    ) -> models.LogFileList:
        """List log files; see `Logs.list_training_job_log_files`."""
        from . import list_training_job_log_files

        return await list_training_job_log_files.asyncio(
            project_id=self._project_id,
            job_id=job_id,
            version_id=version_id,
            client=self._client,
        )

    async def show_training_job_log(
        self,
        job_id: int,
        version_id: int,
        *,
        log_file: str,
        base_line: str | Unset = UNSET,
        lines: int | Unset = UNSET,
        order: models.ShowTrainingJobLogOrder | Unset = UNSET,
    ) -> models.LogLines:
        """Read a log; see `Logs.show_training_job_log`."""
        from . import show_training_job_log

        return await show_training_job_log.asyncio(
            project_id=self._project_id,
            job_id=job_id,
            version_id=version_id,
            log_file=log_file,
            base_line=base_line,
            lines=lines,
            order=order,
            client=self._client,
        )
