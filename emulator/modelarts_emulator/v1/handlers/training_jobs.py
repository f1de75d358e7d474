"""Training jobs: pages "Creating a Training Job", "Querying a Training Job List", and those that change and delete."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from modelarts_emulator.http.call import Call, Response
from modelarts_emulator.v1 import jobs, versions
from modelarts_emulator.v1.context import V1
from modelarts_emulator.v1.errors import FAILED, UNKNOWN_WORKSPACE, invalid
from modelarts_emulator.v1.job_queries import search
from modelarts_emulator.v1.submission import make_run, output_place, read_submission
from modelarts_emulator.v1.training_settings import reject_workspace
from modelarts_emulator.v1.views import created_view, done, listed_job_view

__all__ = ["create_training_job", "delete_training_job", "list_training_jobs", "update_training_job"]


def create_training_job(v1: V1, call: Call) -> Response:
    """Store the job with its first version, unless it is to have none, and let the supervisor run it."""
    request, now = call.body, v1.now()
    reject_workspace(UNKNOWN_WORKSPACE, request.get("workspace_id"))
    _reject_notification(request.get("notification") or {})
    settings = read_submission(v1.catalogue, v1.store, call.identity.domain_id, request["config"])
    name, description = request["job_name"], request.get("job_desc", "")
    version = None
    with v1.database.writing() as connection:
        jobs.check_quota(connection, call.project_id, v1.max_jobs)
        job = jobs.add(connection, call.project_id, call.identity.user_id, name, description, now)
        if request["config"].get("create_version", True):
            output = output_place(settings)
            versions.check_output(connection, call.project_id, output, settings["train_url"])
            run = make_run(v1.catalogue, call.identity, name, settings, now)
            version = versions.add(connection, job, settings, output, run, None)
    if version is not None:
        v1.supervisor.wake()
    return Response(200, created_view(job, version) | {"resource_id": None if version is None else version.run.id})


def list_training_jobs(v1: V1, call: Call) -> Response:
    """One page of the project's jobs, each with its newest version."""
    reject_workspace(FAILED, call.query.get("workspace_id"))
    with v1.database.reading() as connection:
        total, found = search(connection, call.project_id, call.query, v1.now())
        existing = jobs.count(connection, call.project_id)
    body = done(
        job_total_count=total,
        job_count_limit=max(v1.max_jobs - existing, 0),
        quotas=v1.max_jobs,
        jobs=[listed_job_view(entry) for entry in found],
    )
    return Response(200, body)


def update_training_job(v1: V1, call: Call) -> Response:
    """Give the job the description."""
    with v1.database.writing() as connection:
        job = jobs.find(connection, call.project_id, call.path["job_id"])
        jobs.describe(connection, job, call.body["job_desc"])
    return Response(200, done())


def delete_training_job(v1: V1, call: Call) -> Response:
    """Remove the job with all its versions, whatever their statuses; the supervisor ends their processes."""
    with v1.database.writing() as connection:
        job = jobs.find(connection, call.project_id, call.path["job_id"])
        gone = versions.page(connection, job)
        for version in gone:
            versions.remove(connection, version)
        jobs.remove(connection, job)
    v1.supervisor.wake()
    return Response(200, done())


def _reject_notification(given: Mapping[str, Any]) -> None:
    """Raise ServiceError if somebody is to be told; the use case sends an empty topic and no events."""
    for name in ("topic_urn", "events"):
        if given.get(name):
            raise invalid(f"notification.{name}", "the emulator sends no notifications")
