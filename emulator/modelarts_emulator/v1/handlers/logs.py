"""Logs: pages "Obtaining the Name of a Training Job Log File" and "Querying Training Job Logs"."""

from __future__ import annotations

from functools import partial

from modelarts_emulator.engine.runs import is_terminal
from modelarts_emulator.execution.protocol import read_log, task_names
from modelarts_emulator.http.call import Call, Response
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.v1 import jobs, versions
from modelarts_emulator.v1.context import V1
from modelarts_emulator.v1.errors import FAILED, invalid
from modelarts_emulator.v1.jobs import Job
from modelarts_emulator.v1.log_records import BEFORE_FIRST, Cursors, LogReader, Record
from modelarts_emulator.v1.versions import Version
from modelarts_emulator.v1.views import done

__all__ = ["list_training_job_log_files", "show_training_job_log"]

DEFAULT_LINES = 50


def list_training_job_log_files(v1: V1, call: Call) -> Response:
    """One name per node, as soon as the version has been started."""
    job, version = _find(v1, call)
    names = _file_names(job, version) if version.run.was_launched else []
    return Response(200, done(log_file_list=names))


def show_training_job_log(v1: V1, call: Call) -> Response:
    """The newest records, or those after (`desc`) or before (`asc`) a cursor, as the page describes the two orders."""
    job, version = _find(v1, call)
    reader = _reader(v1, job, version, call.query["log_file"])
    cursors = Cursors(version.create_time)
    number, order, base = call.query.get("lines", DEFAULT_LINES), call.query.get("order"), call.query.get("base_line")
    if not base:
        records = reader.newest(number)
        newest = records or reader.newest(1)
        base = cursors.at(newest[-1].place if newest else BEFORE_FIRST)
    else:
        place = _place(cursors, base, reader.size)
        records = reader.before(place, number) if order == "asc" else reader.after(place, number)
    body = done(
        content=_content(records),
        lines=len(records),
        start_line=cursors.at(records[0].place) if records else base,
        end_line=cursors.at(records[-1].place) if records else base,
    )
    return Response(200, body)


def _find(v1: V1, call: Call) -> tuple[Job, Version]:
    with v1.database.reading() as connection:
        job = jobs.find(connection, call.project_id, call.path["job_id"])
        return job, versions.find(connection, job, call.path["version_id"])


def _file_names(job: Job, version: Version) -> list[str]:
    """Names in the form of the use case, in which the log of `jobtest_TF` is `job-jobtest-tf.0`."""
    name = job.name.lower().replace("_", "-")
    return [f"job-{name}.{index}" for index in range(version.run.node_count)]


def _reader(v1: V1, job: Job, version: Version, log_file: str) -> LogReader:
    names = _file_names(job, version)
    if log_file not in names:
        raise ServiceError(FAILED, f"There is no log file {log_file}: the version has {', '.join(names)}.")
    task = task_names(version.run.node_count)[names.index(log_file)]
    is_complete = is_terminal(version.run.phase)
    try:
        size = v1.executor.log_size(version.run.id, task) if version.run.was_launched else 0
    except KeyError:
        size = 0
    return LogReader(partial(read_log, v1.executor, version.run.id, task), size, is_complete)


def _place(cursors: Cursors, base_line: str, size: int) -> int:
    try:
        place = cursors.place(base_line)
    except ValueError as error:
        raise invalid("base_line", str(error)) from None
    if not BEFORE_FIRST <= place <= size:
        raise invalid("base_line", f"{base_line} is not a cursor of this log")
    return place


def _content(records: list[Record]) -> str:
    """The records with an empty line between two of them, as the use case prints them."""
    return "\n".join(f"{record.text}\n" for record in records)
