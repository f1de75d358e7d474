# Generated from openapi/v2 by scripts/generate.py; do not edit.
"""List experiments: `GET /v2/{project_id}/training-experiments`."""

from __future__ import annotations

from typing import Any

import httpx
from modelarts_runtime.client import Client, segment
from modelarts_runtime.errors import ApiError
from modelarts_runtime.pages import Pages
from modelarts_runtime.responses import json_object
from modelarts_runtime.types import UNSET, Response, Unset

from ... import models

PAGES = Pages(
    limit="limit",
    position="offset",
    in_body=False,
    counts="pages",
    is_counting_set=True,
    first=0,
    largest=None,
    items=("items",),
    total=("total",),
    id=("metadata", "id"),
)


def _get_kwargs(
    project_id: str,
    *,
    workspace_id: str | Unset = UNSET,
    limit: int | Unset = UNSET,
    offset: int | Unset = UNSET,
    sort_by: models.ListTrainingExperimentsSortBy | Unset = UNSET,
    order: models.ListTrainingExperimentsOrder | Unset = UNSET,
) -> dict[str, Any]:
    kwargs: dict[str, Any] = {
        "method": "GET",
        "url": f"/v2/{segment('project_id', project_id)}/training-experiments",
    }
    params: dict[str, Any] = {
        "workspace_id": workspace_id,
        "limit": limit,
        "offset": offset,
        "sort_by": sort_by,
        "order": order,
    }
    kwargs["params"] = {name: value for name, value in params.items() if value is not UNSET and value is not None}
    return kwargs


def _parse_response(response: httpx.Response) -> models.ExperimentList:
    if response.is_success:
        return models.ExperimentList.from_dict(json_object(response))
    raise ApiError.from_response(response)


def _detailed(response: httpx.Response) -> Response[models.ExperimentList]:
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
    workspace_id: str | Unset = UNSET,
    limit: int | Unset = UNSET,
    offset: int | Unset = UNSET,
    sort_by: models.ListTrainingExperimentsSortBy | Unset = UNSET,
    order: models.ListTrainingExperimentsOrder | Unset = UNSET,
) -> Response[models.ExperimentList]:
    """The response with its status and headers; raises as `sync` does."""
    kwargs = _get_kwargs(
        project_id=project_id,
        workspace_id=workspace_id,
        limit=limit,
        offset=offset,
        sort_by=sort_by,
        order=order,
    )
    return _detailed(client.request(**kwargs))


def sync(
    project_id: str,
    *,
    client: Client,
    workspace_id: str | Unset = UNSET,
    limit: int | Unset = UNSET,
    offset: int | Unset = UNSET,
    sort_by: models.ListTrainingExperimentsSortBy | Unset = UNSET,
    order: models.ListTrainingExperimentsOrder | Unset = UNSET,
) -> models.ExperimentList:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        project_id=project_id,
        workspace_id=workspace_id,
        limit=limit,
        offset=offset,
        sort_by=sort_by,
        order=order,
    )
    return _parse_response(client.request(**kwargs))


async def asyncio_detailed(
    project_id: str,
    *,
    client: Client,
    workspace_id: str | Unset = UNSET,
    limit: int | Unset = UNSET,
    offset: int | Unset = UNSET,
    sort_by: models.ListTrainingExperimentsSortBy | Unset = UNSET,
    order: models.ListTrainingExperimentsOrder | Unset = UNSET,
) -> Response[models.ExperimentList]:
    """The response with its status and headers; raises as `asyncio` does."""
    kwargs = _get_kwargs(
        project_id=project_id,
        workspace_id=workspace_id,
        limit=limit,
        offset=offset,
        sort_by=sort_by,
        order=order,
    )
    return _detailed(await client.request_async(**kwargs))


async def asyncio(
    project_id: str,
    *,
    client: Client,
    workspace_id: str | Unset = UNSET,
    limit: int | Unset = UNSET,
    offset: int | Unset = UNSET,
    sort_by: models.ListTrainingExperimentsSortBy | Unset = UNSET,
    order: models.ListTrainingExperimentsOrder | Unset = UNSET,
) -> models.ExperimentList:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        project_id=project_id,
        workspace_id=workspace_id,
        limit=limit,
        offset=offset,
        sort_by=sort_by,
        order=order,
    )
    return _parse_response(await client.request_async(**kwargs))
