"""Errors of the emulator, and the errors with which it rejects requests.

EmulatorError       the emulator cannot start or cannot be used as asked: for the person who started it
ServiceError        a request that the service would reject: for the client, in the error format of its API family
NotEmulated         a request for an operation that the emulator does not have
DiskFull            a request for which the emulator's disk has no room
Unavailable         a request that cannot be served now: database, object store or system do not allow it

A ServiceError has an error code of its API family, or a `Problem`, which every family has a code or a status for.
"""

from __future__ import annotations

from enum import Enum
from http import HTTPStatus

from modelarts_emulator.storage.errors import DISK_FULL

__all__ = [
    "DiskFull",
    "EmulatorError",
    "NotEmulated",
    "Problem",
    "ServiceError",
    "Unavailable",
    "is_disk_full",
    "store_unavailable",
]


class EmulatorError(Exception):
    """The emulator cannot do what the person who started it asked for; the text says what to change."""


class Problem(Enum):
    """What can be wrong with a request of any API family, with the HTTP status for it."""

    METHOD_NOT_ALLOWED = "method_not_allowed", HTTPStatus.METHOD_NOT_ALLOWED
    BODY_TOO_LARGE = "body_too_large", HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    LOGIN_FAILED = "login_failed", HTTPStatus.UNAUTHORIZED
    NO_TOKEN = "no_token", HTTPStatus.UNAUTHORIZED
    TOKEN_EXPIRED = "token_expired", HTTPStatus.UNAUTHORIZED
    TOKEN_INVALID = "token_invalid", HTTPStatus.UNAUTHORIZED
    TOKEN_WITHOUT_PROJECT = "token_without_project", HTTPStatus.UNAUTHORIZED
    SIGNATURE_MALFORMED = "signature_malformed", HTTPStatus.UNAUTHORIZED
    SIGNATURE_INVALID = "signature_invalid", HTTPStatus.UNAUTHORIZED
    PROJECT_NOT_FOUND = "project_not_found", HTTPStatus.NOT_FOUND
    INVALID_QUERY = "invalid_query", HTTPStatus.BAD_REQUEST
    INVALID_JSON = "invalid_json", HTTPStatus.BAD_REQUEST
    INVALID_PARAMETER = "invalid_parameter", HTTPStatus.BAD_REQUEST
    INVALID_OBS_PATH = "invalid_obs_path", HTTPStatus.BAD_REQUEST
    CODE_NOT_FOUND = "code_not_found", HTTPStatus.BAD_REQUEST
    CODE_NOT_A_DIRECTORY = "code_not_a_directory", HTTPStatus.BAD_REQUEST
    TOO_MANY_CODE_FILES = "too_many_code_files", HTTPStatus.BAD_REQUEST
    CODE_TOO_DEEP = "code_too_deep", HTTPStatus.BAD_REQUEST
    CODE_TOO_LARGE = "code_too_large", HTTPStatus.BAD_REQUEST
    BOOT_FILE_NOT_FOUND = "boot_file_not_found", HTTPStatus.BAD_REQUEST
    BOOT_FILE_OUTSIDE_CODE = "boot_file_outside_code", HTTPStatus.BAD_REQUEST
    INTERNAL_ERROR = "internal_error", HTTPStatus.INTERNAL_SERVER_ERROR
    NOT_EMULATED = "not_emulated", HTTPStatus.NOT_IMPLEMENTED

    @property
    def status(self) -> int:
        """The HTTP status, for API families that document no other."""
        return self.value[1].value


class ServiceError(Exception):
    """An error response; `status` and `solution` replace what the API family has for the code."""

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


class NotEmulated(ServiceError):  # noqa: N818 - named after the state
    """A request for an operation that is documented and not emulated: 501, which no page documents."""

    def __init__(self, operation_id: str, reason: str) -> None:
        super().__init__(
            Problem.NOT_EMULATED,
            f"The emulator does not have the operation {operation_id}: {reason}",
            status=Problem.NOT_EMULATED.status,
            solution="Send the request to the service, or leave it out when you use the emulator.",
        )


class Unavailable(ServiceError):  # noqa: N818 - named after the state
    """A request that cannot be served now: 503, which no page documents; `remedy` comes before the next attempt."""

    def __init__(self, problem: str, reason: object, remedy: str) -> None:
        super().__init__(
            Problem.INTERNAL_ERROR,
            f"{problem}: {' '.join(str(reason).split()).rstrip('.')}.",
            status=HTTPStatus.SERVICE_UNAVAILABLE.value,
            solution=f"{remedy}, then send the request again.",
        )


def store_unavailable(error: Exception) -> Unavailable:
    """The response to a client when the object store fails."""
    problem = "The emulator cannot use its object storage"
    return Unavailable(problem, error, "Make the object storage available again")


class DiskFull(ServiceError):  # noqa: N818 - as above
    """A call that changes something while the disk of the data folder is full; nothing was changed."""

    def __init__(self) -> None:
        message = "The disk that holds the emulator's data folder is full; nothing was changed."
        super().__init__(Problem.INTERNAL_ERROR, message, solution="Free some space on it and repeat the request.")


def is_disk_full(error: BaseException) -> bool:
    """Whether an operation failed because a disk, or the user's share of it, is full; the error may be SQLAlchemy's."""
    import sqlite3  # only now: commands that need no database start without it

    cause = getattr(error, "orig", None) or error
    if isinstance(cause, sqlite3.Error):
        # The other one: SQLite cannot make its shared index larger.
        return getattr(cause, "sqlite_errorcode", None) in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE)
    return isinstance(cause, OSError) and cause.errno in DISK_FULL
