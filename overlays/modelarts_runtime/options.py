"""Options of single calls, and the responses that came: `with client.options(timeout=5) as call`.

The options of a block are kept in a context variable: other threads and tasks do not have them, tasks that begin in
the block do.
"""

from __future__ import annotations

import contextlib
import copy
import re
import threading
from collections import deque
from collections.abc import Collection, Mapping
from contextvars import ContextVar, Token
from typing import Any, Final, Self, TypeAlias

import httpx

from modelarts_runtime.errors import request_id_of
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

    Made by `options` of a client; applies to the calls of this client, also in workflows and iterators.
    """

    def __init__(
        self,
        clients: Collection[object],
        *,
        timeout: Timeout | Unset = UNSET,
        headers: Mapping[str, str] | None = None,
        extensions: Mapping[str, object] | None = None,
    ) -> None:
        """Take the options for these clients, also for those that are added later; raises TypeError and ValueError."""
        self._clients = clients
        self._arguments = {} if isinstance(timeout, Unset) else {"timeout": _valid(timeout)}
        self._extensions = dict(extensions or {})
        self._headers = _checked({} if headers is None else headers)
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
        """The last 100 responses, in the order in which they came; rejections are among them.

        Each is the final one of its call, after retries.
        Its `request` has `***` for what is secret in headers, and its `history` is empty.
        """
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
    headers = httpx.Headers()
    extensions: dict[str, object] = {}
    others: dict[str, object] = {}
    for call in calls:
        headers.update(call._headers)
        extensions |= call._extensions
        others |= call._arguments
    headers.update(arguments.get("headers"))
    extensions |= arguments.get("extensions") or {}
    return {**others, **arguments, "headers": headers, "extensions": extensions}


def recorded(calls: list[Call], response: httpx.Response) -> httpx.Response:
    """The response, which these blocks remember without the secrets of its request."""
    if calls:
        shown = copy.copy(response)
        shown.request = copy.copy(response.request)
        shown.request.headers = _Headers({**response.request.headers, **_hidden(response.request.headers)})
        shown.headers = _Headers(response.headers.multi_items())
        shown.history = []
        for call in calls:
            call._responses.append(shown)
    return response


class _Headers(httpx.Headers):
    """Headers whose `repr` hides what is secret, such as the token that a login returns."""

    def __repr__(self) -> str:
        return repr(httpx.Headers({**self, **_hidden(self)}))


def _hidden(headers: httpx.Headers) -> dict[str, str]:
    from modelarts_documents.secrets import HIDDEN, is_secret

    return {name: HIDDEN for name in headers if is_secret(name)}


def _valid(timeout: Timeout) -> Timeout:
    """The timeout; raises TypeError and ValueError."""
    for limit in timeout.as_dict().values() if isinstance(timeout, httpx.Timeout) else [timeout]:
        if limit is None:
            continue
        if isinstance(limit, bool) or not isinstance(limit, int | float):
            raise TypeError(f"timeout must be seconds, an httpx.Timeout, or None for no limit, not {timeout!r}")
        if not 0 < limit <= threading.TIMEOUT_MAX:
            raise ValueError(f"timeout must be more than 0 s, or None for no limit, not {timeout!r}")
    return timeout


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
    return checked
