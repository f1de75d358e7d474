"""The errors of the service, as exceptions.

Every error response is an `ApiError`, of the kind that says what its caller can do.
The service's own code decides before the status does: "no such training job" comes with status 400.
An operation that the server does not have (501) is a plain ApiError: sending it again does not help.
Errors of the connection (`httpx.TransportError`) are none: no service has responded.
"""

# ruff: noqa: N818 - the names say what happened; their base says that it is an error

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from email.utils import parsedate_to_datetime
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import Any

import httpx

from modelarts_runtime.hiding import hide, secrets_of

__all__ = [
    "ApiError",
    "BadRequest",
    "Conflict",
    "Forbidden",
    "IncompleteList",
    "NotFound",
    "ServiceFailure",
    "TooManyRequests",
    "ToolkitError",
    "Unauthorized",
]


class ToolkitError(Exception):
    """Any error that this distribution raises on purpose; its text shows no secret (`modelarts_runtime.hiding`)."""

    def __str__(self) -> str:
        return hide(self._text())

    def __repr__(self) -> str:
        return hide(super().__repr__())

    def _text(self) -> str:
        """What it says; for kinds of errors to override."""
        return super().__str__()


class ApiError(ToolkitError):
    """The service rejects the request, or its response is not the documented one.

    `error_code` is the service's code (`ModelArts.2775`) and `solution` its advice, where it gives them.
    `url` is without query and credentials, `headers` are those of the response, in lower case and without secrets.
    `body` is the text of the response, without its secrets and those of the request.
    """

    headers: Mapping[str, str] = MappingProxyType({})
    body: str = ""

    def __init__(
        self,
        status: int,
        error_code: str | None,
        error_msg: str,
        solution: str | None,
        request_id: str | None,
        method: str,
        url: str,
    ) -> None:
        super().__init__(status, error_code, error_msg, solution, request_id, method, url)
        self.status = status
        self.error_code = error_code
        self.error_msg = error_msg
        self.solution = solution
        self.request_id = request_id
        self.method = method
        self.url = url

    def _text(self) -> str:
        """Code and text, the remedy, and at last the call."""
        status = str(self.status)  # which is all the code that the identity service has
        text = f"{self.error_code or status}: {self.error_msg}"
        if self.solution:
            text = f"{text.rstrip('.')}. {self.solution}"
        call = f"{self.method} {self.url}"
        facts = [call] if self.error_code in (None, "", status) else [status, call]
        return f"{text} ({', '.join([*facts, *([f'request {self.request_id}'] if self.request_id else [])])})"

    @property
    def retry_after(self) -> float | None:
        """Seconds after which the service wants to be asked again, if it says so."""
        value = self.headers.get("retry-after", "").strip()
        if value.isascii() and value.isdigit():
            return float(value)
        try:
            return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
        except ValueError:
            return None

    @classmethod
    def from_response(cls, response: httpx.Response) -> ApiError:
        """The error that the response amounts to, of the class that its code or else its status names."""
        request = response.request
        hidden = partial(hide, also=_secrets_of(response))
        body = _object(response)
        inner = body.get("error")
        if isinstance(inner, dict):  # IAM: {"error": {"code", "title", "message"}}
            body = {"error_code": inner.get("code"), "error_msg": inner.get("message") or inner.get("title")} | body
        error_code = _text(body.get("error_code"))
        error_msg = _text(body.get("error_msg")) or _text(body.get("error_message"))
        found = _class_of(error_code, response)(
            status=response.status_code,
            error_code=hidden(error_code or "") or None,
            error_msg=hidden(error_msg or _summary(response, hidden)),
            solution=hidden(_text(body.get("error_solution")) or "") or None,
            request_id=hidden(request_id_of(response) or "") or None,
            method=request.method,
            url=str(request.url.copy_with(query=None, fragment=None, username="", password="")),
        )
        secret = secrets_of(response.headers)
        found.headers = {name: hidden(value) for name, value in response.headers.items() if value not in secret}
        found.body = hidden(_body(response))
        return found


class IncompleteList(ToolkitError):
    """The pages of a list do not fit together: some of its records cannot be reached."""


class BadRequest(ApiError):
    """The request is wrong, and no narrower class says in which way."""


class Unauthorized(ApiError):
    """The login, the token or the signature is missing, wrong or too old."""


class Forbidden(ApiError):
    """The caller is known and lacks the permission, or the service lacks the caller's authorisation."""


class NotFound(ApiError):
    """There is no such job, algorithm, engine, flavor, ..."""


class Conflict(ApiError):
    """The name is taken, or the state of the resource does not allow the action."""


class TooManyRequests(ApiError):
    """The caller exceeds the rate limit."""


class ServiceFailure(ApiError):
    """The service failed."""


_ROOM = 20_000  # characters of all the secrets of one response that are looked for elsewhere in it
_CLASSES = {kind.__name__: kind for kind in ApiError.__subclasses__()}
_BY_STATUS: dict[int, type[ApiError]] = {
    400: BadRequest,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    422: BadRequest,
    429: TooManyRequests,
    501: ApiError,
}


def request_id_of(response: httpx.Response) -> str | None:
    """The id that the service gave to the request, in a header or in the body."""
    return response.headers.get("X-Request-Id") or _text(_object(response).get("request_id"))


def _class_of(error_code: str | None, response: httpx.Response) -> type[ApiError]:
    """The class that the code names, or else the status."""
    from modelarts_openapi.error_codes import ERROR_CODES

    known = ERROR_CODES.get(error_code or "")
    if known is not None and known.exception:
        return _CLASSES[known.exception]
    other = ServiceFailure if response.is_server_error else ApiError
    return _BY_STATUS.get(response.status_code, other)


def _object(response: httpx.Response) -> dict[str, Any]:
    try:
        body = response.json()
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) else {}


def _text(value: object) -> str | None:
    return None if value is None or value == "" else str(value)


def _summary(response: httpx.Response, hidden: Callable[[str], str]) -> str:
    """What can be said about a body that explains nothing: where a redirect leads to, or its first characters."""
    if response.has_redirect_location:
        place = hidden(response.headers["location"].partition("?")[0])
        return f"the service redirects to {place}: correct the address of the endpoint"
    text = " ".join(hidden(_body(response)).split())
    if not text:
        return f"{response.reason_phrase or 'no reason'}, without a body"
    start = f"{text[:200]}..." if len(text) > 200 else text
    return f"the response is not the documented JSON: {start}" if response.is_success else start


def _secrets_of(response: httpx.Response) -> list[str]:
    """The secrets of the response, and those of its request, should the response repeat them.

    Of a response with very many or very long ones, those that are hidden in a short time.
    """
    try:
        content = response.request.content
    except httpx.RequestNotRead:
        content = b""  # a stream, which is not the body of an operation
    found = [*secrets_of(response.request.headers), *_secrets_in(content)]
    room = _ROOM
    for each in chain(secrets_of(response.headers), _secrets_in(response.content)):
        room -= len(each) + _ROOM // 100
        if room < 0:
            break
        found.append(each)
    return found


def _secrets_in(body: bytes) -> Iterator[str]:
    from modelarts_documents.secrets import secrets_in, unquoted

    return (unquoted(found[0]) for found in secrets_in(body.decode("utf-8", "replace")))


def _body(response: httpx.Response) -> str:
    """The text of the response; members of JSON that are secret by their names are replaced."""
    from modelarts_documents.secrets import without_secrets

    text = response.content.decode("utf-8", "replace")
    return without_secrets(text) if text.lstrip()[:1] in ("{", "[") else text
