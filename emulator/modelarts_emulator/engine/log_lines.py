"""Logs read as records, by cursors: what both versions of the API offer beside the preview.

A cursor has 19 digits, as in the example of version 1, and only grows within a log: the time at which the job was
created, in nanoseconds, plus the byte at which the record begins.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from modelarts_emulator.engine.logs import log_size
from modelarts_emulator.engine.runs import Run, is_terminal
from modelarts_emulator.execution.protocol import Executor, read_log

DEFAULT_LINES = 50
WINDOW_BYTES = 1 << 20  # of a log that a request looks at; a longer line is several records
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
    first = create_time * NANOSECONDS
    number, base = query.get("lines", DEFAULT_LINES), query.get("base_line")
    if not base:
        records = reader.before(reader.size, number)
        newest = records or reader.before(reader.size, 1)
        base = str(first + (newest[-1].place if newest else BEFORE_FIRST))
    else:
        place = int(base[:30]) - first if base.isascii() and base.isdigit() else reader.size + 1
        if not BEFORE_FIRST <= place <= reader.size:
            raise ValueError(f"{base!r} is not a cursor of this log: use start_line or end_line of an earlier response")
        records = reader.before(place, number) if query.get("order") == "asc" else reader.after(place, number)
    ends = [str(first + record.place) for record in (records[0], records[-1])] if records else [base, base]
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


class LogReader:
    """Reads records of a log that has `size` bytes now; `read` takes an offset and a number of bytes.

    While the task runs, its unfinished last line is left out.
    """

    def __init__(self, read: Callable[[int, int], bytes], size: int, is_complete: bool) -> None:
        self._read = read
        start = max(size - WINDOW_BYTES, 0)
        self.size = size if is_complete else start + read(start, size - start).rfind(b"\n") + 1

    def before(self, place: int, number: int) -> list[Record]:
        """At most `number` records that end at or before this place, oldest first."""
        place = max(place, 0)
        start = max(place - WINDOW_BYTES, 0)
        data = self._read(start, place - start)
        if start and 0 < (cut := data.find(b"\n") + 1) < len(data):  # what it begins with may be half a line
            start, data = start + cut, data[cut:]
        return _records(data, start)[-number:] if number else []

    def after(self, place: int, number: int) -> list[Record]:
        """At most `number` records that follow the one that begins at this place, oldest first."""
        if place != BEFORE_FIRST:
            first = self._from(place)
            place = first[0].end if first else self.size
        return self._from(max(place, 0))[:number]

    def _from(self, place: int) -> list[Record]:
        found = _records(self._read(place, min(WINDOW_BYTES, self.size - place)), place)
        if len(found) > 1 and not found[-1].line.endswith(b"\n") and found[-1].end < self.size:
            found.pop()  # half a line
        return found


def _records(data: bytes, place: int) -> list[Record]:
    found: list[Record] = []
    for line in io.BytesIO(data):  # its lines end with \n only
        found.append(Record(place, line))
        place += len(line)
    return found
