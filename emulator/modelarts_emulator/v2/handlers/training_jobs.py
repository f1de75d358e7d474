"""Training jobs: pages "Creating / Querying the Details About / Querying / Terminating / Deleting a Training Job"."""

from __future__ import annotations

from modelarts_emulator.execution.simulated.annotations import check_directions
from modelarts_emulator.http.call import Answer, Call
from modelarts_emulator.http.errors import Refusal
from modelarts_emulator.jobs import store
from modelarts_emulator.jobs.phases import STOPPABLE
from modelarts_emulator.v2.identifiers import new_id
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


def create_training_job(call: Call) -> Answer:
    """Check the request in all its parts, store the job, and let the supervisor run it."""
    services, request, now = call.services, call.body, call.services.now()
    with services.writing() as connection:
        job = submit(connection, services.catalogue, services.store, call.identity, request, new_id(), now)
        check_directions(request["metadata"].get("annotations") or {}, job.node_count, services.plans is not None)
        services.quota.check(connection, call.project_id)
        store.add(connection, job)
    services.supervisor.submitted(job)
    return Answer(201, job_view(job, now))


def show_training_job_details(call: Call) -> Answer:
    """The job as it is now."""
    job = store.find(call.services.reader, call.project_id, call.path["training_job_id"])
    return Answer(200, job_view(job, call.services.now()))


def list_training_jobs(call: Call) -> Answer:
    """One page of the project's jobs that match the filters."""
    services, now = call.services, call.services.now()
    total, found, page = search(services.reader, call.project_id, call.body or {}, services.offset_unit)
    return Answer(200, page_view(total, found, page, now))


def change_training_job_description(call: Call) -> Answer:
    """Give the job the description, or none; page "Modifying the Description of a Training Job"."""
    with call.services.writing() as connection:
        job = store.find(connection, call.project_id, call.path["training_job_id"])
        store.describe(connection, job, call.body.get("description", ""))
    return Answer(200)


def stop_training_job(call: Call) -> Answer:
    """Begin to stop the job; only one that is creating, pending or running can be stopped (ModelArts.2796)."""
    services = call.services
    if call.body["action_type"] != "terminate":
        raise Refusal("ModelArts.2812", f"Action type {call.body['action_type']} is not supported.")
    with services.writing() as connection:
        job = store.find(connection, call.project_id, call.path["training_job_id"])
        if job.phase not in STOPPABLE:
            raise Refusal("ModelArts.2796", f"The job cannot be stopped: its phase is {job.phase}.")
        services.supervisor.terminate(connection, job)
    services.supervisor.changed(job.id)
    return Answer(202, job_view(job, services.now()))


def delete_training_job(call: Call) -> Answer:
    """Remove the job, whatever its phase; the supervisor ends its processes and frees its files."""
    services = call.services
    with services.writing() as connection:
        job = store.find(connection, call.project_id, call.path["training_job_id"])
        store.remove(connection, job)
    services.supervisor.changed(job.id)
    return Answer(202)
