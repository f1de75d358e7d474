"""Training on ModelArts from Python: connect, submit, follow, wait, fetch the model.

    from modelarts_toolkit import ModelArts

    with ModelArts() as ma:
        job = ma.submit(body)
        for line in ma.follow_logs(job):
            print(line)
        job = ma.wait(job)
        ma.obs.download("obs://bucket/outputs/", "outputs/")

Every name is loaded on first use, so that importing this package costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from .version import VERSION

if TYPE_CHECKING:
    from .client import AsyncModelArts as AsyncModelArts
    from .client import ModelArts as ModelArts
    from .config import Config as Config
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
    from .explain import Verdict as Verdict
    from .job_handles import AsyncJob as AsyncJob
    from .job_handles import Job as Job
    from .job_state import TERMINAL_PHASES as TERMINAL_PHASES
    from .job_state import Phase as Phase
    from .jobs import Rows as Rows
    from .log_cursor import LogCursor as LogCursor
    from .obs import StoredObject as StoredObject
    from .obs import Transfer as Transfer
    from .requests import as_request as as_request
    from .signing import AkSkAuth as AkSkAuth
    from .uploads import UploadProgress as UploadProgress
    from .waiting import Progress as Progress

__version__ = VERSION

_HOMES = {
    "client": ("AsyncModelArts", "ModelArts"),
    "config": ("Config",),
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
    "explain": ("Verdict",),
    "job_handles": ("AsyncJob", "Job"),
    "signing": ("AkSkAuth",),
    "job_state": ("TERMINAL_PHASES", "Phase"),
    "jobs": ("Rows",),
    "log_cursor": ("LogCursor",),
    "obs": ("StoredObject", "Transfer"),
    "requests": ("as_request",),
    "uploads": ("UploadProgress",),
    "waiting": ("Progress",),
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
