"""Visualization jobs of version 1, written once for both clients: flows of generated operations."""

from typing import TYPE_CHECKING, Any

from modelarts_api.phases import RUNNING

from .errors import ConfigError
from .flows import TRANSIENT, Call, Clock, Flow, OutageBudget, Pace, collected
from .job_state import JobState

if TYPE_CHECKING:
    from modelarts_api.v1.models import VisualizationJob, VisualizationJobSummary

PAGE = 100
POLL = (0.5, 5.0)


def searching(api: Any, name: str | None, limit: int | None) -> "Flow[list[VisualizationJobSummary]]":
    """Find jobs whose names contain `name`, newest first, `limit` at most."""
    query: dict[str, Any] = {"sort_by": "create_time", "order": "desc", "per_page": PAGE}
    if name:
        query["search_content"] = name
    found: list[VisualizationJobSummary] = yield collected(
        api.visualization_jobs.iter_visualization_jobs(**query), limit
    )
    return found


def resolving(api: Any, job: int | str) -> Flow[int]:
    """Find the id of a job that is given by id or name; raises ConfigError if there is none of the name."""
    if isinstance(job, int) or (job.isascii() and job.isdigit()):
        return int(job)
    found = yield from searching(api, job, None)
    for each in found:
        if each.job_name == job:
            return int(each.job_id)
    raise ConfigError(f'there is no visualization job "{job}": modelarts v1 visualization list shows those that are')


def waiting_until_running(
    api: Any, job_id: int, clock: Clock, *, poll: tuple[float, float] = POLL
) -> "Flow[VisualizationJob]":
    """Ask for the job until its tool runs and has an address, or until it has ended."""
    pace, outage = Pace(poll), OutageBudget(clock, f"waiting for visualization job {job_id}")
    while True:
        try:
            job: VisualizationJob = yield Call(
                lambda: api.visualization_jobs.show_visualization_job(job_id), outage.call_limit_s()
            )
        except TRANSIENT as error:
            outage.record_failure(error)
        else:
            outage.record_success()
            if job.is_terminal or (JobState.of(job).phase == RUNNING and job.service_url):
                return job
        yield clock.sleep(pace.after(news=False))
