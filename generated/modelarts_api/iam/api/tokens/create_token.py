# Generated from openapi/iam by scripts/generate.py; do not edit.
"""Log in: `POST /v3/auth/tokens`."""

from __future__ import annotations

from typing import Any

import httpx
from modelarts_runtime.client import Client
from modelarts_runtime.errors import ApiError
from modelarts_runtime.responses import json_object
from modelarts_runtime.types import UNSET, Response, Unset, plain

from ... import models


def _get_kwargs(
    *,
    body: models.CreateTokenRequest | models.CreateTokenRequestDict,
    nocatalog: str | Unset = UNSET,
) -> dict[str, Any]:
    kwargs: dict[str, Any] = {
        "method": "POST",
        "url": "/v3/auth/tokens",
    }
    params: dict[str, Any] = {
        "nocatalog": nocatalog,
    }
    kwargs["params"] = {name: value for name, value in params.items() if value is not UNSET and value is not None}
    kwargs["json"] = plain(body)
    return kwargs


def _parse_response(response: httpx.Response) -> models.CreatedToken:
    if response.is_success:
        return models.CreatedToken.from_dict(json_object(response))
    raise ApiError.from_response(response)


def _detailed(response: httpx.Response) -> Response[models.CreatedToken]:
    parsed = _parse_response(response)
    return Response(
        status_code=response.status_code,
        content=response.content,
        headers=response.headers,
        parsed=parsed,
    )


def sync_detailed(
    *,
    client: Client,
    body: models.CreateTokenRequest | models.CreateTokenRequestDict,
    nocatalog: str | Unset = UNSET,
) -> Response[models.CreatedToken]:
    """The response with its status and headers; raises as `sync` does."""
    kwargs = _get_kwargs(
        body=body,
        nocatalog=nocatalog,
    )
    return _detailed(client.request(**kwargs))


def sync(
    *,
    client: Client,
    body: models.CreateTokenRequest | models.CreateTokenRequestDict,
    nocatalog: str | Unset = UNSET,
) -> models.CreatedToken:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        body=body,
        nocatalog=nocatalog,
    )
    return _parse_response(client.request(**kwargs))


async def asyncio_detailed(
    *,
    client: Client,
    body: models.CreateTokenRequest | models.CreateTokenRequestDict,
    nocatalog: str | Unset = UNSET,
) -> Response[models.CreatedToken]:
    """The response with its status and headers; raises as `asyncio` does."""
    kwargs = _get_kwargs(
        body=body,
        nocatalog=nocatalog,
    )
    return _detailed(await client.request_async(**kwargs))


async def asyncio(
    *,
    client: Client,
    body: models.CreateTokenRequest | models.CreateTokenRequestDict,
    nocatalog: str | Unset = UNSET,
) -> models.CreatedToken:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        body=body,
        nocatalog=nocatalog,
    )
    return _parse_response(await client.request_async(**kwargs))
