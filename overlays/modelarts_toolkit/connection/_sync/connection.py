# Derived from _async/connection.py by scripts/derive_sync.py; do not edit.
"""A connection to a project: the generated operations and object storage."""

from functools import cached_property
from typing import TYPE_CHECKING, Self

from modelarts_toolkit.connection.connector import Connector

if TYPE_CHECKING:
    from modelarts_api.iam import Api as IamApi
    from modelarts_api.v1 import Api as V1Api
    from modelarts_api.v2 import Api as V2Api
    from modelarts_toolkit.storage._sync.obs import Obs


class Connection(Connector):
    """The operations and the object storage of one project; a context manager that closes its connections."""

    @cached_property
    def iam(self) -> "IamApi":
        """The operations of the identity service."""
        from modelarts_api.iam import Api

        return Api(self._identity)

    @cached_property
    def v2(self) -> "V2Api":
        """The operations of the training service; the first call logs in, and asks for the project's id if need be."""
        from modelarts_api.v2 import Api

        return Api(self._training, self._project_id)

    @cached_property
    def v1(self) -> "V1Api":
        """The operations of the training service's first version."""
        from modelarts_api.v1 import Api

        return Api(self._training, self._project_id)

    @cached_property
    def obs(self) -> "Obs":
        """Object storage; raises ConfigError without its endpoint and keys."""
        from modelarts_toolkit.storage._sync.obs import Obs

        return Obs(self._obs_config, verify=self._verify)

    def close(self) -> None:
        """Close all connections."""
        for client in self._clients:
            client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
