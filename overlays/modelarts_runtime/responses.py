"""What a successful response holds; a response that only looks successful raises the ApiError it amounts to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from modelarts_runtime.errors import ApiError

if TYPE_CHECKING:
    import httpx


def json_value(response: httpx.Response) -> Any:
    """The JSON value of the body; a body that is no JSON, or a rejection, is an ApiError."""
    try:
        value = response.json()
    except (ValueError, RecursionError):
        raise ApiError.from_response(response) from None
    if is_rejection(value):
        raise ApiError.from_response(response)
    return value


def json_object(response: httpx.Response) -> dict[str, Any]:
    """The JSON object of the body; anything else is an ApiError."""
    value = json_value(response)
    if not isinstance(value, dict):
        raise ApiError.from_response(response)
    return value


def no_content(response: httpx.Response) -> None:
    """Nothing: the operation documents no body, so that a body is read only to find a rejection in it."""
    try:
        value = response.json() if response.content else None
    except (ValueError, RecursionError):
        return
    if is_rejection(value):
        raise ApiError.from_response(response)


def is_rejection(value: Any) -> bool:
    """Whether a body under a success status says no.

    Version 1 says so by `is_success`; "Querying the Details About a Visualization Job" has no such member, and an
    `error_code` in its place.
    """
    if not isinstance(value, dict):
        return False
    is_success = value.get("is_success")
    return is_success is False or (is_success is None and bool(value.get("error_code")))
