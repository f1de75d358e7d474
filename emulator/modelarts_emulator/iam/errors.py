"""Errors of the identity service: no codes but the HTTP status, in the body that OpenStack clients read."""

from __future__ import annotations

from http import HTTPStatus

from modelarts_emulator.http.call import Response
from modelarts_emulator.http.errors import Problem, ServiceError

__all__ = ["KeystoneErrors", "NotFound"]


class NotFound(ServiceError):  # noqa: N818 - named after its status
    """What the request names does not exist, or not for its user: 404."""

    def __init__(self, message: str) -> None:
        super().__init__(Problem.INVALID_PARAMETER, message, status=HTTPStatus.NOT_FOUND.value)


class KeystoneErrors:
    """Errors as IAM sends them."""

    def response(self, error: ServiceError) -> Response:
        """The error's status, and a body that repeats it."""
        own = error.code.status if isinstance(error.code, Problem) else HTTPStatus.INTERNAL_SERVER_ERROR.value
        status = error.status or own
        body = {"error": {"code": status, "message": error.message, "title": HTTPStatus(status).phrase}}
        return Response(status, body, error.headers)

    def status_of(self, _code: str) -> int | None:
        """None: IAM has no codes."""
        return None

    def default_code(self, _status: int) -> str:
        """Empty: IAM has no codes."""
        return ""
