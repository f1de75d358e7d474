"""Training jobs and their versions; a version is what runs.

Pages "Creating a Training Job", "Querying a Training Job List", and those that change and delete jobs; "Creating /
Querying / Stopping / Deleting a Version of a Training Job".
Every member that a published example has is in the responses; what the emulator does not know is null or empty.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, Index, Row, case, func, select, update

from modelarts_emulator.engine import runs as stored_runs
from modelarts_emulator.engine.logs import read_piece
from modelarts_emulator.engine.runs import ACTIVE, STOPPABLE, Run, runs
from modelarts_emulator.engine.tables import TEXT, table_of
from modelarts_emulator.execution.protocol import task_names
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.http.family import Call, Response
from modelarts_emulator.resources import Page, Resource
from modelarts_emulator.service import ModelArts
from modelarts_emulator.v1.configs import settings_members
from modelarts_emulator.v1.conventions import (
    FAILED,
    MEMBERS,
    UNKNOWN_WORKSPACE,
    done,
    invalid,
    list_jobs,
    name_in_use,
    page_of,
    quota_exceeded,
    reject_workspace,
    status_column,
    status_of,
)
from modelarts_emulator.v1.submission import make_run, output_place, read_submission

NO_PAGES = 0  # the default of `page` of a list of versions: everything at once
MINUTES = 1  # between two figures


@dataclass(frozen=True, slots=True)
class Job:
    """A training job, which has `version_count` versions; what runs is a version.

    `versions_made` is the number of the last version that it ever had, so that no name of a version is used twice. Ids
    are not used twice either, whatever is deleted.
    """

    id: int
    project_id: str
    user_id: str
    name: str
    description: str
    create_time: int
    versions_made: int
    version_count: int
    newest_version_id: int | None


v1_jobs = table_of(Job, "v1_jobs", Index("v1_job_names", "project_id", "name", unique=True), sqlite_autoincrement=True)


@dataclass(slots=True)
class Version:
    """A version and its run; `document` has its settings, as `submission` reads them.

    `output` is the bucket and key of `train_url`, which only one active version may write to.
    """

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


v1_versions = table_of(
    Version,
    "v1_versions",
    Column("run_id", TEXT, nullable=False, unique=True),
    Index("v1_version_numbers", "job_id", "number", unique=True),
    leave_out=("run",),
    sqlite_autoincrement=True,
)


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


def listed_jobs(now: int) -> Resource[dict[str, Any]]:
    """The jobs as their list shows them, each with its newest version, by whose members it is sorted; `now` in ms."""
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
        read=lambda row: dict(row._mapping),
        missing=JOBS.missing,
        in_use=JOBS.in_use,
        sorts=columns,
        joined=joined,
    )


def create_training_job(service: ModelArts, call: Call) -> Response:
    """Store the job with its first version, unless it is to have none, and let the supervisor run it."""
    request, now = call.body, service.now()
    reject_workspace(UNKNOWN_WORKSPACE, request.get("workspace_id"))
    for name, value in (request.get("notification") or {}).items():  # the use case sends an empty topic and no events
        if value:
            raise invalid(f"notification.{name}", "the emulator sends no notifications")
    settings = read_submission(service.catalogue, service.store_of(call.project_id), request["config"])
    values = {
        "project_id": call.project_id,
        "user_id": call.identity.user_id,
        "name": request["job_name"],
        "description": request.get("job_desc", ""),
        "create_time": now,
        "versions_made": 0,
        "version_count": 0,
        "newest_version_id": None,
    }
    version = None
    with service.supervisor.changing(service.database) as connection:
        JOBS.check_quota(JOBS.count(connection, call.project_id), service.max_jobs)
        job_id = JOBS.add(connection, values)
        job = Job(id=job_id, **values)
        if request["config"].get("create_version", True):
            output = output_place(settings)
            _check_output(connection, call.project_id, output, settings["train_url"])
            run = make_run(service.catalogue, call.identity, job.name, settings, now)
            version = _add_version(connection, job, settings, output, run, None)
    return Response(200, _created_view(job, version) | {"resource_id": None if version is None else version.run.id})


def list_training_jobs(service: ModelArts, call: Call) -> Response:
    """One page of the project's jobs, each with its newest version."""
    reject_workspace(FAILED, call.query.get("workspace_id"))
    shown, jobs = list_jobs(service, call, listed_jobs(service.now()), "job_name")
    return Response(200, shown | {"jobs": jobs})


def update_training_job(service: ModelArts, call: Call) -> Response:
    """Give the job the description."""
    with service.database.writing() as connection:
        JOBS.change(connection, call.project_id, call.path["job_id"], description=call.body["job_desc"])
    return Response(200, done())


def delete_training_job(service: ModelArts, call: Call) -> Response:
    """Remove the job with all its versions, whatever their statuses; the supervisor ends their processes."""
    with service.supervisor.changing(service.database) as connection:
        job = JOBS.find(connection, call.project_id, call.path["job_id"])
        for version in VERSIONS.every(connection, job.id):
            _remove_version(connection, version)
        JOBS.remove(connection, call.project_id, job.id)
    return Response(200, done())


def create_training_job_version(service: ModelArts, call: Call) -> Response:
    """Store a further version of the job, and let the supervisor run it; a description replaces the job's."""
    request, now = call.body, service.now()
    JOBS.of_path(service.database, call, "job_id")
    settings = read_submission(service.catalogue, service.store_of(call.project_id), request["config"])
    output = output_place(settings)
    with service.supervisor.changing(service.database) as connection:
        job = JOBS.find(connection, call.project_id, call.path["job_id"])
        before = _check_predecessor(connection, job, request["config"]["pre_version_id"])
        _check_output(connection, call.project_id, output, settings["train_url"])
        run = make_run(service.catalogue, call.identity, job.name, settings, now)
        version = _add_version(connection, job, settings, output, run, before)
        if "job_desc" in request:
            JOBS.change(connection, call.project_id, job.id, description=request["job_desc"])
    return Response(200, _created_view(job, version))


def list_training_job_versions(service: ModelArts, call: Call) -> Response:
    """All versions of the job, or one page of them."""
    now = service.now()
    has_pages = call.query.get("page", NO_PAGES) != NO_PAGES
    page = page_of(call.query, "number", "asc") if has_pages else Page("number")
    with service.database.reading() as connection:
        job = JOBS.find(connection, call.project_id, call.path["job_id"])
        _, found = VERSIONS.page(connection, job.id, page)
    body = done(
        job_id=job.id,
        job_name=job.name,
        job_desc=job.description,
        version_count=job.version_count,
        versions=[
            # The metrics are JSON as text here.
            _members(version, now) | {"system_metric_list": json.dumps(_metrics(service, version))}
            for version in found
        ],
    )
    return Response(200, body)


def show_training_job_version(service: ModelArts, call: Call) -> Response:
    """The version as it is now."""
    with service.database.reading() as connection:
        job, version = find_version(connection, call)
    named = {"job_id": job.id, "job_name": job.name, "job_desc": job.description}
    shown = _members(version, service.now())
    return Response(200, done(**named, **shown, system_metric_list=_metrics(service, version)))


def stop_training_job_version(service: ModelArts, call: Call) -> Response:
    """Begin to stop the version; only one that is initialising, queuing or running can be stopped (0105)."""
    with service.supervisor.changing(service.database) as connection:
        _, version = find_version(connection, call)
        if version.run.phase not in STOPPABLE:
            # The text is the service's.
            raise ServiceError(FAILED, f"This job can't be stop. job status: {status_of(version.run)}")
        service.supervisor.terminate(connection, version.run)
    return Response(200, done())


def delete_training_job_version(service: ModelArts, call: Call) -> Response:
    """Remove the version, whatever its status; its job stays, even without any version."""
    with service.supervisor.changing(service.database) as connection:
        _, version = find_version(connection, call)
        _remove_version(connection, version)
    return Response(200, done())


def list_training_job_log_files(service: ModelArts, call: Call) -> Response:
    """One name per node, as soon as the version has been started."""
    with service.database.reading() as connection:
        job, version = find_version(connection, call)
    names = _file_names(job, version) if version.run.was_launched else []
    return Response(200, done(log_file_list=names))


def show_training_job_log(service: ModelArts, call: Call) -> Response:
    """A piece of the log, with an empty line between two records, as the use case prints them."""
    with service.database.reading() as connection:
        job, version = find_version(connection, call)
    task = _task(job, version, call.query["log_file"])
    try:
        piece = read_piece(service.logs, version.run, task, version.create_time, call.query)
    except ValueError as error:
        raise invalid("base_line", str(error)) from None
    content = "\n".join(f"{text}\n" for text in piece.texts)
    return Response(200, done(content=content, lines=len(piece.texts), start_line=piece.start, end_line=piece.end))


def find_version(connection: Connection, call: Call) -> tuple[Job, Version]:
    """The version that the path names, and its job."""
    job = JOBS.find(connection, call.project_id, call.path["job_id"])
    return job, VERSIONS.find(connection, job.id, call.path["version_id"])


def _check_predecessor(connection: Connection, job: Job, pre_version_id: int) -> int | None:
    """The id of the version before a new one; raises ServiceError (0104) unless the job has it.

    A job without versions has no version before a new one, although a request has to name one.
    """
    if not job.version_count:
        return None
    try:
        return VERSIONS.find(connection, job.id, pre_version_id).id
    except ServiceError as error:
        raise invalid("config.pre_version_id", error.message.rstrip(".")) from None


def _check_output(connection: Connection, project_id: str, output: str, url: str) -> None:
    """Raise ServiceError (0105) if an active version of the project's jobs also writes its results there."""
    query = (
        select(v1_versions.c.id)
        .join(runs, runs.c.id == v1_versions.c.run_id)
        .where(runs.c.phase.in_(sorted(ACTIVE)), runs.c.project_id == project_id, v1_versions.c.output == output)
    )
    if output and connection.execute(query.limit(1)).one_or_none() is not None:
        # The text is known from the service's old console.
        raise ServiceError(FAILED, f"Operation failed. Other running job contain train_url: {url}")


def _add_version(
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


def _remove_version(connection: Connection, version: Version) -> None:
    """Delete the version and its run; its processes and files are left to the supervisor."""
    VERSIONS.remove(connection, version.job_id, version.id)
    newest = select(func.max(v1_versions.c.id)).where(v1_versions.c.job_id == version.job_id).scalar_subquery()
    changed = {"version_count": v1_jobs.c.version_count - 1, "newest_version_id": newest}
    connection.execute(update(v1_jobs).where(v1_jobs.c.id == version.job_id).values(changed))
    stored_runs.remove(connection, version.run)


def _created_view(job: Job, version: Version | None) -> dict[str, Any]:
    """The response to the creation of a version; a job without one has null in its place."""
    return done(
        job_id=job.id,
        job_name=job.name,
        status=None if version is None else status_of(version.run),
        create_time=job.create_time if version is None else version.create_time,
        version_id=None if version is None else version.id,
        version_name=None if version is None else version.name,
    )


def _members(version: Version, now: int) -> dict[str, Any]:
    run, settings = version.run, version.document
    spec, engine = settings["spec"], settings["engine"]
    is_gpu = bool(spec["gpu_num"])
    return {
        "version_id": version.id,
        "version_name": version.name,
        "pre_version_id": version.pre_version_id,
        "status": status_of(run),
        "create_time": version.create_time,
        "start_time": run.start_time or None,
        "duration": run.past_duration + (max(now - run.attempt_start, 0) if run.attempt_start else 0),
        "resource_id": run.id,
        **settings_members(settings),
        **MEMBERS["gpu_pool" if is_gpu else "pool"],
        "gpu": True if is_gpu else None,
        "flavor_code": spec["spec_code"],
        "max_num": spec["max_num"],
        "storage": spec["storage"],
        "no_resource": spec["no_resource"],
        "pod_version": None if engine is None else engine["pod_version"],
        **MEMBERS["of_versions"],
        **dict.fromkeys(MEMBERS["lacking_in_versions"]),
    }


def _metrics(service: ModelArts, version: Version) -> dict[str, Any]:
    """Percentages as text with two digits, as the examples print them; what there is nothing of is 0.

    Of what the emulator does not measure, empty lists.
    """
    usage = service.usage(version.run, "worker-0")
    measured: dict[str, Any] = {
        name: ["0" if value <= 0 else f"{value:.2f}" for value in usage.get(name, ())] for name in MEMBERS["measured"]
    }
    return {**measured, **{name: [] for name in MEMBERS["not_measured"]}, "interval": MINUTES}


def _file_names(job: Job, version: Version) -> list[str]:
    """Names in the form of the use case, in which the log of `jobtest_TF` is `job-jobtest-tf.0`."""
    name = job.name.lower().replace("_", "-")
    return [f"job-{name}.{index}" for index in range(version.run.node_count)]


def _task(job: Job, version: Version, log_file: str) -> str:
    names = _file_names(job, version)
    if log_file not in names:
        raise ServiceError(FAILED, f"There is no log file {log_file}: the version has {', '.join(names)}.")
    return task_names(version.run.node_count)[names.index(log_file)]
