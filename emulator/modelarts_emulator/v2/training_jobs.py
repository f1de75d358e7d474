"""Training jobs: pages "Creating / Querying the Details About / Querying / Terminating / Deleting a Training Job".

Also "Modifying the Description of a Training Job", "ValidateTrainingJobName" and "ShowTrainingQuotas". No page says
what happens if one of many jobs cannot be deleted: here none is deleted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection

from modelarts_emulator.engine.runs import STOPPABLE, Run, new_id
from modelarts_emulator.execution.protocol import task_names
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.http.family import Call, Response
from modelarts_emulator.service import ModelArts
from modelarts_emulator.tuning import state
from modelarts_emulator.tuning.policy import read_policy
from modelarts_emulator.v2 import experiments
from modelarts_emulator.v2.algorithms import ALGORITHMS
from modelarts_emulator.v2.conventions import NOT_EMULATED, page_of, reject_workspace, unsupported
from modelarts_emulator.v2.jobs import JOBS, Job, conditions_of, v2_jobs
from modelarts_emulator.v2.submission import check_own_annotations, reject_members, submit
from modelarts_emulator.v2.tags import tag_conditions

TAGGED_MS = 31 * 24 * 3_600_000  # how far back a search by tags looks, unless a filter says otherwise


def create_training_job(service: ModelArts, call: Call) -> Response:
    """Check the request in all its parts, store the job, and let the supervisor run it."""
    request, now = call.body, service.now()

    def find_algorithm(algorithm_id: str) -> Mapping[str, Any]:
        with service.database.reading() as connection:
            return ALGORITHMS.find(connection, call.project_id, algorithm_id)

    # Before anything is written: object storage may be slow.
    job = submit(
        service.catalogue, service.store_of(call.project_id), call.identity, request, find_algorithm, new_id(), now
    )
    check_own_annotations(request["metadata"].get("annotations") or {}, service.is_simulated)
    with service.supervisor.changing(service.database) as connection:
        JOBS.check_quota(JOBS.count(connection, call.project_id), service.max_jobs)
        if reference := request["metadata"].get(experiments.REFERENCE):
            experiments.join(connection, job, reference, now)
        JOBS.add_job(connection, job)
        if job.run.is_search:
            auto_search = job.document["algorithm"]["policies"]["auto_search"]
            state.begin(connection, job.run, read_policy(auto_search, service.catalogue.search_algorithms))
    return Response(201, job_view(job, now))


def show_training_job_details(service: ModelArts, call: Call) -> Response:
    """The job as it is now."""
    job = JOBS.of_path(service.database, call, "training_job_id")
    return Response(200, job_view(job, service.now()))


def list_training_jobs(service: ModelArts, call: Call) -> Response:
    """One page of the project's jobs that match the filters; the page describes `offset` as a number of pages."""
    request, now = call.body or {}, service.now()
    reject_workspace(request)
    reject_members(request, NOT_EMULATED["search"])
    if request.get("train_type") == "ftjob":
        raise unsupported("train_type: the emulator has no such jobs")
    page, described = page_of(JOBS, request, service.offset_unit == "page")
    filters, tags = list(request.get("filters") or ()), request.get("tags") or ()
    if tags and not any(entry.get("key") == "create_time" for entry in filters):
        filters.append({"key": "create_time", "operator": "between", "value": [str(now - TAGGED_MS), ""]})
    with service.database.reading() as connection:
        conditions = conditions_of(connection, filters) + tag_conditions(tags)
        total, jobs = JOBS.page(connection, call.project_id, page, conditions)
    common = {"workspace_id": "0", "ai_project": "default-ai-project"}
    items = [job_view(job, now) for job in jobs]
    return Response(200, {"total": total, "count": len(items), **described, **common, "items": items})


def change_training_job_description(service: ModelArts, call: Call) -> Response:
    """Give the job the description, or none."""
    reject_members(call.body, NOT_EMULATED["change"])
    description = call.body.get("description", "")
    with service.database.writing() as connection:
        JOBS.change(connection, call.project_id, call.path["training_job_id"], description=description)
    return Response(200)


def stop_training_job(service: ModelArts, call: Call) -> Response:
    """Begin to stop a job that is creating, pending or running, or queue one again that has ended."""
    with service.supervisor.changing(service.database) as connection:
        job = JOBS.find(connection, call.project_id, call.path["training_job_id"])
        if call.body["action_type"] == "restart":
            _restart(service, connection, job)
        elif job.run.phase in STOPPABLE:
            service.supervisor.terminate(connection, job.run)
        else:
            raise ServiceError("ModelArts.2796", f"The job cannot be stopped: its phase is {job.run.phase}.")
    return Response(202, job_view(job, service.now()))


def _restart(service: ModelArts, connection: Connection, job: Job) -> None:
    if (job.document["algorithm"].get("policies") or {}).get("auto_search"):
        raise unsupported("the emulator does not restart hyperparameter searches")
    try:
        service.supervisor.restart(connection, job.run)
    except ValueError as error:
        raise ServiceError("ModelArts.2813", f"Not allowed to restart: {error}.") from None


def delete_training_job(service: ModelArts, call: Call) -> Response:
    """Remove the job, whatever its phase; the supervisor ends its processes and frees its files."""
    with service.supervisor.changing(service.database) as connection:
        JOBS.remove_job(connection, JOBS.find(connection, call.project_id, call.path["training_job_id"]))
    return Response(202)


def batch_delete_training_job(service: ModelArts, call: Call) -> Response:
    """Remove the jobs, or none of them if one does not exist; the kind that the request gives is part of its name."""
    wanted = {entry["metadata"]["id"]: entry["kind"] for entry in call.body["jobs"]}
    with service.supervisor.changing(service.database) as connection:
        for job_id, kind in wanted.items():
            job = JOBS.find(connection, call.project_id, job_id)
            if job.kind != kind:
                raise ServiceError("ModelArts.2775", f"Training job {job_id} of kind {kind} not found.")
            JOBS.remove_job(connection, job)
    return Response(202)


def validate_training_job_name(service: ModelArts, call: Call) -> Response:
    """Whether the project has a job of this name."""
    reject_workspace(call.query)
    with service.database.reading() as connection:
        is_known = JOBS.has_name(connection, call.project_id, call.query["job_name"])
    return Response(200, {"is_duplicate": is_known})


def show_training_quotas(service: ModelArts, call: Call) -> Response:
    """The project's limit of jobs and how many there are, of the user that the query names or of the project."""
    if call.query.get("resource") not in (None, "", "job-num"):
        return Response(200, {"quotas": []})
    own = [v2_jobs.c.user_id == call.query["user_id"]] if call.query.get("user_id") else []
    with service.database.reading() as connection:
        used = JOBS.count(connection, call.project_id, own)
    return Response(200, {"quotas": [{"resource": "job-num", "quota": service.max_jobs, "used": used}]})


def job_view(job: Job, now: int) -> dict[str, Any]:
    """The job as create, show, stop and search send it; `now` in milliseconds. Reading changes nothing."""
    document = job.document
    return {
        "kind": job.kind,
        "metadata": {**document["metadata"], "description": job.description},
        "status": status_view(job.run, now),
        "algorithm": document["algorithm"],
        "spec": document["spec"],
    }


def status_view(run: Run, now: int) -> dict[str, Any]:
    """The status of a job with this run; `duration` in milliseconds, up to now while it runs.

    `running_records` has seconds where everything else has milliseconds: so the page "Querying the Details About a
    Training Job" prints it.
    """
    running = bool(run.attempt_start)
    counts = [*run.node_counts, [now, run.node_counts[-1][1]]] if running and run.node_counts else run.node_counts
    status: dict[str, Any] = {
        "phase": run.phase,
        "secondary_phase": run.secondary_phase,
        "duration": run.past_duration + (max(now - run.attempt_start, 0) if running else 0),
        "start_time": run.start_time,
        "node_count_metrics": counts or None,
        "tasks": task_names(run.node_count),
    }
    if run.task_statuses:
        status["task_statuses"] = run.task_statuses
    if run.running_records:
        status["running_records"] = run.running_records
    return status
