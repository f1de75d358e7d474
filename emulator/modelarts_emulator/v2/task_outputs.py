"""What is known of a job's tasks: logs, metrics and events.

Pages "Querying the Logs of a Specified Task in a Training Job" (preview, OBS link), "ShowTrainingJobLogsFromAom" (by
cursor), "Querying the Running Metrics of a Specified Task in a Training Job" and "Obtaining the Events of a Training
Job".
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, func

from modelarts_emulator.engine import events
from modelarts_emulator.engine.database import MAX_NUMBER, contains
from modelarts_emulator.engine.logs import log_place, read_piece, read_preview
from modelarts_emulator.engine.tables import events as table
from modelarts_emulator.execution.protocol import METRICS, task_names
from modelarts_emulator.http.access import is_signed
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.http.family import Call, Response
from modelarts_emulator.s3.sigv4 import presigned_url
from modelarts_emulator.service import ModelArts
from modelarts_emulator.v2.conventions import invalid
from modelarts_emulator.v2.jobs import JOBS, Job

DEFAULT_EVENTS = 50  # of a page
LINK_SECONDS = 300
# Published clients send application/json with every request; it means "download" as if nothing were sent.
LINK_TYPES = {"text/plain": "text/plain", "application/octet-stream": "application/octet-stream"}
DOWNLOAD = "application/octet-stream"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LAST_SECOND = int((datetime.max.replace(tzinfo=UTC) - EPOCH).total_seconds()) - 1


def show_training_job_logs_preview(service: ModelArts, call: Call) -> Response:
    """The newest 5 MB of the log; 204 until there is a log (ModelArts.2776 in the table of errors)."""
    job, task = _find_log(service, call)
    preview = read_preview(service.logs, job.run, task)
    if preview is None:
        find_task(service, call)  # raises if the job was deleted meanwhile
    return Response(204) if preview is None else Response(200, preview)


def show_training_job_logs_from_aom(service: ModelArts, call: Call) -> Response:
    """A piece of the log, and the cursors to read on from it; empty until there is a log."""
    job, task = _find_log(service, call)
    try:
        piece = read_piece(service.logs, job.run, task, job.create_time, call.query)
    except ValueError as error:
        raise invalid("base_line", str(error)) from None
    content = "".join(f"{text}\n" for text in piece.texts)
    ends = {"start_line": piece.start, "end_line": piece.end}
    return Response(200, {**ends, "lines": len(piece.texts), "content": content})


def show_obs_url_of_training_job_logs(service: ModelArts, call: Call) -> Response:
    """A link that shows or downloads the log without a token, for five minutes."""
    job, task = _find_log(service, call)
    asked = call.query.get("Content-Type") or call.headers.get("content-type", "").partition(";")[0].strip().lower()
    if asked not in ("", "application/json", *LINK_TYPES):
        raise invalid("Content-Type", f"{asked} is not {' or '.join(LINK_TYPES)}")
    if not service.logs.size(job.run, task):
        raise ServiceError("ModelArts.2818", f"Task {task} has no log yet.")
    bucket, key = log_place(job.project_id, job.run.id, task)
    url = presigned_url(
        service.obs_endpoint(call.headers["host"]),
        bucket,
        key,
        call.identity.access_key,
        call.identity.secret_key,
        LINK_SECONDS,
        LINK_TYPES.get(asked, DOWNLOAD),
        security_token=call.headers.get("x-security-token") if is_signed(call.headers) else None,
    )
    return Response(200, {"obs_url": url})


def show_training_job_metrics(service: ModelArts, call: Call) -> Response:
    """One average per minute and metric; 204 until there is a first one (ModelArts.2777 in the table of errors)."""
    job, task = find_task(service, call)
    values = service.usage(job.run, task)
    if not values:
        return Response(204)
    shown = [{"metric": name, "value": list(values[name])} for name in METRICS if name in values]
    return Response(200, {"metrics": shown})


def list_training_job_events(service: ModelArts, call: Call) -> Response:
    """One page of what happened to the job; without a time, from its creation until now.

    Times are text in seconds here, where everything else has milliseconds.
    """
    query = call.query
    limit, offset, order = query.get("limit", DEFAULT_EVENTS), query.get("offset", 0), query.get("order") or "desc"
    if order not in ("asc", "desc"):
        raise ServiceError("ModelArts.2764", f"Invalid query parameter: order: {order!r} is not asc or desc.")
    with service.database.reading() as connection:
        job = JOBS.find(connection, call.project_id, call.path["training_job_id"])
        start, end = _span(query) or (job.create_time, service.now())
        conditions = [table.c.time.between(start, end), *_conditions(connection, query)]
        total, found = events.page(connection, job.run.id, conditions, order == "asc", limit, offset)
    items = [
        {"time": timestamp(event.time), "level": event.level, "message": event.message, "source": event.source}
        for event in found
    ]
    page = {"limit": limit, "offset": offset, "order": order}
    times = {"start_time": timestamp(start), "end_time": timestamp(end)}
    return Response(200, {"total": total, **page, **times, "events": items})


def _conditions(connection: Connection, query: Mapping[str, Any]) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if query.get("level"):
        conditions.append(table.c.level == query["level"])
    if query.get("source"):  # K8S and K8s are the same
        conditions.append(func.lower(table.c.source) == query["source"].lower())
    if query.get("pattern"):
        conditions.append(contains(connection, table.c.message, query["pattern"]))
    return conditions


def _span(query: Mapping[str, Any]) -> tuple[int, int] | None:
    """The time that the query names, None if it names none; the page wants both ends or neither."""
    given = [query.get(name) or "" for name in ("start_time", "end_time")]
    if not any(given):
        return None
    if not all(given):
        reason = "give start_time and end_time, or neither of them"
        raise ServiceError("ModelArts.50004000", f"Bad request: {reason}.")
    start, end = (min(int(text[:20]), MAX_NUMBER) for text in given)
    return start, end


def find_task(service: ModelArts, call: Call) -> tuple[Job, str]:
    """The job and the task that the path names; raises ServiceError if there is no such job (2775) or task (2788)."""
    job = JOBS.of_path(service.database, call, "training_job_id")
    task, tasks = call.path["task_id"], task_names(job.run.node_count)
    if task not in tasks:
        raise invalid("task_id", f"the job has {', '.join(tasks)}, not {task}")
    return job, task


def _find_log(service: ModelArts, call: Call) -> tuple[Job, str]:
    """As `find_task`; raises ServiceError (2819) if the task's log is not kept any more."""
    job, task = find_task(service, call)
    run = job.run
    if run.end_time and run.log_lifetime and service.now() - run.end_time > run.log_lifetime:
        raise ServiceError("ModelArts.2819", f"The log of task {task} has been cleared, 30 days after the job's end.")
    return job, task


def timestamp(milliseconds: int) -> str:
    """The time as RFC 3339 writes it, in UTC; the last one there is for what lies beyond."""
    seconds = min(milliseconds // 1000, LAST_SECOND)
    return (EPOCH + timedelta(seconds=seconds)).isoformat()
