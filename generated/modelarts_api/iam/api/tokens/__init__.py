# Generated from openapi/iam by scripts/generate.py; do not edit.
"""The operations tagged `tokens`."""

from __future__ import annotations

from modelarts_runtime.client import Client
from modelarts_runtime.types import UNSET, Unset

from ... import models


class Tokens:
    """The operations tagged `tokens`, bound to a client."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def check_token(
        self,
        *,
        x_subject_token: str,
    ) -> None:
        """Check a token.

        Checks a token, and says by the status alone whether it is valid.

        Args:
            x_subject_token: The token that the call is about; the user's own token or another one of the
                same account.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: The body or a parameter is malformed.
                401: User or password is wrong, or the token is missing or expired.
                404: There is no such thing.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/identity-access-management/blob/9d2eac9fd0f9940ede2c67284534aca0a35d79ea/api-ref/source/apis/token_management/verifying_a_token.rst
        """
        from . import check_token

        return check_token.sync(
            x_subject_token=x_subject_token,
            client=self._client,
        )

    def create_token(
        self,
        body: models.CreateTokenRequestDict,
        *,
        nocatalog: str | Unset = UNSET,
    ) -> models.CreatedToken:
        """Log in.

        Exchanges user and password for a token that is valid for 24 hours and for one project. Logging in again
        does not end older tokens. A token can also be exchanged for one with another scope, which ends when the
        first one does.

        Args:
            nocatalog: Any text that is not empty leaves the catalogue out of the response.
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
            nocatalog=nocatalog,
            client=self._client,
        )

    def delete_token(
        self,
        *,
        x_subject_token: str,
    ) -> None:
        """End a token.

        Ends the validity of a token before its time; other tokens of the user stay valid.

        Args:
            x_subject_token: The token that the call is about; the user's own token or another one of the
                same account.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: The body or a parameter is malformed.
                401: User or password is wrong, or the token is missing or expired.
                403: The user may not do this.
                404: There is no such thing.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/identity-access-management/blob/9d2eac9fd0f9940ede2c67284534aca0a35d79ea/api-ref/source/apis/token_management/deleting_a_user_token.rst
        """
        from . import delete_token

        return delete_token.sync(
            x_subject_token=x_subject_token,
            client=self._client,
        )

    def show_token(
        self,
        *,
        nocatalog: str | Unset = UNSET,
        x_subject_token: str,
    ) -> models.CreatedToken:
        """Show a token.

        Checks a token, and shows what it is for and until when it is valid.

        Args:
            nocatalog: Any text that is not empty leaves the catalogue out of the response.
            x_subject_token: The token that the call is about; the user's own token or another one of the
                same account.

        Raises:
            ApiError: the service rejects the request; `modelarts_api.error_codes` explains its codes.
                400: The body or a parameter is malformed.
                401: User or password is wrong, or the token is missing or expired.
                404: There is no such thing.
                any other status: Any other error, from the service or from the gateway in front of it.
            httpx.TransportError: no response came.

        Source: https://github.com/opentelekomcloud-docs/identity-access-management/blob/9d2eac9fd0f9940ede2c67284534aca0a35d79ea/api-ref/source/apis/token_management/verifying_a_token_and_returning_a_valid_token.rst
        """
        from . import show_token

        return show_token.sync(
            nocatalog=nocatalog,
            x_subject_token=x_subject_token,
            client=self._client,
        )


class AsyncTokens:
    """The operations tagged `tokens`, bound to a client; asynchronous."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def check_token(
        self,
        *,
        x_subject_token: str,
    ) -> None:
        """Check a token; see `Tokens.check_token`."""
        from . import check_token

        return await check_token.asyncio(
            x_subject_token=x_subject_token,
            client=self._client,
        )

    async def create_token(
        self,
        body: models.CreateTokenRequestDict,
        *,
        nocatalog: str | Unset = UNSET,
    ) -> models.CreatedToken:
        """Log in; see `Tokens.create_token`."""
        from . import create_token

        return await create_token.asyncio(
            body=body,
            nocatalog=nocatalog,
            client=self._client,
        )

    async def delete_token(
        self,
        *,
        x_subject_token: str,
    ) -> None:
        """End a token; see `Tokens.delete_token`."""
        from . import delete_token

        return await delete_token.asyncio(
            x_subject_token=x_subject_token,
            client=self._client,
        )

    async def show_token(
        self,
        *,
        nocatalog: str | Unset = UNSET,
        x_subject_token: str,
    ) -> models.CreatedToken:
        """Show a token; see `Tokens.show_token`."""
        from . import show_token

        return await show_token.asyncio(
            nocatalog=nocatalog,
            x_subject_token=x_subject_token,
            client=self._client,
        )
