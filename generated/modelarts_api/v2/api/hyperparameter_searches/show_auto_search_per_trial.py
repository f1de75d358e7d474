# Generated from openapi/v2 by scripts/generate.py; do not edit.
"""Show a trial: `GET /v2/{project_id}/training-jobs/{training_job_id}/autosearch-trials/{trial_id}`."""

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
    trial_id: str,
) -> dict[str, Any]:
    kwargs: dict[str, Any] = {
        "method": "GET",
        "url": f"/v2/{segment('project_id', project_id)}/training-jobs/{segment('training_job_id', training_job_id)}/autosearch-trials/{segment('trial_id', trial_id)}",
    }
    return kwargs


def _parse_response(response: httpx.Response) -> models.TrialTable:
    if response.is_success:
        return models.TrialTable.from_dict(json_object(response))
    raise ApiError.from_response(response)


def _detailed(response: httpx.Response) -> Response[models.TrialTable]:
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
    trial_id: str,
    *,
    client: Client,
) -> Response[models.TrialTable]:
    """The response with its status and headers; raises as `sync` does."""
    kwargs = _get_kwargs(
        project_id=project_id,
        training_job_id=training_job_id,
        trial_id=trial_id,
    )
    return _detailed(client.request(**kwargs))


def sync(
    project_id: str,
    training_job_id: str,
    trial_id: str,
    *,
    client: Client,
) -> models.TrialTable:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        project_id=project_id,
        training_job_id=training_job_id,
        trial_id=trial_id,
    )
    return _parse_response(client.request(**kwargs))


async def asyncio_detailed(
    project_id: str,
    training_job_id: str,
    trial_id: str,
    *,
    client: Client,
) -> Response[models.TrialTable]:
    """The response with its status and headers; raises as `asyncio` does."""
    kwargs = _get_kwargs(
        project_id=project_id,
        training_job_id=training_job_id,
        trial_id=trial_id,
    )
    return _detailed(await client.request_async(**kwargs))


async def asyncio(
    project_id: str,
    training_job_id: str,
    trial_id: str,
    *,
    client: Client,
) -> models.TrialTable:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        project_id=project_id,
        training_job_id=training_job_id,
        trial_id=trial_id,
    )
    return _parse_response(await client.request_async(**kwargs))
