# Generated from openapi/v2 by scripts/generate.py; do not edit.
"""List the tasks of a job: `GET /v2/{project_id}/training-jobs/{training_job_id}/tasks`."""

from __future__ import annotations

from typing import Any

import httpx
from modelarts_runtime.client import Client, segment
from modelarts_runtime.errors import ApiError
from modelarts_runtime.responses import json_value
from modelarts_runtime.types import UNSET, Response, Unset

from ... import models


def _get_kwargs(
    project_id: str,
    training_job_id: str,
    *,
    schedule_count: int | Unset = UNSET,
) -> dict[str, Any]:
    kwargs: dict[str, Any] = {
        "method": "GET",
        "url": f"/v2/{segment('project_id', project_id)}/training-jobs/{segment('training_job_id', training_job_id)}/tasks",
    }
    params: dict[str, Any] = {
        "schedule_count": schedule_count,
    }
    kwargs["params"] = {name: value for name, value in params.items() if value is not UNSET and value is not None}
    return kwargs


def _parse_response(response: httpx.Response) -> list[models.TaskAddress]:
    if response.is_success:
        value = json_value(response)
        result: list[models.TaskAddress] = (
            [models.TaskAddress.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        return result
    raise ApiError.from_response(response)


def _detailed(response: httpx.Response) -> Response[list[models.TaskAddress]]:
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
    schedule_count: int | Unset = UNSET,
) -> Response[list[models.TaskAddress]]:
    """The response with its status and headers; raises as `sync` does."""
    kwargs = _get_kwargs(
        project_id=project_id,
        training_job_id=training_job_id,
        schedule_count=schedule_count,
    )
    return _detailed(client.request(**kwargs))


def sync(
    project_id: str,
    training_job_id: str,
    *,
    client: Client,
    schedule_count: int | Unset = UNSET,
) -> list[models.TaskAddress]:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        project_id=project_id,
        training_job_id=training_job_id,
        schedule_count=schedule_count,
    )
    return _parse_response(client.request(**kwargs))


async def asyncio_detailed(
    project_id: str,
    training_job_id: str,
    *,
    client: Client,
    schedule_count: int | Unset = UNSET,
) -> Response[list[models.TaskAddress]]:
    """The response with its status and headers; raises as `asyncio` does."""
    kwargs = _get_kwargs(
        project_id=project_id,
        training_job_id=training_job_id,
        schedule_count=schedule_count,
    )
    return _detailed(await client.request_async(**kwargs))


async def asyncio(
    project_id: str,
    training_job_id: str,
    *,
    client: Client,
    schedule_count: int | Unset = UNSET,
) -> list[models.TaskAddress]:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        project_id=project_id,
        training_job_id=training_job_id,
        schedule_count=schedule_count,
    )
    return _parse_response(await client.request_async(**kwargs))
