"""One client for a project, with all its operations and workflows."""

from functools import cached_property
from typing import TYPE_CHECKING

from modelarts_toolkit.connection._async.connection import AsyncConnection

if TYPE_CHECKING:
    from modelarts_toolkit.jobs._async.jobs import AsyncJobs
    from modelarts_toolkit.jobs._async.v1_jobs import AsyncV1Jobs


class AsyncModelArts(AsyncConnection):
    """ModelArts, IAM and object storage of one project; a context manager that closes its connections.

    The generated operations are `v2`, `v1` and `iam`, such as `ma.v2.training_jobs.show_training_job_details(job_id)`.
    An asynchronous client belongs to one event loop.
    """

    @cached_property
    def jobs(self) -> "AsyncJobs":
        """Training jobs by id or name, as handles with `.id`, `.phase`, `.wait()`, `.logs()`, `.download()`, ..."""
        from modelarts_toolkit.jobs._async.jobs import AsyncJobs

        return AsyncJobs(self)

    @cached_property
    def v1_jobs(self) -> "AsyncV1Jobs":
        """Training jobs of version 1 of the API, by id or name, as the same kind of handle."""
        from modelarts_toolkit.jobs._async.v1_jobs import AsyncV1Jobs

        return AsyncV1Jobs(self)
