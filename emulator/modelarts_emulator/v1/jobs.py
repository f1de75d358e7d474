"""Training jobs of version 1 as they are stored: found, added, changed, removed, always within one project."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from modelarts_emulator.engine.database import is_id
from modelarts_emulator.engine.tables import v1_jobs
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.v1.errors import FAILED, name_in_use, quota_exceeded

__all__ = ["Job", "add", "check_quota", "count", "describe", "find", "remove"]


@dataclass(frozen=True, slots=True)
class Job:
    """A training job; `versions_made` is the number of the last version that it ever had."""

    id: int
    project_id: str
    user_id: str
    name: str
    description: str
    create_time: int
    versions_made: int
    version_count: int
    newest_version_id: int | None


BY_ID = select(v1_jobs).where(v1_jobs.c.id == bindparam("job_id"), v1_jobs.c.project_id == bindparam("project"))


def find(connection: Connection, project_id: str, job_id: int) -> Job:
    """The project's job with this id; raises ServiceError (0105) if the project has none."""
    row: Any = None
    if is_id(job_id):
        row = connection.execute(BY_ID, {"job_id": job_id, "project": project_id}).one_or_none()
    if row is None:
        raise ServiceError(FAILED, f"Training job {job_id} does not exist.")
    return Job(**row._mapping)


def count(connection: Connection, project_id: str) -> int:
    """How many jobs the project has, ended ones included."""
    return int(connection.execute(select(func.count()).where(v1_jobs.c.project_id == project_id)).scalar_one())


def check_quota(connection: Connection, project_id: str, max_jobs: int) -> None:
    """Raise ServiceError (0118) unless the project may have one more job; ended jobs count."""
    if count(connection, project_id) >= max_jobs:
        raise quota_exceeded("training", max_jobs)


def add(connection: Connection, project_id: str, user_id: str, name: str, description: str, create_time: int) -> Job:
    """Store a new job without versions; raises ServiceError (0103) if its project has one of this name."""
    values: dict[str, Any] = {
        "project_id": project_id,
        "user_id": user_id,
        "name": name,
        "description": description,
        "create_time": create_time,
        "versions_made": 0,
        "version_count": 0,
        "newest_version_id": None,
    }
    try:
        job_id = connection.execute(insert(v1_jobs).returning(v1_jobs.c.id), values).scalar_one()
    except IntegrityError:
        raise name_in_use(name) from None
    return Job(id=job_id, **values)


def describe(connection: Connection, job: Job, description: str) -> None:
    """Store another description of the job."""
    connection.execute(update(v1_jobs).where(v1_jobs.c.id == job.id).values(description=description))


def remove(connection: Connection, job: Job) -> None:
    """Delete the job; its versions are to be removed, too."""
    connection.execute(delete(v1_jobs).where(v1_jobs.c.id == job.id))
