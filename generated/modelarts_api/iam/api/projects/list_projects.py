# Generated from openapi/iam by scripts/generate.py; do not edit.
"""List projects: `GET /v3/projects`."""

from __future__ import annotations

from typing import Any

import httpx
from modelarts_runtime.client import Client
from modelarts_runtime.errors import ApiError
from modelarts_runtime.responses import json_object
from modelarts_runtime.types import UNSET, Response, Unset

from ... import models


def _get_kwargs(
    *,
    name: str | Unset = UNSET,
    domain_id: str | Unset = UNSET,
    parent_id: str | Unset = UNSET,
    enabled: bool | Unset = UNSET,
    is_domain: bool | Unset = UNSET,
) -> dict[str, Any]:
    kwargs: dict[str, Any] = {
        "method": "GET",
        "url": "/v3/projects",
    }
    params: dict[str, Any] = {
        "name": name,
        "domain_id": domain_id,
        "parent_id": parent_id,
        "enabled": enabled,
        "is_domain": is_domain,
    }
    kwargs["params"] = {name: value for name, value in params.items() if value is not UNSET and value is not None}
    return kwargs


def _parse_response(response: httpx.Response) -> models.ProjectList:
    if response.is_success:
        return models.ProjectList.from_dict(json_object(response))
    raise ApiError.from_response(response)


def _detailed(response: httpx.Response) -> Response[models.ProjectList]:
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
    name: str | Unset = UNSET,
    domain_id: str | Unset = UNSET,
    parent_id: str | Unset = UNSET,
    enabled: bool | Unset = UNSET,
    is_domain: bool | Unset = UNSET,
) -> Response[models.ProjectList]:
    """The response with its status and headers; raises as `sync` does."""
    kwargs = _get_kwargs(
        name=name,
        domain_id=domain_id,
        parent_id=parent_id,
        enabled=enabled,
        is_domain=is_domain,
    )
    return _detailed(client.request(**kwargs))


def sync(
    *,
    client: Client,
    name: str | Unset = UNSET,
    domain_id: str | Unset = UNSET,
    parent_id: str | Unset = UNSET,
    enabled: bool | Unset = UNSET,
    is_domain: bool | Unset = UNSET,
) -> models.ProjectList:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        name=name,
        domain_id=domain_id,
        parent_id=parent_id,
        enabled=enabled,
        is_domain=is_domain,
    )
    return _parse_response(client.request(**kwargs))


async def asyncio_detailed(
    *,
    client: Client,
    name: str | Unset = UNSET,
    domain_id: str | Unset = UNSET,
    parent_id: str | Unset = UNSET,
    enabled: bool | Unset = UNSET,
    is_domain: bool | Unset = UNSET,
) -> Response[models.ProjectList]:
    """The response with its status and headers; raises as `asyncio` does."""
    kwargs = _get_kwargs(
        name=name,
        domain_id=domain_id,
        parent_id=parent_id,
        enabled=enabled,
        is_domain=is_domain,
    )
    return _detailed(await client.request_async(**kwargs))


async def asyncio(
    *,
    client: Client,
    name: str | Unset = UNSET,
    domain_id: str | Unset = UNSET,
    parent_id: str | Unset = UNSET,
    enabled: bool | Unset = UNSET,
    is_domain: bool | Unset = UNSET,
) -> models.ProjectList:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        name=name,
        domain_id=domain_id,
        parent_id=parent_id,
        enabled=enabled,
        is_domain=is_domain,
    )
    return _parse_response(await client.request_async(**kwargs))
