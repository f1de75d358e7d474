# Derived from _async/visualizations.py by scripts/derive_sync.py; do not edit.
"""Visualization jobs of version 1."""

from typing import TYPE_CHECKING

from modelarts_api.phases import RUNNING
from modelarts_api.types import UNSET
from modelarts_toolkit._sync.connection import Connection
from modelarts_toolkit.errors import ConfigError
from modelarts_toolkit.http.deadlines import call_within
from modelarts_toolkit.jobs.polling import BLOCKING, TRANSIENT, Clock, OutageBudget, Pace
from modelarts_toolkit.jobs.state import JobState

from .handles import listed

if TYPE_CHECKING:
    from modelarts_api.v1.models import VisualizationJob, VisualizationJobSummary

PAGE = 100
POLL = (0.5, 5.0)


def search(connection: Connection, name: str | None, limit: int | None) -> "list[VisualizationJobSummary]":
    """Find jobs whose names contain `name`, newest first, `limit` at most."""
    found = connection.v1.visualization_jobs.iter_visualization_jobs(
        sort_by="create_time", order="desc", per_page=PAGE, search_content=name or UNSET
    )
    return listed(found, limit)


def resolve(connection: Connection, job: int | str) -> int:
    """Find the id of a job that is given by id or name; raises ConfigError if there is none of the name."""
    if isinstance(job, int) or (job.isascii() and job.isdigit()):
        return int(job)
    for each in search(connection, job, None):
        if each.job_name == job:
            return int(each.job_id)
    raise ConfigError(f'there is no visualization job "{job}": modelarts v1 visualization list shows those that are')


def wait_until_running(
    connection: Connection, job_id: int, *, poll: tuple[float, float] = POLL, clock: Clock = BLOCKING
) -> "VisualizationJob":
    """Ask for the job until its tool runs and has an address, or until it has ended."""
    pace, outage = Pace(poll), OutageBudget(clock, f"waiting for visualization job {job_id}")
    api = connection.v1.visualization_jobs
    while True:
        try:
            job = call_within(outage.call_limit_s(), lambda: api.show_visualization_job(job_id))
        except TRANSIENT as error:
            outage.record_failure(error)
        else:
            outage.record_success()
            if job.is_terminal or (JobState.of(job).phase == RUNNING and job.service_url):
                return job
        clock.sleep(pace.after(news=False))
