# Generated from openapi/v2 by scripts/generate.py; do not edit.
"""The operations tagged `algorithms`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ....client import Client
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
                400 (ModelArts.0102, ModelArts.2752, ModelArts.2753, ModelArts.2756, ModelArts.2757,
                    ModelArts.2758, ModelArts.2759, ModelArts.2760, ModelArts.2761, ModelArts.2764,
                    ModelArts.2765, ModelArts.2766, ModelArts.2767, ModelArts.2768, ModelArts.2769,
                    ModelArts.2770, ModelArts.2772, ModelArts.2773, ModelArts.2774, ModelArts.2780,
                    ModelArts.2787, ModelArts.2788, ModelArts.2791, ModelArts.2792, ModelArts.2802,
                    ModelArts.2806, ModelArts.2810, ModelArts.2811, ModelArts.2815, ModelArts.2816,
                    ModelArts.2821, ModelArts.2824, ModelArts.2825, ModelArts.2826, ModelArts.2830,
                    ModelArts.2832, ModelArts.2834, ModelArts.2845, ModelArts.2858): The body is malformed, or
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
                400 (ModelArts.2755, ModelArts.2764, ModelArts.2771, ModelArts.2788): There is no such
                    algorithm (2755), or it cannot be deleted.
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
                400 (ModelArts.0102, ModelArts.2752, ModelArts.2753, ModelArts.2756, ModelArts.2757,
                    ModelArts.2758, ModelArts.2759, ModelArts.2760, ModelArts.2761, ModelArts.2764,
                    ModelArts.2765, ModelArts.2766, ModelArts.2767, ModelArts.2768, ModelArts.2769,
                    ModelArts.2770, ModelArts.2772, ModelArts.2773, ModelArts.2774, ModelArts.2780,
                    ModelArts.2787, ModelArts.2788, ModelArts.2791, ModelArts.2792, ModelArts.2802,
                    ModelArts.2806, ModelArts.2810, ModelArts.2811, ModelArts.2815, ModelArts.2816,
                    ModelArts.2821, ModelArts.2824, ModelArts.2825, ModelArts.2826, ModelArts.2830,
                    ModelArts.2832, ModelArts.2834, ModelArts.2845, ModelArts.2858): The body is malformed, or
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
                400 (ModelArts.2755, ModelArts.2764, ModelArts.2771, ModelArts.2788): There is no such
                    algorithm (2755), or it cannot be deleted.
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
