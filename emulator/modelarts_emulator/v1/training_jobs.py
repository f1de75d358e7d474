"""Training jobs and their versions.

Pages "Creating a Training Job", "Querying a Training Job List", and those that change and delete jobs; "Creating /
Querying / Stopping / Deleting a Version of a Training Job".
Every member that a published example has is in the responses; what the emulator does not know is null or empty.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from modelarts_emulator.engine.database import contains
from modelarts_emulator.engine.resources import Page
from modelarts_emulator.engine.runs import STOPPABLE
from modelarts_emulator.engine.tables import v1_jobs
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.http.family import Call, Response
from modelarts_emulator.service import ModelArts
from modelarts_emulator.v1.configs import settings_members
from modelarts_emulator.v1.conventions import (
    FAILED,
    UNKNOWN_WORKSPACE,
    done,
    invalid,
    page_of,
    read_statuses,
    reject_workspace,
    status_column,
    status_of,
)
from modelarts_emulator.v1.jobs import (
    JOBS,
    VERSIONS,
    Job,
    ListedJob,
    Version,
    add_version,
    check_output,
    check_predecessor,
    listed_jobs,
    remove_version,
)
from modelarts_emulator.v1.submission import make_run, output_place, read_submission

NO_PAGES = 0  # the default of `page` of a list of versions: everything at once
TRAINING = 1  # `job_type` of the only example
# The pool of the use case, the only one that a page shows for a job without a pool of its own.
POOL = {"pool_id": "pool7d1e384a", "pool_name": "hec-train-pub-cpu", "pool_type": "SYSTEM_DEFINED"}
GPU_POOL = POOL | {"pool_name": "hec-train-pub-gpu"}
LACKING_IN_VERSION = (
    "error_result",
    "user_frame_image",
    "is_zombie",
    "inputs",
    "outputs",
    "algorithm_id",
    "autosearch_config",
    "retrain_model_id",
    "npu_info",
)
MEASURED = ("cpuUsage", "memUsage", "gpuUtil", "gpuMemUsage")
NOT_MEASURED = ("diskReadRate", "diskWriteRate", "recvBytesRate", "sendBytesRate")
MINUTES = 1  # between two figures

Usage = Mapping[str, Iterable[float]] | None


def create_training_job(service: ModelArts, call: Call) -> Response:
    """Store the job with its first version, unless it is to have none, and let the supervisor run it."""
    request, now = call.body, service.now()
    reject_workspace(UNKNOWN_WORKSPACE, request.get("workspace_id"))
    _reject_notification(request.get("notification") or {})
    settings = read_submission(service.catalogue, service.store, call.identity.domain_id, request["config"])
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
    with service.database.writing() as connection:
        JOBS.check_quota(connection, call.project_id, service.max_jobs)
        job_id = JOBS.add(connection, values)
        job = Job(id=job_id, **values)
        if request["config"].get("create_version", True):
            output = output_place(settings)
            check_output(connection, call.project_id, output, settings["train_url"])
            run = make_run(service.catalogue, call.identity, job.name, settings, now)
            version = add_version(connection, job, settings, output, run, None)
    if version is not None:
        service.supervisor.wake()
    return Response(200, _created_view(job, version) | {"resource_id": None if version is None else version.run.id})


def list_training_jobs(service: ModelArts, call: Call) -> Response:
    """One page of the project's jobs, each with its newest version."""
    reject_workspace(FAILED, call.query.get("workspace_id"))
    listed, page = listed_jobs(service.now()), page_of(call.query, "job_name", "asc")
    statuses = read_statuses(call.query.get("status", ""))
    with service.database.reading() as connection:
        conditions = [contains(connection, v1_jobs.c.name, call.query.get("search_content", ""))]
        if statuses:
            conditions.append(status_column().in_(statuses))
        total, found = listed.page(connection, call.project_id, page, conditions)
        existing = JOBS.count(connection, call.project_id)
    body = done(
        job_total_count=total,
        job_count_limit=max(service.max_jobs - existing, 0),
        quotas=service.max_jobs,
        jobs=[_listed_job_view(entry) for entry in found],
    )
    return Response(200, body)


def update_training_job(service: ModelArts, call: Call) -> Response:
    """Give the job the description."""
    with service.database.writing() as connection:
        JOBS.change(connection, call.project_id, call.path["job_id"], description=call.body["job_desc"])
    return Response(200, done())


def delete_training_job(service: ModelArts, call: Call) -> Response:
    """Remove the job with all its versions, whatever their statuses; the supervisor ends their processes."""
    with service.database.writing() as connection:
        job = JOBS.find(connection, call.project_id, call.path["job_id"])
        for version in VERSIONS.every(connection, job.id):
            remove_version(connection, version)
        JOBS.remove(connection, call.project_id, job.id)
    service.supervisor.wake()
    return Response(200, done())


def create_training_job_version(service: ModelArts, call: Call) -> Response:
    """Store a further version of the job, and let the supervisor run it; a description replaces the job's."""
    request, now = call.body, service.now()
    with service.database.reading() as connection:
        JOBS.find(connection, call.project_id, call.path["job_id"])
    settings = read_submission(service.catalogue, service.store, call.identity.domain_id, request["config"])
    output = output_place(settings)
    with service.database.writing() as connection:
        job = JOBS.find(connection, call.project_id, call.path["job_id"])
        before = check_predecessor(connection, job, request["config"]["pre_version_id"])
        check_output(connection, call.project_id, output, settings["train_url"])
        run = make_run(service.catalogue, call.identity, job.name, settings, now)
        version = add_version(connection, job, settings, output, run, before)
        if "job_desc" in request:
            JOBS.change(connection, call.project_id, job.id, description=request["job_desc"])
    service.supervisor.wake()
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
        versions=[_listed_version_view(version, _usage(service, version), now) for version in found],
    )
    return Response(200, body)


def show_training_job_version(service: ModelArts, call: Call) -> Response:
    """The version as it is now."""
    with service.database.reading() as connection:
        job = JOBS.find(connection, call.project_id, call.path["job_id"])
        version = VERSIONS.find(connection, job.id, call.path["version_id"])
    return Response(200, _version_view(job, version, _usage(service, version), service.now()))


def stop_training_job_version(service: ModelArts, call: Call) -> Response:
    """Begin to stop the version; only one that is initialising, queuing or running can be stopped (0105)."""
    with service.database.writing() as connection:
        job = JOBS.find(connection, call.project_id, call.path["job_id"])
        version = VERSIONS.find(connection, job.id, call.path["version_id"])
        if version.run.phase not in STOPPABLE:
            # The text is the service's.
            raise ServiceError(FAILED, f"This job can't be stop. job status: {status_of(version.run)}")
        service.supervisor.terminate(connection, version.run)
    service.supervisor.wake()
    return Response(200, done())


def delete_training_job_version(service: ModelArts, call: Call) -> Response:
    """Remove the version, whatever its status; its job stays, even without any version."""
    with service.database.writing() as connection:
        job = JOBS.find(connection, call.project_id, call.path["job_id"])
        version = VERSIONS.find(connection, job.id, call.path["version_id"])
        remove_version(connection, version)
    service.supervisor.wake()
    return Response(200, done())


def _reject_notification(given: Mapping[str, Any]) -> None:
    """Raise ServiceError if somebody is to be told; the use case sends an empty topic and no events."""
    for name in ("topic_urn", "events"):
        if given.get(name):
            raise invalid(f"notification.{name}", "the emulator sends no notifications")


def _usage(service: ModelArts, version: Version) -> Usage:
    """The metrics of the first node; None before there are any."""
    if not version.run.was_launched:
        return None
    try:
        return service.executor.usage(version.run.id, "worker-0")
    except KeyError:
        return None


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


def _listed_job_view(entry: ListedJob) -> dict[str, Any]:
    """An entry of the list of jobs."""
    return {
        "job_id": entry.job_id,
        "job_name": entry.job_name,
        "version_id": entry.version_id,
        "status": entry.status,
        "create_time": entry.create_time,
        "duration": max(entry.duration, 0),
        "job_desc": entry.job_desc,
        "version_count": entry.version_count,
    }


def _version_view(job: Job, version: Version, usage: Usage, now: int) -> dict[str, Any]:
    """The details of a version; `usage` are its metrics, `now` is in milliseconds."""
    named = {"job_id": job.id, "job_name": job.name, "job_desc": job.description}
    return done(**named, **_members(version, now), system_metric_list=_metrics(usage))


def _listed_version_view(version: Version, usage: Usage, now: int) -> dict[str, Any]:
    """An entry of the list of versions, whose metrics are JSON as text."""
    return {**_members(version, now), "system_metric_list": json.dumps(_metrics(usage))}


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
        **(GPU_POOL if is_gpu else POOL),
        "gpu": True if is_gpu else None,
        "flavor_code": spec["spec_code"],
        "max_num": spec["max_num"],
        "storage": spec["storage"],
        "no_resource": spec["no_resource"],
        "pod_version": None if engine is None else engine["pod_version"],
        "job_type": TRAINING,
        "task_summary": {},
        "model_outputs": [],
        "model_metric_list": "{}",
        **dict.fromkeys(LACKING_IN_VERSION),
    }


def _metrics(usage: Usage) -> dict[str, Any]:
    """The metrics as figures in text; empty lists for what the emulator does not measure."""
    measured: Mapping[str, Sequence[str]] = {
        name: [_figure(value) for value in (usage or {}).get(name, ())] for name in MEASURED
    }
    return {**measured, **{name: [] for name in NOT_MEASURED}, "interval": MINUTES}


def _figure(value: float) -> str:
    """A percentage with two digits, as the examples print them; what there is nothing of is 0."""
    return "0" if value <= 0 else f"{value:.2f}"
