"""Visualization jobs: the pages below "Visualization Jobs" of the first API version."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from sqlalchemy import case

from modelarts_emulator.engine.obs_paths import require_bucket
from modelarts_emulator.engine.runs import ACTIVE, STOPPABLE, Phase
from modelarts_emulator.engine.tables import visualization_jobs as table
from modelarts_emulator.http.call import Call, Response
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.v1.context import V1
from modelarts_emulator.v1.errors import FAILED, INVALID_PARAMETER, invalid, name_in_use, quota_exceeded
from modelarts_emulator.v1.paging import read_page
from modelarts_emulator.v1.specs import specs_of_code
from modelarts_emulator.v1.statuses import STATUSES, read_statuses
from modelarts_emulator.v1.training_settings import reject_workspace
from modelarts_emulator.v1.views import done
from modelarts_emulator.v1.visualization_views import created_view, job_view
from modelarts_emulator.visualization import jobs
from modelarts_emulator.visualization.jobs import VisualizationJob

__all__ = [
    "create_visualization_job",
    "delete_visualization_job",
    "list_visualization_jobs",
    "restart_visualization_job",
    "show_visualization_job",
    "stop_visualization_job",
    "update_visualization_job",
]

TENSORBOARD = "tensorboard"
TOOLS = (TENSORBOARD, "mindinsight")  # in any case of letters: the page writes "MindInsight", its example "mindinsight"
HOUR_MS = 3_600_000
SORTS = {
    "job_id": table.c.id,
    "job_name": table.c.name,
    "job_desc": table.c.description,
    "create_time": table.c.create_time,
    "status": case(STATUSES, value=table.c.phase),
}


def create_visualization_job(v1: V1, call: Call) -> Response:
    """Store the job, and let the supervisor start its tool."""
    request = call.body
    _check_flavor(v1, (request.get("flavor") or {}).get("code"))
    require_bucket(v1.store, call.identity.domain_id, "train_url", request["train_url"])
    job = VisualizationJob(
        id=0,
        project_id=call.project_id,
        name=request["job_name"],
        description=request.get("job_desc", ""),
        tool=_tool(request.get("job_type", TENSORBOARD), v1.is_simulated),
        train_url=request["train_url"],
        resource_id=str(uuid.uuid4()),
        create_time=v1.now(),
        run_limit_ms=_run_limit(request.get("schedule")),
    )
    with v1.database.writing() as connection:
        if jobs.count(connection, call.project_id) >= v1.max_visualization_jobs:
            raise quota_exceeded("visualization", v1.max_visualization_jobs)
        try:
            job = jobs.add(connection, job)
        except jobs.NameInUseError:
            raise name_in_use(job.name) from None
    v1.visualizations.wake()
    return Response(200, created_view(job, ""))


def list_visualization_jobs(v1: V1, call: Call) -> Response:
    """One page of the project's jobs that match the conditions."""
    query, now = call.query, v1.now()
    reject_workspace(INVALID_PARAMETER, query.get("workspace_id"))
    start, limit = read_page(query)
    with v1.database.reading() as connection:
        total, found = jobs.page(
            connection,
            call.project_id,
            phases=_phases(query.get("status", "")),
            name_part=query.get("search_content", ""),
            rank=[SORTS[query.get("sortBy", "job_id")]],
            is_ascending=query.get("order", "asc") == "asc",
            start=start,
            limit=limit,
        )
        left = max(v1.max_visualization_jobs - jobs.count(connection, call.project_id), 0)
    body = done(
        job_total_count=total,
        job_count_limit=left,
        quotas=v1.max_visualization_jobs,
        jobs=[job_view(job, v1.visualizations.url(job), now) for job in found],
    )
    return Response(200, body)


def show_visualization_job(v1: V1, call: Call) -> Response:
    """The job as it is now; alone among the responses of version 1 this one has no `is_success`."""
    with v1.database.reading() as connection:
        job = _find(connection, call)
    return Response(200, job_view(job, v1.visualizations.url(job), v1.now()))


def update_visualization_job(v1: V1, call: Call) -> Response:
    """Give the job another description."""
    with v1.database.writing() as connection:
        jobs.describe(connection, _find(connection, call), call.body["job_desc"])
    return Response(200, done())


def delete_visualization_job(v1: V1, call: Call) -> Response:
    """Remove the job, unless it is being stopped; the supervisor ends its tool."""
    with v1.database.writing() as connection:
        job = _find(connection, call)
        if job.phase == "Terminating":
            raise _forbidden("delete", job)
        jobs.remove(connection, job)
    v1.visualizations.wake()
    return Response(200, done())


def stop_visualization_job(v1: V1, call: Call) -> Response:
    """Begin to stop the job, unless it has ended or is being stopped."""
    with v1.database.writing() as connection:
        job = _find(connection, call)
        if job.phase not in STOPPABLE:
            raise _forbidden("stop", job)
        jobs.save(connection, job.terminating())
    v1.visualizations.wake()
    return Response(200, done())


def restart_visualization_job(v1: V1, call: Call) -> Response:
    """Start the job again, if it has ended."""
    with v1.database.writing() as connection:
        job = _find(connection, call)
        if job.phase in ACTIVE:
            raise _forbidden("resubmit", job)
        require_bucket(v1.store, call.identity.domain_id, "train_url", job.train_url)
        jobs.save(connection, job.restarted())
    v1.visualizations.wake()
    return Response(200, done())


def _find(connection: Any, call: Call) -> VisualizationJob:
    job = jobs.find(connection, call.project_id, call.path["job_id"])
    if job is None:
        raise ServiceError(FAILED, f"Visualization job {call.path['job_id']} does not exist.")
    return job


def _forbidden(action: str, job: VisualizationJob) -> ServiceError:
    """The error for what the job's status does not allow, in the words of the examples."""
    return ServiceError(FAILED, f"This job can't be {action}. job status: {STATUSES[job.phase]}")


def _check_flavor(v1: V1, code: str | None) -> None:
    """Raise ServiceError for a size of machines that there is not; the others make no difference here."""
    if code and not specs_of_code(v1.catalogue, code):
        where = "GET /v1/{project_id}/job/resource-specs lists them"
        raise invalid("flavor.code", f"specification {code} does not exist: {where}")


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


def _phases(text: str) -> set[Phase] | None:
    """The phases of the statuses in a condition; None for no condition."""
    statuses = read_statuses(text)
    return {phase for phase, status in STATUSES.items() if status in statuses} if statuses else None
