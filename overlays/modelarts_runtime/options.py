"""Options of single calls, and the responses that came: `with client.options(timeout=5) as call`.

The options of a block are kept in a context variable: other threads and tasks do not have them, tasks that begin in
the block do.
"""

from __future__ import annotations

import contextlib
import copy
import math
import re
import threading
from collections import deque
from collections.abc import Collection, Mapping
from contextvars import ContextVar, Token
from typing import Any, Final, Self, TypeAlias

import httpx

from modelarts_runtime.errors import request_id_of
from modelarts_runtime.hiding import HIDDEN, remember, secrets_of
from modelarts_runtime.types import UNSET, Unset

Timeout: TypeAlias = float | httpx.Timeout | None

KEPT: Final = 100  # responses of one block: a program may run in a single block for days

_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VALUE: Final = re.compile(r"([!-~]([ \t!-~]*[!-~])?)?")
_RESERVED: Final = re.compile(  # what logins, the body and the connection need
    r"(proxy-)?authorization|x-(auth|subject|security)-token|x-(project|domain)-id|x-sdk-.*|host|connection|te|trailer"
    r"|transfer-encoding|upgrade|expect|content-(type|length|encoding)",
    re.IGNORECASE,
)
_blocks: ContextVar[tuple[Call, ...]] = ContextVar("modelarts_calls", default=())  # the innermost is the last


class Call:
    """The options of the calls in a `with` block, and the responses that came; for one block only.

    `options` of a client makes it, for the calls of this client. `responses` are copies of the final responses, after
    retries; the headers of their `request` have `***` for what is secret, and their `history` is empty.
    """

    def __init__(
        self,
        clients: Collection[object],
        *,
        timeout: Timeout | Unset = UNSET,
        headers: Mapping[str, str] | None = None,
        retries: int | None = None,
    ) -> None:
        """Take the options for these clients, also for those that are added later; raises TypeError and ValueError."""
        self._clients = clients
        self._arguments: dict[str, Any] = {"headers": _checked({} if headers is None else headers)}
        if not isinstance(timeout, Unset):
            for limit in timeout.as_dict().values() if isinstance(timeout, httpx.Timeout) else [timeout]:
                _check("timeout", limit, int | float, math.ulp(0), "seconds, more than 0, or None for no limit")
            self._arguments["timeout"] = timeout
        if retries is not None:
            _check("retries", retries, int, 0, "a whole number of at least 0")
            self._arguments["extensions"] = {"retries": retries}  # for transports that repeat requests
        self._responses: deque[httpx.Response] = deque(maxlen=KEPT)
        self._token: Token[tuple[Call, ...]] | None = None

    def __repr__(self) -> str:
        return f"<Call: {len(self._responses)} responses>"

    def __enter__(self) -> Self:
        if self._token is not None:
            raise RuntimeError("these options had their block already: call options(...) anew for each block")
        self._token = _blocks.set((*_blocks.get(), self))
        return self

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            with contextlib.suppress(ValueError):  # the block of a generator that another task or thread closes
                _blocks.reset(self._token)

    @property
    def responses(self) -> tuple[httpx.Response, ...]:
        """The last 100 responses, in the order in which they came; rejections are among them."""
        return tuple(self._responses)

    @property
    def response(self) -> httpx.Response:
        """The last response, also after the block and after an error; raises RuntimeError if none came."""
        if not self._responses:
            raise RuntimeError("no call of this client had a response in the block: make one there, and read it then")
        return self._responses[-1]

    @property
    def request_id(self) -> str | None:
        """The id that the service gave to the last call, for its support; raises RuntimeError if no response came."""
        return request_id_of(self.response)


def calls_of(client: object) -> list[Call]:
    """The blocks around this call that are for this client; the innermost is the last."""
    return [call for call in _blocks.get() if client in call._clients]


def with_options(calls: list[Call], arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a request with the options of these blocks; inner ones win, and arguments of its own."""
    if not calls:
        return arguments
    found: dict[str, Any] = {}
    headers = httpx.Headers()
    extensions: dict[str, Any] = {}
    for each in [*(call._arguments for call in calls), arguments]:
        headers.update(each.get("headers"))
        extensions |= each.get("extensions") or {}
        found |= each
    return {**found, "headers": headers, "extensions": extensions}


def recorded(calls: list[Call], response: httpx.Response) -> httpx.Response:
    """The response, which these blocks remember without the secrets of its request."""
    if calls:
        shown = copy.copy(response)
        shown.request = copy.copy(response.request)
        shown.request.headers = _without_secrets(response.request.headers)
        shown.headers = _Headers(response.headers.multi_items())
        shown.history = []
        for call in calls:
            call._responses.append(shown)
    return response


class _Headers(httpx.Headers):
    """Headers whose `repr` hides what is secret, such as the token that a login returns."""

    def __repr__(self) -> str:
        return repr(_without_secrets(self))


def _without_secrets(headers: httpx.Headers) -> httpx.Headers:
    secret = secrets_of(headers)
    return httpx.Headers([(name, HIDDEN if value in secret else value) for name, value in headers.multi_items()])


def _check(name: str, value: Any, kind: Any, least: float, rule: str) -> None:
    """Raise TypeError or ValueError unless the value is None or a number of this kind."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, kind)):
        raise TypeError(f"{name} must be {rule}, not {value!r}")
    if value is not None and not least <= value <= threading.TIMEOUT_MAX:
        raise ValueError(f"{name} must be {rule}, not {value!r}")


def _checked(headers: object) -> httpx.Headers:
    """The headers; raises TypeError and ValueError without their values, which may be secret."""
    if not isinstance(headers, Mapping):
        raise TypeError("headers must be a mapping of names to texts, such as {'X-Trace': 'a'}")
    checked = httpx.Headers()
    for name, value in headers.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise ValueError("a header's name must have letters, digits and hyphens only, such as 'X-Trace'")
        if _RESERVED.fullmatch(name):
            raise ValueError(f"header {name!r} is set by the login or the request itself: leave it out")
        if not isinstance(value, str):
            raise TypeError(f"the value of header {name!r} must be a text, not {type(value).__name__}")
        if not _VALUE.fullmatch(value):
            raise ValueError(
                f"the value of header {name!r} must be printable ASCII, without spaces and line ends around it"
            )
        checked[name] = value
    remember(*secrets_of(checked))
    return checked
