# Generated from openapi/v2 by scripts/generate.py; do not edit.
"""Change description of a job: `PUT /v2/{project_id}/training-jobs/{training_job_id}`."""

from __future__ import annotations

from typing import Any

import httpx
from modelarts_runtime.client import Client, segment
from modelarts_runtime.errors import ApiError
from modelarts_runtime.responses import no_content
from modelarts_runtime.types import Response, plain

from ... import models


def _get_kwargs(
    project_id: str,
    training_job_id: str,
    *,
    body: models.ChangeTrainingJobDescriptionRequest | models.ChangeTrainingJobDescriptionRequestDict,
) -> dict[str, Any]:
    kwargs: dict[str, Any] = {
        "method": "PUT",
        "url": f"/v2/{segment('project_id', project_id)}/training-jobs/{segment('training_job_id', training_job_id)}",
    }
    kwargs["json"] = plain(body)
    return kwargs


def _parse_response(response: httpx.Response) -> None:
    if response.is_success:
        no_content(response)
        return None
    raise ApiError.from_response(response)


def _detailed(response: httpx.Response) -> Response[None]:
    _parse_response(response)
    return Response(
        status_code=response.status_code,
        content=response.content,
        headers=response.headers,
        parsed=None,
    )


def sync_detailed(
    project_id: str,
    training_job_id: str,
    *,
    client: Client,
    body: models.ChangeTrainingJobDescriptionRequest | models.ChangeTrainingJobDescriptionRequestDict,
) -> Response[None]:
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
    body: models.ChangeTrainingJobDescriptionRequest | models.ChangeTrainingJobDescriptionRequestDict,
) -> None:
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
    body: models.ChangeTrainingJobDescriptionRequest | models.ChangeTrainingJobDescriptionRequestDict,
) -> Response[None]:
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
    body: models.ChangeTrainingJobDescriptionRequest | models.ChangeTrainingJobDescriptionRequestDict,
) -> None:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        project_id=project_id,
        training_job_id=training_job_id,
        body=body,
    )
    return _parse_response(await client.request_async(**kwargs))
