# Generated from openapi/v2 by scripts/generate.py; do not edit.
"""The operations tagged `tags`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import partial

from modelarts_runtime.client import Client
from modelarts_runtime.pages import Cursor, walk, walk_async
from modelarts_runtime.types import UNSET, Unset

from ... import models


class Tags:
    """The operations tagged `tags`, bound to a client and a project."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    def count_training_jobs_by_tags(
        self,
        body: models.CountJobsByTagsRequestDict,
        *,
        offset: int | Unset = UNSET,
        limit: int | Unset = UNSET,
    ) -> models.JobCount:
        """Count jobs by tags.

        Counts jobs by labels and name. The POST changes nothing. The query has the limits of a list, which a
        count has no use for.

        Args:
            offset: How many jobs to skip, from 0. The service's default: 0.
            limit: Jobs per page, 1 to 1000. The service's default: 1000.
            body: The conditions; `{}` for all jobs.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: There is no such workspace (0102), or a parameter or the body is not right.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785). The permission for it is
                    `modelarts::listResourcesByTag`.
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://support.huaweicloud.com/api-modelarts/CountTrainingJobsByTags.html
        """
        from . import count_training_jobs_by_tags

        return count_training_jobs_by_tags.sync(
            project_id=self._project_id,
            body=body,
            offset=offset,
            limit=limit,
            client=self._client,
        )

    def create_train_job_tags(
        self,
        training_job_id: str,
        body: models.JobTagsRequestDict,
    ) -> None:
        """Set tags of a job.

        Adds labels to a job. A key that the job has already gets the new value.

        Args:
            training_job_id: Id of a job, from `metadata.id`.
            body: The labels.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: There is no such job (2775), or a parameter or the body is not right.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785). The permission for it is
                    `modelarts:trainJob:update`.
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://support.huaweicloud.com/api-modelarts/CreateTrainJobTags.html
        """
        from . import create_train_job_tags

        return create_train_job_tags.sync(
            project_id=self._project_id,
            training_job_id=training_job_id,
            body=body,
            client=self._client,
        )

    def delete_train_job_tags(
        self,
        training_job_id: str,
        body: models.JobTagsRequestDict,
    ) -> None:
        """Remove tags from a job.

        Removes labels from a job by their keys. The request has a body, which is unusual for this method.

        Args:
            training_job_id: Id of a job, from `metadata.id`.
            body: The labels; their values can be left out.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: There is no such job (2775), or a parameter or the body is not right.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785). The permission for it is
                    `modelarts:trainJob:update`.
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://support.huaweicloud.com/api-modelarts/DeleteTrainJobTags.html
        """
        from . import delete_train_job_tags

        return delete_train_job_tags.sync(
            project_id=self._project_id,
            training_job_id=training_job_id,
            body=body,
            client=self._client,
        )

    def list_training_job_tags(
        self,
        *,
        offset: int | Unset = UNSET,
        limit: int | Unset = UNSET,
    ) -> models.TagValuesList:
        """List tags of all jobs.

        Every key of a label in the project, with all values that it has there.

        Args:
            offset: How many keys to skip, from 0. The service's default: 0.
            limit: Keys per page, 1 to 1000. The service's default: 1000.

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

        Source: Index of 2026-09-01; huaweicloudsdkmodelarts 3.1.219
        """
        from . import list_training_job_tags

        return list_training_job_tags.sync(
            project_id=self._project_id,
            offset=offset,
            limit=limit,
            client=self._client,
        )

    def iter_training_job_tags(
        self,
        *,
        offset: int | Unset = UNSET,
        limit: int | Unset = UNSET,
    ) -> Iterator[models.TagValues]:
        """List tags of all jobs, one by one from page to page.

        Asks for a page when its first record is wanted. A page has 1000 records, the most that is allowed,
        unless `limit` says otherwise. Starts at `offset`, or at the first record. No record comes twice: `key`
        identifies it. Records that come or go meanwhile move the others: some can be missed.

        Args:
            offset: Where to start, counted in records from 0.
            limit: Records per page; 1000 if left out.

        Raises:
            ApiError: the service rejects a page, as for `list_training_job_tags`.
            ValueError: at once, if `offset` is not a position in the list.
            httpx.TransportError: no response came.

        Source: Index of 2026-09-01; huaweicloudsdkmodelarts 3.1.219
        """
        from . import list_training_job_tags

        return walk(
            Cursor(list_training_job_tags.PAGES, {"limit": limit, "offset": offset}, self._client.offset_unit),
            partial(
                list_training_job_tags.sync,
                project_id=self._project_id,
                client=self._client,
            ),
        )

    def list_training_jobs_by_tags(
        self,
        body: models.FindJobsByTagsRequestDict,
        *,
        offset: int | Unset = UNSET,
        limit: int | Unset = UNSET,
    ) -> models.TaggedJobList:
        """Find jobs by tags.

        Finds jobs by labels and name. The POST changes nothing; the page travels in the query, the conditions
        in the body.

        Args:
            offset: How many jobs to skip, from 0. The service's default: 0.
            limit: Jobs per page, 1 to 1000. The service's default: 1000.
            body: The conditions; `{}` for all jobs.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: There is no such workspace (0102), or a parameter or the body is not right.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785). The permission for it is
                    `modelarts::listResourcesByTag`.
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://support.huaweicloud.com/intl/en-us/api-modelarts/ListTrainingJobsByTags.html
        """
        from . import list_training_jobs_by_tags

        return list_training_jobs_by_tags.sync(
            project_id=self._project_id,
            body=body,
            offset=offset,
            limit=limit,
            client=self._client,
        )

    def iter_training_jobs_by_tags(
        self,
        body: models.FindJobsByTagsRequestDict,
        *,
        offset: int | Unset = UNSET,
        limit: int | Unset = UNSET,
    ) -> Iterator[models.TaggedJob]:
        """Find jobs by tags, one by one from page to page.

        Asks for a page when its first record is wanted. A page has 1000 records, the most that is allowed,
        unless `limit` says otherwise. Starts at `offset`, or at the first record. No record comes twice:
        `resource_id` identifies it. Records that come or go meanwhile move the others: some can be missed.

        Args:
            offset: Where to start, counted in records from 0.
            limit: Records per page; 1000 if left out.
            body: The conditions; `{}` for all jobs.

        Raises:
            ApiError: the service rejects a page, as for `list_training_jobs_by_tags`.
            ValueError: at once, if `offset` is not a position in the list.
            httpx.TransportError: no response came.

        Source: https://support.huaweicloud.com/intl/en-us/api-modelarts/ListTrainingJobsByTags.html
        """
        from . import list_training_jobs_by_tags

        return walk(
            Cursor(list_training_jobs_by_tags.PAGES, {"limit": limit, "offset": offset}, self._client.offset_unit),
            partial(
                list_training_jobs_by_tags.sync,
                project_id=self._project_id,
                body=body,
                client=self._client,
            ),
        )

    def show_train_job_tags(
        self,
        training_job_id: str,
    ) -> models.JobTagList:
        """Show the tags of a job.

        The labels of a job.

        Args:
            training_job_id: Id of a job, from `metadata.id`.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: There is no such job (2775), or a parameter is not right.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785). The permission for it is
                    `modelarts:tag:list`.
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://support.huaweicloud.com/api-modelarts/ShowTrainJobTags.html
        """
        from . import show_train_job_tags

        return show_train_job_tags.sync(
            project_id=self._project_id,
            training_job_id=training_job_id,
            client=self._client,
        )


class AsyncTags:
    """The operations tagged `tags`, bound to a client and a project; asynchronous."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    async def count_training_jobs_by_tags(
        self,
        body: models.CountJobsByTagsRequestDict,
        *,
        offset: int | Unset = UNSET,
        limit: int | Unset = UNSET,
    ) -> models.JobCount:
        """Count jobs by tags; see `Tags.count_training_jobs_by_tags`."""
        from . import count_training_jobs_by_tags

        return await count_training_jobs_by_tags.asyncio(
            project_id=self._project_id,
            body=body,
            offset=offset,
            limit=limit,
            client=self._client,
        )

    async def create_train_job_tags(
        self,
        training_job_id: str,
        body: models.JobTagsRequestDict,
    ) -> None:
        """Set tags of a job; see `Tags.create_train_job_tags`."""
        from . import create_train_job_tags

        return await create_train_job_tags.asyncio(
            project_id=self._project_id,
            training_job_id=training_job_id,
            body=body,
            client=self._client,
        )

    async def delete_train_job_tags(
        self,
        training_job_id: str,
        body: models.JobTagsRequestDict,
    ) -> None:
        """Remove tags from a job; see `Tags.delete_train_job_tags`."""
        from . import delete_train_job_tags

        return await delete_train_job_tags.asyncio(
            project_id=self._project_id,
            training_job_id=training_job_id,
            body=body,
            client=self._client,
        )

    async def list_training_job_tags(
        self,
        *,
        offset: int | Unset = UNSET,
        limit: int | Unset = UNSET,
    ) -> models.TagValuesList:
        """List tags of all jobs; see `Tags.list_training_job_tags`."""
        from . import list_training_job_tags

        return await list_training_job_tags.asyncio(
            project_id=self._project_id,
            offset=offset,
            limit=limit,
            client=self._client,
        )

    def iter_training_job_tags(
        self,
        *,
        offset: int | Unset = UNSET,
        limit: int | Unset = UNSET,
    ) -> AsyncIterator[models.TagValues]:
        """List tags of all jobs, one by one; see `Tags.iter_training_job_tags`."""
        from . import list_training_job_tags

        return walk_async(
            Cursor(list_training_job_tags.PAGES, {"limit": limit, "offset": offset}, self._client.offset_unit),
            partial(
                list_training_job_tags.asyncio,
                project_id=self._project_id,
                client=self._client,
            ),
        )

    async def list_training_jobs_by_tags(
        self,
        body: models.FindJobsByTagsRequestDict,
        *,
        offset: int | Unset = UNSET,
        limit: int | Unset = UNSET,
    ) -> models.TaggedJobList:
        """Find jobs by tags; see `Tags.list_training_jobs_by_tags`."""
        from . import list_training_jobs_by_tags

        return await list_training_jobs_by_tags.asyncio(
            project_id=self._project_id,
            body=body,
            offset=offset,
            limit=limit,
            client=self._client,
        )

    def iter_training_jobs_by_tags(
        self,
        body: models.FindJobsByTagsRequestDict,
        *,
        offset: int | Unset = UNSET,
        limit: int | Unset = UNSET,
    ) -> AsyncIterator[models.TaggedJob]:
        """Find jobs by tags, one by one; see `Tags.iter_training_jobs_by_tags`."""
        from . import list_training_jobs_by_tags

        return walk_async(
            Cursor(list_training_jobs_by_tags.PAGES, {"limit": limit, "offset": offset}, self._client.offset_unit),
            partial(
                list_training_jobs_by_tags.asyncio,
                project_id=self._project_id,
                body=body,
                client=self._client,
            ),
        )

    async def show_train_job_tags(
        self,
        training_job_id: str,
    ) -> models.JobTagList:
        """Show the tags of a job; see `Tags.show_train_job_tags`."""
        from . import show_train_job_tags

        return await show_train_job_tags.asyncio(
            project_id=self._project_id,
            training_job_id=training_job_id,
            client=self._client,
        )
