"""Options of single calls, and facts about their responses."""

import contextvars
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from modelarts_api.client import Client

_current: contextvars.ContextVar["CallOptions | None"] = contextvars.ContextVar("call_options", default=None)


@dataclass(slots=True)
class CallOptions:
    """Options of the calls in a `with` block; after a call, also the status and headers of its response.

    A call fails after `timeout_s` seconds without data.
    """

    timeout_s: float | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    status: int | None = None
    response_headers: httpx.Headers = field(default_factory=httpx.Headers)

    @property
    def request_id(self) -> str | None:
        """The service's id of the last call, for its support; None if the response had none."""
        found: str | None = self.response_headers.get("X-Request-Id")
        return found

    def prepare(self, request: httpx.Request) -> None:
        """Apply the timeout to a request."""
        if self.timeout_s is not None:
            request.extensions["timeout"] = httpx.Timeout(self.timeout_s).as_dict()

    def note(self, response: httpx.Response) -> None:
        """Remember the response."""
        self.status, self.response_headers = response.status_code, response.headers


@contextmanager
def call_options(timeout_s: float | None, headers: Mapping[str, str] | None) -> Iterator[CallOptions]:
    """Use these options for the calls of this thread or task."""
    if timeout_s is not None and (isinstance(timeout_s, bool) or not isinstance(timeout_s, int | float)):
        raise TypeError(f"timeout must be a number of seconds or None, not {type(timeout_s).__name__}")
    options = CallOptions(timeout_s, dict(headers or {}))
    token = _current.set(options)
    try:
        yield options
    finally:
        _current.reset(token)


def current_options() -> CallOptions | None:
    """Return the options of the current call."""
    return _current.get()


class ServiceClient(Client):
    """The client of the training service: it alone sends the headers of `call_options`, which logins must not get."""

    def _prepared(self, arguments: dict[str, Any]) -> dict[str, Any]:
        options = current_options()
        if options is None or not options.headers:
            return arguments
        return {**arguments, "headers": {**(arguments.get("headers") or {}), **options.headers}}
