# Generated from openapi/iam by scripts/generate.py; do not edit.
"""The operations tagged `tokens`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from functools import partial
from typing import Any

from ....client import Client
from ....pages import Cursor, walk, walk_async
from ....types import UNSET, Unset
from ... import models


class Tokens:
    """The operations tagged `tokens`, bound to a client."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def create_token(
        self,
        body: models.CreateTokenRequest | models.CreateTokenRequestDict,
    ) -> models.CreatedToken:
        """Log in.

        Exchanges user and password for a token that is valid for 24 hours and for one project. Logging in again
        does not end older tokens.

        Args:
            body: User, password and scope.

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

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/calling_apis/authentication.rst
        """
        from . import create_token

        return create_token.sync(
            body=body,
            client=self._client,
        )


class AsyncTokens:
    """The operations tagged `tokens`, bound to a client; asynchronous."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def create_token(
        self,
        body: models.CreateTokenRequest | models.CreateTokenRequestDict,
    ) -> models.CreatedToken:
        """Log in.

        Exchanges user and password for a token that is valid for 24 hours and for one project. Logging in again
        does not end older tokens.

        Args:
            body: User, password and scope.

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

        Source: https://github.com/opentelekomcloud-docs/modelarts/blob/1ba1873d960563c60759f67898a855d9ba3c3502/api-ref/source/calling_apis/authentication.rst
        """
        from . import create_token

        return await create_token.asyncio(
            body=body,
            client=self._client,
        )
