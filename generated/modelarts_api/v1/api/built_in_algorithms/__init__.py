# Generated from openapi/v1 by scripts/generate.py; do not edit.
"""The operations tagged `built_in_algorithms`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import partial

from modelarts_runtime.client import Client
from modelarts_runtime.pages import Cursor, walk, walk_async
from modelarts_runtime.types import UNSET, Unset

from ... import models


class BuiltInAlgorithms:
    """The operations tagged `built_in_algorithms`, bound to a client and a project."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    def list_built_in_algorithms(
        self,
        *,
        per_page: int | Unset = UNSET,
        page: int | Unset = UNSET,
        sort_by: models.ListBuiltInAlgorithmsSortBy | Unset = UNSET,
        order: models.ListBuiltInAlgorithmsOrder | Unset = UNSET,
        search_content: str | Unset = UNSET,
    ) -> models.BuiltInAlgorithmList:
        """List built-in algorithms.

        Algorithms of the service that a job can run instead of own code, sorted and in pages.

        Args:
            per_page: Entries per page. The service's default: 10.
            page: Number of the page, counted from 1. The service's default: 1.
            sort_by: Member that the entries are sorted by. The service's default: 'engine'.
            order: Ascending or descending; descending unless said otherwise, unlike in lists of jobs. The
                service's default: 'desc'.
            search_content: Text to look for, in names for instance. The service's default: ''.

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

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/historical_apis/training_management_old_version/training_jobs/querying_a_built-in_algorithm.rst
        """
        from . import list_built_in_algorithms

        return list_built_in_algorithms.sync(
            project_id=self._project_id,
            per_page=per_page,
            page=page,
            sort_by=sort_by,
            order=order,
            search_content=search_content,
            client=self._client,
        )

    def iter_built_in_algorithms(
        self,
        *,
        per_page: int | Unset = UNSET,
        page: int | Unset = UNSET,
        sort_by: models.ListBuiltInAlgorithmsSortBy | Unset = UNSET,
        order: models.ListBuiltInAlgorithmsOrder | Unset = UNSET,
        search_content: str | Unset = UNSET,
    ) -> Iterator[models.BuiltInAlgorithm]:
        """List built-in algorithms, one by one from page to page.

        Asks for a page when its first record is wanted. A page has 100 records, the most that is allowed,
        unless `per_page` says otherwise. Starts at `page`, or at the first page. No record comes twice:
        `model_id` identifies it. Records that come or go meanwhile move the others: some can be missed.

        Args:
            per_page: Records per page; 100 if left out.
            page: Where to start, counted in pages from 1.
            sort_by: Member that the entries are sorted by. The service's default: 'engine'.
            order: Ascending or descending; descending unless said otherwise, unlike in lists of jobs. The
                service's default: 'desc'.
            search_content: Text to look for, in names for instance. The service's default: ''.

        Raises:
            ApiError: the service rejects a page, as for `list_built_in_algorithms`.
            ValueError: at once, if `page` is not a position in the list.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/historical_apis/training_management_old_version/training_jobs/querying_a_built-in_algorithm.rst
        """
        from . import list_built_in_algorithms

        return walk(
            Cursor(list_built_in_algorithms.PAGES, {"per_page": per_page, "page": page}, self._client.offset_unit),
            partial(
                list_built_in_algorithms.sync,
                project_id=self._project_id,
                sort_by=sort_by,
                order=order,
                search_content=search_content,
                client=self._client,
            ),
        )


class AsyncBuiltInAlgorithms:
    """The operations tagged `built_in_algorithms`, bound to a client and a project; asynchronous."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    async def list_built_in_algorithms(
        self,
        *,
        per_page: int | Unset = UNSET,
        page: int | Unset = UNSET,
        sort_by: models.ListBuiltInAlgorithmsSortBy | Unset = UNSET,
        order: models.ListBuiltInAlgorithmsOrder | Unset = UNSET,
        search_content: str | Unset = UNSET,
    ) -> models.BuiltInAlgorithmList:
        """List built-in algorithms; see `BuiltInAlgorithms.list_built_in_algorithms`."""
        from . import list_built_in_algorithms

        return await list_built_in_algorithms.asyncio(
            project_id=self._project_id,
            per_page=per_page,
            page=page,
            sort_by=sort_by,
            order=order,
            search_content=search_content,
            client=self._client,
        )

    def iter_built_in_algorithms(
        self,
        *,
        per_page: int | Unset = UNSET,
        page: int | Unset = UNSET,
        sort_by: models.ListBuiltInAlgorithmsSortBy | Unset = UNSET,
        order: models.ListBuiltInAlgorithmsOrder | Unset = UNSET,
        search_content: str | Unset = UNSET,
    ) -> AsyncIterator[models.BuiltInAlgorithm]:
        """List built-in algorithms, one by one; see `BuiltInAlgorithms.iter_built_in_algorithms`."""
        from . import list_built_in_algorithms

        return walk_async(
            Cursor(list_built_in_algorithms.PAGES, {"per_page": per_page, "page": page}, self._client.offset_unit),
            partial(
                list_built_in_algorithms.asyncio,
                project_id=self._project_id,
                sort_by=sort_by,
                order=order,
                search_content=search_content,
                client=self._client,
            ),
        )
