# Generated from scripts/templates/shared/modelarts_api/answers.py by scripts/generate.py; do not edit.
"""What a successful answer holds; an answer that only looks successful raises the ApiError it amounts to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import ApiError

if TYPE_CHECKING:
    import httpx


def json_value(response: httpx.Response) -> Any:
    """The JSON value of the body; a body that is no JSON, or says `"is_success": false`, is an ApiError."""
    try:
        value = response.json()
    except (ValueError, RecursionError):
        raise ApiError.from_response(response) from None
    if isinstance(value, dict) and value.get("is_success") is False:
        raise ApiError.from_response(response)
    return value


def json_object(response: httpx.Response) -> dict[str, Any]:
    """The JSON object of the body; anything else is an ApiError."""
    value = json_value(response)
    if not isinstance(value, dict):
        raise ApiError.from_response(response)
    return value


def no_content(response: httpx.Response) -> None:
    """Nothing: the operation documents no body, so that a body is read only to find a refusal in it."""
    try:
        value = response.json() if response.content else None
    except (ValueError, RecursionError):
        return
    if isinstance(value, dict) and value.get("is_success") is False:
        raise ApiError.from_response(response)
