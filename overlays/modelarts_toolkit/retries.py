"""What may be sent again without asking anybody, and how patiently."""

import httpx
from httpx_retries import Retry

# Asking twice changes nothing: any lost answer and any sign of overload may be retried.
# Waits double from half a second, with full jitter, about four seconds in all; Retry-After goes first.
IDEMPOTENT = Retry(
    total=4, backoff_factor=0.25, max_backoff_wait=60.0, allowed_methods=["DELETE", "GET", "HEAD", "POST", "PUT"]
)

# Doing it twice could do two things: only what surely never reached the service is sent again.
ONCE = IDEMPOTENT.copy_with(
    status_forcelist=[429],
    retry_on_exceptions=[httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError],
)

# POSTs that only ask.
_QUESTIONS = ("/training-job-searches", "/v3/auth/tokens")


def retry_for(request: httpx.Request) -> Retry:
    """The policy for a request: by its method, and for a POST by whether it only asks."""
    if request.method == "POST" and not request.url.path.endswith(_QUESTIONS):
        return ONCE
    return IDEMPOTENT
