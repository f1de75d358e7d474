"""Bodies of the control API: small JSON objects, and the errors for others."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from modelarts_emulator.http.errors import DiskFull, EmulatorError, is_disk_full

__all__ = ["json_endpoint", "read_object"]

LARGEST = 1024 * 1024


async def read_object(request: Request) -> dict[str, Any]:
    """The object in the request's body; raises ValueError for anything else, and for more than a megabyte."""
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > LARGEST:
            raise ValueError(f"the body has more than {LARGEST} bytes: send less")
    try:
        body = json.loads(content, parse_constant=_reject)
        json.dumps(body, ensure_ascii=False).encode()  # half a surrogate pair is not a text
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the body is not JSON: {error}") from None
    if not isinstance(body, dict):
        raise ValueError("the body is not a JSON object: send one")
    return body


def json_endpoint(call: Callable[[Request], Awaitable[Any]]) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint that responds with what the call returns.

    400 for a ValueError, 409 for what cannot be done here, such as moving a real clock, 507 if the disk is full.
    """

    async def endpoint(request: Request) -> Response:
        try:
            response = await call(request)
        except ValueError as error:
            return JSONResponse({"error_msg": str(error)}, HTTPStatus.BAD_REQUEST)
        except EmulatorError as error:
            return JSONResponse({"error_msg": str(error)}, HTTPStatus.CONFLICT)
        except Exception as error:
            if not is_disk_full(error):
                raise
            rejection = DiskFull()
            text = f"{rejection.message} {rejection.solution}"
            return JSONResponse({"error_msg": text}, HTTPStatus.INSUFFICIENT_STORAGE)
        return Response(status_code=HTTPStatus.NO_CONTENT) if response is None else JSONResponse(response)

    return endpoint


def _reject(name: str) -> None:
    raise ValueError(f"{name} is not a number in JSON")
