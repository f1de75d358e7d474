# Generated from openapi/v2 by scripts/generate.py; do not edit.
"""The operations tagged `engines`."""

from __future__ import annotations

from modelarts_runtime.client import Client

from ... import models


class Engines:
    """The operations tagged `engines`, bound to a client and a project."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    def show_training_job_engines(
        self,
    ) -> models.EngineList:
        """List preset engines.

        The frameworks that the service offers ready to use, each in each version.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.2764, 2788): A parameter is unknown or has no valid value.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785).
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/training_management/obtaining_the_preset_ai_frameworks_supported_by_a_training_job.rst
        """
        from . import show_training_job_engines

        return show_training_job_engines.sync(
            project_id=self._project_id,
            client=self._client,
        )


class AsyncEngines:
    """The operations tagged `engines`, bound to a client and a project; asynchronous."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    async def show_training_job_engines(
        self,
    ) -> models.EngineList:
        """List preset engines; see `Engines.show_training_job_engines`."""
        from . import show_training_job_engines

        return await show_training_job_engines.asyncio(
            project_id=self._project_id,
            client=self._client,
        )
