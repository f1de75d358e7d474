"""Automatic retries: which requests, how often, and after which pauses."""

import contextlib
import copy
import logging
from functools import partial
from typing import Self

import httpx
from httpx_retries import Retry

from modelarts_toolkit.http.deadlines import remaining_s
from modelarts_toolkit.urls import is_loopback

logger = logging.getLogger("modelarts_toolkit")

WARN_AFTER_S = 1.0  # a pause that a user notices
MAY_BE_DONE = "may_be_done"  # extension of a request that is sent again although the first one may have succeeded
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)


class LoggedRetry(Retry):
    """Logs each retry, and gives up soon if a server on this machine is not running."""

    request: httpx.Request  # of a policy in use: see `bound_to`

    def bound_to(self, request: httpx.Request, retries: int | None = None) -> Self:
        """Return the policy for one request, with its own `retries` or these, unless the policy allows no retry."""
        bound = copy.copy(self)
        retries = request.extensions.get("retries", retries)  # of `ma.options`
        bound.total = self.total if retries is None or not self.total else retries
        bound.request = request
        return bound

    def increment(self) -> Retry:
        following = super().increment()
        assert isinstance(following, LoggedRetry)  # noqa: S101 - the library makes one of our class
        following.request = self.request
        return following

    def is_retryable_exception(self, exception: Exception) -> bool:
        if isinstance(exception, httpx.LocalProtocolError):
            return False  # a request that cannot be written, such as one with a line end in a header
        is_local = is_loopback(self.request.url.host)
        if is_local and self.attempts_made and isinstance(exception, httpx.ConnectError):
            return False  # a port of this machine that rejects a connection twice has no server
        return super().is_retryable_exception(exception)

    def sleep(self, response: httpx.Response | Exception) -> None:
        self._note(response)
        super().sleep(response)

    async def asleep(self, response: httpx.Response | Exception) -> None:
        self._note(response)
        await super().asleep(response)

    def _note(self, response: httpx.Response | Exception) -> None:
        """Log the retry, and mark a request whose lost response may have been a success."""
        is_rejected = isinstance(response, httpx.Response) and response.status_code == 429
        if not is_rejected and not isinstance(response, _NEVER_SENT):
            self.request.extensions[MAY_BE_DONE] = True
        pause_s = 0.0
        if isinstance(response, httpx.Response):
            reason = f"{response.status_code} {response.reason_phrase}".strip()
            with contextlib.suppress(KeyError, ValueError):
                pause_s = min(self.parse_retry_after(response.headers["Retry-After"]), self.max_backoff_wait)
        else:
            reason = str(response) or type(response).__name__
        level = logging.WARNING if pause_s >= WARN_AFTER_S or self.attempts_made > 2 else logging.INFO
        after = f" after {pause_s:g} s" if pause_s else ""
        call = f"{self.request.method} {self.request.url.copy_with(query=None, fragment=None, userinfo=b'')}"
        logger.log(level, "%s: %s; retry %d of %d%s", call, reason, self.attempts_made, self.total, after)


_METHODS = ("DELETE", "GET", "HEAD", "POST", "PUT")
# Pauses double from half a second, with full jitter, about four seconds in all; Retry-After takes precedence.
_usual = partial(LoggedRetry, total=4, backoff_factor=0.25, max_backoff_wait=60.0, allowed_methods=_METHODS)

# Idempotent: retry after any lost response and any sign of overload.
IDEMPOTENT = _usual()

# Not idempotent: retry only if the request was certainly not delivered.
ONCE = _usual(status_forcelist=[429], retry_on_exceptions=list(_NEVER_SENT))

# Within a deadline the caller repeats the call itself, and reports each failure; here only Retry-After counts.
WITHIN_DEADLINE = _usual(status_forcelist=[429], retry_on_exceptions=[])

# Within a deadline the caller looks for the result of a request before it sends it again.
NEVER = LoggedRetry(total=0)

# POSTs that change nothing.
_READ_ONLY_POSTS = ("/training-job-searches", "/v3/auth/tokens")


def retry_for(request: httpx.Request) -> LoggedRetry:
    """Return the policy for a request, by its method, its deadline, and whether a POST changes anything."""
    is_once = request.method == "POST" and not request.url.path.endswith(_READ_ONLY_POSTS)
    if remaining_s() is not None:
        return NEVER if is_once else WITHIN_DEADLINE
    return ONCE if is_once else IDEMPOTENT
