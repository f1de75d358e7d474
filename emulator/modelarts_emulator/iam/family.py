"""The identity service as an API family: its handlers and errors."""

from __future__ import annotations

from http import HTTPStatus

from modelarts_emulator.http.errors import Problem, ServiceError
from modelarts_emulator.http.family import ApiFamily, ErrorFormat, Response, handlers_of
from modelarts_emulator.iam import projects, tokens

HANDLERS = handlers_of(projects, tokens)


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
