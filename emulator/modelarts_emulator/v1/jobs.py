"""Training jobs of version 1 and their versions, as they are stored: a version is what runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, case, func, select, update

from modelarts_emulator.engine import runs as stored_runs
from modelarts_emulator.engine.resources import Resource
from modelarts_emulator.engine.runs import ACTIVE, Run, runs
from modelarts_emulator.engine.tables import v1_jobs, v1_versions
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.v1.conventions import FAILED, invalid, name_in_use, quota_exceeded, status_column


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


@dataclass(frozen=True, slots=True)
class ListedJob:
    """A job with what its list says of its newest version; None for a job without versions. Times in milliseconds."""

    job_id: int
    job_name: str
    job_desc: str
    create_time: int
    version_count: int
    version_id: int | None
    status: int | None
    duration: int


@dataclass(slots=True)
class Version:
    """A version and its run; `document` has its settings, as `submission` reads them."""

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


def _read_version(row: Row[Any]) -> Version:
    values, run = stored_runs.read_joined(row, VERSION_COLUMNS)
    return Version(**values, run=run)


VERSION_COLUMNS = [column for column in v1_versions.columns if column.name != "run_id"]
VERSIONS: Resource[Version] = Resource(
    key=v1_versions.c.id,
    scope=v1_versions.c.job_id,
    rows=stored_runs.joined(VERSION_COLUMNS, v1_versions.c.run_id),
    read=_read_version,
    missing=lambda version_id: ServiceError(FAILED, f"The training job has no version {version_id}."),
    in_use=name_in_use,
    sorts={"number": v1_versions.c.number},
)
JOBS: Resource[Job] = Resource(
    key=v1_jobs.c.id,
    scope=v1_jobs.c.project_id,
    rows=select(v1_jobs),
    read=lambda row: Job(**row._mapping),
    missing=lambda job_id: ServiceError(FAILED, f"Training job {job_id} does not exist."),
    in_use=name_in_use,
    exceeded=lambda most: quota_exceeded("training", most),
)


def listed_jobs(now: int) -> Resource[ListedJob]:
    """The jobs as their list has them, by whose columns it can be sorted; `now` in milliseconds."""
    # A version that runs has worked since its attempt began, beside what earlier attempts have worked.
    running = case((runs.c.attempt_start > 0, now - runs.c.attempt_start), else_=0)
    columns: dict[str, ColumnElement[Any]] = {
        "job_id": v1_jobs.c.id,
        "job_name": v1_jobs.c.name,
        "job_desc": v1_jobs.c.description,
        "create_time": v1_jobs.c.create_time,
        "version_count": v1_jobs.c.version_count,
        "version_id": v1_jobs.c.newest_version_id,
        "status": status_column(),
        "duration": func.coalesce(runs.c.past_duration + running, 0),
    }
    joined = v1_jobs.outerjoin(v1_versions, v1_versions.c.id == v1_jobs.c.newest_version_id)
    joined = joined.outerjoin(runs, runs.c.id == v1_versions.c.run_id)
    return Resource(
        key=JOBS.key,
        scope=JOBS.scope,
        rows=select(*(column.label(name) for name, column in columns.items())).select_from(joined),
        read=lambda row: ListedJob(**row._mapping),
        missing=JOBS.missing,
        in_use=JOBS.in_use,
        sorts=columns,
        joined=joined,
    )


def check_predecessor(connection: Connection, job: Job, pre_version_id: int) -> int | None:
    """The id of the version before a new one; raises ServiceError (0104) unless the job has it.

    A job without versions has no version before a new one, although a request has to name one.
    """
    if not job.version_count:
        return None
    try:
        return VERSIONS.find(connection, job.id, pre_version_id).id
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


def add_version(
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
    version_id = VERSIONS.add(connection, values | {"run_id": run.id})
    changed = {"versions_made": number, "version_count": job.version_count + 1, "newest_version_id": version_id}
    JOBS.change(connection, job.project_id, job.id, **changed)
    stored_runs.add(connection, run)
    return Version(id=version_id, run=run, **values)


def remove_version(connection: Connection, version: Version) -> None:
    """Delete the version and its run; its processes and files are left to the supervisor."""
    VERSIONS.remove(connection, version.job_id, version.id)
    newest = select(func.max(v1_versions.c.id)).where(v1_versions.c.job_id == version.job_id).scalar_subquery()
    changed = {"version_count": v1_jobs.c.version_count - 1, "newest_version_id": newest}
    connection.execute(update(v1_jobs).where(v1_jobs.c.id == version.job_id).values(changed))
    stored_runs.remove(connection, version.run)
