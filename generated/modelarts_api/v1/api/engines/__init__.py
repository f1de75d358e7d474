# Generated from openapi/v1 by scripts/generate.py; do not edit.
"""The operations tagged `engines`."""

from __future__ import annotations

from modelarts_runtime.client import Client
from modelarts_runtime.types import UNSET, Unset

from ... import models


class Engines:
    """The operations tagged `engines`, bound to a client and a project."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    def list_job_engines(
        self,
        *,
        job_type: models.ListJobEnginesJobType | Unset = UNSET,
    ) -> models.EngineList:
        """List engines.

        Preset frameworks that can run a boot file. The list is not paged.

        Args:
            job_type: Only what this kind of job can use.

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

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/historical_apis/training_management_old_version/resource_and_engine_specifications/querying_job_engine_specifications.rst
        """
        from . import list_job_engines

        return list_job_engines.sync(
            project_id=self._project_id,
            job_type=job_type,
            client=self._client,
        )


class AsyncEngines:
    """The operations tagged `engines`, bound to a client and a project; asynchronous."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    async def list_job_engines(
        self,
        *,
        job_type: models.ListJobEnginesJobType | Unset = UNSET,
    ) -> models.EngineList:
        """List engines; see `Engines.list_job_engines`."""
        from . import list_job_engines

        return await list_job_engines.asyncio(
            project_id=self._project_id,
            job_type=job_type,
            client=self._client,
        )
