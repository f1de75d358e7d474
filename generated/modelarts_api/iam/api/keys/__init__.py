# Generated from openapi/iam by scripts/generate.py; do not edit.
"""The operations tagged `keys`."""

from __future__ import annotations

from modelarts_runtime.client import Client

from ... import models


class Keys:
    """The operations tagged `keys`, bound to a client."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def create_temporary_keys(
        self,
        body: models.CreateTemporaryKeysRequestDict,
    ) -> models.CreatedTemporaryKeys:
        """Create temporary access keys.

        Exchanges a token for an access key and a secret key that are valid for a while. Requests that are
        signed with them also carry the security token, in `X-Security-Token`. The token comes in the header
        `X-Auth-Token` or, which the page discourages, in the body.

        Args:
            body: How long the keys are wanted, and the token if it is not in the header.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: The body or a parameter is malformed.
                401: User or password is wrong, or the token is missing or expired.
                403: The user may not do this.
                404: There is no such thing.
                429: Too many calls; wait before the next one.
                500: The service failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/identity-access-management/blob/9d2eac9fd0f9940ede2c67284534aca0a35d79ea/api-ref/source/apis/access_key_management/obtaining_a_temporary_ak_sk.rst
        """
        from . import create_temporary_keys

        return create_temporary_keys.sync(
            body=body,
            client=self._client,
        )


class AsyncKeys:
    """The operations tagged `keys`, bound to a client; asynchronous."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def create_temporary_keys(
        self,
        body: models.CreateTemporaryKeysRequestDict,
    ) -> models.CreatedTemporaryKeys:
        """Create temporary access keys; see `Keys.create_temporary_keys`."""
        from . import create_temporary_keys

        return await create_temporary_keys.asyncio(
            body=body,
            client=self._client,
        )
