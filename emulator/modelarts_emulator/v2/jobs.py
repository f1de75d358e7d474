"""Training jobs as they are stored: found, added, changed, removed, always within one project."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from modelarts_emulator.engine import runs as stored_runs
from modelarts_emulator.engine.runs import Run
from modelarts_emulator.engine.tables import job_counts, v2_jobs
from modelarts_emulator.http.errors import ServiceError

__all__ = ["Job", "add", "count", "describe", "find", "remove", "some"]


@dataclass(slots=True)
class Job:
    """A training job and its run; `document` has what was asked for: kind, metadata, algorithm, spec."""

    id: str
    project_id: str
    user_id: str
    name: str
    kind: str
    algorithm_name: str
    create_time: int
    description: str
    document: dict[str, Any]
    run: Run


NO_QUOTA = 2**31 - 1  # jobs
COLUMNS = [column for column in v2_jobs.columns if column.name != "run_id"]
JOBS = stored_runs.joined(COLUMNS, v2_jobs.c.run_id)
# Put together once: that takes longer than to execute it.
BY_ID = JOBS.where(v2_jobs.c.id == bindparam("job_id"), v2_jobs.c.project_id == bindparam("project"))
BY_IDS = JOBS.where(v2_jobs.c.id.in_(bindparam("job_ids", expanding=True)))
COUNT = select(job_counts.c.count).where(job_counts.c.project_id == bindparam("project"))
ADD = insert(v2_jobs)
ONE_MORE = (
    update(job_counts)
    .where(job_counts.c.project_id == bindparam("project"), job_counts.c.count < bindparam("max_jobs"))
    .values(count=job_counts.c.count + 1)
)
FIRST = insert(job_counts)


def find(connection: Connection, project_id: str, job_id: str) -> Job:
    """The project's job with this id; raises ServiceError (2775) if the project has none."""
    row = connection.execute(BY_ID, {"job_id": job_id, "project": project_id}).one_or_none()
    if row is None:
        raise ServiceError("ModelArts.2775", f"Training job {job_id} not found.")
    return _job(row)


def some(connection: Connection, job_ids: Collection[str]) -> list[Job]:
    """The jobs with these ids that there are."""
    chunks = stored_runs.chunks(job_ids)
    return [_job(row) for chunk in chunks for row in connection.execute(BY_IDS, {"job_ids": chunk})]


def count(connection: Connection, project_id: str) -> int:
    """How many jobs the project has, ended ones included."""
    return int(connection.execute(COUNT, {"project": project_id}).scalar() or 0)


def add(connection: Connection, job: Job, max_jobs: int = NO_QUOTA) -> None:
    """Store a new job and its run.

    Raises ServiceError if its project has `max_jobs` already, ended ones included (2815), or one of this name (2751).
    """
    if not connection.execute(ONE_MORE, {"project": job.project_id, "max_jobs": max_jobs}).rowcount:
        if count(connection, job.project_id) >= max_jobs:
            raise ServiceError("ModelArts.2815", f"Exceed quota limit of resource (training jobs): {max_jobs}.")
        connection.execute(FIRST, {"project_id": job.project_id, "count": 1})
    try:
        connection.execute(ADD, {column.name: getattr(job, column.name) for column in COLUMNS} | {"run_id": job.run.id})
    except IntegrityError:
        raise ServiceError("ModelArts.2751", f"There is already a training job of the name {job.name}.") from None
    stored_runs.add(connection, job.run)


def describe(connection: Connection, job: Job, description: str) -> None:
    """Store another description of the job, the only thing beside its run that may change."""
    connection.execute(update(v2_jobs).where(v2_jobs.c.id == job.id).values(description=description))


def remove(connection: Connection, job: Job) -> None:
    """Delete the job and its run; its processes and files are left to the supervisor."""
    if connection.execute(delete(v2_jobs).where(v2_jobs.c.id == job.id)).rowcount:
        one_less = update(job_counts).where(job_counts.c.project_id == job.project_id)
        connection.execute(one_less.values(count=job_counts.c.count - 1))
        stored_runs.remove(connection, job.run)


def _job(row: Row[Any]) -> Job:
    values, run = stored_runs.read_joined(row, COLUMNS)
    return Job(**values, run=run)
