"""Logs: pages "Obtaining the Name of a Training Job Log File" and "Querying Training Job Logs"."""

from __future__ import annotations

from modelarts_emulator.engine.logs import read_piece
from modelarts_emulator.execution.protocol import task_names
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.http.family import Call, Response
from modelarts_emulator.service import ModelArts
from modelarts_emulator.v1.conventions import FAILED, done, invalid
from modelarts_emulator.v1.training_jobs import Job, Version, find_version


def list_training_job_log_files(service: ModelArts, call: Call) -> Response:
    """One name per node, as soon as the version has been started."""
    with service.database.reading() as connection:
        job, version = find_version(connection, call)
    names = _file_names(job, version) if version.run.was_launched else []
    return Response(200, done(log_file_list=names))


def show_training_job_log(service: ModelArts, call: Call) -> Response:
    """A piece of the log, with an empty line between two records, as the use case prints them."""
    with service.database.reading() as connection:
        job, version = find_version(connection, call)
    task = _task(job, version, call.query["log_file"])
    try:
        piece = read_piece(service.logs, version.run, task, version.create_time, call.query)
    except ValueError as error:
        raise invalid("base_line", str(error)) from None
    content = "\n".join(f"{text}\n" for text in piece.texts)
    return Response(200, done(content=content, lines=len(piece.texts), start_line=piece.start, end_line=piece.end))


def _file_names(job: Job, version: Version) -> list[str]:
    """Names in the form of the use case, in which the log of `jobtest_TF` is `job-jobtest-tf.0`."""
    name = job.name.lower().replace("_", "-")
    return [f"job-{name}.{index}" for index in range(version.run.node_count)]


def _task(job: Job, version: Version, log_file: str) -> str:
    names = _file_names(job, version)
    if log_file not in names:
        raise ServiceError(FAILED, f"There is no log file {log_file}: the version has {', '.join(names)}.")
    return task_names(version.run.node_count)[names.index(log_file)]
