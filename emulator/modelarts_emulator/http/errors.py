"""Error responses: for the client, in the format of its API family."""

from __future__ import annotations

from enum import Enum
from http import HTTPStatus
from typing import Any

from modelarts_emulator.errors import is_disk_full
from modelarts_emulator.storage.errors import EXHAUSTED, StoreError
from modelarts_openapi.error_codes import ERROR_CODES


class Problem(Enum):
    """What can be wrong with a request of any API family: the error code of ModelArts v2; others may have their own."""

    METHOD_NOT_ALLOWED = "ModelArts.2803"
    BODY_TOO_LARGE = "APIG.0201"
    NO_TOKEN = "ModelArts.0201"  # noqa: S105 - a code
    TOKEN_EXPIRED = "ModelArts.0202"  # noqa: S105 - a code
    TOKEN_INVALID = "ModelArts.0203"  # noqa: S105 - a code
    TOKEN_WITHOUT_PROJECT = "ModelArts.0212"  # noqa: S105 - a code
    SIGNATURE_MALFORMED = "ModelArts.0206"
    SIGNATURE_INVALID = "APIG.0301"
    PROJECT_NOT_FOUND = "ModelArts.2786"
    INVALID_QUERY = "ModelArts.2764"
    INVALID_JSON = "ModelArts.2787"
    INVALID_PARAMETER = "ModelArts.2788"
    INVALID_OBS_PATH = "ModelArts.2791"
    CODE_NOT_FOUND = "ModelArts.2757"
    CODE_NOT_A_DIRECTORY = "ModelArts.2802"
    TOO_MANY_CODE_FILES = "ModelArts.2759"
    CODE_TOO_DEEP = "ModelArts.2760"
    CODE_TOO_LARGE = "ModelArts.2761"
    BOOT_FILE_NOT_FOUND = "ModelArts.2758"
    BOOT_FILE_OUTSIDE_CODE = "ModelArts.2792"
    INTERNAL_ERROR = "ModelArts.2950"
    NOT_EMULATED = "ModelArts.2858"

    @property
    def status(self) -> int:
        """The HTTP status, for API families without error codes."""
        return ERROR_CODES[self.value].status


class ServiceError(Exception):
    """An error response; `code` is a code of the API family, or what is wrong in any family.

    `status` and `solution` replace what the API family has for the code.
    """

    def __init__(
        self,
        code: str | Problem,
        message: str,
        *,
        headers: dict[str, str] | None = None,
        status: int | None = None,
        solution: str | None = None,
    ) -> None:
        super().__init__(f"{code.name if isinstance(code, Problem) else code}: {message}")
        self.code = code
        self.message = message
        self.headers = headers or {}
        self.status = status
        self.solution = solution


def reject_not_emulated(operation_id: str, reason: str, _call: object) -> Any:
    """Raise the error for an operation that is documented and not emulated: 501, which no page documents."""
    raise ServiceError(
        Problem.NOT_EMULATED,
        f"The emulator does not have the operation {operation_id}: {reason}",
        status=HTTPStatus.NOT_IMPLEMENTED.value,
        solution="Send the request to the service, or leave it out when you use the emulator.",
    )


def unavailable(error: BaseException) -> ServiceError | None:
    """The response to a request that cannot be served now: disk, object store, database or system do not allow it.

    None if the error is a defect. 500 for a full disk, otherwise 503, which no page documents.
    """
    if is_disk_full(error):
        message = "The disk that holds the emulator's data folder is full; nothing was changed."
        return ServiceError(Problem.INTERNAL_ERROR, message, solution="Free some space on it and repeat the request.")
    if isinstance(error, StoreError):
        return _unavailable("The emulator cannot use its object storage", error, "Make it available again")
    if isinstance(error, OSError) and error.errno in EXHAUSTED:
        remedy = "End connections or programs, or raise the limit (ulimit -n)"
        return _unavailable("The emulator has reached a limit of the system", error.strerror, remedy)
    return _database_unavailable(error)


def _database_unavailable(error: BaseException) -> ServiceError | None:
    import sqlite3  # only now, like the next: commands that need no database start without it

    from sqlalchemy.exc import OperationalError
    from sqlalchemy.exc import TimeoutError as PoolTimeout

    if isinstance(error, PoolTimeout):
        reason = "all connections of this front end have been in use for half a minute"
        return _unavailable("The emulator cannot reach its database", reason, "Wait")
    if not isinstance(error, OperationalError):
        return None
    if isinstance(error.orig, sqlite3.Error):
        remedy = "Close the program that uses emulator.db"
        return _unavailable("The emulator cannot write its database", error.orig, remedy)
    remedy = "Start the database server, then look whether the request has had its effect"
    return _unavailable("The emulator cannot reach its database", error.orig, remedy)


def _unavailable(problem: str, reason: object, remedy: str) -> ServiceError:
    message = f"{problem}: {' '.join(str(reason).split()).rstrip('.')}."
    status, solution = HTTPStatus.SERVICE_UNAVAILABLE.value, f"{remedy}, then send the request again."
    return ServiceError(Problem.INTERNAL_ERROR, message, status=status, solution=solution)
