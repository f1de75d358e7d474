"""A job in a list: where its page is, why it failed, and how its time divides."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from starlette.requests import Request

from modelarts_api.phases import ABNORMAL, FAILED, PHASES, RUNNING, TERMINAL_PHASES, TERMINATING
from modelarts_api.v2.models import RunningRecord
from modelarts_toolkit.jobs._async.handles import AsyncJobHandle
from modelarts_toolkit.jobs.info import JobInfo, TrainingJobInfo
from modelarts_toolkit.jobs.state import JobState
from modelarts_toolkit.reading import entries, present
from modelarts_toolkit.ui.site import Site
from modelarts_toolkit.ui.stages import StageRow

WAITING = frozenset(PHASES) - TERMINAL_PHASES - {RUNNING, TERMINATING}


class JobRow(NamedTuple):
    """A line of the list: a job, where its page is, and how its time divides."""

    job: JobInfo
    state: JobState
    url: str
    why: str
    waited: timedelta | None
    """How long it waited for its start; None if that is not known, as of a job that was restarted after its end."""
    ran: timedelta | None
    """How long it has run, as the service says; None before."""
    created: datetime | None
    age: timedelta | None
    """How long ago it was created; None if that is not known."""

    @classmethod
    def of(
        cls, job: JobInfo, is_v1: bool, now: datetime, reason: str = "", stages: Sequence[StageRow] = ()
    ) -> "JobRow":
        """The line at this time of the service; `stages` are those of its last run, as far as they are known."""
        started, created, state = job.started_at, job.created_at, job.state
        records = run_records(job)
        ran_before = records and (started is None or records[0].started_at + timedelta(seconds=1) <= started)
        if ran_before and started:
            started = started.replace(microsecond=0)  # as exact as the times of stages
        queued = next((each.start for each in stages), None) if ran_before else created
        waited = (started or now) - queued if queued and (started or state.phase in WAITING) else None
        if not started and state.is_ended and stages:
            waited = sum((each.lasted or timedelta() for each in stages if each.result != "end"), timedelta())
        return cls(
            job=job,
            state=state,
            url=url_of(state.id or "", is_v1),
            why=(reason or job.explanation) if state.phase in (FAILED, ABNORMAL) else "",
            waited=waited if waited is None or waited >= timedelta() else timedelta(),
            ran=job.running_time or (timedelta() if state.phase == RUNNING else None),
            created=created,
            age=now - created if created else None,
        )

    @property
    def is_running(self) -> bool:
        """Whether the time for which it runs grows."""
        return self.state.phase == RUNNING

    @property
    def is_waiting(self) -> bool:
        """Whether the time for which it has waited grows."""
        return self.state.phase in WAITING and self.job.started_at is None and self.waited is not None

    @property
    def total(self) -> timedelta:
        """How long it waited and ran, as far as that is known."""
        return (self.waited or timedelta()) + (self.ran or timedelta())

    @property
    def flavor(self) -> str:
        """The kind of its nodes; empty for a job of a list of version 1."""
        return self.job.flavor if self.job.has_settings else ""

    @property
    def nodes(self) -> int:
        """The number of its nodes; 1 if it is not known."""
        return (self.job.nodes if self.job.has_settings else None) or 1


def run_records(job: JobInfo) -> Sequence[RunningRecord]:
    """The runs of a job, and why each ended; none in version 1."""
    details = job.details if isinstance(job, TrainingJobInfo) else None
    return entries(lambda: present(details).status.running_records)


def url_of(key: str, is_v1: bool) -> str:
    """The page of a job."""
    return f"/v1/jobs/{key.replace('/', '-')}" if is_v1 else f"/jobs/{key}"


async def find(site: Site, request: Request, key: str = "") -> AsyncJobHandle:
    """The job of a page, or the one with this key, as it is now; raises NotFound if it is gone."""
    key = key or request.path_params["key"]
    if is_v1(request):
        return await site.ma.v1_jobs.get(key.replace("-", "/"))
    return await site.ma.jobs.get(key)


def is_v1(request: Request) -> bool:
    """Whether a page is about jobs of version 1."""
    return request.url.path.startswith("/v1/")
