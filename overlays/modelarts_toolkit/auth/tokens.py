"""Logging in, and staying logged in.

Source: the pages "Authentication" and "Obtaining a User Token": `POST /v3/auth/tokens` returns the token in the
header `X-Subject-Token` and its end in `token.expires_at`; it goes into `X-Auth-Token` and lasts 24 hours.
"""

import asyncio
import logging
import threading
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from enum import Enum

import httpx

from modelarts_api.codes import TOKEN_INVALID, TOKEN_UNREADABLE
from modelarts_runtime.hiding import remember
from modelarts_runtime.per_loop import PerLoop
from modelarts_toolkit.errors import ApiError, ConfigError
from modelarts_toolkit.settings.values import checked

logger = logging.getLogger("modelarts_toolkit")

LIFETIME = timedelta(hours=24)
MARGIN = timedelta(minutes=5)

# 403 with one of these is about the token, not about permissions.
INVALID_TOKEN = frozenset({TOKEN_INVALID, TOKEN_UNREADABLE})


@dataclass(frozen=True, slots=True)
class Token:
    """A token and the moment (of the monotonic clock, seconds) from which on we want a new one."""

    value: str = field(repr=False)
    renew_at: float


class _Lock(Enum):
    """What a flow asks of its driver besides sending a request."""

    ACQUIRE = "wait until nobody else logs in"
    RELEASE = "let the next one log in"


class TokenAuth(httpx.Auth):
    """Sends a token that the user obtained; it cannot be renewed here. Raises ConfigError if no header can carry it."""

    def __init__(self, token: str) -> None:
        self._token = checked("token", token)

    def __repr__(self) -> str:
        return "TokenAuth(...)"

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        request.headers["X-Auth-Token"] = self._token
        yield request


class IamTokenAuth(httpx.Auth):
    """Password login at IAM, once for all requests, threads and tasks that share this object.

    A rejected token is renewed once per request.
    A login that is rejected (Unauthorized, with the service's words) fails every request that was waiting for it, so
    that a wrong password does not lock the account; the next request tries again.
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
        self._user = {"name": username, "password": checked("password", password), "domain": {"name": domain_name}}
        self._scope = {"project": {"id": project_id} if project_name is None else {"name": project_name}}
        self._token: Token | None = None
        self._attempts = 0  # logins that had a response
        self._rejection: httpx.Response | None = None  # of the last of them
        self._thread_lock = PerLoop(threading.Lock)
        self._task_lock = PerLoop(asyncio.Lock)

    def __repr__(self) -> str:
        return f"IamTokenAuth({self._url!r}, username={self._user['name']!r})"

    def sync_auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        flow, response = self._flow(request), None
        with ExitStack() as held:
            while True:
                try:
                    step = flow.send(response)
                except StopIteration:
                    return
                response = None
                if step is _Lock.ACQUIRE:
                    held.enter_context(self._thread_lock.of_process())
                elif step is _Lock.RELEASE:
                    held.close()
                else:
                    response = yield step
                    response.read()

    async def async_auth_flow(self, request: httpx.Request) -> AsyncGenerator[httpx.Request, httpx.Response]:
        flow, response = self._flow(request), None
        async with AsyncExitStack() as held:
            while True:
                try:
                    step = flow.send(response)
                except StopIteration:
                    return
                response = None
                if step is _Lock.ACQUIRE:
                    await held.enter_async_context(self._task_lock.of_loop())
                elif step is _Lock.RELEASE:
                    await held.aclose()
                else:
                    response = yield step
                    await response.aread()

    def _flow(self, request: httpx.Request) -> Generator[httpx.Request | _Lock, httpx.Response | None, None]:
        """The one flow: which requests to send, and when to wait for the login of another one."""
        rejected: Token | None = None
        while True:
            has_logged_in = False
            token = self._usable(rejected)
            if token is None:
                attempts = self._attempts
                yield _Lock.ACQUIRE
                token = self._usable(rejected)
                if token is None:
                    if self._attempts > attempts and self._rejection is not None:  # while we waited
                        raise ApiError.from_response(self._rejection)
                    token = self._accept((yield self._login(request)))
                    has_logged_in = True
                yield _Lock.RELEASE
            request.headers["X-Auth-Token"] = token.value
            response = yield request
            if rejected or has_logged_in or not _is_token_rejected(response):
                return
            logger.info("the token was rejected (%s): logging in again", response.status_code if response else None)
            rejected = token

    def _usable(self, rejected: Token | None) -> Token | None:
        token = self._token
        return None if token is None or token is rejected or time.monotonic() >= token.renew_at else token

    def _login(self, request: httpx.Request) -> httpx.Request:
        """The login that the request waits for, with the request's timeout and retries: httpx gives it none."""
        password = {"user": self._user}
        identity = {"methods": ["password"], "password": password}
        body = {"auth": {"identity": identity, "scope": self._scope}}
        extensions = {name: value for name, value in request.extensions.items() if name in ("timeout", "retries")}
        headers = {name: value for name, value in request.headers.items() if name == "user-agent"}
        return httpx.Request("POST", self._url, headers=headers, json=body, extensions=extensions)

    def _accept(self, response: httpx.Response | None) -> Token:
        assert response is not None  # noqa: S101 - a driver sends every request
        self._attempts += 1
        self._token = self._rejection = None
        if not response.is_success or "X-Subject-Token" not in response.headers:
            self._rejection = response
            raise ApiError.from_response(response)
        lifetime = _lifetime(response)
        renew_in = lifetime - min(MARGIN, lifetime / 10)
        remember(value := response.headers["X-Subject-Token"])
        self._token = Token(value, time.monotonic() + renew_in.total_seconds())
        logger.info("logged in at %s, for %d s", self._url, renew_in.total_seconds())
        return self._token


def _lifetime(response: httpx.Response) -> timedelta:
    """How long the token lasts, by the service's own clock where the response has it."""
    try:
        expires = datetime.fromisoformat(response.json()["token"]["expires_at"])
        date = response.headers.get("date")
        now = parsedate_to_datetime(date) if date else datetime.now(UTC)
        return max(expires - now, timedelta(0))
    except (ValueError, TypeError, LookupError):
        return LIFETIME


def _is_token_rejected(response: httpx.Response | None) -> bool:
    if response is None or response.status_code not in (401, 403):
        return False
    return response.status_code == 401 or ApiError.from_response(response).error_code in INVALID_TOKEN
