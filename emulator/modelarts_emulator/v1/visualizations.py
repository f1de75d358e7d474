"""Visualization jobs: the pages below "Visualization Jobs"."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import case, select

from modelarts_emulator.engine.runs import ACTIVE, STOPPABLE
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.http.family import Call, Response
from modelarts_emulator.obs_paths import require_bucket
from modelarts_emulator.resources import Resource
from modelarts_emulator.service import ModelArts
from modelarts_emulator.v1.conventions import (
    FAILED,
    INVALID_PARAMETER,
    STATUSES,
    done,
    invalid,
    list_jobs,
    name_in_use,
    quota_exceeded,
    reject_workspace,
)
from modelarts_emulator.v1.specifications import WHERE_SPECS, specs_of_code
from modelarts_emulator.visualization.jobs import NAMES, VisualizationJob, save
from modelarts_emulator.visualization.jobs import visualization_jobs as table

TENSORBOARD = "tensorboard"
TOOLS = (TENSORBOARD, "mindinsight")  # in any case of letters: the page writes "MindInsight", its example "mindinsight"
HOUR_MS = 3_600_000
JOBS: Resource[VisualizationJob] = Resource(
    key=table.c.id,
    scope=table.c.project_id,
    rows=select(*(table.c[name] for name in NAMES)),
    read=lambda row: VisualizationJob(**row._mapping),
    missing=lambda job_id: ServiceError(FAILED, f"Visualization job {job_id} does not exist."),
    in_use=name_in_use,
    exceeded=lambda most: quota_exceeded("visualization", most),
    sorts={
        "job_id": table.c.id,
        "job_name": table.c.name,
        "job_desc": table.c.description,
        "create_time": table.c.create_time,
        "status": case(STATUSES, value=table.c.phase),
    },
)


def create_visualization_job(service: ModelArts, call: Call) -> Response:
    """Store the job, and let the supervisor start its tool."""
    request = call.body
    code = (request.get("flavor") or {}).get("code")
    if code and not specs_of_code(service.catalogue, code):  # the others make no difference here
        raise invalid("flavor.code", f"specification {code} does not exist: {WHERE_SPECS}")
    require_bucket(service.store_of(call.project_id), "train_url", request["train_url"])
    job = VisualizationJob(
        id=0,
        project_id=call.project_id,
        name=request["job_name"],
        description=request.get("job_desc", ""),
        tool=_tool(request.get("job_type", TENSORBOARD), service.is_simulated),
        train_url=request["train_url"],
        resource_id=str(uuid.uuid4()),
        create_time=service.now(),
        run_limit_ms=_run_limit(request.get("schedule")),
    )
    with service.supervisor.changing(service.database) as connection:
        JOBS.check_quota(JOBS.count(connection, call.project_id), service.max_jobs)
        job = replace(job, id=JOBS.add(connection, {name: getattr(job, name) for name in NAMES if name != "id"}))
    shown = _job_view(job, 0)
    # Page "Creating a Visualization Job".
    names = ("job_id", "job_name", "status", "create_time", "service_url")
    return Response(200, done(**{name: shown[name] for name in names}))


def list_visualization_jobs(service: ModelArts, call: Call) -> Response:
    """One page of the project's jobs that match the conditions."""
    reject_workspace(INVALID_PARAMETER, call.query.get("workspace_id"))
    shown, jobs = list_jobs(service, call, JOBS, "job_id")
    now = service.now()
    return Response(200, shown | {"jobs": [_job_view(job, now) for job in jobs]})


def show_visualization_job(service: ModelArts, call: Call) -> Response:
    """The job as it is now; three editions of the page print `is_success` and a `remaining_duration` of null."""
    job = JOBS.of_path(service.database, call, "job_id")
    shown = _job_view(job, service.now())
    return Response(200, done(remaining_duration=None, **shown))


def update_visualization_job(service: ModelArts, call: Call) -> Response:
    """Give the job another description."""
    with service.database.writing() as connection:
        JOBS.change(connection, call.project_id, call.path["job_id"], description=call.body["job_desc"])
    return Response(200, done())


def delete_visualization_job(service: ModelArts, call: Call) -> Response:
    """Remove the job, unless it is being stopped; the supervisor ends its tool."""
    with service.supervisor.changing(service.database) as connection:
        job = JOBS.find(connection, call.project_id, call.path["job_id"])
        if job.phase == "Terminating":
            raise _forbidden("delete", job)
        JOBS.remove(connection, call.project_id, job.id)
    return Response(200, done())


def stop_visualization_job(service: ModelArts, call: Call) -> Response:
    """Begin to stop the job, unless it has ended or is being stopped."""
    with service.supervisor.changing(service.database) as connection:
        job = JOBS.find(connection, call.project_id, call.path["job_id"])
        if job.phase not in STOPPABLE:
            raise _forbidden("stop", job)
        save(connection, replace(job, phase="Terminating"))
    return Response(200, done())


def restart_visualization_job(service: ModelArts, call: Call) -> Response:
    """Start the job again, if it has ended."""
    with service.supervisor.changing(service.database) as connection:
        job = JOBS.find(connection, call.project_id, call.path["job_id"])
        if job.phase in ACTIVE:
            raise _forbidden("resubmit", job)
        require_bucket(service.store_of(call.project_id), "train_url", job.train_url)
        save(connection, replace(job, phase="Creating", error=""))
    return Response(200, done())


def _forbidden(action: str, job: VisualizationJob) -> ServiceError:
    """The error for what the job's status does not allow, in the words of the examples."""
    return ServiceError(FAILED, f"This job can't be {action}. job status: {STATUSES[job.phase]}")


def _tool(job_type: str, is_simulated: bool) -> str:
    tool = job_type.lower()
    if tool not in TOOLS:
        raise invalid("job_type", f"{job_type!r} is not a visualization tool: use TensorBoard")
    if tool != TENSORBOARD and not is_simulated:
        raise invalid("job_type", f"the emulator cannot run {job_type}: use TensorBoard, or --executor simulated")
    return tool


def _run_limit(schedule: Mapping[str, Any] | list[Mapping[str, Any]] | None) -> int | None:
    """How long the job may run, in milliseconds; None for any time. Of several schedules the first one counts."""
    entries = [schedule] if isinstance(schedule, Mapping) else schedule or []
    return min((entry["duration"] * HOUR_MS for entry in entries), default=None)


def _job_view(job: VisualizationJob, now: int) -> dict[str, Any]:
    """A job as it is shown and listed; `now` in milliseconds.

    A job that has failed says why, which the service does not.
    """
    return {
        "job_id": job.id,
        "job_name": job.name,
        "job_desc": job.description,
        "status": STATUSES[job.phase],
        "create_time": job.create_time,
        "duration": job.duration(now),
        "service_url": job.url,
        "train_url": job.train_url,
        "resource_id": job.resource_id,
    } | ({"error_message": job.error} if job.error else {})
