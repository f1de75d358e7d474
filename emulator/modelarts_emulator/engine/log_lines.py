"""Logs read as records, by cursors: what both versions of the API offer beside the preview.

A cursor has 19 digits, as in the example of version 1, and only grows within a log: the time at which the job was
created, in nanoseconds, plus the byte at which the record begins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from modelarts_emulator.engine.logs import log_size
from modelarts_emulator.engine.runs import Run, is_terminal
from modelarts_emulator.execution.protocol import Executor, read_log

DEFAULT_LINES = 50
CHUNK_BYTES = 64 * 1024
PIECE_BYTES = 5 * 1024 * 1024  # of a response; a longer line is several records
NANOSECONDS = 1_000_000  # in a millisecond
BEFORE_FIRST = -1


@dataclass(frozen=True, slots=True)
class LogPiece:
    """Some records of a log, oldest first, without their ends of line; `start` and `end` are cursors to read on."""

    texts: list[str]
    start: str
    end: str


def read_piece(executor: Executor, run: Run, task: str, create_time: int, query: Mapping[str, Any]) -> LogPiece:
    """The newest records, or those after (`desc`) or before (`asc`) the cursor `base_line`, at most `lines`.

    The page of version 1 describes the two orders so. `create_time` in milliseconds. Raises ValueError for a text that
    is not a cursor of this log.
    """
    size = log_size(executor, run.id, task) if run.was_launched else 0
    reader = LogReader(partial(read_log, executor, run.id, task), size, is_terminal(run.phase))
    cursors = Cursors(create_time)
    number, base = query.get("lines", DEFAULT_LINES), query.get("base_line")
    if not base:
        records = reader.newest(number)
        newest = records or reader.newest(1)
        base = cursors.at(newest[-1].place if newest else BEFORE_FIRST)
    else:
        place = cursors.place(base)
        if not BEFORE_FIRST <= place <= reader.size:
            raise ValueError(f"{base} is not a cursor of this log")
        records = reader.before(place, number) if query.get("order") == "asc" else reader.after(place, number)
    ends = [cursors.at(record.place) for record in (records[0], records[-1])] if records else [base, base]
    return LogPiece([record.text for record in records], *ends)


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
