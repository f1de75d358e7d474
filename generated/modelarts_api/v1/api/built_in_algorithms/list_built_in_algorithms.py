# Generated from openapi/v1 by scripts/generate.py; do not edit.
"""List built-in algorithms: `GET /v1/{project_id}/built-in-algorithms`."""

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
    limit="per_page",
    position="page",
    in_body=False,
    counts="pages",
    is_counting_set=False,
    first=1,
    largest=100,
    items=("models",),
    total=("model_total_count",),
    id=("model_id",),
)


def _get_kwargs(
    project_id: str,
    *,
    per_page: int | Unset = UNSET,
    page: int | Unset = UNSET,
    sort_by: models.ListBuiltInAlgorithmsSortBy | Unset = UNSET,
    order: models.ListBuiltInAlgorithmsOrder | Unset = UNSET,
    search_content: str | Unset = UNSET,
) -> dict[str, Any]:
    kwargs: dict[str, Any] = {
        "method": "GET",
        "url": f"/v1/{segment('project_id', project_id)}/built-in-algorithms",
    }
    params: dict[str, Any] = {
        "per_page": per_page,
        "page": page,
        "sortBy": sort_by,
        "order": order,
        "search_content": search_content,
    }
    kwargs["params"] = {name: value for name, value in params.items() if value is not UNSET and value is not None}
    return kwargs


def _parse_response(response: httpx.Response) -> models.BuiltInAlgorithmList:
    if response.is_success:
        return models.BuiltInAlgorithmList.from_dict(json_object(response))
    raise ApiError.from_response(response)


def _detailed(response: httpx.Response) -> Response[models.BuiltInAlgorithmList]:
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
    per_page: int | Unset = UNSET,
    page: int | Unset = UNSET,
    sort_by: models.ListBuiltInAlgorithmsSortBy | Unset = UNSET,
    order: models.ListBuiltInAlgorithmsOrder | Unset = UNSET,
    search_content: str | Unset = UNSET,
) -> Response[models.BuiltInAlgorithmList]:
    """The response with its status and headers; raises as `sync` does."""
    kwargs = _get_kwargs(
        project_id=project_id,
        per_page=per_page,
        page=page,
        sort_by=sort_by,
        order=order,
        search_content=search_content,
    )
    return _detailed(client.request(**kwargs))


def sync(
    project_id: str,
    *,
    client: Client,
    per_page: int | Unset = UNSET,
    page: int | Unset = UNSET,
    sort_by: models.ListBuiltInAlgorithmsSortBy | Unset = UNSET,
    order: models.ListBuiltInAlgorithmsOrder | Unset = UNSET,
    search_content: str | Unset = UNSET,
) -> models.BuiltInAlgorithmList:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        project_id=project_id,
        per_page=per_page,
        page=page,
        sort_by=sort_by,
        order=order,
        search_content=search_content,
    )
    return _parse_response(client.request(**kwargs))


async def asyncio_detailed(
    project_id: str,
    *,
    client: Client,
    per_page: int | Unset = UNSET,
    page: int | Unset = UNSET,
    sort_by: models.ListBuiltInAlgorithmsSortBy | Unset = UNSET,
    order: models.ListBuiltInAlgorithmsOrder | Unset = UNSET,
    search_content: str | Unset = UNSET,
) -> Response[models.BuiltInAlgorithmList]:
    """The response with its status and headers; raises as `asyncio` does."""
    kwargs = _get_kwargs(
        project_id=project_id,
        per_page=per_page,
        page=page,
        sort_by=sort_by,
        order=order,
        search_content=search_content,
    )
    return _detailed(await client.request_async(**kwargs))


async def asyncio(
    project_id: str,
    *,
    client: Client,
    per_page: int | Unset = UNSET,
    page: int | Unset = UNSET,
    sort_by: models.ListBuiltInAlgorithmsSortBy | Unset = UNSET,
    order: models.ListBuiltInAlgorithmsOrder | Unset = UNSET,
    search_content: str | Unset = UNSET,
) -> models.BuiltInAlgorithmList:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        project_id=project_id,
        per_page=per_page,
        page=page,
        sort_by=sort_by,
        order=order,
        search_content=search_content,
    )
    return _parse_response(await client.request_async(**kwargs))
