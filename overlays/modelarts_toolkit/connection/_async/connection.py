"""A connection to a project: the generated operations and object storage."""

from functools import cached_property
from typing import TYPE_CHECKING, Self

from modelarts_toolkit.connection.connector import Connector

if TYPE_CHECKING:
    from modelarts_api.iam import AsyncApi as AsyncIamApi
    from modelarts_api.v1 import AsyncApi as AsyncV1Api
    from modelarts_api.v2 import AsyncApi as AsyncV2Api
    from modelarts_toolkit.storage._async.obs import AsyncObs


class AsyncConnection(Connector):
    """The operations and the object storage of one project; a context manager that closes its connections."""

    @cached_property
    def iam(self) -> "AsyncIamApi":
        """The operations of the identity service."""
        from modelarts_api.iam import AsyncApi

        return AsyncApi(self._identity)

    @cached_property
    def v2(self) -> "AsyncV2Api":
        """The operations of the training service; the first call logs in, and asks for the project's id if need be."""
        from modelarts_api.v2 import AsyncApi

        return AsyncApi(self._training, self._project_id)

    @cached_property
    def v1(self) -> "AsyncV1Api":
        """The operations of the training service's first version."""
        from modelarts_api.v1 import AsyncApi

        return AsyncApi(self._training, self._project_id)

    @cached_property
    def obs(self) -> "AsyncObs":
        """Object storage; raises ConfigError without its endpoint and keys."""
        from modelarts_toolkit.storage._async.obs import AsyncObs

        return AsyncObs(self._obs_config, verify=self._verify)

    async def aclose(self) -> None:
        """Close all connections."""
        for client in self._clients:
            await client.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
