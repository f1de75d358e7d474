# Generated from openapi/iam by scripts/generate.py; do not edit.
"""The operations tagged `regions`."""

from __future__ import annotations

from modelarts_runtime.client import Client

from ... import models


class Regions:
    """The operations tagged `regions`, bound to a client."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def list_regions(
        self,
    ) -> models.RegionList:
        """List regions.

        The regions of the cloud.

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

        Source: https://github.com/opentelekomcloud-docs/identity-access-management/blob/9d2eac9fd0f9940ede2c67284534aca0a35d79ea/api-ref/source/apis/region_management/querying_a_region_list.rst
        """
        from . import list_regions

        return list_regions.sync(
            client=self._client,
        )

    def show_region(
        self,
        region_id: str,
    ) -> models.RegionDetails:
        """Show a region.

        A region of the cloud, by its id.

        Args:
            region_id: Id of the region, such as `eu-de`.

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

        Source: https://github.com/opentelekomcloud-docs/identity-access-management/blob/9d2eac9fd0f9940ede2c67284534aca0a35d79ea/api-ref/source/apis/region_management/querying_region_details.rst
        """
        from . import show_region

        return show_region.sync(
            region_id=region_id,
            client=self._client,
        )


class AsyncRegions:
    """The operations tagged `regions`, bound to a client; asynchronous."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def list_regions(
        self,
    ) -> models.RegionList:
        """List regions; see `Regions.list_regions`."""
        from . import list_regions

        return await list_regions.asyncio(
            client=self._client,
        )

    async def show_region(
        self,
        region_id: str,
    ) -> models.RegionDetails:
        """Show a region; see `Regions.show_region`."""
        from . import show_region

        return await show_region.asyncio(
            region_id=region_id,
            client=self._client,
        )
