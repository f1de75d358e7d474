"""Logs: pages "Obtaining the Name of a Training Job Log File" and "Querying Training Job Logs".

Logs are read as records, by cursors. A cursor has 19 digits, as in the published example, and only grows within a log:
the time at which the version was created, in nanoseconds, plus the byte at which the record begins.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from modelarts_emulator.engine.runs import is_terminal
from modelarts_emulator.execution.protocol import read_log, task_names
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.http.family import Call, Response
from modelarts_emulator.service import ModelArts
from modelarts_emulator.v1.conventions import FAILED, done, invalid
from modelarts_emulator.v1.jobs import JOBS, VERSIONS, Job, Version

DEFAULT_LINES = 50
CHUNK_BYTES = 64 * 1024
PIECE_BYTES = 5 * 1024 * 1024  # of a response; a longer line is several records
NANOSECONDS = 1_000_000  # in a millisecond
BEFORE_FIRST = -1


def list_training_job_log_files(service: ModelArts, call: Call) -> Response:
    """One name per node, as soon as the version has been started."""
    job, version = _find(service, call)
    names = _file_names(job, version) if version.run.was_launched else []
    return Response(200, done(log_file_list=names))


def show_training_job_log(service: ModelArts, call: Call) -> Response:
    """The newest records, or those after (`desc`) or before (`asc`) a cursor, as the page describes the two orders."""
    job, version = _find(service, call)
    reader = _reader(service, job, version, call.query["log_file"])
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


def _find(service: ModelArts, call: Call) -> tuple[Job, Version]:
    with service.database.reading() as connection:
        job = JOBS.find(connection, call.project_id, call.path["job_id"])
        return job, VERSIONS.find(connection, job.id, call.path["version_id"])


def _file_names(job: Job, version: Version) -> list[str]:
    """Names in the form of the use case, in which the log of `jobtest_TF` is `job-jobtest-tf.0`."""
    name = job.name.lower().replace("_", "-")
    return [f"job-{name}.{index}" for index in range(version.run.node_count)]


def _reader(service: ModelArts, job: Job, version: Version, log_file: str) -> LogReader:
    names = _file_names(job, version)
    if log_file not in names:
        raise ServiceError(FAILED, f"There is no log file {log_file}: the version has {', '.join(names)}.")
    task = task_names(version.run.node_count)[names.index(log_file)]
    is_complete = is_terminal(version.run.phase)
    try:
        size = service.executor.log_size(version.run.id, task) if version.run.was_launched else 0
    except KeyError:
        size = 0
    return LogReader(partial(read_log, service.executor, version.run.id, task), size, is_complete)


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


@dataclass(frozen=True, slots=True)
class Record:
    """A line of a log, and where it begins."""

    place: int
    line: bytes

    @property
    def end(self) -> int:
        """Where the next record begins."""
        return self.place + len(self.line)

    @property
    def text(self) -> str:
        """The line without its end; bytes that are not UTF-8 become U+FFFD."""
        return self.line.removesuffix(b"\n").decode(errors="replace")


@dataclass(frozen=True, slots=True)
class Cursors:
    """The cursors of a log whose version was created at this time, in milliseconds."""

    create_time: int

    def at(self, place: int) -> str:
        """The cursor of the record that begins there."""
        return str(self.create_time * NANOSECONDS + place)

    def place(self, cursor: str) -> int:
        """Where the record of a cursor begins; raises ValueError for any other text."""
        if not (cursor.isascii() and cursor.isdigit()):
            raise ValueError(f"{cursor!r} is not a cursor: use start_line or end_line of an earlier response")
        return int(cursor[:30]) - self.create_time * NANOSECONDS


class LogReader:
    """Reads records of a log that has `size` bytes now; `read` takes an offset and a number of bytes.

    While the task runs, its unfinished last line is left out.
    """

    def __init__(self, read: Callable[[int, int], bytes], size: int, is_complete: bool) -> None:
        self._read = read
        self.size = size if is_complete else self._end_of_lines(size)

    def newest(self, number: int) -> list[Record]:
        """At most `limit` records from the end of the log, oldest first."""
        return self.before(self.size, number)

    def before(self, place: int, number: int) -> list[Record]:
        """At most `limit` records that end at or before this place, oldest first."""
        start = place = max(place, 0)
        data = b""
        while start and len(data) < PIECE_BYTES and data.count(b"\n", 0, -1) < number:
            size = min(start, max(CHUNK_BYTES, len(data)), PIECE_BYTES - len(data))
            start -= size
            data = self._read(start, size) + data
        if start and 0 < (cut := data.find(b"\n") + 1) < len(data):  # what it begins with may be half a line
            start, data = start + cut, data[cut:]
        return _records(data, start)[-number:] if number else []

    def after(self, place: int, number: int) -> list[Record]:
        """At most `limit` records that follow the one that begins at this place, oldest first."""
        if place != BEFORE_FIRST:
            first = self._from(place, 1)
            place = first[0].end if first else self.size
        return self._from(max(place, 0), number)

    def _from(self, place: int, number: int) -> list[Record]:
        data = b""
        while len(data) < PIECE_BYTES and data.count(b"\n") < number:
            end = place + len(data)
            if not (chunk := self._read(end, min(max(CHUNK_BYTES, len(data)), self.size - end))):
                break
            data += chunk
        found = _records(data[:PIECE_BYTES], place)
        if len(found) > 1 and not found[-1].line.endswith(b"\n") and found[-1].end < self.size:
            found.pop()  # half a line
        return found[:number]

    def _end_of_lines(self, size: int) -> int:
        """Where the last finished line ends."""
        start = size
        while start:
            chunk = min(start, PIECE_BYTES if start < size else CHUNK_BYTES)
            start -= chunk
            if (found := self._read(start, chunk).rfind(b"\n")) >= 0:
                return start + found + 1
        return 0


def _records(data: bytes, place: int) -> list[Record]:
    found: list[Record] = []
    for line in data.split(b"\n"):
        found.append(Record(place, line + b"\n"))
        place += len(line) + 1
    last = found.pop()
    rest = last.line.removesuffix(b"\n")
    return [*found, Record(last.place, rest)] if rest else found
