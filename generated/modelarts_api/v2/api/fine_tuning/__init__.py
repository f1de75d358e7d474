# Generated from openapi/v2 by scripts/generate.py; do not edit.
"""The operations tagged `fine_tuning`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import partial

from modelarts_runtime.client import Client
from modelarts_runtime.pages import Cursor, walk, walk_async
from modelarts_runtime.types import UNSET, Unset

from ... import models


class FineTuning:
    """The operations tagged `fine_tuning`, bound to a client and a project."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    def list_ft_artifacts(
        self,
        training_job_id: str,
        *,
        steps: int | Unset = UNSET,
        epoch: int | Unset = UNSET,
        loss: float | Unset = UNSET,
        status: str | Unset = UNSET,
        order_by_create_time_asc: bool | Unset = UNSET,
        limit: int | Unset = UNSET,
        offset: int | Unset = UNSET,
    ) -> models.FineTuningArtifactList:
        """List artifacts of fine-tuning.

        Models and checkpoints that a fine-tuning job has made, with their losses.

        Args:
            training_job_id: Id of a job, from `metadata.id`.
            steps: Only artifacts of this step.
            epoch: Only artifacts of this epoch.
            loss: Only artifacts with this loss.
            status: Only artifacts whose publication is in this state.
            order_by_create_time_asc: Whether the oldest comes first.
            limit: Artifacts per page.
            offset: How many artifacts to skip, from 0.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: There is no such job (2775), or a parameter is not right.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785). The permission for it is
                    `modelarts:trainJob:getFtArtifacts`.
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://support.huaweicloud.com/api-modelarts/ListFtArtifacts.html
        """
        from . import list_ft_artifacts

        return list_ft_artifacts.sync(
            project_id=self._project_id,
            training_job_id=training_job_id,
            steps=steps,
            epoch=epoch,
            loss=loss,
            status=status,
            order_by_create_time_asc=order_by_create_time_asc,
            limit=limit,
            offset=offset,
            client=self._client,
        )

    def iter_ft_artifacts(
        self,
        training_job_id: str,
        *,
        steps: int | Unset = UNSET,
        epoch: int | Unset = UNSET,
        loss: float | Unset = UNSET,
        status: str | Unset = UNSET,
        order_by_create_time_asc: bool | Unset = UNSET,
        limit: int | Unset = UNSET,
        offset: int | Unset = UNSET,
    ) -> Iterator[models.FineTuningArtifact]:
        """List artifacts of fine-tuning, one by one from page to page.

        Asks for a page when its first record is wanted. Starts at `offset`, or at the first record. No record
        comes twice: `artifact_id` identifies it. Records that come or go meanwhile move the others: some can be
        missed.

        Args:
            training_job_id: Id of a job, from `metadata.id`.
            steps: Only artifacts of this step.
            epoch: Only artifacts of this epoch.
            loss: Only artifacts with this loss.
            status: Only artifacts whose publication is in this state.
            order_by_create_time_asc: Whether the oldest comes first.
            limit: Records per page.
            offset: Where to start, counted in records from 0.

        Raises:
            ApiError: the service rejects a page, as for `list_ft_artifacts`.
            ValueError: at once, if `offset` is not a position in the list.
            httpx.TransportError: no response came.

        Source: https://support.huaweicloud.com/api-modelarts/ListFtArtifacts.html
        """
        from . import list_ft_artifacts

        return walk(
            Cursor(list_ft_artifacts.PAGES, {"limit": limit, "offset": offset}, self._client.offset_unit),
            partial(
                list_ft_artifacts.sync,
                project_id=self._project_id,
                training_job_id=training_job_id,
                steps=steps,
                epoch=epoch,
                loss=loss,
                status=status,
                order_by_create_time_asc=order_by_create_time_asc,
                client=self._client,
            ),
        )

    def publish_ft_artifacts(
        self,
        training_job_id: str,
        body: models.PublishArtifactsRequestDict,
    ) -> models.PublishedModel:
        """Publish artifacts of fine-tuning.

        Makes assets of models and checkpoints of a job, which the workspace or everybody sees.

        Args:
            training_job_id: Id of a job, from `metadata.id`.
            body: The models and checkpoints.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: There is no such job (2775), or a parameter or the body is not right.
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
        from . import publish_ft_artifacts

        return publish_ft_artifacts.sync(
            project_id=self._project_id,
            training_job_id=training_job_id,
            body=body,
            client=self._client,
        )

    def show_ft_detail(
        self,
        training_job_id: str,
    ) -> models.FineTuningDetail:
        """Show a fine-tuning job.

        A fine-tuning job with its model, its datasets and its settings, and the fields that every job has.

        Args:
            training_job_id: Id of a job, from `metadata.id`.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: There is no such job (2775), or a parameter is not right.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785). The permission for it is
                    `modelarts:trainJob:getFtDetail`.
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://support.huaweicloud.com/api-modelarts/ShowFtJobDetail.html
        """
        from . import show_ft_detail

        return show_ft_detail.sync(
            project_id=self._project_id,
            training_job_id=training_job_id,
            client=self._client,
        )

    def show_ft_metrics(
        self,
        training_job_id: str,
    ) -> models.FineTuningMetrics:
        """Show metrics of fine-tuning.

        Losses, progress and charts of a fine-tuning job.

        Args:
            training_job_id: Id of a job, from `metadata.id`.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: There is no such job (2775), or a parameter is not right.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785). The permission for it is
                    `modelarts:trainJob:getFtMetrics`.
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://support.huaweicloud.com/api-modelarts/ShowFtJobMetrics.html
        """
        from . import show_ft_metrics

        return show_ft_metrics.sync(
            project_id=self._project_id,
            training_job_id=training_job_id,
            client=self._client,
        )


class AsyncFineTuning:
    """The operations tagged `fine_tuning`, bound to a client and a project; asynchronous."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    async def list_ft_artifacts(
        self,
        training_job_id: str,
        *,
        steps: int | Unset = UNSET,
        epoch: int | Unset = UNSET,
        loss: float | Unset = UNSET,
        status: str | Unset = UNSET,
        order_by_create_time_asc: bool | Unset = UNSET,
        limit: int | Unset = UNSET,
        offset: int | Unset = UNSET,
    ) -> models.FineTuningArtifactList:
        """List artifacts of fine-tuning; see `FineTuning.list_ft_artifacts`."""
        from . import list_ft_artifacts

        return await list_ft_artifacts.asyncio(
            project_id=self._project_id,
            training_job_id=training_job_id,
            steps=steps,
            epoch=epoch,
            loss=loss,
            status=status,
            order_by_create_time_asc=order_by_create_time_asc,
            limit=limit,
            offset=offset,
            client=self._client,
        )

    def iter_ft_artifacts(
        self,
        training_job_id: str,
        *,
        steps: int | Unset = UNSET,
        epoch: int | Unset = UNSET,
        loss: float | Unset = UNSET,
        status: str | Unset = UNSET,
        order_by_create_time_asc: bool | Unset = UNSET,
        limit: int | Unset = UNSET,
        offset: int | Unset = UNSET,
    ) -> AsyncIterator[models.FineTuningArtifact]:
        """List artifacts of fine-tuning, one by one; see `FineTuning.iter_ft_artifacts`."""
        from . import list_ft_artifacts

        return walk_async(
            Cursor(list_ft_artifacts.PAGES, {"limit": limit, "offset": offset}, self._client.offset_unit),
            partial(
                list_ft_artifacts.asyncio,
                project_id=self._project_id,
                training_job_id=training_job_id,
                steps=steps,
                epoch=epoch,
                loss=loss,
                status=status,
                order_by_create_time_asc=order_by_create_time_asc,
                client=self._client,
            ),
        )

    async def publish_ft_artifacts(
        self,
        training_job_id: str,
        body: models.PublishArtifactsRequestDict,
    ) -> models.PublishedModel:
        """Publish artifacts of fine-tuning; see `FineTuning.publish_ft_artifacts`."""
        from . import publish_ft_artifacts

        return await publish_ft_artifacts.asyncio(
            project_id=self._project_id,
            training_job_id=training_job_id,
            body=body,
            client=self._client,
        )

    async def show_ft_detail(
        self,
        training_job_id: str,
    ) -> models.FineTuningDetail:
        """Show a fine-tuning job; see `FineTuning.show_ft_detail`."""
        from . import show_ft_detail

        return await show_ft_detail.asyncio(
            project_id=self._project_id,
            training_job_id=training_job_id,
            client=self._client,
        )

    async def show_ft_metrics(
        self,
        training_job_id: str,
    ) -> models.FineTuningMetrics:
        """Show metrics of fine-tuning; see `FineTuning.show_ft_metrics`."""
        from . import show_ft_metrics

        return await show_ft_metrics.asyncio(
            project_id=self._project_id,
            training_job_id=training_job_id,
            client=self._client,
        )
