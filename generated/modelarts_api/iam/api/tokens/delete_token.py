# Generated from openapi/iam by scripts/generate.py; do not edit.
"""End a token: `DELETE /v3/auth/tokens`."""

from __future__ import annotations

from typing import Any

import httpx
from modelarts_runtime.client import Client
from modelarts_runtime.errors import ApiError
from modelarts_runtime.responses import no_content
from modelarts_runtime.types import UNSET, Response


def _get_kwargs(
    *,
    x_subject_token: str,
) -> dict[str, Any]:
    kwargs: dict[str, Any] = {
        "method": "DELETE",
        "url": "/v3/auth/tokens",
    }
    headers: dict[str, Any] = {
        "X-Subject-Token": x_subject_token,
    }
    kwargs["headers"] = {
        name: str(value) for name, value in headers.items() if value is not UNSET and value is not None
    }
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
    *,
    client: Client,
    x_subject_token: str,
) -> Response[None]:
    """The response with its status and headers; raises as `sync` does."""
    kwargs = _get_kwargs(
        x_subject_token=x_subject_token,
    )
    return _detailed(client.request(**kwargs))


def sync(
    *,
    client: Client,
    x_subject_token: str,
) -> None:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        x_subject_token=x_subject_token,
    )
    return _parse_response(client.request(**kwargs))


async def asyncio_detailed(
    *,
    client: Client,
    x_subject_token: str,
) -> Response[None]:
    """The response with its status and headers; raises as `asyncio` does."""
    kwargs = _get_kwargs(
        x_subject_token=x_subject_token,
    )
    return _detailed(await client.request_async(**kwargs))


async def asyncio(
    *,
    client: Client,
    x_subject_token: str,
) -> None:
    """What the response means; raises `ApiError` where the service rejects."""
    kwargs = _get_kwargs(
        x_subject_token=x_subject_token,
    )
    return _parse_response(await client.request_async(**kwargs))
