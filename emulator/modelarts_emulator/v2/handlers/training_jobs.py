"""Training jobs: pages "Creating / Querying the Details About / Querying / Terminating / Deleting a Training Job"."""

from __future__ import annotations

from modelarts_emulator.engine.runs import STOPPABLE, new_id
from modelarts_emulator.http.call import Call, Response
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.v2 import algorithms, jobs
from modelarts_emulator.v2.annotations import check_plan
from modelarts_emulator.v2.context import V2
from modelarts_emulator.v2.job_queries import search
from modelarts_emulator.v2.submission import submit
from modelarts_emulator.v2.views import job_view, page_view

__all__ = [
    "change_training_job_description",
    "create_training_job",
    "delete_training_job",
    "list_training_jobs",
    "show_training_job_details",
    "stop_training_job",
]


def create_training_job(v2: V2, call: Call) -> Response:
    """Check the request in all its parts, store the job, and let the supervisor run it."""
    request, now = call.body, v2.now()

    def find_algorithm(algorithm_id: str) -> algorithms.Document:
        with v2.database.reading() as connection:
            return algorithms.find(connection, call.project_id, algorithm_id)

    # Before anything is written: object storage may be slow.
    job = submit(v2.catalogue, v2.store, call.identity, request, find_algorithm, new_id(), now)
    check_plan(request["metadata"].get("annotations") or {}, job.run.node_count, v2.is_simulated)
    with v2.database.writing() as connection:
        jobs.add(connection, job, v2.max_jobs)
    v2.supervisor.wake()
    return Response(201, job_view(job, now))


def show_training_job_details(v2: V2, call: Call) -> Response:
    """The job as it is now."""
    with v2.database.reading() as connection:
        job = jobs.find(connection, call.project_id, call.path["training_job_id"])
    return Response(200, job_view(job, v2.now()))


def list_training_jobs(v2: V2, call: Call) -> Response:
    """One page of the project's jobs that match the filters."""
    now = v2.now()
    with v2.database.reading() as connection:
        total, found, page = search(connection, call.project_id, call.body or {}, v2.offset_unit)
    return Response(200, page_view(total, found, page, now))


def change_training_job_description(v2: V2, call: Call) -> Response:
    """Give the job the description, or none; page "Modifying the Description of a Training Job"."""
    with v2.database.writing() as connection:
        job = jobs.find(connection, call.project_id, call.path["training_job_id"])
        jobs.describe(connection, job, call.body.get("description", ""))
    return Response(200)


def stop_training_job(v2: V2, call: Call) -> Response:
    """Begin to stop the job; only one that is creating, pending or running can be stopped (ModelArts.2796)."""
    if call.body["action_type"] != "terminate":
        raise ServiceError("ModelArts.2812", f"Action type {call.body['action_type']} is not supported.")
    with v2.database.writing() as connection:
        job = jobs.find(connection, call.project_id, call.path["training_job_id"])
        if job.run.phase not in STOPPABLE:
            raise ServiceError("ModelArts.2796", f"The job cannot be stopped: its phase is {job.run.phase}.")
        v2.supervisor.terminate(connection, job.run)
    v2.supervisor.wake()
    return Response(202, job_view(job, v2.now()))


def delete_training_job(v2: V2, call: Call) -> Response:
    """Remove the job, whatever its phase; the supervisor ends its processes and frees its files."""
    with v2.database.writing() as connection:
        job = jobs.find(connection, call.project_id, call.path["training_job_id"])
        jobs.remove(connection, job)
    v2.supervisor.wake()
    return Response(202)
