"""Training on ModelArts from Python: connect, submit, follow, wait, fetch the model.

    from modelarts_toolkit import ModelArts

    with ModelArts() as ma:
        job = ma.jobs.submit(body)
        for line in job.logs(follow=True):
            print(line)
        job.wait().download("outputs")

Every name is loaded on first use, so that importing this package costs next to nothing.
`__init__.pyi` says the same to type checkers; a test compares both.
"""

from importlib import import_module

from modelarts_toolkit.version import VERSION

__version__ = VERSION

# The names of each module.
_TABLE = {
    "_async.client": "AsyncModelArts",
    "_sync.client": "ModelArts",
    "auth.access_keys": "AkSkAuth",
    "curves.curves": "Curve",
    "errors": "ApiError BadRequest ConfigError Conflict ConnectionFailed Forbidden IncompleteList JobError JobFailed "
    "JobStopped NotFound ObsError ServiceFailure ToolkitError TooManyRequests Unauthorized WaitTimeout",
    "job_requests.job_request": "JobRequest",
    "job_requests.rerun": "as_request",
    "jobs._async.jobs": "AsyncJob AsyncJobs",
    "jobs._async.v1_jobs": "AsyncV1Job AsyncV1Jobs",
    "jobs._sync.jobs": "Job Jobs",
    "jobs._sync.v1_jobs": "V1Job V1Jobs",
    "jobs.comparison": "Comparison",
    "jobs.explain": "Verdict",
    "jobs.info": "JobInfo",
    "jobs.log_cursor": "LogCursor",
    "jobs.polling": "OnProgress Progress",
    "jobs.state": "TERMINAL_PHASES Phase",
    "jobs.tables": "Rows",
    "local.exam": "Exam ExamError examine take_exam",
    "settings.config": "Config",
    "settings.sources": "Settings",
    "storage._async.obs": "AsyncObs",
    "storage._sync.obs": "Obs",
    "storage.bucket_requests": "StoredObject",
    "storage.transfers": "Transfer",
    "storage.uploads": "OnUpload UploadProgress",
}
_MODULES = {name: f"{__name__}.{module}" for module, names in _TABLE.items() for name in names.split()}

__all__ = sorted(_MODULES)


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
