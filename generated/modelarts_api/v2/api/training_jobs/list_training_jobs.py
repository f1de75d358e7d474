# Generated from openapi/v2 by scripts/generate.py; do not edit.
"""Find training jobs: `POST /v2/{project_id}/training-job-searches`."""

from __future__ import annotations

from typing import Any

import httpx
from modelarts_runtime.client import Client, segment
from modelarts_runtime.errors import ApiError
from modelarts_runtime.pages import Pages
from modelarts_runtime.responses import json_object
from modelarts_runtime.types import Response, plain

from ... import models

PAGES = Pages(
    limit="limit",
    position="offset",
    in_body=True,
    counts="pages",
    is_counting_set=True,
    first=0,
    largest=50,
    items=("items",),
    total=("total",),
    id=("metadata", "id"),
)


def _get_kwargs(
    project_id: str,
    *,
    body: models.ListTrainingJobsRequest | models.ListTrainingJobsRequestDict,
) -> dict[str, Any]:
    kwargs: dict[str, Any] = {
        "method": "POST",
        "url": f"/v2/{segment('project_id', project_id)}/training-job-searches",
    }
    kwargs["json"] = plain(body)
    return kwargs


def _parse_response(response: httpx.Response) -> models.TrainingJobList:
    if response.is_success:
        return models.TrainingJobList.from_dict(json_object(response))
    raise ApiError.from_response(response)


def _detailed(response: httpx.Response) -> Response[models.TrainingJobList]:
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
    body: models.ListTrainingJobsRequest | models.ListTrainingJobsRequestDict,
) -> Response[models.TrainingJobList]:
    """The response with its status and headers; raises as `sync` does."""
    kwargs = _get_kwargs(
        project_id=project_id,
        body=body,
    )
    return _detailed(client.request(**kwargs))


def sync(
    project_id: str,
    *,
    client: Client,
    body: models.ListTrainingJobsRequest | models.ListTrainingJobsRequestDict,
) -> models.TrainingJobList:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        project_id=project_id,
        body=body,
    )
    return _parse_response(client.request(**kwargs))


async def asyncio_detailed(
    project_id: str,
    *,
    client: Client,
    body: models.ListTrainingJobsRequest | models.ListTrainingJobsRequestDict,
) -> Response[models.TrainingJobList]:
    """The response with its status and headers; raises as `asyncio` does."""
    kwargs = _get_kwargs(
        project_id=project_id,
        body=body,
    )
    return _detailed(await client.request_async(**kwargs))


async def asyncio(
    project_id: str,
    *,
    client: Client,
    body: models.ListTrainingJobsRequest | models.ListTrainingJobsRequestDict,
) -> models.TrainingJobList:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        project_id=project_id,
        body=body,
    )
    return _parse_response(await client.request_async(**kwargs))
