# Derived from _async/client.py by scripts/derive_sync.py; do not edit.
"""One client for a project, with all its operations and workflows."""

from functools import cached_property
from typing import TYPE_CHECKING

from modelarts_toolkit.connection._sync.connection import Connection

if TYPE_CHECKING:
    from modelarts_toolkit.jobs._sync.jobs import Jobs
    from modelarts_toolkit.jobs._sync.v1_jobs import V1Jobs


class ModelArts(Connection):
    """ModelArts, IAM and object storage of one project; a context manager that closes its connections.

    The generated operations are `v2`, `v1` and `iam`, such as `ma.v2.training_jobs.show_training_job_details(job_id)`.
    An asynchronous client belongs to one event loop.
    """

    @cached_property
    def jobs(self) -> "Jobs":
        """Training jobs by id or name, as handles with `.id`, `.phase`, `.wait()`, `.logs()`, `.download()`, ..."""
        from modelarts_toolkit.jobs._sync.jobs import Jobs

        return Jobs(self)

    @cached_property
    def v1_jobs(self) -> "V1Jobs":
        """Training jobs of version 1 of the API, by id or name, as the same kind of handle."""
        from modelarts_toolkit.jobs._sync.v1_jobs import V1Jobs

        return V1Jobs(self)
