"""Versions of training jobs as they are stored: found, listed, added, removed, always within one job."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, func, insert, select, update

from modelarts_emulator.engine import runs as stored_runs
from modelarts_emulator.engine.database import is_id
from modelarts_emulator.engine.runs import ACTIVE, Run
from modelarts_emulator.engine.tables import runs, v1_jobs, v1_versions
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.v1.errors import FAILED, invalid
from modelarts_emulator.v1.jobs import Job

__all__ = ["Version", "add", "check_output", "check_predecessor", "find", "page", "remove"]


@dataclass(slots=True)
class Version:
    """A version and its run; `document` has its settings, as `training_settings` reads them."""

    id: int
    job_id: int
    number: int
    pre_version_id: int | None
    create_time: int
    output: str
    document: dict[str, Any]
    run: Run

    @property
    def name(self) -> str:
        """`V0001` for the first version of a job."""
        return f"V{self.number:04}"


COLUMNS = [column for column in v1_versions.columns if column.name != "run_id"]
VERSIONS = stored_runs.joined(COLUMNS, v1_versions.c.run_id)
BY_ID = VERSIONS.where(v1_versions.c.id == bindparam("version_id"), v1_versions.c.job_id == bindparam("job"))


def find(connection: Connection, job: Job, version_id: int) -> Version:
    """The job's version with this id; raises ServiceError (0105) if the job has none."""
    row = None
    if is_id(version_id):
        row = connection.execute(BY_ID, {"version_id": version_id, "job": job.id}).one_or_none()
    if row is None:
        raise ServiceError(FAILED, f"Training job {job.id} has no version {version_id}.")
    return _version(row)


def page(connection: Connection, job: Job, offset: int = 0, limit: int | None = None) -> list[Version]:
    """The job's versions in the order in which they were made, from `offset` on; all of them without a limit."""
    query = VERSIONS.where(v1_versions.c.job_id == job.id).order_by(v1_versions.c.number)
    return list(map(_version, connection.execute(query.offset(offset).limit(limit) if limit is not None else query)))


def check_predecessor(connection: Connection, job: Job, pre_version_id: int) -> int | None:
    """The id of the version before a new one; raises ServiceError (0104) unless the job has it.

    A job without versions has no version before a new one, although a request has to name one.
    """
    if not job.version_count:
        return None
    try:
        return find(connection, job, pre_version_id).id
    except ServiceError as error:
        raise invalid("config.pre_version_id", error.message.rstrip(".")) from None


def check_output(connection: Connection, project_id: str, output: str, url: str) -> None:
    """Raise ServiceError (0105) if an active version of the project's jobs writes its results there, too."""
    query = (
        select(v1_versions.c.id)
        .join(runs, runs.c.id == v1_versions.c.run_id)
        .where(runs.c.phase.in_(sorted(ACTIVE)), runs.c.project_id == project_id, v1_versions.c.output == output)
    )
    if output and connection.execute(query.limit(1)).one_or_none() is not None:
        # The text is known from the service's old console.
        raise ServiceError(FAILED, f"Operation failed. Other running job contain train_url: {url}")


def add(
    connection: Connection, job: Job, settings: dict[str, Any], output: str, run: Run, pre_version_id: int | None
) -> Version:
    """Store a new version of the job and its run."""
    number = job.versions_made + 1
    values: dict[str, Any] = {
        "job_id": job.id,
        "number": number,
        "pre_version_id": pre_version_id,
        "create_time": run.create_time,
        "output": output,
        "document": settings,
    }
    adding = insert(v1_versions).returning(v1_versions.c.id)
    version_id = connection.execute(adding, values | {"run_id": run.id}).scalar_one()
    changed = {"versions_made": number, "version_count": job.version_count + 1, "newest_version_id": version_id}
    connection.execute(update(v1_jobs).where(v1_jobs.c.id == job.id).values(changed))
    stored_runs.add(connection, run)
    return Version(id=version_id, run=run, **values)


def remove(connection: Connection, version: Version) -> None:
    """Delete the version and its run; its processes and files are left to the supervisor."""
    connection.execute(delete(v1_versions).where(v1_versions.c.id == version.id))
    newest = select(func.max(v1_versions.c.id)).where(v1_versions.c.job_id == version.job_id).scalar_subquery()
    changed = {"version_count": v1_jobs.c.version_count - 1, "newest_version_id": newest}
    connection.execute(update(v1_jobs).where(v1_jobs.c.id == version.job_id).values(changed))
    stored_runs.remove(connection, version.run)


def _version(row: Row[Any]) -> Version:
    values, run = stored_runs.read_joined(row, COLUMNS)
    return Version(**values, run=run)
