"""Logs of tasks: pages "Querying the Logs of a Specified Task in a Training Job" (preview, OBS link)."""

from __future__ import annotations

from modelarts_emulator.engine.logs import log_place, log_size, read_preview
from modelarts_emulator.engine.runs import is_terminal
from modelarts_emulator.execution.protocol import task_names
from modelarts_emulator.http.call import Call, Response
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.http.json import flow
from modelarts_emulator.s3.sigv4 import presigned_url
from modelarts_emulator.v2 import jobs
from modelarts_emulator.v2.context import V2
from modelarts_emulator.v2.jobs import Job

__all__ = ["find_task", "show_obs_url_of_training_job_logs", "show_training_job_logs_preview"]

LINK_SECONDS = 300
# Published clients send application/json with every request; it means "download" as if nothing were sent.
LINK_TYPES = {"text/plain": "text/plain", "application/octet-stream": "application/octet-stream"}
DOWNLOAD = "application/octet-stream"


def find_task(v2: V2, call: Call) -> tuple[Job, str]:
    """The job and the task that the path names; raises ServiceError if there is no such job (2775) or task (2788)."""
    with v2.database.reading() as connection:
        job = jobs.find(connection, call.project_id, call.path["training_job_id"])
    task, tasks = call.path["task_id"], task_names(job.run.node_count)
    if task not in tasks:
        raise ServiceError(
            "ModelArts.2788", f"Invalid parameter (task_id): the job has {', '.join(tasks)}, not {task}."
        )
    return job, task


def find_log(v2: V2, call: Call) -> tuple[Job, str]:
    """As `find_task`; raises ServiceError (2819) if the task's log is not kept any more."""
    job, task = find_task(v2, call)
    run = job.run
    if run.end_time and run.log_lifetime and v2.now() - run.end_time > run.log_lifetime:
        raise ServiceError("ModelArts.2819", f"The log of task {task} has been cleared, 30 days after the job's end.")
    return job, task


def show_training_job_logs_preview(v2: V2, call: Call) -> Response:
    """The newest 5 MB of the log; 204 until there is a log (ModelArts.2776 in the table of errors)."""
    job, task = find_log(v2, call)
    preview = read_preview(v2.executor, job.run.id, task, is_terminal(job.run.phase))
    if preview is None:
        return Response(204)
    sizes = {"current_size": preview.current_size, "full_size": preview.full_size}
    return Response(200, flow("content", preview.texts(), sizes))


def show_obs_url_of_training_job_logs(v2: V2, call: Call) -> Response:
    """A link that shows or downloads the log without a token, for five minutes."""
    job, task = find_log(v2, call)
    asked = call.query.get("Content-Type") or call.headers.get("content-type", "").partition(";")[0].strip().lower()
    if asked not in ("", "application/json", *LINK_TYPES):
        raise ServiceError(
            "ModelArts.2788", f"Invalid parameter (Content-Type): {asked} is not {' or '.join(LINK_TYPES)}."
        )
    if not log_size(v2.executor, job.run.id, task):
        raise ServiceError("ModelArts.2818", f"Task {task} has no log yet.")
    bucket, key = log_place(job.project_id, job.run.id, task)
    url = presigned_url(
        v2.obs_endpoint(call.headers["host"]),
        bucket,
        key,
        call.identity.access_key,
        call.identity.secret_key,
        LINK_SECONDS,
        LINK_TYPES.get(asked, DOWNLOAD),
    )
    return Response(200, {"obs_url": url})
