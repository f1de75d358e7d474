"""Options of single calls, and what can be known of their responses."""

import contextvars
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx

_current: contextvars.ContextVar["CallOptions | None"] = contextvars.ContextVar("call_options", default=None)


@dataclass(slots=True)
class CallOptions:
    """Options of the calls of a `with` block; after a call, what its response said besides the result.

    `timeout_s` are seconds without data after which a call fails.
    """

    timeout_s: float | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    status: int | None = None
    response_headers: httpx.Headers = field(default_factory=httpx.Headers)

    @property
    def request_id(self) -> str | None:
        """The service's id of the last call, for its support; None if it gave none."""
        found: str | None = self.response_headers.get("X-Request-Id")
        return found

    def prepare(self, request: httpx.Request) -> None:
        """Apply the options to a request."""
        if self.timeout_s is not None:
            request.extensions["timeout"] = httpx.Timeout(self.timeout_s).as_dict()
        request.headers.update(self.headers)

    def note(self, response: httpx.Response) -> None:
        """Remember the response."""
        self.status, self.response_headers = response.status_code, response.headers


@contextmanager
def call_options(timeout_s: float | None, headers: Mapping[str, str] | None) -> Iterator[CallOptions]:
    """Let the calls of this thread or task have these options."""
    if timeout_s is not None and (isinstance(timeout_s, bool) or not isinstance(timeout_s, int | float)):
        raise TypeError(f"timeout must be a number of seconds or None, not {type(timeout_s).__name__}")
    options = CallOptions(timeout_s, dict(headers or {}))
    token = _current.set(options)
    try:
        yield options
    finally:
        _current.reset(token)


def current_options() -> CallOptions | None:
    """The options of the call that is being made."""
    return _current.get()
