# Generated from openapi/iam by scripts/generate.py; do not edit.
"""The operations tagged `versions`."""

from __future__ import annotations

from modelarts_runtime.client import Client

from ... import models


class Versions:
    """The operations tagged `versions`, bound to a client."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def list_versions(
        self,
    ) -> models.VersionList:
        """List API versions.

        Which versions of the identity API there are, and where. The status is 300, because the caller has to
        choose.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                429: Too many calls; wait before the next one.
                500: The service failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/identity-access-management/blob/9d2eac9fd0f9940ede2c67284534aca0a35d79ea/api-ref/source/apis/version_information_management/querying_keystone_api_version_information.rst
        """
        from . import list_versions

        return list_versions.sync(
            client=self._client,
        )

    def show_version(
        self,
    ) -> models.VersionDetails:
        """Show API version 3.

        State and address of version 3.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                429: Too many calls; wait before the next one.
                500: The service failed.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/identity-access-management/blob/9d2eac9fd0f9940ede2c67284534aca0a35d79ea/api-ref/source/apis/version_information_management/querying_information_about_keystone_api_version_3.0.rst
        """
        from . import show_version

        return show_version.sync(
            client=self._client,
        )


class AsyncVersions:
    """The operations tagged `versions`, bound to a client; asynchronous."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def list_versions(
        self,
    ) -> models.VersionList:
        """List API versions; see `Versions.list_versions`."""
        from . import list_versions

        return await list_versions.asyncio(
            client=self._client,
        )

    async def show_version(
        self,
    ) -> models.VersionDetails:
        """Show API version 3; see `Versions.show_version`."""
        from . import show_version

        return await show_version.asyncio(
            client=self._client,
        )
