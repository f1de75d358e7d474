"""Errors of ModelArts v1: its codes, and the body that it documents for failures.

The pages state no status for a failure; a code has the status that `modelarts_openapi.error_codes` has for it.
Which code belongs to which failure is known of a few only: a name in use (0103), a wrong name or search text (0104),
an operation that the job's status forbids (0105).
"""

from __future__ import annotations

from typing import Final

from modelarts_emulator.http.call import Response
from modelarts_emulator.http.errors import Problem, ServiceError
from modelarts_openapi.error_codes import ERROR_CODES

__all__ = [
    "FAILED",
    "INVALID_PARAMETER",
    "UNKNOWN_WORKSPACE",
    "V1Errors",
    "invalid",
    "name_in_use",
    "quota_exceeded",
]

UNKNOWN_WORKSPACE = "ModelArts.0102"
NAME_IN_USE = "ModelArts.0103"
INVALID_PARAMETER = "ModelArts.0104"
FAILED = "ModelArts.0105"
"""The operation failed: what it is about does not exist, or its status forbids the operation."""
QUOTA_EXCEEDED = "ModelArts.0118"

# What is wrong with a request of any API family, in the service's codes; of a place in object storage no page says it.
CODES: Final[dict[Problem, str]] = {
    Problem.METHOD_NOT_ALLOWED: "ModelArts.2803",
    Problem.BODY_TOO_LARGE: "APIG.0201",
    Problem.NO_TOKEN: "ModelArts.0201",
    Problem.TOKEN_EXPIRED: "ModelArts.0202",
    Problem.TOKEN_INVALID: "ModelArts.0203",
    Problem.TOKEN_WITHOUT_PROJECT: "ModelArts.0212",
    Problem.SIGNATURE_MALFORMED: "ModelArts.0206",
    Problem.SIGNATURE_INVALID: "APIG.0301",
    Problem.PROJECT_NOT_FOUND: "ModelArts.2786",
    Problem.INVALID_QUERY: INVALID_PARAMETER,
    Problem.INVALID_JSON: "ModelArts.0101",
    Problem.INVALID_PARAMETER: INVALID_PARAMETER,
    Problem.INVALID_OBS_PATH: INVALID_PARAMETER,
    Problem.CODE_NOT_FOUND: INVALID_PARAMETER,
    Problem.CODE_NOT_A_DIRECTORY: INVALID_PARAMETER,
    Problem.TOO_MANY_CODE_FILES: INVALID_PARAMETER,
    Problem.CODE_TOO_DEEP: INVALID_PARAMETER,
    Problem.CODE_TOO_LARGE: INVALID_PARAMETER,
    Problem.BOOT_FILE_NOT_FOUND: INVALID_PARAMETER,
    Problem.BOOT_FILE_OUTSIDE_CODE: INVALID_PARAMETER,
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
SERVICE_FAILURE = 500


class V1Errors:
    """Errors as ModelArts v1 sends them."""

    def response(self, error: ServiceError) -> Response:
        """The error's status, and its code and message as a body."""
        code = CODES.get(error.code, CODES[Problem.INTERNAL_ERROR]) if isinstance(error.code, Problem) else error.code
        body = {"is_success": False, "error_message": error.message, "error_code": code}
        return Response(error.status or self.status_of(code) or SERVICE_FAILURE, body, error.headers)

    def status_of(self, code: str) -> int | None:
        """The status that the emulator sends with the code; None for an unknown code."""
        known = ERROR_CODES.get(code)
        return known.status if known else None

    def default_code(self, status: int) -> str | None:
        """The code of an error of which only the status is known; None if the caller has to choose one."""
        return STATUS_CODES.get(status)


def invalid(member: str, reason: str) -> ServiceError:
    """The error for a member of a request that is not right."""
    return ServiceError(INVALID_PARAMETER, f"Invalid parameter ({member}): {reason}.")


def name_in_use(name: str) -> ServiceError:
    """The error for a new job with a name that its project already uses; the text is the service's."""
    return ServiceError(NAME_IN_USE, f"Job name:{name} is existed")


def quota_exceeded(kind: str, max_jobs: int) -> ServiceError:
    """The error for a job that is one too many of its kind, ended ones included."""
    fact = f"The expected number of {kind} jobs exceeds the quota limit of {max_jobs}"
    return ServiceError(QUOTA_EXCEEDED, f"{fact}: delete jobs that are not needed any more.")
