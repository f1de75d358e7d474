"""What the emulator refuses, and how it says so.

EmulatorError       the emulator cannot start or cannot be used as asked: for the person who started it
Refusal             a request that the service would refuse: for the client, in the service's envelope
NotOffered          a request that the service would answer and the emulator cannot
DiskFull            a request for which the emulator's disk has no room
DatabaseLocked      a request that cannot be served now, because another program locks the emulator's database

A refusal carries the service's error code.
`REMEDIES` holds, for every code in use, the HTTP status that the service documents for it (page "Error Codes") and
what the caller can do about it; the fact itself is worded where the refusal is raised.
"""

from __future__ import annotations

import errno
from http import HTTPStatus
from typing import Any, Final

__all__ = ["REMEDIES", "DatabaseLocked", "DiskFull", "EmulatorError", "NotOffered", "Refusal", "is_disk_full"]


class EmulatorError(Exception):
    """The emulator cannot do what the person who started it asked for; the text says what to change."""


# Two codes are documented with several statuses; the one that fits a token in a header was taken
# (ModelArts.0203: 401 or 403; ModelArts.0210: 400, 401 or 403).
REMEDIES: Final[dict[str, tuple[int, str]]] = {
    "APIG.0101": (404, "Check the method and the path of the request."),
    "APIG.0201": (413, "Send a smaller request body."),
    "ModelArts.0102": (400, 'Use workspace "0", the only one that the emulator has.'),
    "ModelArts.0201": (401, "Send a token in the X-Auth-Token header: POST /v3/auth/tokens issues one."),
    "ModelArts.0202": (401, "Get a new token with POST /v3/auth/tokens."),
    "ModelArts.0203": (401, "Get a token from this IAM endpoint with POST /v3/auth/tokens."),
    "ModelArts.0212": (401, "Log in with a project as the scope of the token."),
    "ModelArts.2751": (400, "Choose another job name."),
    "ModelArts.2753": (400, "Correct the channel that the message names, or what the algorithm declares."),
    "ModelArts.2754": (400, "Give every output an OBS path."),
    "ModelArts.2755": (400, "Check the algorithm id: POST /v2/{project_id}/algorithms returns it as metadata.id."),
    "ModelArts.2757": (400, "Upload the code first, or correct code_dir."),
    "ModelArts.2758": (400, "Upload the boot file into the code directory, or correct boot_file."),
    "ModelArts.2759": (400, "Move what the code does not need out of the code directory."),
    "ModelArts.2760": (400, "Flatten the code directory."),
    "ModelArts.2761": (400, "Move data out of the code directory and read it through an input channel."),
    "ModelArts.2763": (400, "Choose a flavor that fits: GET /v2/{project_id}/training-job-flavors lists them."),
    "ModelArts.2764": (400, "Check the query parameters."),
    "ModelArts.2765": (400, "Choose one of the values that the hyperparameter allows."),
    "ModelArts.2766": (400, "Give the hyperparameter a value."),
    "ModelArts.2767": (400, "Give every hyperparameter once."),
    "ModelArts.2768": (400, "Make the default value fit the type in the constraint."),
    "ModelArts.2769": (400, "Make the default value fit the range in the constraint."),
    "ModelArts.2770": (400, "Choose a value within the range of the hyperparameter."),
    "ModelArts.2775": (400, "Check the job id: POST /v2/{project_id}/training-jobs returns it as metadata.id."),
    "ModelArts.2780": (400, "Choose an engine that exists: GET /v2/{project_id}/training-job-engines lists them."),
    "ModelArts.2781": (400, "Choose a flavor that exists: GET /v2/{project_id}/training-job-flavors lists them."),
    "ModelArts.2783": (400, "Read the data from OBS, the emulator has no datasets: give remote.obs.obs_url."),
    "ModelArts.2786": (404, "Use the project id that the token was issued for."),
    "ModelArts.2787": (400, "Send a JSON object in UTF-8."),
    "ModelArts.2788": (400, "Correct the parameter that the message names."),
    "ModelArts.2790": (400, "Sort by one of the members that the message names."),
    "ModelArts.2791": (400, "Create the bucket or upload the object first, or correct the path."),
    "ModelArts.2792": (400, "Put the boot file below the code directory."),
    "ModelArts.2793": (400, "Ask for fewer nodes, or choose another flavor."),
    "ModelArts.2796": (409, "Only a job that is creating, pending or running can be stopped."),
    "ModelArts.2802": (400, "Name a directory: end code_dir with a slash."),
    "ModelArts.2803": (405, "Use a method that the Allow header names."),
    "ModelArts.2806": (400, "Give both algorithm.engine.image_url and algorithm.command."),
    "ModelArts.2807": (400, "Filter by one of the keys that the message names."),
    "ModelArts.2808": (400, "Use an operator that the message names."),
    "ModelArts.2809": (400, "Correct the value of the filter."),
    "ModelArts.2812": (400, 'Send {"action_type": "terminate"}.'),
    "ModelArts.2814": (400, "Give only what the algorithm leaves open, or change the algorithm."),
    "ModelArts.2815": (400, "Delete jobs that are not needed any more."),
    "ModelArts.2818": (400, "Ask again once the job runs."),
    "ModelArts.2819": (400, "Give spec.log_export_path when creating a job whose log is to stay."),
    "ModelArts.2821": (400, "Choose another algorithm name."),
    "ModelArts.2824": (400, "Name every metric once in reward_attrs."),
    "ModelArts.2825": (400, "Make the value fit the type of the hyperparameter."),
    "ModelArts.2826": (400, "Correct what the message names in auto_search."),
    "ModelArts.2840": (400, "Choose a flavor of the other type, or another engine."),
    "ModelArts.2854": (400, "Read the data from OBS: give remote.obs.obs_url."),
    "ModelArts.2857": (400, "Give a directory below /home."),
    "ModelArts.2858": (400, "Leave the parameter out, or use the real service."),
    "ModelArts.2859": (400, "Give an absolute directory without '..'."),
    "ModelArts.2890": (404, "Leave pool_id out and choose a public flavor."),
    "ModelArts.50004000": (400, "Give start_time and end_time in milliseconds since 1970, both or neither."),
    "ModelArts.2950": (500, "Report this with the request and the emulator's output."),
}


class Refusal(Exception):  # noqa: N818 - it is the service that refuses
    """A request refused with one of the service's codes; `status`, `code`, `message` and `solution` say it all."""

    def __init__(self, code: str, message: str, *, headers: dict[str, str] | None = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.status, self.solution = REMEDIES[code]
        self.headers = headers or {}

    def envelope(self) -> dict[str, Any]:
        """The body that ModelArts v2 sends with an error."""
        return {"error_msg": self.message, "error_code": self.code, "error_solution": self.solution}


class NotOffered(Refusal):
    """A call of an operation that the emulator lacks: 501, which no page documents for it, so that nobody is misled."""

    def __init__(self, what: str) -> None:
        super().__init__("ModelArts.2858", f"Current operation not supported: the emulator does not offer {what}.")
        self.status, self.solution = HTTPStatus.NOT_IMPLEMENTED.value, "Use the real service for this."


class DatabaseLocked(Refusal):
    """A request that cannot be served while another program locks the database: 503, which no page documents."""

    def __init__(self, reason: object) -> None:
        super().__init__("ModelArts.2950", f"The emulator cannot write its database: {reason}.")
        self.status = HTTPStatus.SERVICE_UNAVAILABLE.value
        self.solution = "Close the program that uses emulator.db, then send the request again."


class DiskFull(Refusal):
    """A call that changes something while the disk of the data folder is full; nothing was changed."""

    def __init__(self) -> None:
        super().__init__(
            "ModelArts.2950", "The disk that holds the emulator's data folder is full; nothing was changed."
        )
        self.solution = "Free some space on it and repeat the request."


def is_disk_full(error: BaseException) -> bool:
    """Whether an operation failed because a disk, or the user's share of it, is full; the error may be SQLAlchemy's."""
    import sqlite3  # only now: commands that need no database start without it

    cause = getattr(error, "orig", None) or error
    if isinstance(cause, sqlite3.Error):
        # The other one: SQLite cannot make its shared index larger.
        return getattr(cause, "sqlite_errorcode", None) in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE)
    return isinstance(cause, OSError) and cause.errno in (errno.ENOSPC, errno.EDQUOT)


class LoginRefusal(Exception):  # noqa: N818 - as above
    """A request refused by IAM, which has no error codes but the status; the body is the one of OpenStack Keystone."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status
        self.message = message
        self.headers: dict[str, str] = {}

    def envelope(self) -> dict[str, Any]:
        """The body that OpenStack clients read."""
        return {"error": {"code": self.status, "message": self.message, "title": HTTPStatus(self.status).phrase}}
