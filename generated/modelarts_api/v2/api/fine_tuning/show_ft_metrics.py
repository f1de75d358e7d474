# Generated from openapi/v2 by scripts/generate.py; do not edit.
"""Show metrics of fine-tuning: `GET /v2/{project_id}/training-jobs/{training_job_id}/ft-metrics`."""

from __future__ import annotations

from typing import Any

import httpx
from modelarts_runtime.client import Client, segment
from modelarts_runtime.errors import ApiError
from modelarts_runtime.responses import json_object
from modelarts_runtime.types import Response

from ... import models


def _get_kwargs(
    project_id: str,
    training_job_id: str,
) -> dict[str, Any]:
    kwargs: dict[str, Any] = {
        "method": "GET",
        "url": f"/v2/{segment('project_id', project_id)}/training-jobs/{segment('training_job_id', training_job_id)}/ft-metrics",
    }
    return kwargs


def _parse_response(response: httpx.Response) -> models.FineTuningMetrics:
    if response.is_success:
        return models.FineTuningMetrics.from_dict(json_object(response))
    raise ApiError.from_response(response)


def _detailed(response: httpx.Response) -> Response[models.FineTuningMetrics]:
    parsed = _parse_response(response)
    return Response(
        status_code=response.status_code,
        content=response.content,
        headers=response.headers,
        parsed=parsed,
    )


def sync_detailed(
    project_id: str,
    training_job_id: str,
    *,
    client: Client,
) -> Response[models.FineTuningMetrics]:
    """The response with its status and headers; raises as `sync` does."""
    kwargs = _get_kwargs(
        project_id=project_id,
        training_job_id=training_job_id,
    )
    return _detailed(client.request(**kwargs))


def sync(
    project_id: str,
    training_job_id: str,
    *,
    client: Client,
) -> models.FineTuningMetrics:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        project_id=project_id,
        training_job_id=training_job_id,
    )
    return _parse_response(client.request(**kwargs))


async def asyncio_detailed(
    project_id: str,
    training_job_id: str,
    *,
    client: Client,
) -> Response[models.FineTuningMetrics]:
    """The response with its status and headers; raises as `asyncio` does."""
    kwargs = _get_kwargs(
        project_id=project_id,
        training_job_id=training_job_id,
    )
    return _detailed(await client.request_async(**kwargs))


async def asyncio(
    project_id: str,
    training_job_id: str,
    *,
    client: Client,
) -> models.FineTuningMetrics:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        project_id=project_id,
        training_job_id=training_job_id,
    )
    return _parse_response(await client.request_async(**kwargs))
