# Generated from openapi/v2 by scripts/generate.py; do not edit.
"""List flavors for training jobs: `GET /v2/{project_id}/training-job-flavors`."""

from __future__ import annotations

from typing import Any

import httpx
from modelarts_runtime.client import Client, segment
from modelarts_runtime.errors import ApiError
from modelarts_runtime.responses import json_object
from modelarts_runtime.types import UNSET, Response, Unset

from ... import models


def _get_kwargs(
    project_id: str,
    *,
    flavor_type: models.ShowTrainingJobFlavorsFlavorType | Unset = UNSET,
    pool_id: str | Unset = UNSET,
    support_engines: str | Unset = UNSET,
    support_groups: str | Unset = UNSET,
) -> dict[str, Any]:
    kwargs: dict[str, Any] = {
        "method": "GET",
        "url": f"/v2/{segment('project_id', project_id)}/training-job-flavors",
    }
    params: dict[str, Any] = {
        "flavor_type": flavor_type,
        "pool_id": pool_id,
        "support_engines": support_engines,
        "support_groups": support_groups,
    }
    kwargs["params"] = {name: value for name, value in params.items() if value is not UNSET and value is not None}
    return kwargs


def _parse_response(response: httpx.Response) -> models.FlavorList:
    if response.is_success:
        return models.FlavorList.from_dict(json_object(response))
    raise ApiError.from_response(response)


def _detailed(response: httpx.Response) -> Response[models.FlavorList]:
    parsed = _parse_response(response)
    return Response(
        status_code=response.status_code,
        content=response.content,
        headers=response.headers,
        parsed=parsed,
    )


def sync_detailed(
    project_id: str,
    *,
    client: Client,
    flavor_type: models.ShowTrainingJobFlavorsFlavorType | Unset = UNSET,
    pool_id: str | Unset = UNSET,
    support_engines: str | Unset = UNSET,
    support_groups: str | Unset = UNSET,
) -> Response[models.FlavorList]:
    """The response with its status and headers; raises as `sync` does."""
    kwargs = _get_kwargs(
        project_id=project_id,
        flavor_type=flavor_type,
        pool_id=pool_id,
        support_engines=support_engines,
        support_groups=support_groups,
    )
    return _detailed(client.request(**kwargs))


def sync(
    project_id: str,
    *,
    client: Client,
    flavor_type: models.ShowTrainingJobFlavorsFlavorType | Unset = UNSET,
    pool_id: str | Unset = UNSET,
    support_engines: str | Unset = UNSET,
    support_groups: str | Unset = UNSET,
) -> models.FlavorList:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        project_id=project_id,
        flavor_type=flavor_type,
        pool_id=pool_id,
        support_engines=support_engines,
        support_groups=support_groups,
    )
    return _parse_response(client.request(**kwargs))


async def asyncio_detailed(
    project_id: str,
    *,
    client: Client,
    flavor_type: models.ShowTrainingJobFlavorsFlavorType | Unset = UNSET,
    pool_id: str | Unset = UNSET,
    support_engines: str | Unset = UNSET,
    support_groups: str | Unset = UNSET,
) -> Response[models.FlavorList]:
    """The response with its status and headers; raises as `asyncio` does."""
    kwargs = _get_kwargs(
        project_id=project_id,
        flavor_type=flavor_type,
        pool_id=pool_id,
        support_engines=support_engines,
        support_groups=support_groups,
    )
    return _detailed(await client.request_async(**kwargs))


async def asyncio(
    project_id: str,
    *,
    client: Client,
    flavor_type: models.ShowTrainingJobFlavorsFlavorType | Unset = UNSET,
    pool_id: str | Unset = UNSET,
    support_engines: str | Unset = UNSET,
    support_groups: str | Unset = UNSET,
) -> models.FlavorList:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        project_id=project_id,
        flavor_type=flavor_type,
        pool_id=pool_id,
        support_engines=support_engines,
        support_groups=support_groups,
    )
    return _parse_response(await client.request_async(**kwargs))
