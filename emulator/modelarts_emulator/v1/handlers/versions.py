"""Versions of training jobs: pages "Creating / Querying / Stopping / Deleting a Version of a Training Job"."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from modelarts_emulator.engine.runs import STOPPABLE
from modelarts_emulator.http.call import Call, Response
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.v1 import jobs, versions
from modelarts_emulator.v1.context import V1
from modelarts_emulator.v1.errors import FAILED
from modelarts_emulator.v1.paging import read_page
from modelarts_emulator.v1.statuses import status_of
from modelarts_emulator.v1.submission import make_run, output_place, read_submission
from modelarts_emulator.v1.versions import Version
from modelarts_emulator.v1.views import created_view, done, listed_version_view, version_view

__all__ = [
    "create_training_job_version",
    "delete_training_job_version",
    "list_training_job_versions",
    "show_training_job_version",
    "stop_training_job_version",
]

NO_PAGES = 0  # the default of `page`: everything at once


def create_training_job_version(v1: V1, call: Call) -> Response:
    """Store a further version of the job, and let the supervisor run it; a description replaces the job's."""
    request, now = call.body, v1.now()
    with v1.database.reading() as connection:
        jobs.find(connection, call.project_id, call.path["job_id"])
    settings = read_submission(v1.catalogue, v1.store, call.identity.domain_id, request["config"])
    output = output_place(settings)
    with v1.database.writing() as connection:
        job = jobs.find(connection, call.project_id, call.path["job_id"])
        before = versions.check_predecessor(connection, job, request["config"]["pre_version_id"])
        versions.check_output(connection, call.project_id, output, settings["train_url"])
        run = make_run(v1.catalogue, call.identity, job.name, settings, now)
        version = versions.add(connection, job, settings, output, run, before)
        if "job_desc" in request:
            jobs.describe(connection, job, request["job_desc"])
    v1.supervisor.wake()
    return Response(200, created_view(job, version))


def list_training_job_versions(v1: V1, call: Call) -> Response:
    """All versions of the job, or one page of them."""
    now = v1.now()
    offset, limit = read_page(call.query) if call.query.get("page", NO_PAGES) != NO_PAGES else (0, None)
    with v1.database.reading() as connection:
        job = jobs.find(connection, call.project_id, call.path["job_id"])
        found = versions.page(connection, job, offset, limit)
    body = done(
        job_id=job.id,
        job_name=job.name,
        job_desc=job.description,
        version_count=job.version_count,
        versions=[listed_version_view(version, _usage(v1, version), now) for version in found],
    )
    return Response(200, body)


def show_training_job_version(v1: V1, call: Call) -> Response:
    """The version as it is now."""
    with v1.database.reading() as connection:
        job = jobs.find(connection, call.project_id, call.path["job_id"])
        version = versions.find(connection, job, call.path["version_id"])
    return Response(200, version_view(job, version, _usage(v1, version), v1.now()))


def stop_training_job_version(v1: V1, call: Call) -> Response:
    """Begin to stop the version; only one that is initialising, queuing or running can be stopped (0105)."""
    with v1.database.writing() as connection:
        job = jobs.find(connection, call.project_id, call.path["job_id"])
        version = versions.find(connection, job, call.path["version_id"])
        if version.run.phase not in STOPPABLE:
            # The text is the service's.
            raise ServiceError(FAILED, f"This job can't be stop. job status: {status_of(version.run)}")
        v1.supervisor.terminate(connection, version.run)
    v1.supervisor.wake()
    return Response(200, done())


def delete_training_job_version(v1: V1, call: Call) -> Response:
    """Remove the version, whatever its status; its job stays, even without any version."""
    with v1.database.writing() as connection:
        job = jobs.find(connection, call.project_id, call.path["job_id"])
        version = versions.find(connection, job, call.path["version_id"])
        versions.remove(connection, version)
    v1.supervisor.wake()
    return Response(200, done())


def _usage(v1: V1, version: Version) -> Mapping[str, Iterable[float]] | None:
    """The metrics of the first node; None before there are any."""
    if not version.run.was_launched:
        return None
    try:
        return v1.executor.usage(version.run.id, "worker-0")
    except KeyError:
        return None
