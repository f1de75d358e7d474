"""The identity service as an API family: which function serves which operation, and errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus

from modelarts_emulator.http.errors import Problem, ServiceError
from modelarts_emulator.http.family import ApiFamily, Call, ErrorFormat, Response
from modelarts_emulator.iam import projects, tokens
from modelarts_emulator.iam.tokens import Iam

HANDLERS: Mapping[str, Callable[[Iam, Call], Response]] = {
    "listVersions": projects.list_versions,
    "showVersion": projects.show_version,
    "createToken": tokens.create_token,
    "showToken": tokens.show_token,
    "checkToken": tokens.check_token,
    "deleteToken": tokens.delete_token,
    "listProjects": projects.list_projects,
    "showProject": projects.show_project,
    "listUserProjects": projects.list_user_projects,
    "listUserDomains": projects.list_user_domains,
    "listRegions": projects.list_regions,
    "showRegion": projects.show_region,
    "createTemporaryKeys": tokens.create_temporary_keys,
}


class KeystoneErrors(ErrorFormat):
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


# Its own links, and OpenStack clients, end with a slash.
FAMILY = ApiFamily("iam", HANDLERS, KeystoneErrors(), aliases={"/v3/": "/v3"})
