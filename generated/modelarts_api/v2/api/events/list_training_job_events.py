# Generated from openapi/v2 by scripts/generate.py; do not edit.
"""List events of a job: `GET /v2/{project_id}/training-jobs/{training_job_id}/events`."""

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
    counts="records",
    is_counting_set=False,
    first=0,
    largest=100,
    items=("events",),
    total=("total",),
    id=(),
)


def _get_kwargs(
    project_id: str,
    training_job_id: str,
    *,
    offset: int | Unset = UNSET,
    limit: int | Unset = UNSET,
    order: str | Unset = UNSET,
    start_time: str | Unset = UNSET,
    end_time: str | Unset = UNSET,
    level: models.ListTrainingJobEventsLevel | Unset = UNSET,
    pattern: str | Unset = UNSET,
    source: str | Unset = UNSET,
    x_language: str | Unset = UNSET,
) -> dict[str, Any]:
    kwargs: dict[str, Any] = {
        "method": "GET",
        "url": f"/v2/{segment('project_id', project_id)}/training-jobs/{segment('training_job_id', training_job_id)}/events",
    }
    params: dict[str, Any] = {
        "offset": offset,
        "limit": limit,
        "order": order,
        "start_time": start_time,
        "end_time": end_time,
        "level": level,
        "pattern": pattern,
        "source": source,
    }
    kwargs["params"] = {name: value for name, value in params.items() if value is not UNSET and value is not None}
    headers: dict[str, Any] = {
        "X-Language": x_language,
    }
    kwargs["headers"] = {
        name: str(value) for name, value in headers.items() if value is not UNSET and value is not None
    }
    return kwargs


def _parse_response(response: httpx.Response) -> models.EventList:
    if response.is_success:
        return models.EventList.from_dict(json_object(response))
    raise ApiError.from_response(response)


def _detailed(response: httpx.Response) -> Response[models.EventList]:
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
    offset: int | Unset = UNSET,
    limit: int | Unset = UNSET,
    order: str | Unset = UNSET,
    start_time: str | Unset = UNSET,
    end_time: str | Unset = UNSET,
    level: models.ListTrainingJobEventsLevel | Unset = UNSET,
    pattern: str | Unset = UNSET,
    source: str | Unset = UNSET,
    x_language: str | Unset = UNSET,
) -> Response[models.EventList]:
    """The response with its status and headers; raises as `sync` does."""
    kwargs = _get_kwargs(
        project_id=project_id,
        training_job_id=training_job_id,
        offset=offset,
        limit=limit,
        order=order,
        start_time=start_time,
        end_time=end_time,
        level=level,
        pattern=pattern,
        source=source,
        x_language=x_language,
    )
    return _detailed(client.request(**kwargs))


def sync(
    project_id: str,
    training_job_id: str,
    *,
    client: Client,
    offset: int | Unset = UNSET,
    limit: int | Unset = UNSET,
    order: str | Unset = UNSET,
    start_time: str | Unset = UNSET,
    end_time: str | Unset = UNSET,
    level: models.ListTrainingJobEventsLevel | Unset = UNSET,
    pattern: str | Unset = UNSET,
    source: str | Unset = UNSET,
    x_language: str | Unset = UNSET,
) -> models.EventList:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        project_id=project_id,
        training_job_id=training_job_id,
        offset=offset,
        limit=limit,
        order=order,
        start_time=start_time,
        end_time=end_time,
        level=level,
        pattern=pattern,
        source=source,
        x_language=x_language,
    )
    return _parse_response(client.request(**kwargs))


async def asyncio_detailed(
    project_id: str,
    training_job_id: str,
    *,
    client: Client,
    offset: int | Unset = UNSET,
    limit: int | Unset = UNSET,
    order: str | Unset = UNSET,
    start_time: str | Unset = UNSET,
    end_time: str | Unset = UNSET,
    level: models.ListTrainingJobEventsLevel | Unset = UNSET,
    pattern: str | Unset = UNSET,
    source: str | Unset = UNSET,
    x_language: str | Unset = UNSET,
) -> Response[models.EventList]:
    """The response with its status and headers; raises as `asyncio` does."""
    kwargs = _get_kwargs(
        project_id=project_id,
        training_job_id=training_job_id,
        offset=offset,
        limit=limit,
        order=order,
        start_time=start_time,
        end_time=end_time,
        level=level,
        pattern=pattern,
        source=source,
        x_language=x_language,
    )
    return _detailed(await client.request_async(**kwargs))


async def asyncio(
    project_id: str,
    training_job_id: str,
    *,
    client: Client,
    offset: int | Unset = UNSET,
    limit: int | Unset = UNSET,
    order: str | Unset = UNSET,
    start_time: str | Unset = UNSET,
    end_time: str | Unset = UNSET,
    level: models.ListTrainingJobEventsLevel | Unset = UNSET,
    pattern: str | Unset = UNSET,
    source: str | Unset = UNSET,
    x_language: str | Unset = UNSET,
) -> models.EventList:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        project_id=project_id,
        training_job_id=training_job_id,
        offset=offset,
        limit=limit,
        order=order,
        start_time=start_time,
        end_time=end_time,
        level=level,
        pattern=pattern,
        source=source,
        x_language=x_language,
    )
    return _parse_response(await client.request_async(**kwargs))
