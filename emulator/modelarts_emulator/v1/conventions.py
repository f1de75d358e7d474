"""What all operations of ModelArts v1 have in common: bodies, errors, pages of lists, and status numbers.

The pages state no status for a failure; a code has the status that `modelarts_openapi.error_codes` has for it.
Only a few failures have a known code: a name in use (0103), a wrong name or search text (0104),
an operation that the job's status forbids (0105).
Of the 23 statuses of the page "Job Statuses" those are here that the emulator's jobs can have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import ColumnElement, case

from modelarts_emulator.engine.database import contains
from modelarts_emulator.engine.runs import Run, runs
from modelarts_emulator.http.errors import Problem, ServiceError
from modelarts_emulator.http.family import Call, ErrorFormat, Response
from modelarts_emulator.resources import Entry, Page, Resource
from modelarts_emulator.service import ModelArts
from modelarts_emulator.settings.files import own_table
from modelarts_openapi.phases import STATUS_NAMES, STATUS_NUMBERS, STATUSES_OF_PHASES, Phase

UNKNOWN_WORKSPACE = "ModelArts.0102"
NAME_IN_USE = "ModelArts.0103"
INVALID_PARAMETER = "ModelArts.0104"
FAILED = "ModelArts.0105"
"""The operation failed: what it is about does not exist, or its status forbids the operation."""
QUOTA_EXCEEDED = "ModelArts.0118"
DEFAULT_PER_PAGE = 10
STATUSES: Final[dict[Phase, int]] = {phase: statuses[0] for phase, statuses in STATUSES_OF_PHASES.items()}
SUBMIT_FAILED = STATUS_NUMBERS["submit_failed"]
LARGEST = max(STATUS_NAMES)
MEMBERS: Final[dict[str, Any]] = own_table(__file__, "members.toml")
CODES: Final[dict[str, list[str]]] = own_table(__file__, "error_codes.toml")


class V1Errors(ErrorFormat):
    """Errors as ModelArts v1 sends them; of a place in object storage no page says the code."""

    codes: Mapping[Problem, str] = {Problem[name]: code for code, names in CODES.items() for name in names}

    def response(self, error: ServiceError) -> Response:
        """The error's status, and its code and message as a body."""
        code = self.code_of(error.code)
        body = {"is_success": False, "error_message": error.message, "error_code": code}
        return Response(error.status or self.status_of(code) or 500, body, error.headers)


def done(**members: Any) -> dict[str, Any]:
    """The body of a successful response."""
    return {"is_success": True, **members}


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


def reject_workspace(code: str, workspace: str | None) -> None:
    """Raise ServiceError with this code unless the workspace is the only one that there is."""
    if (workspace or "0") != "0":
        raise ServiceError(code, f"Workspace {workspace} does not exist: the emulator has workspace 0 only.")


def page_of(query: Mapping[str, Any], sort_by: str, order: str) -> Page:
    """The page that a query asks for, which counts pages from 1; `sort_by` and `order` hold if it does not say."""
    limit = query.get("per_page", DEFAULT_PER_PAGE)
    is_ascending = query.get("order", order) == "asc"
    return Page(query.get("sortBy", sort_by), is_ascending, (query.get("page", 1) - 1) * limit, limit)


def list_jobs(
    service: ModelArts, call: Call, jobs: Resource[Entry], sort_by: str
) -> tuple[dict[str, Any], list[Entry]]:
    """The numbers in a list of jobs, and the jobs on the page: those that the query asks for by name and status."""
    page, statuses = page_of(call.query, sort_by, "asc"), read_statuses(call.query.get("status", ""))
    with service.database.reading() as connection:
        conditions = [contains(connection, jobs.sorts["job_name"], call.query.get("search_content", ""))]
        if statuses:
            conditions.append(jobs.sorts["status"].in_(statuses))
        total, found = jobs.page(connection, call.project_id, page, conditions)
        left = max(service.max_jobs - jobs.count(connection, call.project_id), 0)
    return done(job_total_count=total, job_count_limit=left, quotas=service.max_jobs), found


def status_of(run: Run) -> int:
    """The status of a version with this run."""
    return SUBMIT_FAILED if run.secondary_phase == "CreateFailed" else STATUSES[run.phase]


def status_column() -> ColumnElement[Any]:
    """The status as a column of a query that has the runs; NULL without a run."""
    known = [(runs.c.phase == phase, status) for phase, status in STATUSES.items()]
    return case((runs.c.secondary_phase == "CreateFailed", SUBMIT_FAILED), *known)


def read_statuses(text: str) -> list[int]:
    """The statuses of a condition: a number, or several with commas between them; empty for no condition.

    Raises ServiceError for anything else. How several are written is not documented.
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isascii() and part.isdigit() and len(part) <= 2 and int(part) <= LARGEST for part in parts):
        reason = f"{text!r} is not a status: use a number from 0 to {LARGEST}, or several with commas"
        raise invalid("status", reason)
    return [int(part) for part in parts]
