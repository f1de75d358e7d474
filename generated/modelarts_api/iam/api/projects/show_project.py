# Generated from openapi/iam by scripts/generate.py; do not edit.
"""Show a project: `GET /v3/projects/{project}`."""

from __future__ import annotations

from typing import Any

import httpx
from modelarts_runtime.client import Client, segment
from modelarts_runtime.errors import ApiError
from modelarts_runtime.responses import json_object
from modelarts_runtime.types import Response

from ... import models


def _get_kwargs(
    project: str,
) -> dict[str, Any]:
    kwargs: dict[str, Any] = {
        "method": "GET",
        "url": f"/v3/projects/{segment('project', project)}",
    }
    return kwargs


def _parse_response(response: httpx.Response) -> models.ProjectDetails:
    if response.is_success:
        return models.ProjectDetails.from_dict(json_object(response))
    raise ApiError.from_response(response)


def _detailed(response: httpx.Response) -> Response[models.ProjectDetails]:
    parsed = _parse_response(response)
    return Response(
        status_code=response.status_code,
        content=response.content,
        headers=response.headers,
        parsed=parsed,
    )


def sync_detailed(
    project: str,
    *,
    client: Client,
) -> Response[models.ProjectDetails]:
    """The response with its status and headers; raises as `sync` does."""
    kwargs = _get_kwargs(
        project=project,
    )
    return _detailed(client.request(**kwargs))


def sync(
    project: str,
    *,
    client: Client,
) -> models.ProjectDetails:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        project=project,
    )
    return _parse_response(client.request(**kwargs))


async def asyncio_detailed(
    project: str,
    *,
    client: Client,
) -> Response[models.ProjectDetails]:
    """The response with its status and headers; raises as `asyncio` does."""
    kwargs = _get_kwargs(
        project=project,
    )
    return _detailed(await client.request_async(**kwargs))


async def asyncio(
    project: str,
    *,
    client: Client,
) -> models.ProjectDetails:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        project=project,
    )
    return _parse_response(await client.request_async(**kwargs))
