# Generated from openapi/v2 by scripts/generate.py; do not edit.
"""The operations tagged `algorithms`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import partial

from modelarts_runtime.client import Client
from modelarts_runtime.pages import Cursor, walk, walk_async
from modelarts_runtime.types import UNSET, Unset

from ... import models


class Algorithms:
    """The operations tagged `algorithms`, bound to a client and a project."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    def change_algorithm(
        self,
        algorithm_id: str,
        body: models.ChangeAlgorithmRequestDict,
    ) -> models.Algorithm:
        """Change an algorithm.

        Replaces the parts of a stored algorithm that the body gives. Jobs that were made from it keep their
        copy of its settings. The response is 201, although nothing is created.

        Args:
            algorithm_id: Id of a stored algorithm, from `metadata.id`.
            body: The new parts.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (41 codes): There is no such algorithm (2755), the body is malformed, or the algorithm
                    cannot be stored like this.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/training_management/modifying_an_algorithm.rst
        """
        from . import change_algorithm

        return change_algorithm.sync(
            project_id=self._project_id,
            algorithm_id=algorithm_id,
            body=body,
            client=self._client,
        )

    def create_algorithm(
        self,
        body: models.CreateAlgorithmRequestDict,
    ) -> models.Algorithm:
        """Create an algorithm.

        Stores code, boot file, engine, hyperparameters and channels under a name, for jobs to refer to. The
        code has to be in object storage already.

        Args:
            body: The algorithm.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (39 codes): The body is malformed, or the algorithm cannot be stored: name in use, code
                    or boot file not found, hyperparameters that contradict their own rules.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/training_management/creating_an_algorithm.rst
        """
        from . import create_algorithm

        return create_algorithm.sync(
            project_id=self._project_id,
            body=body,
            client=self._client,
        )

    def create_algorithm_version_to_gallery(
        self,
        body: models.PublishAlgorithmRequestDict,
    ) -> models.GalleryVersion:
        """Publish an algorithm in AI Gallery.

        Makes an algorithm a version of an asset in AI Gallery, where other users find it.

        Args:
            body: The algorithm, and the asset that it becomes a version of.

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

        Source: huaweicloudsdkmodelarts 3.1.219
        """
        from . import create_algorithm_version_to_gallery

        return create_algorithm_version_to_gallery.sync(
            project_id=self._project_id,
            body=body,
            client=self._client,
        )

    def delete_algorithm(
        self,
        algorithm_id: str,
    ) -> None:
        """Delete an algorithm.

        Removes a stored algorithm. Jobs that were made from it keep their copy of its settings.

        Args:
            algorithm_id: Id of a stored algorithm, from `metadata.id`.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.2755, 2764, 2771, 2788): There is no such algorithm (2755), or it cannot be
                    deleted.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/training_management/deleting_an_algorithm.rst
        """
        from . import delete_algorithm

        return delete_algorithm.sync(
            project_id=self._project_id,
            algorithm_id=algorithm_id,
            client=self._client,
        )

    def list_algorithms(
        self,
        *,
        offset: int | Unset = UNSET,
        limit: int | Unset = UNSET,
        sort_by: str | Unset = UNSET,
        order: models.ListAlgorithmsOrder | Unset = UNSET,
        group_by: str | Unset = UNSET,
        searches: str | Unset = UNSET,
        workspace_id: str | Unset = UNSET,
    ) -> models.AlgorithmList:
        """List algorithms.

        The stored algorithms, sorted and in pages. `offset` counts algorithms.

        Args:
            offset: How many algorithms to skip, from 0. It counts algorithms, unlike the `offset` of the
                search for jobs, which counts pages.
            limit: Algorithms per page, 1 to 50. The value that holds when it is left out is not documented.
            sort_by: Member of the metadata that orders the algorithms. The service's default:
                'create_time'.
            order: Largest value first (`desc`), which is newest first by default, or smallest first
                (`asc`). The service's default: 'desc'.
            group_by: Member that groups the algorithms; its values are not documented.
            searches: A condition as `key:text`, such as `name:digits`; a part of the value suffices to meet
                it.
            workspace_id: Workspace to look in; `0` is the default workspace. The service's default: '0'.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.0102, 2764, 2788, 2789, 2790, 2807, 2809, 2816): A query parameter is not
                    right, or a condition is not supported.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/training_management/querying_the_algorithm_list.rst
        """
        from . import list_algorithms

        return list_algorithms.sync(
            project_id=self._project_id,
            offset=offset,
            limit=limit,
            sort_by=sort_by,
            order=order,
            group_by=group_by,
            searches=searches,
            workspace_id=workspace_id,
            client=self._client,
        )

    def iter_algorithms(
        self,
        *,
        offset: int | Unset = UNSET,
        limit: int | Unset = UNSET,
        sort_by: str | Unset = UNSET,
        order: models.ListAlgorithmsOrder | Unset = UNSET,
        group_by: str | Unset = UNSET,
        searches: str | Unset = UNSET,
        workspace_id: str | Unset = UNSET,
    ) -> Iterator[models.Algorithm]:
        """List algorithms, one by one from page to page.

        Asks for a page when its first record is wanted. A page has 50 records, the most that is allowed, unless
        `limit` says otherwise. Starts at `offset`, or at the first record. No record comes twice: `metadata.id`
        identifies it. Records that come or go meanwhile move the others: some can be missed.

        Args:
            offset: Where to start, counted in records from 0.
            limit: Records per page; 50 if left out.
            sort_by: Member of the metadata that orders the algorithms. The service's default:
                'create_time'.
            order: Largest value first (`desc`), which is newest first by default, or smallest first
                (`asc`). The service's default: 'desc'.
            group_by: Member that groups the algorithms; its values are not documented.
            searches: A condition as `key:text`, such as `name:digits`; a part of the value suffices to meet
                it.
            workspace_id: Workspace to look in; `0` is the default workspace. The service's default: '0'.

        Raises:
            ApiError: the service rejects a page, as for `list_algorithms`.
            ValueError: at once, if `offset` is not a position in the list.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/training_management/querying_the_algorithm_list.rst
        """
        from . import list_algorithms

        return walk(
            Cursor(list_algorithms.PAGES, {"limit": limit, "offset": offset}, self._client.offset_unit),
            partial(
                list_algorithms.sync,
                project_id=self._project_id,
                sort_by=sort_by,
                order=order,
                group_by=group_by,
                searches=searches,
                workspace_id=workspace_id,
                client=self._client,
            ),
        )

    def show_algorithm_by_uuid(
        self,
        algorithm_id: str,
    ) -> models.Algorithm:
        """Show an algorithm.

        The algorithm as it is stored, with the tree of its code.

        Args:
            algorithm_id: Id of a stored algorithm, from `metadata.id`.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.2755, 2764, 2788): There is no such algorithm (2755).
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/training_management/querying_algorithm_details.rst
        """
        from . import show_algorithm_by_uuid

        return show_algorithm_by_uuid.sync(
            project_id=self._project_id,
            algorithm_id=algorithm_id,
            client=self._client,
        )


class AsyncAlgorithms:
    """The operations tagged `algorithms`, bound to a client and a project; asynchronous."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    async def change_algorithm(
        self,
        algorithm_id: str,
        body: models.ChangeAlgorithmRequestDict,
    ) -> models.Algorithm:
        """Change an algorithm; see `Algorithms.change_algorithm`."""
        from . import change_algorithm

        return await change_algorithm.asyncio(
            project_id=self._project_id,
            algorithm_id=algorithm_id,
            body=body,
            client=self._client,
        )

    async def create_algorithm(
        self,
        body: models.CreateAlgorithmRequestDict,
    ) -> models.Algorithm:
        """Create an algorithm; see `Algorithms.create_algorithm`."""
        from . import create_algorithm

        return await create_algorithm.asyncio(
            project_id=self._project_id,
            body=body,
            client=self._client,
        )

    async def create_algorithm_version_to_gallery(
        self,
        body: models.PublishAlgorithmRequestDict,
    ) -> models.GalleryVersion:
        """Publish an algorithm in AI Gallery; see `Algorithms.create_algorithm_version_to_gallery`."""
        from . import create_algorithm_version_to_gallery

        return await create_algorithm_version_to_gallery.asyncio(
            project_id=self._project_id,
            body=body,
            client=self._client,
        )

    async def delete_algorithm(
        self,
        algorithm_id: str,
    ) -> None:
        """Delete an algorithm; see `Algorithms.delete_algorithm`."""
        from . import delete_algorithm

        return await delete_algorithm.asyncio(
            project_id=self._project_id,
            algorithm_id=algorithm_id,
            client=self._client,
        )

    async def list_algorithms(
        self,
        *,
        offset: int | Unset = UNSET,
        limit: int | Unset = UNSET,
        sort_by: str | Unset = UNSET,
        order: models.ListAlgorithmsOrder | Unset = UNSET,
        group_by: str | Unset = UNSET,
        searches: str | Unset = UNSET,
        workspace_id: str | Unset = UNSET,
    ) -> models.AlgorithmList:
        """List algorithms; see `Algorithms.list_algorithms`."""
        from . import list_algorithms

        return await list_algorithms.asyncio(
            project_id=self._project_id,
            offset=offset,
            limit=limit,
            sort_by=sort_by,
            order=order,
            group_by=group_by,
            searches=searches,
            workspace_id=workspace_id,
            client=self._client,
        )

    def iter_algorithms(
        self,
        *,
        offset: int | Unset = UNSET,
        limit: int | Unset = UNSET,
        sort_by: str | Unset = UNSET,
        order: models.ListAlgorithmsOrder | Unset = UNSET,
        group_by: str | Unset = UNSET,
        searches: str | Unset = UNSET,
        workspace_id: str | Unset = UNSET,
    ) -> AsyncIterator[models.Algorithm]:
        """List algorithms, one by one; see `Algorithms.iter_algorithms`."""
        from . import list_algorithms

        return walk_async(
            Cursor(list_algorithms.PAGES, {"limit": limit, "offset": offset}, self._client.offset_unit),
            partial(
                list_algorithms.asyncio,
                project_id=self._project_id,
                sort_by=sort_by,
                order=order,
                group_by=group_by,
                searches=searches,
                workspace_id=workspace_id,
                client=self._client,
            ),
        )

    async def show_algorithm_by_uuid(
        self,
        algorithm_id: str,
    ) -> models.Algorithm:
        """Show an algorithm; see `Algorithms.show_algorithm_by_uuid`."""
        from . import show_algorithm_by_uuid

        return await show_algorithm_by_uuid.asyncio(
            project_id=self._project_id,
            algorithm_id=algorithm_id,
            client=self._client,
        )
