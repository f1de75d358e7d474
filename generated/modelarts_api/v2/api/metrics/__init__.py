# Generated from openapi/v2 by scripts/generate.py; do not edit.
"""The operations tagged `metrics`."""

from __future__ import annotations

from modelarts_runtime.client import Client

from ... import models


class Metrics:
    """The operations tagged `metrics`, bound to a client and a project."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    def show_training_job_metrics(
        self,
        training_job_id: str,
        task_id: str,
    ) -> models.MetricList | None:
        """Show metrics of a task.

        Use of processor, memory and accelerators by a task, one average per minute since it started.

        Args:
            training_job_id: Id of a job, from `metadata.id`.
            task_id: Name of a task, from `status.tasks` of its job: `worker-0` for the first.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.2764, 2775, 2788): There is no such job (2775) or task.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/training_management/querying_the_running_metrics_of_a_specified_task_in_a_training_job.rst
        """
        from . import show_training_job_metrics

        return show_training_job_metrics.sync(
            project_id=self._project_id,
            training_job_id=training_job_id,
            task_id=task_id,
            client=self._client,
        )


class AsyncMetrics:
    """The operations tagged `metrics`, bound to a client and a project; asynchronous."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    async def show_training_job_metrics(
        self,
        training_job_id: str,
        task_id: str,
    ) -> models.MetricList | None:
        """Show metrics of a task; see `Metrics.show_training_job_metrics`."""
        from . import show_training_job_metrics

        return await show_training_job_metrics.asyncio(
            project_id=self._project_id,
            training_job_id=training_job_id,
            task_id=task_id,
            client=self._client,
        )
