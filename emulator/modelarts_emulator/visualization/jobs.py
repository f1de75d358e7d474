"""Visualization jobs as they are stored, and how far they are."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from sqlalchemy import Connection, Index, select, update

from modelarts_emulator.engine.runs import ACTIVE
from modelarts_emulator.engine.tables import table_of
from modelarts_openapi.phases import Phase


@dataclass(frozen=True, slots=True)
class VisualizationJob:
    """A job and how far it is; `id` is 0 until it is stored. Times are in milliseconds since 1970, 0 is "not yet".

    `tool` is the name of the visualization tool in lower-case letters. `run_limit_ms` is how long after `start_time`
    the job stops by itself, None is never. `start_time` is when the tool last began to serve, 0 once it has ended;
    `past_duration_ms` is how long it served before. `error` says why the job has failed, `url` is where its tool
    serves.
    """

    id: int
    project_id: str
    name: str
    description: str
    tool: str
    train_url: str
    resource_id: str
    create_time: int
    run_limit_ms: int | None = None
    phase: Phase = "Creating"
    start_time: int = 0
    past_duration_ms: int = 0
    error: str = ""
    url: str = ""

    def serving(self, now: int, url: str) -> VisualizationJob:
        """The job as it is while its tool serves there."""
        return replace(self, phase="Running", start_time=self.start_time or now, url=url)

    @property
    def deadline(self) -> int | None:
        """When the job stops by itself; None if it never does, or has not begun to serve."""
        if self.run_limit_ms is None or not self.start_time:
            return None
        return self.start_time + self.run_limit_ms

    def duration(self, now: int) -> int:
        """How long the tool has served, in milliseconds."""
        return self.past_duration_ms + (max(now - self.start_time, 0) if self.start_time else 0)

    def ended(self, phase: Phase, now: int, error: str = "") -> VisualizationJob:
        """The job as it is when its tool has ended."""
        return replace(self, phase=phase, past_duration_ms=self.duration(now), start_time=0, error=error, url="")


visualization_jobs = table_of(
    VisualizationJob,
    "visualization_jobs",
    Index("visualization_job_names", "project_id", "name", unique=True),
    Index("visualization_job_phases", "phase"),
    sqlite_autoincrement=True,
)
NAMES = [entry.name for entry in fields(VisualizationJob)]
JOBS = select(*(visualization_jobs.c[name] for name in NAMES))


def active(connection: Connection) -> list[VisualizationJob]:
    """The jobs of all projects that have a tool or wait for one, oldest first."""
    found = JOBS.where(visualization_jobs.c.phase.in_(ACTIVE)).order_by(visualization_jobs.c.id)
    return [VisualizationJob(*row) for row in connection.execute(found)]


def save(connection: Connection, job: VisualizationJob) -> None:
    """Store how far the job is."""
    values = {name: getattr(job, name) for name in ("phase", "start_time", "past_duration_ms", "error", "url")}
    connection.execute(update(visualization_jobs).where(visualization_jobs.c.id == job.id).values(values))
