# Generated from openapi/v2 by scripts/generate.py; do not edit.
"""The operations tagged `algorithms`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from ....client import Client
from ....pages import Cursor, walk, walk_async
from ....types import UNSET, Unset

if TYPE_CHECKING:
    from ...models.algorithm import Algorithm
    from ...models.create_algorithm_request import CreateAlgorithmRequest


class Algorithms:
    """The operations tagged `algorithms`, bound to a client and a project."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    def create_algorithm(
        self,
        body: CreateAlgorithmRequest | Mapping[str, Any],
    ) -> Algorithm:
        """Create an algorithm.

        Stores code, boot file, engine, hyperparameters and channels under a name, for jobs to refer to. The
        code has to be in object storage already.

        Args:
            body: The algorithm.

        Raises:
            ApiError: the service refuses.
                400 (ModelArts.0102, 2752, 2753, 2756, 2757, 2758, 2759, 2760, 2761, 2764, 2765, 2766, 2767,
                    2768, 2769, 2770, 2772, 2773, 2774, 2780, 2787, 2788, 2791, 2792, 2802, 2806, 2810, 2811,
                    2815, 2816, 2821, 2824, 2825, 2826, 2830, 2832, 2834, 2845, 2858): The body is malformed, or
                    the algorithm cannot be stored: name in use, code or boot file not found, hyperparameters
                    that contradict their own rules.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other refusal, by the service or by the gateway before it.
            httpx.TransportError: no answer came.

        Source: training_management/creating_an_algorithm
        """
        from . import create_algorithm

        return create_algorithm.sync(
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
            ApiError: the service refuses.
                400 (ModelArts.2755, 2764, 2771, 2788): There is no such algorithm (2755), or it cannot be
                    deleted.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other refusal, by the service or by the gateway before it.
            httpx.TransportError: no answer came.

        Source: training_management/deleting_an_algorithm
        """
        from . import delete_algorithm

        return delete_algorithm.sync(
            project_id=self._project_id,
            algorithm_id=algorithm_id,
            client=self._client,
        )


class AsyncAlgorithms:
    """The operations tagged `algorithms`, bound to a client and a project; asynchronous."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    async def create_algorithm(
        self,
        body: CreateAlgorithmRequest | Mapping[str, Any],
    ) -> Algorithm:
        """Create an algorithm.

        Stores code, boot file, engine, hyperparameters and channels under a name, for jobs to refer to. The
        code has to be in object storage already.

        Args:
            body: The algorithm.

        Raises:
            ApiError: the service refuses.
                400 (ModelArts.0102, 2752, 2753, 2756, 2757, 2758, 2759, 2760, 2761, 2764, 2765, 2766, 2767,
                    2768, 2769, 2770, 2772, 2773, 2774, 2780, 2787, 2788, 2791, 2792, 2802, 2806, 2810, 2811,
                    2815, 2816, 2821, 2824, 2825, 2826, 2830, 2832, 2834, 2845, 2858): The body is malformed, or
                    the algorithm cannot be stored: name in use, code or boot file not found, hyperparameters
                    that contradict their own rules.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other refusal, by the service or by the gateway before it.
            httpx.TransportError: no answer came.

        Source: training_management/creating_an_algorithm
        """
        from . import create_algorithm

        return await create_algorithm.asyncio(
            project_id=self._project_id,
            body=body,
            client=self._client,
        )

    async def delete_algorithm(
        self,
        algorithm_id: str,
    ) -> None:
        """Delete an algorithm.

        Removes a stored algorithm. Jobs that were made from it keep their copy of its settings.

        Args:
            algorithm_id: Id of a stored algorithm, from `metadata.id`.

        Raises:
            ApiError: the service refuses.
                400 (ModelArts.2755, 2764, 2771, 2788): There is no such algorithm (2755), or it cannot be
                    deleted.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other refusal, by the service or by the gateway before it.
            httpx.TransportError: no answer came.

        Source: training_management/deleting_an_algorithm
        """
        from . import delete_algorithm

        return await delete_algorithm.asyncio(
            project_id=self._project_id,
            algorithm_id=algorithm_id,
            client=self._client,
        )
