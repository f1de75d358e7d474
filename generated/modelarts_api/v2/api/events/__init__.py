# Generated from openapi/v2 by scripts/generate.py; do not edit.
"""The operations tagged `events`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import partial

from modelarts_runtime.client import Client
from modelarts_runtime.pages import Cursor, walk, walk_async
from modelarts_runtime.types import UNSET, Unset

from ... import models


class Events:
    """The operations tagged `events`, bound to a client and a project."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    def list_event_categories(
        self,
        *,
        flavor_type: models.ListEventCategoriesFlavorType | Unset = UNSET,
    ) -> models.EventCategoryList:
        """List event categories.

        Kinds of events about which a job can send notifications. It needs no permission.

        Args:
            flavor_type: Only events of jobs on flavors of this type.

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

        Source: https://support.huaweicloud.com/api-modelarts/ListEventCategories.html
        """
        from . import list_event_categories

        return list_event_categories.sync(
            project_id=self._project_id,
            flavor_type=flavor_type,
            client=self._client,
        )

    def list_training_job_events(
        self,
        training_job_id: str,
        *,
        offset: int | Unset = UNSET,
        limit: int | Unset = UNSET,
        order: str | Unset = UNSET,
        start_time: str | Unset = UNSET,
        end_time: str | Unset = UNSET,
        level: models.ListTrainingJobEventsLevel | Unset = UNSET,
        pattern: str | Unset = UNSET,
        source: str | Unset = UNSET,
        x_language: str | Unset = UNSET,
    ) -> models.EventList:
        """List events of a job.

        What happened to a job: its way through the cluster, its tasks, its errors. It says what a phase does
        not, such as why a job waits.

        Args:
            training_job_id: Id of a job, from `metadata.id`.
            offset: How many events to skip, from 0.
            limit: Events per page, 1 to 100. The service's default: 50.
            order: Newest first (`desc`, also without it) or oldest first (`asc`).
            start_time: Only events from this time on, in milliseconds since 1970 as text. It goes together
                with `end_time`.
            end_time: Only events up to this time, in milliseconds since 1970 as text. It goes together with
                `start_time`.
            level: Only events of this weight.
            pattern: Only events whose message contains this, up to 256 characters.
            source: Only events from here: the cluster (`K8S`), the job as a whole (`Job`) or one of its
                tasks (`Task`).
            x_language: Language that messages are wanted in, such as `en-us`.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.2764, 2775, 2788, 50004000): There is no such job (2775), or a parameter is
                    not right.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/training_management/obtaining_the_events_of_a_training_job.rst
        """
        from . import list_training_job_events

        return list_training_job_events.sync(
            project_id=self._project_id,
            training_job_id=training_job_id,
            offset=offset,
            limit=limit,
            order=order,
            start_time=start_time,
            end_time=end_time,
            level=level,
            pattern=pattern,
            source=source,
            x_language=x_language,
            client=self._client,
        )

    def iter_training_job_events(
        self,
        training_job_id: str,
        *,
        offset: int | Unset = UNSET,
        limit: int | Unset = UNSET,
        order: str | Unset = UNSET,
        start_time: str | Unset = UNSET,
        end_time: str | Unset = UNSET,
        level: models.ListTrainingJobEventsLevel | Unset = UNSET,
        pattern: str | Unset = UNSET,
        source: str | Unset = UNSET,
        x_language: str | Unset = UNSET,
    ) -> Iterator[models.Event]:
        """List events of a job, one by one from page to page.

        Asks for a page when its first record is wanted. A page has 100 records, the most that is allowed,
        unless `limit` says otherwise. Starts at `offset`, or at the first record. Records that come or go
        meanwhile move the others: some can be missed or come twice.

        Args:
            training_job_id: Id of a job, from `metadata.id`.
            offset: Where to start, counted in records from 0.
            limit: Records per page; 100 if left out.
            order: Newest first (`desc`, also without it) or oldest first (`asc`).
            start_time: Only events from this time on, in milliseconds since 1970 as text. It goes together
                with `end_time`.
            end_time: Only events up to this time, in milliseconds since 1970 as text. It goes together with
                `start_time`.
            level: Only events of this weight.
            pattern: Only events whose message contains this, up to 256 characters.
            source: Only events from here: the cluster (`K8S`), the job as a whole (`Job`) or one of its
                tasks (`Task`).
            x_language: Language that messages are wanted in, such as `en-us`.

        Raises:
            ApiError: the service rejects a page, as for `list_training_job_events`.
            ValueError: at once, if `offset` is not a position in the list.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/training_management/obtaining_the_events_of_a_training_job.rst
        """
        from . import list_training_job_events

        return walk(
            Cursor(list_training_job_events.PAGES, {"limit": limit, "offset": offset}, self._client.offset_unit),
            partial(
                list_training_job_events.sync,
                project_id=self._project_id,
                training_job_id=training_job_id,
                order=order,
                start_time=start_time,
                end_time=end_time,
                level=level,
                pattern=pattern,
                source=source,
                x_language=x_language,
                client=self._client,
            ),
        )

    def notify_training_job_information(
        self,
        training_job_id: str,
        task_id: str,
        report_type: str,
        body: models.TaskReportRequestDict,
    ) -> None:
        """Report an event of a task.

        Tells the service about an event in a task, such as the start of profiling. Programs in the job call it.

        Args:
            training_job_id: Id of a job, from `metadata.id`.
            task_id: Name of a task, from `status.tasks` of its job: `worker-0` for the first.
            report_type: Kind of the report; only `training-event` is documented.
            body: The event.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: There is no such job (2775), or a parameter or the body is not right.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785). The permission for it is
                    `modelarts:trainJob:taskReport`.
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://support.huaweicloud.com/api-modelarts/NotifyTrainingJobInformation.html
        """
        from . import notify_training_job_information

        return notify_training_job_information.sync(
            project_id=self._project_id,
            training_job_id=training_job_id,
            task_id=task_id,
            report_type=report_type,
            body=body,
            client=self._client,
        )


class AsyncEvents:
    """The operations tagged `events`, bound to a client and a project; asynchronous."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    async def list_event_categories(
        self,
        *,
        flavor_type: models.ListEventCategoriesFlavorType | Unset = UNSET,
    ) -> models.EventCategoryList:
        """List event categories; see `Events.list_event_categories`."""
        from . import list_event_categories

        return await list_event_categories.asyncio(
            project_id=self._project_id,
            flavor_type=flavor_type,
            client=self._client,
        )

    async def list_training_job_events(
        self,
        training_job_id: str,
        *,
        offset: int | Unset = UNSET,
        limit: int | Unset = UNSET,
        order: str | Unset = UNSET,
        start_time: str | Unset = UNSET,
        end_time: str | Unset = UNSET,
        level: models.ListTrainingJobEventsLevel | Unset = UNSET,
        pattern: str | Unset = UNSET,
        source: str | Unset = UNSET,
        x_language: str | Unset = UNSET,
    ) -> models.EventList:
        """List events of a job; see `Events.list_training_job_events`."""
        from . import list_training_job_events

        return await list_training_job_events.asyncio(
            project_id=self._project_id,
            training_job_id=training_job_id,
            offset=offset,
            limit=limit,
            order=order,
            start_time=start_time,
            end_time=end_time,
            level=level,
            pattern=pattern,
            source=source,
            x_language=x_language,
            client=self._client,
        )

    def iter_training_job_events(
        self,
        training_job_id: str,
        *,
        offset: int | Unset = UNSET,
        limit: int | Unset = UNSET,
        order: str | Unset = UNSET,
        start_time: str | Unset = UNSET,
        end_time: str | Unset = UNSET,
        level: models.ListTrainingJobEventsLevel | Unset = UNSET,
        pattern: str | Unset = UNSET,
        source: str | Unset = UNSET,
        x_language: str | Unset = UNSET,
    ) -> AsyncIterator[models.Event]:
        """List events of a job, one by one; see `Events.iter_training_job_events`."""
        from . import list_training_job_events

        return walk_async(
            Cursor(list_training_job_events.PAGES, {"limit": limit, "offset": offset}, self._client.offset_unit),
            partial(
                list_training_job_events.asyncio,
                project_id=self._project_id,
                training_job_id=training_job_id,
                order=order,
                start_time=start_time,
                end_time=end_time,
                level=level,
                pattern=pattern,
                source=source,
                x_language=x_language,
                client=self._client,
            ),
        )

    async def notify_training_job_information(
        self,
        training_job_id: str,
        task_id: str,
        report_type: str,
        body: models.TaskReportRequestDict,
    ) -> None:
        """Report an event of a task; see `Events.notify_training_job_information`."""
        from . import notify_training_job_information

        return await notify_training_job_information.asyncio(
            project_id=self._project_id,
            training_job_id=training_job_id,
            task_id=task_id,
            report_type=report_type,
            body=body,
            client=self._client,
        )
