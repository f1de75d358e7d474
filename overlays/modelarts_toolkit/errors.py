"""Everything this toolkit raises of its own accord.

    ToolkitError
    ├── ConfigError              a setting is missing or makes no sense; nothing was sent
    │   └── ArgumentError        so does an argument of a run on this machine
    ├── ConnectionFailed         no response: the service may or may not have seen the request
    ├── IncompleteList           the pages of a list do not fit together; some records cannot be reached
    ├── ApiError                 the service rejected the request, or responded what its document does not allow
    │   ├── BadRequest           correct the request
    │   ├── Unauthorized         log in again, or with other credentials
    │   ├── Forbidden            ask for a permission
    │   ├── NotFound             the thing is not there (any more)
    │   ├── Conflict             a name is taken, or the state does not allow it
    │   ├── TooManyRequests      slow down
    │   └── ServiceFailure       the service's own fault; try later
    ├── ObsError                 object storage rejected, or holds no such thing
    └── JobError                 carries the job that was waited for
        ├── JobFailed            it ended, but not well
        ├── JobStopped           somebody stopped it
        └── WaitTimeout          it has not ended in the time given

`IncompleteList`, `ApiError` and its kinds live in `modelarts_api.errors`, because the generated client raises them.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import httpx

from modelarts_api.errors import ApiError as ApiError
from modelarts_api.errors import BadRequest as BadRequest
from modelarts_api.errors import Conflict as Conflict
from modelarts_api.errors import Forbidden as Forbidden
from modelarts_api.errors import IncompleteList as IncompleteList
from modelarts_api.errors import NotFound as NotFound
from modelarts_api.errors import ServiceFailure as ServiceFailure
from modelarts_api.errors import ToolkitError as ToolkitError
from modelarts_api.errors import TooManyRequests as TooManyRequests
from modelarts_api.errors import Unauthorized as Unauthorized

if TYPE_CHECKING:
    from modelarts_toolkit.jobs.explain import Verdict
    from modelarts_toolkit.jobs.info import JobInfo


class ConfigError(ToolkitError):
    """A setting is missing or makes no sense; the message says which, and how to set it."""


class ArgumentError(ConfigError):
    """An argument of a run on this machine makes no sense; the message says which, and what to give instead."""


class ConnectionFailed(ToolkitError, httpx.TransportError):  # noqa: N818
    """No response came, also after the retries; `__context__` is the error of the HTTP library.

    It is an `httpx.TransportError` as well, so that code written for httpx keeps working.
    """


class ObsError(ToolkitError):
    """Object storage rejected, or holds no such bucket or object; `url` is what was asked for."""

    def __init__(self, message: str, url: str) -> None:
        super().__init__(message, url)
        self.url = url

    def _text(self) -> str:
        return str(self.args[0])


class JobError(ToolkitError):
    """The job did not complete in the wait; `job` is the object that was waited for, with its last known state."""

    def __init__(self, message: str, job: "JobInfo", *others: object) -> None:
        super().__init__(message, job, *others)  # all of them, so that the error can be copied and pickled
        self.job = job

    def _text(self) -> str:
        return str(self.args[0])


class JobFailed(JobError):  # noqa: N818
    """The job ended in Failed or Abnormal.

    `exit_codes` holds the exit code of each task that reported one, `log_lines` the end of the failed task's log,
    `verdict` the probable cause and its remedy, if one is known.
    """

    def __init__(
        self,
        message: str,
        job: "JobInfo",
        exit_codes: Mapping[str, int],
        log_lines: Sequence[str],
        verdict: "Verdict | None" = None,
    ) -> None:
        super().__init__(message, job, exit_codes, log_lines, verdict)
        self.verdict = verdict
        self.exit_codes = dict(exit_codes)
        self.log_lines = tuple(log_lines)


class JobStopped(JobError):  # noqa: N818
    """The job was terminated before it ended by itself."""


class WaitTimeout(JobError):  # noqa: N818
    """The time limit of a wait has passed; the job keeps running."""
