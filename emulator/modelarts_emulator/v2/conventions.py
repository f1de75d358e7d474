"""What all operations of ModelArts v2 have in common: errors, the only workspace, and pages of lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.http.family import ErrorFormat, Response
from modelarts_emulator.resources import Page, Resource
from modelarts_emulator.settings.files import own_table
from modelarts_openapi.error_codes import ERROR_CODES

DEFAULT_LIMIT = 50
MAX_LIMIT = 1000  # entries of a page, whatever the request says
NOT_EMULATED: Final[dict[str, dict[str, str]]] = own_table(__file__, "not_emulated.toml")


class V2Errors(ErrorFormat):
    """Errors as ModelArts v2 sends them, with what the caller can do."""

    def response(self, error: ServiceError) -> Response:
        """The error's status, and its code, message and solution as a body."""
        code = self.code_of(error.code)
        known = ERROR_CODES.get(code)
        solution = error.solution or NOT_EMULATED["remedies"].get(code) or (known.remedy if known else "")
        body = {"error_msg": error.message, "error_code": code, "error_solution": solution}
        return Response(error.status or self.status_of(code) or 500, body, error.headers)


def invalid(member: str, reason: str) -> ServiceError:
    """The error for a member of a request that is not right."""
    return ServiceError("ModelArts.2788", f"Invalid parameter ({member}): {reason}.")


def unsupported(reason: str) -> ServiceError:
    """The error for what the service can do and the emulator cannot."""
    return ServiceError("ModelArts.2858", f"Operation not supported: {reason}.")


def reject_workspace(given: Mapping[str, Any]) -> None:
    """Raise ServiceError unless the metadata or the query is about the only workspace that there is."""
    if (workspace := given.get("workspace_id") or "0") != "0":
        raise ServiceError("ModelArts.0102", f"Workspace {workspace} not found.")


def page_of(
    resource: Resource[Any], request: Mapping[str, Any], is_offset_in_pages: bool = False
) -> tuple[Page, dict[str, Any]]:
    """The page that a request asks for, and its description in the response; raises ServiceError for a wrong order."""
    limit, offset = min(int(request.get("limit") or DEFAULT_LIMIT), MAX_LIMIT), int(request.get("offset") or 0)
    sort_by, order = request.get("sort_by") or "create_time", request.get("order") or "desc"
    if sort_by not in resource.sorts:
        known = ", ".join(resource.sorts)
        raise ServiceError("ModelArts.2790", f"Sorting by {sort_by} is not supported: use {known}.")
    if request.get("group_by"):
        raise invalid("group_by", "the emulator does not group entries")
    start = offset * limit if is_offset_in_pages else offset
    page = Page(sort_by, order == "asc", start, limit)
    return page, {"limit": limit, "offset": offset, "sort_by": sort_by, "order": order, "group_by": ""}
