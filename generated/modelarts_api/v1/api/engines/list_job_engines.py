# Generated from openapi/v1 by scripts/generate.py; do not edit.
"""List engines: `GET /v1/{project_id}/job/ai-engines`."""

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
    *,
    job_type: models.ListJobEnginesJobType | Unset = UNSET,
) -> dict[str, Any]:
    kwargs: dict[str, Any] = {
        "method": "GET",
        "url": f"/v1/{segment('project_id', project_id)}/job/ai-engines",
    }
    params: dict[str, Any] = {
        "job_type": job_type,
    }
    kwargs["params"] = {name: value for name, value in params.items() if value is not UNSET and value is not None}
    return kwargs


def _parse_response(response: httpx.Response) -> models.EngineList:
    if response.is_success:
        return models.EngineList.from_dict(json_object(response))
    raise ApiError.from_response(response)


def _detailed(response: httpx.Response) -> Response[models.EngineList]:
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
    job_type: models.ListJobEnginesJobType | Unset = UNSET,
) -> Response[models.EngineList]:
    """The response with its status and headers; raises as `sync` does."""
    kwargs = _get_kwargs(
        project_id=project_id,
        job_type=job_type,
    )
    return _detailed(client.request(**kwargs))


def sync(
    project_id: str,
    *,
    client: Client,
    job_type: models.ListJobEnginesJobType | Unset = UNSET,
) -> models.EngineList:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        project_id=project_id,
        job_type=job_type,
    )
    return _parse_response(client.request(**kwargs))


async def asyncio_detailed(
    project_id: str,
    *,
    client: Client,
    job_type: models.ListJobEnginesJobType | Unset = UNSET,
) -> Response[models.EngineList]:
    """The response with its status and headers; raises as `asyncio` does."""
    kwargs = _get_kwargs(
        project_id=project_id,
        job_type=job_type,
    )
    return _detailed(await client.request_async(**kwargs))


async def asyncio(
    project_id: str,
    *,
    client: Client,
    job_type: models.ListJobEnginesJobType | Unset = UNSET,
) -> models.EngineList:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        project_id=project_id,
        job_type=job_type,
    )
    return _parse_response(await client.request_async(**kwargs))
