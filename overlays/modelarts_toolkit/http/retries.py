"""Which requests may be sent again without asking the caller, how often, and after which pauses."""

import contextlib
import copy
import logging
from functools import partial
from typing import Self

import httpx
from httpx_retries import Retry

from modelarts_toolkit.http.deadlines import remaining_s
from modelarts_toolkit.http.urls import is_loopback

logger = logging.getLogger("modelarts_toolkit")

WARN_AFTER_S = 1.0  # a pause that a person notices


class LoggedRetry(Retry):
    """Logs each retry, and gives up soon where a server on this machine is not running."""

    call = "a request"  # method and address, without the query
    is_local = False

    def bound_to(self, request: httpx.Request, retries: int | None = None) -> Self:
        """The same policy for one request, with another number of retries if given, unless it has none."""
        bound = copy.copy(self)
        bound.total = self.total if retries is None or not self.total else retries
        bound.call = f"{request.method} {request.url.copy_with(query=None, fragment=None, userinfo=b'')}"
        bound.is_local = is_loopback(request.url.host)
        return bound

    def increment(self) -> Retry:
        following = super().increment()
        assert isinstance(following, LoggedRetry)  # noqa: S101 - the library makes one of our class
        following.call, following.is_local = self.call, self.is_local
        return following

    def is_retryable_exception(self, exception: Exception) -> bool:
        if self.is_local and self.attempts_made and isinstance(exception, httpx.ConnectError):
            return False  # a port of this machine rejects at once, or not at all
        return super().is_retryable_exception(exception)

    def sleep(self, response: httpx.Response | Exception) -> None:
        self._log(response)
        super().sleep(response)

    async def asleep(self, response: httpx.Response | Exception) -> None:
        self._log(response)
        await super().asleep(response)

    def _log(self, response: httpx.Response | Exception) -> None:
        pause_s = 0.0
        if isinstance(response, httpx.Response):
            reason = f"{response.status_code} {response.reason_phrase}".strip()
            with contextlib.suppress(KeyError, ValueError):
                pause_s = min(self.parse_retry_after(response.headers["Retry-After"]), self.max_backoff_wait)
        else:
            reason = str(response) or type(response).__name__
        level = logging.WARNING if pause_s >= WARN_AFTER_S or self.attempts_made > 2 else logging.INFO
        after = f" after {pause_s:g} s" if pause_s else ""
        logger.log(level, "%s: %s; retry %d of %d%s", self.call, reason, self.attempts_made, self.total, after)


_METHODS = ("DELETE", "GET", "HEAD", "POST", "PUT")
# Pauses double from half a second, with full jitter, about four seconds in all; Retry-After goes first.
_usual = partial(LoggedRetry, total=4, backoff_factor=0.25, max_backoff_wait=60.0, allowed_methods=_METHODS)

# Repeating them changes nothing: any lost response and any sign of overload may be retried.
IDEMPOTENT = _usual()

# Doing it twice could do two things: only what surely never reached the service is sent again.
_NEVER_SENT = [httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError]
ONCE = _usual(status_forcelist=[429], retry_on_exceptions=_NEVER_SENT)

# Within a deadline the caller repeats the call itself, and reports each failure; here only Retry-After counts.
WITHIN_DEADLINE = _usual(status_forcelist=[429], retry_on_exceptions=[])

# Within a deadline the caller looks for what a request created before it sends it again.
NEVER = LoggedRetry(total=0)

# POSTs that change nothing.
_READ_ONLY_POSTS = ("/training-job-searches", "/v3/auth/tokens")


def retry_for(request: httpx.Request) -> LoggedRetry:
    """The policy for a request: by its method, for a POST by whether it changes anything, and by its deadline."""
    is_once = request.method == "POST" and not request.url.path.endswith(_READ_ONLY_POSTS)
    if remaining_s() is not None:
        return NEVER if is_once else WITHIN_DEADLINE
    return ONCE if is_once else IDEMPOTENT
