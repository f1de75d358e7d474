"""Errors of ModelArts v1: its codes, and the body that it documents for failures.

`STATUSES` holds the HTTP status of every code in use. Page "Error Codes" has all of them but ModelArts.0103 and
ModelArts.0105, which stand in examples of the pages of v1 only.
"""

from __future__ import annotations

from typing import Final

from modelarts_emulator.http.call import Answer
from modelarts_emulator.http.errors import Problem, ServiceError

__all__ = ["STATUSES", "V1Errors"]

STATUSES: Final[dict[str, int]] = {
    "APIG.0201": 413,
    "ModelArts.0101": 400,
    "ModelArts.0103": 400,
    "ModelArts.0104": 400,
    "ModelArts.0105": 400,
    "ModelArts.0107": 400,
    "ModelArts.0109": 500,
    "ModelArts.0118": 400,
    "ModelArts.0201": 401,
    "ModelArts.0202": 401,
    "ModelArts.0203": 401,
    "ModelArts.0212": 401,
    "ModelArts.2786": 404,
    "ModelArts.2799": 429,
    "ModelArts.2803": 405,
    "ModelArts.2858": 501,
}

# What the HTTP layer finds wrong with a request, in the service's codes.
CODES: Final[dict[Problem, str]] = {
    Problem.METHOD_NOT_ALLOWED: "ModelArts.2803",
    Problem.BODY_TOO_LARGE: "APIG.0201",
    Problem.NO_TOKEN: "ModelArts.0201",
    Problem.TOKEN_EXPIRED: "ModelArts.0202",
    Problem.TOKEN_INVALID: "ModelArts.0203",
    Problem.TOKEN_WITHOUT_PROJECT: "ModelArts.0212",
    Problem.PROJECT_NOT_FOUND: "ModelArts.2786",
    Problem.INVALID_QUERY: "ModelArts.0104",
    Problem.INVALID_JSON: "ModelArts.0101",
    Problem.INVALID_PARAMETER: "ModelArts.0104",
    Problem.NOT_IMPLEMENTED: "ModelArts.2858",
    Problem.INTERNAL_ERROR: "ModelArts.0109",
}

# The code that an injected error has if only its status is given; other statuses need a code.
STATUS_CODES: Final[dict[int, str]] = {
    429: "ModelArts.2799",
    500: "ModelArts.0109",
    502: "ModelArts.0109",
    503: "ModelArts.0109",
    504: "ModelArts.0109",
}


class V1Errors:
    """Errors as ModelArts v1 sends them."""

    def response(self, error: ServiceError) -> Answer:
        """The error's status, and its code and message as a body."""
        code = CODES.get(error.code, CODES[Problem.INTERNAL_ERROR]) if isinstance(error.code, Problem) else error.code
        body = {"is_success": False, "error_message": error.message, "error_code": code}
        return Answer(error.status or STATUSES.get(code, 500), body, error.headers)

    def status_of(self, code: str) -> int | None:
        """The status that the service documents for the code; None for an unknown code."""
        return STATUSES.get(code)

    def default_code(self, status: int) -> str | None:
        """The code of an error of which only the status is known; None if the caller has to choose one."""
        return STATUS_CODES.get(status)
