"""Visualization jobs as they are stored: found, added, changed, removed, always within one project."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from sqlalchemy import Connection, and_, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from modelarts_emulator.engine.database import contains, is_id, ordered
from modelarts_emulator.engine.runs import ACTIVE, Phase
from modelarts_emulator.engine.tables import visualization_jobs

__all__ = [
    "NameInUseError",
    "VisualizationJob",
    "active",
    "add",
    "count",
    "describe",
    "find",
    "page",
    "remove",
    "save",
]


class NameInUseError(Exception):
    """The project already has a visualization job of this name."""


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

    @property
    def deadline(self) -> int | None:
        """When the job stops by itself; None if it never does, or has not begun to serve."""
        if self.run_limit_ms is None or not self.start_time:
            return None
        return self.start_time + self.run_limit_ms

    def duration(self, now: int) -> int:
        """How long the tool has served, in milliseconds."""
        return self.past_duration_ms + (max(now - self.start_time, 0) if self.start_time else 0)

    def restarted(self) -> VisualizationJob:
        """The job as it is when it is to start again."""
        return replace(self, phase="Creating", error="")

    def waiting(self) -> VisualizationJob:
        """The job as it is while there is no room for its tool."""
        return replace(self, phase="Pending")

    def terminating(self) -> VisualizationJob:
        """The job as it is while its tool is being stopped."""
        return replace(self, phase="Terminating")

    def running(self, now: int) -> VisualizationJob:
        """The job as it is when its tool has begun to serve."""
        return replace(self, phase="Running", start_time=self.start_time or now)

    def serving_at(self, url: str) -> VisualizationJob:
        """The job as it is while its tool serves there; nowhere if it is empty."""
        return replace(self, url=url)

    def ended(self, phase: Phase, now: int, error: str = "") -> VisualizationJob:
        """The job as it is when its tool has ended."""
        return replace(self, phase=phase, past_duration_ms=self.duration(now), start_time=0, error=error, url="")


NAMES = [entry.name for entry in fields(VisualizationJob)]
JOBS = select(*(visualization_jobs.c[name] for name in NAMES))


def add(connection: Connection, job: VisualizationJob) -> VisualizationJob:
    """Store a new job; returns it with its id. Raises NameInUseError if its project has one of this name."""
    values = {name: getattr(job, name) for name in NAMES if name != "id"}
    try:
        result = connection.execute(insert(visualization_jobs).values(values))
    except IntegrityError:
        raise NameInUseError(job.name) from None
    assert result.inserted_primary_key is not None  # noqa: S101 - one row was inserted
    return replace(job, id=result.inserted_primary_key[0])


def find(connection: Connection, project_id: str, job_id: int) -> VisualizationJob | None:
    """The project's job with this id; None if the project has none."""
    table = visualization_jobs.c
    if not is_id(job_id):
        return None
    row = connection.execute(JOBS.where(table.id == job_id, table.project_id == project_id)).one_or_none()
    return None if row is None else VisualizationJob(*row)


def active(connection: Connection) -> list[VisualizationJob]:
    """The jobs of all projects that have a tool or wait for one, oldest first."""
    found = JOBS.where(visualization_jobs.c.phase.in_(ACTIVE)).order_by(visualization_jobs.c.id)
    return [VisualizationJob(*row) for row in connection.execute(found)]


def count(connection: Connection, project_id: str) -> int:
    """How many jobs the project has, ended ones included."""
    query = select(func.count()).where(visualization_jobs.c.project_id == project_id)
    return int(connection.execute(query).scalar_one())


def page(
    connection: Connection,
    project_id: str,
    *,
    phases: Collection[Phase] | None = None,
    name_part: str = "",
    rank: Sequence[Any] = (),
    is_ascending: bool = True,
    start: int = 0,
    limit: int,
) -> tuple[int, list[VisualizationJob]]:
    """How many jobs of the project match, and `limit` of them from `start` on, in the order of the columns in `rank`.

    `phases` None is any phase; `name_part` is a part of the name, in either case of letters.
    """
    table = visualization_jobs.c
    conditions = [table.project_id == project_id, contains(connection, table.name, name_part)]
    if phases is not None:
        conditions.append(table.phase.in_(phases))
    total = connection.execute(select(func.count()).where(and_(*conditions))).scalar_one()
    order = ordered([*rank, table.id], is_ascending)
    found = connection.execute(JOBS.where(*conditions).order_by(*order).limit(limit).offset(start))
    return total, [VisualizationJob(*row) for row in found]


def describe(connection: Connection, job: VisualizationJob, description: str) -> None:
    """Store another description of the job."""
    query = update(visualization_jobs).where(visualization_jobs.c.id == job.id)
    connection.execute(query.values(description=description))


def save(connection: Connection, job: VisualizationJob) -> None:
    """Store how far the job is."""
    values = {name: getattr(job, name) for name in ("phase", "start_time", "past_duration_ms", "error", "url")}
    connection.execute(update(visualization_jobs).where(visualization_jobs.c.id == job.id).values(values))


def remove(connection: Connection, job: VisualizationJob) -> None:
    """Delete the job; its tool is left to the supervisor."""
    connection.execute(delete(visualization_jobs).where(visualization_jobs.c.id == job.id))
