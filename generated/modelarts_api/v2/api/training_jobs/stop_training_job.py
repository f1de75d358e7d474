# Generated from openapi/v2 by scripts/generate.py; do not edit.
"""Stop or restart a training job: `POST /v2/{project_id}/training-jobs/{training_job_id}/actions`."""

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
    training_job_id: str,
    *,
    body: models.StopTrainingJobRequest | models.StopTrainingJobRequestDict,
) -> dict[str, Any]:
    kwargs: dict[str, Any] = {
        "method": "POST",
        "url": f"/v2/{segment('project_id', project_id)}/training-jobs/{segment('training_job_id', training_job_id)}/actions",
    }
    kwargs["json"] = plain(body)
    return kwargs


def _parse_response(response: httpx.Response) -> models.TrainingJob:
    if response.is_success:
        return models.TrainingJob.from_dict(json_object(response))
    raise ApiError.from_response(response)


def _detailed(response: httpx.Response) -> Response[models.TrainingJob]:
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
    body: models.StopTrainingJobRequest | models.StopTrainingJobRequestDict,
) -> Response[models.TrainingJob]:
    """The response with its status and headers; raises as `sync` does."""
    kwargs = _get_kwargs(
        project_id=project_id,
        training_job_id=training_job_id,
        body=body,
    )
    return _detailed(client.request(**kwargs))


def sync(
    project_id: str,
    training_job_id: str,
    *,
    client: Client,
    body: models.StopTrainingJobRequest | models.StopTrainingJobRequestDict,
) -> models.TrainingJob:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        project_id=project_id,
        training_job_id=training_job_id,
        body=body,
    )
    return _parse_response(client.request(**kwargs))


async def asyncio_detailed(
    project_id: str,
    training_job_id: str,
    *,
    client: Client,
    body: models.StopTrainingJobRequest | models.StopTrainingJobRequestDict,
) -> Response[models.TrainingJob]:
    """The response with its status and headers; raises as `asyncio` does."""
    kwargs = _get_kwargs(
        project_id=project_id,
        training_job_id=training_job_id,
        body=body,
    )
    return _detailed(await client.request_async(**kwargs))


async def asyncio(
    project_id: str,
    training_job_id: str,
    *,
    client: Client,
    body: models.StopTrainingJobRequest | models.StopTrainingJobRequestDict,
) -> models.TrainingJob:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        project_id=project_id,
        training_job_id=training_job_id,
        body=body,
    )
    return _parse_response(await client.request_async(**kwargs))
