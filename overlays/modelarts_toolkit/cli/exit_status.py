"""Exit statuses of `modelarts`, which scripts can rely on; `docs/cli.md` lists them."""

from modelarts_toolkit.errors import (
    ApiError,
    ArgumentError,
    ConnectionFailed,
    JobFailed,
    JobStopped,
    ToolkitError,
    WaitTimeout,
)

DONE = 0
ERROR = 1  # local: settings, files, object storage
USAGE = 2
FAILED = 3  # the job
STOPPED = 4  # the job
TIMEOUT = 5  # the job has not ended in the time given
REJECTED = 6  # by the service
NO_RESPONSE = 7
INTERRUPTED = 130  # Ctrl-C, as shells report SIGINT
CLOSED_PIPE = 141  # as shells report SIGPIPE

_BY_ERROR: tuple[tuple[type[ToolkitError], int], ...] = (
    (JobFailed, FAILED),
    (JobStopped, STOPPED),
    (WaitTimeout, TIMEOUT),
    (ApiError, REJECTED),
    (ConnectionFailed, NO_RESPONSE),
    (ArgumentError, USAGE),
)


def status_of(error: ToolkitError) -> int:
    """Return the exit status for this kind of error."""
    return next((status for kind, status in _BY_ERROR if isinstance(error, kind)), ERROR)
