# Generated from openapi/iam by scripts/generate.py; do not edit.
"""List regions: `GET /v3/regions`."""

from __future__ import annotations

from typing import Any

import httpx
from modelarts_runtime.client import Client
from modelarts_runtime.errors import ApiError
from modelarts_runtime.responses import json_object
from modelarts_runtime.types import Response

from ... import models


def _get_kwargs() -> dict[str, Any]:
    kwargs: dict[str, Any] = {
        "method": "GET",
        "url": "/v3/regions",
    }
    return kwargs


def _parse_response(response: httpx.Response) -> models.RegionList:
    if response.is_success:
        return models.RegionList.from_dict(json_object(response))
    raise ApiError.from_response(response)


def _detailed(response: httpx.Response) -> Response[models.RegionList]:
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
) -> Response[models.RegionList]:
    """The response with its status and headers; raises as `sync` does."""
    kwargs = _get_kwargs()
    return _detailed(client.request(**kwargs))


def sync(
    *,
    client: Client,
) -> models.RegionList:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs()
    return _parse_response(client.request(**kwargs))


async def asyncio_detailed(
    *,
    client: Client,
) -> Response[models.RegionList]:
    """The response with its status and headers; raises as `asyncio` does."""
    kwargs = _get_kwargs()
    return _detailed(await client.request_async(**kwargs))


async def asyncio(
    *,
    client: Client,
) -> models.RegionList:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs()
    return _parse_response(await client.request_async(**kwargs))
