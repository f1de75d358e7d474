"""Errors of ModelArts v2: its codes, and the body that it sends with them.

The status of a code and what the caller can do about it are facts of the documents; the fact itself is worded where
the error is raised.
"""

from __future__ import annotations

from typing import Final

from modelarts_emulator.http.call import Response
from modelarts_emulator.http.errors import Problem, ServiceError
from modelarts_openapi.error_codes import ERROR_CODES

__all__ = ["V2Errors"]

# Where the emulator knows a better remedy than the one that holds for every service.
OWN_REMEDIES: Final[dict[str, str]] = {
    "ModelArts.0102": 'Use workspace "0", the only one that the emulator has.',
    "ModelArts.2783": "Read the data from OBS, the emulator has no datasets: give remote.obs.obs_url.",
    "ModelArts.2858": "Leave the parameter out, or use the real service.",
    "ModelArts.2950": "Report this with the request and the emulator's output.",
}

# What is wrong with a request of any API family, in the service's codes.
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
    Problem.INVALID_QUERY: "ModelArts.2764",
    Problem.INVALID_JSON: "ModelArts.2787",
    Problem.INVALID_PARAMETER: "ModelArts.2788",
    Problem.INVALID_OBS_PATH: "ModelArts.2791",
    Problem.CODE_NOT_FOUND: "ModelArts.2757",
    Problem.CODE_NOT_A_DIRECTORY: "ModelArts.2802",
    Problem.TOO_MANY_CODE_FILES: "ModelArts.2759",
    Problem.CODE_TOO_DEEP: "ModelArts.2760",
    Problem.CODE_TOO_LARGE: "ModelArts.2761",
    Problem.BOOT_FILE_NOT_FOUND: "ModelArts.2758",
    Problem.BOOT_FILE_OUTSIDE_CODE: "ModelArts.2792",
    Problem.INTERNAL_ERROR: "ModelArts.2950",
    Problem.NOT_EMULATED: "ModelArts.2858",
}

# The code that an injected error has if only its status is given; other statuses need a code.
STATUS_CODES: Final[dict[int, str]] = {
    429: "ModelArts.2799",
    500: "ModelArts.2950",
    502: "ModelArts.2950",
    503: "ModelArts.2950",
    504: "ModelArts.2950",
}


class V2Errors:
    """Errors as ModelArts v2 sends them."""

    def response(self, error: ServiceError) -> Response:
        """The error's status, and its code, message and solution as a body."""
        code = CODES[error.code] if isinstance(error.code, Problem) else error.code
        known = ERROR_CODES.get(code)
        solution = error.solution or OWN_REMEDIES.get(code) or (known.remedy if known else "")
        body = {"error_msg": error.message, "error_code": code, "error_solution": solution}
        return Response(error.status or (known.status if known else 500), body, error.headers)

    def status_of(self, code: str) -> int | None:
        """The status that the service documents for the code; None for an unknown code."""
        known = ERROR_CODES.get(code)
        return known.status if known else None

    def default_code(self, status: int) -> str | None:
        """The code of an error of which only the status is known; None if the caller has to choose one."""
        return STATUS_CODES.get(status)
