# Generated from openapi/v2 by scripts/generate.py; do not edit.
"""The operations tagged `quotas`."""

from __future__ import annotations

from modelarts_runtime.client import Client
from modelarts_runtime.types import UNSET, Unset

from ... import models


class Quotas:
    """The operations tagged `quotas`, bound to a client and a project."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    def modify_training_quotas(
        self,
        body: models.ChangeQuotasRequestDict,
    ) -> models.ChangedQuotas:
        """Change quotas of a user.

        Sets limits of a user. It is for administrators.

        Args:
            body: The user and the limits.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400 (ModelArts.2764, 2787, 2788, 2858): The body is not right, or what it limits cannot be
                    limited.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785). The permission for it is
                    `modelarts:trainJob:updateQuotas`.
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://support.huaweicloud.com/api-modelarts/ModifyTrainingQuotas.html
        """
        from . import modify_training_quotas

        return modify_training_quotas.sync(
            project_id=self._project_id,
            body=body,
            client=self._client,
        )

    def show_training_quotas(
        self,
        *,
        user_id: str | Unset = UNSET,
        resource: str | Unset = UNSET,
    ) -> models.QuotaList:
        """Show quotas.

        How many jobs there may be, and how many there are. A job that is one too many is rejected with
        ModelArts.2815.

        Args:
            user_id: Id of the user whose limits are wanted.
            resource: What is limited; only `job-num` is documented here.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: There is no such workspace (0102), or a parameter or the body is not right.
                401: The token is missing, expired or unreadable, or has no project.
                403: The user may not do this: the token is not valid here (2784), is for another project
                    (0210), or the project has not authorised ModelArts (2785). The permission for it is
                    `modelarts:trainJob:getQuotas`.
                404: The project in the path is not that of the token. Missing jobs and algorithms are
                    reported under 400.
                429: Too many calls; wait before the next one.
                500: The service or one that it depends on failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://support.huaweicloud.com/api-modelarts/ShowTrainingQuotas.html
        """
        from . import show_training_quotas

        return show_training_quotas.sync(
            project_id=self._project_id,
            user_id=user_id,
            resource=resource,
            client=self._client,
        )


class AsyncQuotas:
    """The operations tagged `quotas`, bound to a client and a project; asynchronous."""

    def __init__(self, client: Client, project_id: str) -> None:
        self._client = client
        self._project_id = project_id

    async def modify_training_quotas(
        self,
        body: models.ChangeQuotasRequestDict,
    ) -> models.ChangedQuotas:
        """Change quotas of a user; see `Quotas.modify_training_quotas`."""
        from . import modify_training_quotas

        return await modify_training_quotas.asyncio(
            project_id=self._project_id,
            body=body,
            client=self._client,
        )

    async def show_training_quotas(
        self,
        *,
        user_id: str | Unset = UNSET,
        resource: str | Unset = UNSET,
    ) -> models.QuotaList:
        """Show quotas; see `Quotas.show_training_quotas`."""
        from . import show_training_quotas

        return await show_training_quotas.asyncio(
            project_id=self._project_id,
            user_id=user_id,
            resource=resource,
            client=self._client,
        )
