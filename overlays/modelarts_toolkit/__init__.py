"""Training on ModelArts from Python: connect, submit, follow, wait, fetch the model.

    from modelarts_toolkit import ModelArts

    with ModelArts() as ma:
        job = ma.jobs.submit(body)
        for line in job.logs(follow=True):
            print(line)
        job.wait().download("outputs")

Every name is loaded on first use, so that importing this package costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from .version import VERSION

if TYPE_CHECKING:
    from modelarts_toolkit.auth.access_keys import AkSkAuth as AkSkAuth
    from modelarts_toolkit.http.options import CallOptions as CallOptions
    from modelarts_toolkit.settings.config import Config as Config
    from modelarts_toolkit.settings.sources import Settings as Settings
    from modelarts_toolkit.storage._async.obs import AsyncObs as AsyncObs
    from modelarts_toolkit.storage._sync.obs import Obs as Obs
    from modelarts_toolkit.storage.transfers import StoredObject as StoredObject
    from modelarts_toolkit.storage.transfers import Transfer as Transfer
    from modelarts_toolkit.storage.uploads import OnUpload as OnUpload
    from modelarts_toolkit.storage.uploads import UploadProgress as UploadProgress

    from ._async.client import AsyncModelArts as AsyncModelArts
    from ._sync.client import ModelArts as ModelArts
    from .errors import ApiError as ApiError
    from .errors import BadRequest as BadRequest
    from .errors import ConfigError as ConfigError
    from .errors import Conflict as Conflict
    from .errors import ConnectionFailed as ConnectionFailed
    from .errors import Forbidden as Forbidden
    from .errors import IncompleteList as IncompleteList
    from .errors import JobError as JobError
    from .errors import JobFailed as JobFailed
    from .errors import JobStopped as JobStopped
    from .errors import NotFound as NotFound
    from .errors import ObsError as ObsError
    from .errors import ServiceFailure as ServiceFailure
    from .errors import ToolkitError as ToolkitError
    from .errors import TooManyRequests as TooManyRequests
    from .errors import Unauthorized as Unauthorized
    from .errors import WaitTimeout as WaitTimeout
    from .jobs._async.jobs import AsyncJob as AsyncJob
    from .jobs._async.jobs import AsyncJobs as AsyncJobs
    from .jobs._async.v1_jobs import AsyncV1Job as AsyncV1Job
    from .jobs._async.v1_jobs import AsyncV1Jobs as AsyncV1Jobs
    from .jobs._sync.jobs import Job as Job
    from .jobs._sync.jobs import Jobs as Jobs
    from .jobs._sync.v1_jobs import V1Job as V1Job
    from .jobs._sync.v1_jobs import V1Jobs as V1Jobs
    from .jobs.errors import Verdict as Verdict
    from .jobs.info import JobInfo as JobInfo
    from .jobs.job_request import JobRequest as JobRequest
    from .jobs.log_cursor import LogCursor as LogCursor
    from .jobs.polling import OnProgress as OnProgress
    from .jobs.polling import Progress as Progress
    from .jobs.rerun import as_request as as_request
    from .jobs.state import TERMINAL_PHASES as TERMINAL_PHASES
    from .jobs.state import Phase as Phase
    from .jobs.tables import Rows as Rows

__version__ = VERSION

_HOMES = {
    "_async.client": ("AsyncModelArts",),
    "_sync.client": ("ModelArts",),
    "http.options": ("CallOptions",),
    "settings.config": ("Config",),
    "errors": (
        "ApiError",
        "BadRequest",
        "ConfigError",
        "Conflict",
        "ConnectionFailed",
        "Forbidden",
        "IncompleteList",
        "JobError",
        "JobFailed",
        "JobStopped",
        "NotFound",
        "ObsError",
        "ServiceFailure",
        "TooManyRequests",
        "ToolkitError",
        "Unauthorized",
        "WaitTimeout",
    ),
    "jobs._async.jobs": (
        "AsyncJob",
        "AsyncJobs",
    ),
    "jobs._async.v1_jobs": (
        "AsyncV1Job",
        "AsyncV1Jobs",
    ),
    "jobs._sync.jobs": (
        "Job",
        "Jobs",
    ),
    "jobs._sync.v1_jobs": (
        "V1Job",
        "V1Jobs",
    ),
    "jobs.errors": ("Verdict",),
    "jobs.info": ("JobInfo",),
    "jobs.job_request": ("JobRequest",),
    "jobs.log_cursor": ("LogCursor",),
    "jobs.polling": (
        "OnProgress",
        "Progress",
    ),
    "jobs.rerun": ("as_request",),
    "jobs.state": (
        "Phase",
        "TERMINAL_PHASES",
    ),
    "jobs.tables": ("Rows",),
    "storage._async.obs": ("AsyncObs",),
    "storage._sync.obs": ("Obs",),
    "storage.transfers": (
        "StoredObject",
        "Transfer",
    ),
    "auth.access_keys": ("AkSkAuth",),
    "settings.sources": ("Settings",),
    "storage.uploads": (
        "OnUpload",
        "UploadProgress",
    ),
}
_MODULES = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted(_MODULES)  # pyright: ignore[reportUnsupportedDunderAll]


if not TYPE_CHECKING:  # type checkers would take any name for one that exists

    def __getattr__(name):
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(f".{_MODULES[name]}", __name__), name)
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
