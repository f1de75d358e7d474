# Generated from openapi/v2 by scripts/generate.py; do not edit.
"""Get a link to a log: `GET /v2/{project_id}/training-jobs/{training_job_id}/tasks/{task_id}/logs/url`."""

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
    training_job_id: str,
    task_id: str,
    *,
    content_type: models.ShowObsUrlOfTrainingJobLogsContentType | Unset = UNSET,
) -> dict[str, Any]:
    kwargs: dict[str, Any] = {
        "method": "GET",
        "url": f"/v2/{segment('project_id', project_id)}/training-jobs/{segment('training_job_id', training_job_id)}/tasks/{segment('task_id', task_id)}/logs/url",
    }
    params: dict[str, Any] = {
        "Content-Type": content_type,
    }
    kwargs["params"] = {name: value for name, value in params.items() if value is not UNSET and value is not None}
    headers: dict[str, Any] = {
        "Content-Type": content_type,
    }
    kwargs["headers"] = {
        name: str(value) for name, value in headers.items() if value is not UNSET and value is not None
    }
    return kwargs


def _parse_response(response: httpx.Response) -> models.LogUrl:
    if response.is_success:
        return models.LogUrl.from_dict(json_object(response))
    raise ApiError.from_response(response)


def _detailed(response: httpx.Response) -> Response[models.LogUrl]:
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
    task_id: str,
    *,
    client: Client,
    content_type: models.ShowObsUrlOfTrainingJobLogsContentType | Unset = UNSET,
) -> Response[models.LogUrl]:
    """The response with its status and headers; raises as `sync` does."""
    kwargs = _get_kwargs(
        project_id=project_id,
        training_job_id=training_job_id,
        task_id=task_id,
        content_type=content_type,
    )
    return _detailed(client.request(**kwargs))


def sync(
    project_id: str,
    training_job_id: str,
    task_id: str,
    *,
    client: Client,
    content_type: models.ShowObsUrlOfTrainingJobLogsContentType | Unset = UNSET,
) -> models.LogUrl:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        project_id=project_id,
        training_job_id=training_job_id,
        task_id=task_id,
        content_type=content_type,
    )
    return _parse_response(client.request(**kwargs))


async def asyncio_detailed(
    project_id: str,
    training_job_id: str,
    task_id: str,
    *,
    client: Client,
    content_type: models.ShowObsUrlOfTrainingJobLogsContentType | Unset = UNSET,
) -> Response[models.LogUrl]:
    """The response with its status and headers; raises as `asyncio` does."""
    kwargs = _get_kwargs(
        project_id=project_id,
        training_job_id=training_job_id,
        task_id=task_id,
        content_type=content_type,
    )
    return _detailed(await client.request_async(**kwargs))


async def asyncio(
    project_id: str,
    training_job_id: str,
    task_id: str,
    *,
    client: Client,
    content_type: models.ShowObsUrlOfTrainingJobLogsContentType | Unset = UNSET,
) -> models.LogUrl:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        project_id=project_id,
        training_job_id=training_job_id,
        task_id=task_id,
        content_type=content_type,
    )
    return _parse_response(await client.request_async(**kwargs))
