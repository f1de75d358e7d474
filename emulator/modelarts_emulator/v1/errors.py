"""Errors of ModelArts v1: the body that it documents for failures."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from modelarts_emulator.http.call import Answer
from modelarts_emulator.http.errors import Problem, ServiceError

__all__ = ["V1Errors"]

CODES: Final[dict[Problem, str]] = {
    Problem.METHOD_NOT_ALLOWED: "ModelArts.2803",
    Problem.NOT_IMPLEMENTED: "ModelArts.2858",
}
INTERNAL_ERROR = "ModelArts.2950"


class V1Errors:
    """Errors as ModelArts v1 sends them."""

    def response(self, error: ServiceError) -> Answer:
        """The error's status, and its code and message as a body."""
        own = error.code.status if isinstance(error.code, Problem) else HTTPStatus.INTERNAL_SERVER_ERROR.value
        code = CODES.get(error.code, INTERNAL_ERROR) if isinstance(error.code, Problem) else error.code
        body = {"is_success": False, "error_message": error.message, "error_code": code}
        return Answer(error.status or own, body, error.headers)

    def status_of(self, _code: str) -> int | None:
        """None: no operation of this version is served, so none can fail on demand."""
        return None

    def default_code(self, _status: int) -> str | None:
        """None, as above."""
        return None
