# Generated from openapi/v1 by scripts/generate.py; do not edit.
"""Describe a visualization job: `PUT /v1/{project_id}/visualization-jobs/{job_id}`."""

from __future__ import annotations

from typing import Any

import httpx
from modelarts_runtime.client import Client, segment
from modelarts_runtime.errors import ApiError
from modelarts_runtime.responses import json_object
from modelarts_runtime.types import Response, plain

from ... import models


def _get_kwargs(
    project_id: str,
    job_id: int,
    *,
    body: models.UpdateVisualizationJobRequest | models.UpdateVisualizationJobRequestDict,
) -> dict[str, Any]:
    kwargs: dict[str, Any] = {
        "method": "PUT",
        "url": f"/v1/{segment('project_id', project_id)}/visualization-jobs/{segment('job_id', job_id)}",
    }
    kwargs["json"] = plain(body)
    return kwargs


def _parse_response(response: httpx.Response) -> models.Acknowledgement:
    if response.is_success:
        return models.Acknowledgement.from_dict(json_object(response))
    raise ApiError.from_response(response)


def _detailed(response: httpx.Response) -> Response[models.Acknowledgement]:
    parsed = _parse_response(response)
    return Response(
        status_code=response.status_code,
        content=response.content,
        headers=response.headers,
        parsed=parsed,
    )


def sync_detailed(
    project_id: str,
    job_id: int,
    *,
    client: Client,
    body: models.UpdateVisualizationJobRequest | models.UpdateVisualizationJobRequestDict,
) -> Response[models.Acknowledgement]:
    """The response with its status and headers; raises as `sync` does."""
    kwargs = _get_kwargs(
        project_id=project_id,
        job_id=job_id,
        body=body,
    )
    return _detailed(client.request(**kwargs))


def sync(
    project_id: str,
    job_id: int,
    *,
    client: Client,
    body: models.UpdateVisualizationJobRequest | models.UpdateVisualizationJobRequestDict,
) -> models.Acknowledgement:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        project_id=project_id,
        job_id=job_id,
        body=body,
    )
    return _parse_response(client.request(**kwargs))


async def asyncio_detailed(
    project_id: str,
    job_id: int,
    *,
    client: Client,
    body: models.UpdateVisualizationJobRequest | models.UpdateVisualizationJobRequestDict,
) -> Response[models.Acknowledgement]:
    """The response with its status and headers; raises as `asyncio` does."""
    kwargs = _get_kwargs(
        project_id=project_id,
        job_id=job_id,
        body=body,
    )
    return _detailed(await client.request_async(**kwargs))


async def asyncio(
    project_id: str,
    job_id: int,
    *,
    client: Client,
    body: models.UpdateVisualizationJobRequest | models.UpdateVisualizationJobRequestDict,
) -> models.Acknowledgement:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        project_id=project_id,
        job_id=job_id,
        body=body,
    )
    return _parse_response(await client.request_async(**kwargs))
