"""What faults can be injected into: the operations of API families, and the methods of the object store."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from starlette.responses import JSONResponse, Response

from modelarts_emulator.http.app import BoundFamily
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.s3 import xml

__all__ = ["STORE", "FaultTarget", "family_target", "store_target"]

STORE = "obs"
METHODS = ("GET", "HEAD", "PUT", "POST", "DELETE")
STORE_CODES = {403: "AccessDenied", 429: "SlowDown", 500: "InternalError", 503: "SlowDown"}


@dataclass(frozen=True, slots=True)
class FaultTarget:
    """`operations` says of each whether it needs no token.

    `status_of` gives the status of an error code, `default_code` the code of a status; both may be None. A target
    that is not `by_default` has only those faults that name it.
    """

    name: str
    operations: Mapping[str, bool]
    respond: Callable[[ServiceError], Response]
    status_of: Callable[[str], int | None]
    default_code: Callable[[int], str | None]
    by_default: bool = True


def family_target(bound: BoundFamily) -> FaultTarget:
    """The operations of a family that the emulator offers."""
    errors = bound.family.errors

    def respond(error: ServiceError) -> Response:
        response = errors.response(error)
        headers = {**response.headers, "X-Request-Id": secrets.token_hex(16)}
        return JSONResponse(response.body, response.status, headers)

    operations = {operation.operation_id: operation.public for operation in bound.contract.operations}
    return FaultTarget(bound.family.name, operations, respond, errors.status_of, errors.default_code)


def store_target() -> FaultTarget:
    """The object store, whose operations are the methods of HTTP; its requests are signed and have no token."""

    def respond(error: ServiceError) -> Response:
        members = [("Code", str(error.code)), ("Message", error.message)]
        content = xml.render("Error", members, namespace=None)
        return Response(content, error.status or 500, error.headers, media_type="application/xml")

    return FaultTarget(
        STORE, dict.fromkeys(METHODS, True), respond, lambda _code: None, STORE_CODES.get, by_default=False
    )
