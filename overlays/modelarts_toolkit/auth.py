"""Logging in, and staying logged in.

Source: the pages "Authentication" and "Obtaining a User Token": `POST /v3/auth/tokens` answers the token in the
header `X-Subject-Token` and its end in `token.expires_at`; it goes into `X-Auth-Token` and lasts 24 hours.
"""

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from enum import Enum

import httpx

from .errors import ApiError, ConfigError

LIFETIME = timedelta(hours=24)
MARGIN = timedelta(minutes=5)

# 403 with one of these is about the token, not about permissions.
INVALID_TOKEN = frozenset({"ModelArts.0203", "ModelArts.2784"})


@dataclass(frozen=True, slots=True)
class Token:
    """A token and the moment (of the monotonic clock, seconds) from which on we want a new one."""

    value: str = field(repr=False)
    renew_at: float


class _Turn(Enum):
    """What a flow asks of its driver besides sending a request."""

    BEGIN = "wait until nobody else logs in"
    END = "let the next one"


class IamTokenAuth(httpx.Auth):
    """Password login at IAM, once for all requests, threads and tasks that share this object.

    A refused token is renewed once per request; a refused login raises Unauthorized with the service's words, for
    every request that was waiting for it.
    """

    requires_response_body = True

    def __init__(
        self,
        iam_endpoint: str,
        *,
        username: str,
        password: str,
        domain_name: str,
        project_name: str | None = None,
        project_id: str | None = None,
    ) -> None:
        """Log in for one project; its name goes before its id, raises ConfigError without either."""
        if project_name is None and project_id is None:
            raise ConfigError("a login needs a project: give project_name or project_id")
        self._url = f"{iam_endpoint}/v3/auth/tokens"
        self._user = {"name": username, "password": password, "domain": {"name": domain_name}}
        self._scope = {"project": {"id": project_id} if project_name is None else {"name": project_name}}
        self._token: Token | None = None
        self._logins = 0
        self._refusal: httpx.Response | None = None
        self._thread_turn = threading.Lock()
        self._task_turn = asyncio.Lock()

    def __repr__(self) -> str:
        return f"IamTokenAuth({self._url!r}, username={self._user['name']!r})"

    def sync_auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        flow, answer = self._flow(request), None
        with ExitStack() as turn:
            while True:
                try:
                    step = flow.send(answer)
                except StopIteration:
                    return
                answer = None
                if step is _Turn.BEGIN:
                    turn.enter_context(self._thread_turn)
                elif step is _Turn.END:
                    turn.close()
                else:
                    answer = yield step
                    answer.read()

    async def async_auth_flow(self, request: httpx.Request) -> AsyncGenerator[httpx.Request, httpx.Response]:
        flow, answer = self._flow(request), None
        async with AsyncExitStack() as turn:
            while True:
                try:
                    step = flow.send(answer)
                except StopIteration:
                    return
                answer = None
                if step is _Turn.BEGIN:
                    await turn.enter_async_context(self._task_turn)
                elif step is _Turn.END:
                    await turn.aclose()
                else:
                    answer = yield step
                    await answer.aread()

    def _flow(self, request: httpx.Request) -> Generator[httpx.Request | _Turn, httpx.Response | None, None]:
        """The one flow: which requests to send, and when to wait for one's turn to log in."""
        refused: Token | None = None
        while True:
            has_logged_in = False
            token = self._usable(refused)
            if token is None:
                logins = self._logins
                yield _Turn.BEGIN
                token = self._usable(refused)
                if token is None:
                    if self._logins > logins and self._refusal is not None:  # somebody tried while we waited
                        raise ApiError.from_response(self._refusal)
                    token = self._accept((yield self._login(request)))
                    has_logged_in = True
                yield _Turn.END
            request.headers["X-Auth-Token"] = token.value
            response = yield request
            if refused or has_logged_in or not _is_token_refused(response):
                return
            refused = token

    def _usable(self, refused: Token | None) -> Token | None:
        token = self._token
        return None if token is None or token is refused or time.monotonic() >= token.renew_at else token

    def _login(self, request: httpx.Request) -> httpx.Request:
        """The login that the request waits for, as patient as the request itself: httpx gives it no timeout."""
        password = {"user": self._user}
        identity = {"methods": ["password"], "password": password}
        body = {"auth": {"identity": identity, "scope": self._scope}}
        patience = {name: value for name, value in request.extensions.items() if name == "timeout"}
        return httpx.Request("POST", self._url, json=body, extensions=patience)

    def _accept(self, response: httpx.Response | None) -> Token:
        assert response is not None  # noqa: S101 - a driver answers every request
        self._logins += 1
        self._token = self._refusal = None
        if not response.is_success or "X-Subject-Token" not in response.headers:
            self._refusal = response
            raise ApiError.from_response(response)
        lifetime = _lifetime(response)
        renew_in = lifetime - min(MARGIN, lifetime / 10)
        self._token = Token(response.headers["X-Subject-Token"], time.monotonic() + renew_in.total_seconds())
        return self._token


def _lifetime(response: httpx.Response) -> timedelta:
    """How long the token lasts, by the service's own clock where the answer tells it."""
    try:
        expires = datetime.fromisoformat(response.json()["token"]["expires_at"])
        date = response.headers.get("date")
        now = parsedate_to_datetime(date) if date else datetime.now(UTC)
        return max(expires - now, timedelta(0))
    except (ValueError, TypeError, LookupError):
        return LIFETIME


def _is_token_refused(response: httpx.Response | None) -> bool:
    if response is None or response.status_code not in (401, 403):
        return False
    return response.status_code == 401 or ApiError.from_response(response).error_code in INVALID_TOKEN
