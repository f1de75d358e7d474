"""Logs of tasks: their newest part as text, their records by cursors, and all as objects that a link can lead to.

A cursor has 19 digits, as in the example of version 1, and only grows within a log: the time at which the job was
created, in nanoseconds, plus the byte at which the record begins.
"""

from __future__ import annotations

import codecs
import hashlib
import io
import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from modelarts_emulator.engine.runs import Run, is_terminal
from modelarts_emulator.execution.protocol import LOG_CHUNK_BYTES, Executor
from modelarts_emulator.storage.errors import AccessDenied, NoSuchKey
from modelarts_emulator.storage.files import pieces
from modelarts_emulator.storage.objects import Bucket, ObjectInfo
from modelarts_emulator.storage.protocol import AccountStore, Store

PREVIEW_BYTES = 5 * 1024 * 1024
DEFAULT_LINES = 50
WINDOWS = (1 << 20, 1 << 23, 1 << 26)  # bytes that a request looks at, if less has no whole line; a longer one is cut
NANOSECONDS = 1_000_000  # in a millisecond
BEFORE_FIRST = -1
BUCKET = "modelarts-training-log-"
KEY = re.compile(r"(?P<job>[0-9a-f-]{36})/modelarts-job-(?P=job)-(?P<task>worker-\d+)\.log")


@dataclass(frozen=True, slots=True)
class Logs:
    """The logs of runs: those of searches are files below `searches`, the executor has all others.

    A run that has not been started, or was removed, has an empty log.
    """

    executor: Executor
    searches: Path

    def file(self, run: Run, task: str) -> Path | None:
        """The file of the log, if there is one."""
        if run.is_search:
            return search_log(self.searches, run.id, task)
        try:
            return self.executor.log_file(run.id, task)
        except KeyError:
            return None

    def size(self, run: Run, task: str) -> int:
        """How many bytes the log has."""
        try:
            if run.is_search:
                return search_log(self.searches, run.id, task).stat().st_size
            return self.executor.log_size(run.id, task) if run.was_launched else 0
        except (FileNotFoundError, KeyError):
            return 0

    def read(self, run: Run, task: str, offset: int = 0, max_bytes: int = sys.maxsize) -> bytes:
        """The log from this byte on, at most `max_bytes`."""
        chunks: list[bytes] = []
        with suppress(FileNotFoundError, KeyError):
            if run.is_search:
                with search_log(self.searches, run.id, task).open("rb") as stream:
                    stream.seek(offset)
                    return b"".join(pieces(stream, max_bytes))
            while max_bytes > 0:
                chunk = self.executor.logs(run.id, task, offset, min(max_bytes, LOG_CHUNK_BYTES))
                if not chunk:
                    break
                chunks.append(chunk)
                offset, max_bytes = offset + len(chunk), max_bytes - len(chunk)
            return b"".join(chunks)
        return b""


def search_log(folder: Path, run_id: str, task: str) -> Path:
    """The file with the joint log of a search's task."""
    return folder / run_id / f"{task}.log"


def read_preview(logs: Logs, run: Run, task: str) -> dict[str, Any] | None:
    """The newest 5 MB of the log as the service shows them, None before there is one.

    A character that is cut in two by the beginning of the part, or that a running task has not finished, is left out
    and not counted, so that `full_size - current_size` is where the content begins; other bytes that are no UTF-8
    become U+FFFD.
    """
    size = logs.size(run, task)
    start = max(size - PREVIEW_BYTES, 0)
    data = logs.read(run, task, start, size - start)
    if not data:
        return None
    size = start + len(data)
    if start:
        data = data[next((i for i, byte in enumerate(data[:4]) if byte & 0xC0 != 0x80), 0) :]
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    content = decoder.decode(data, final=is_terminal(run.phase))
    pending = len(decoder.getstate()[0])
    return {"content": content, "current_size": len(data) - pending, "full_size": size - pending}


@dataclass(frozen=True, slots=True)
class LogPiece:
    """Some records of a log, oldest first, without their ends of line; `start` and `end` are cursors to read on."""

    texts: list[str]
    start: str
    end: str


def read_piece(logs: Logs, run: Run, task: str, create_time: int, query: Mapping[str, Any]) -> LogPiece:
    """The newest records, or those after (`desc`) or before (`asc`) the cursor `base_line`, at most `lines`.

    The page of version 1 describes the two orders so. `create_time` in milliseconds. Raises ValueError for a text that
    is not a cursor of this log.
    """
    reader = LogReader(partial(logs.read, run, task), logs.size(run, task), is_terminal(run.phase))
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
        self.size = size
        for start in () if is_complete else (max(size - window, 0) for window in WINDOWS):
            self.size = start + read(start, size - start).rfind(b"\n") + 1
            if self.size > start:
                break

    def before(self, place: int, number: int) -> list[Record]:
        """At most `number` records that end at or before this place, oldest first."""
        place = max(place, 0)
        for start in (max(place - window, 0) for window in WINDOWS):
            data = self._read(start, place - start)
            cut = (data.find(b"\n") + 1) % len(data) if start else 0  # what it begins with may be half a line
            if cut or not start:
                break
        return _records(data[cut:], start + cut)[-number:] if number else []

    def after(self, place: int, number: int) -> list[Record]:
        """At most `number` records that follow the one that begins at this place, oldest first."""
        if place != BEFORE_FIRST:
            first = self._from(place)
            place = first[0].end if first else self.size
        return self._from(max(place, 0))[:number]

    def _from(self, place: int) -> list[Record]:
        for window in WINDOWS:
            *found, last = _records(self._read(place, min(window, self.size - place)), place) or [Record(place, b"")]
            if last.end == self.size or last.line.endswith(b"\n"):
                break
            if found:
                return found  # without half a line
        return [*found, last] if last.line else found


def _records(data: bytes, place: int) -> list[Record]:
    found: list[Record] = []
    for line in io.BytesIO(data):  # its lines end with \n only
        found.append(Record(place, line))
        place += len(line)
    return found


def log_place(project_id: str, job_id: str, task: str) -> tuple[str, str]:
    """Bucket and key of a task's log; the file's name is in the style of the documented example."""
    return log_bucket(project_id), f"{job_id}/{log_name(job_id, task)}"


def log_name(job_id: str, task: str) -> str:
    """The name of the file with a task's log."""
    return f"modelarts-job-{job_id}-{task}.log"


def log_bucket(project_id: str) -> str:
    """The bucket in which the service keeps what belongs to the jobs of a project."""
    is_name = re.fullmatch("[a-z0-9][a-z0-9-]{0,38}[a-z0-9]", project_id)
    return f"{BUCKET}{project_id if is_name else hashlib.sha256(project_id.encode()).hexdigest()[:32]}"


class StoreWithLogs(AccountStore):
    """An account's store, and in it the logs of its tasks as objects that can be read, but not listed.

    `projects` gives the account's projects, `find_run` a job's run, None if there is no such job.
    """

    def __init__(
        self,
        store: Store,
        account_id: str,
        logs: Logs,
        projects: Callable[[str], Iterable[str]],
        find_run: Callable[[str], Run | None],
    ) -> None:
        super().__init__(store, account_id)
        self._logs = logs
        self._projects = projects
        self._find_run = find_run

    def head_bucket(self, name: str) -> Bucket:
        """Return what is known of a bucket; one of logs is there, also if nothing else is in it."""
        is_of_logs = name.startswith(BUCKET) and name in map(log_bucket, self._projects(self.account_id))
        return Bucket(name, 0.0, "", self.account_id) if is_of_logs else super().head_bucket(name)

    def head(self, bucket: str, key: str) -> ObjectInfo:
        """Return what is known of an object or a log; raises NoSuchKey."""
        log = self._find_log(bucket, key)
        return super().head(bucket, key) if log is None else self._log_info(bucket, key, *log)

    def get(self, bucket: str, key: str) -> tuple[ObjectInfo, BinaryIO]:
        """Return an object or a log with its file, opened for reading, as it is now; raises NoSuchKey."""
        log = self._find_log(bucket, key)
        if log is None:
            return super().get(bucket, key)
        info, path = self._log_info(bucket, key, *log), self._logs.file(*log)
        try:
            return info, path.open("rb") if path is not None else io.BytesIO(self._logs.read(*log))
        except FileNotFoundError:  # deleted since its size was asked
            raise NoSuchKey.named(bucket, key) from None

    def _find_log(self, bucket: str, key: str) -> tuple[Run, str] | None:
        """Run and task whose log the key names; None if it names none. Raises AccessDenied for one of others."""
        found = KEY.fullmatch(key) if bucket.startswith(BUCKET) else None
        run = self._find_run(found["job"]) if found is not None else None
        if found is None or run is None or log_bucket(run.project_id) != bucket:
            return None
        if run.project_id not in self._projects(self.account_id):
            raise AccessDenied(f"bucket {bucket} belongs to another account")
        return run, found["task"]

    def _log_info(self, bucket: str, key: str, run: Run, task: str) -> ObjectInfo:
        size = self._logs.size(run, task)
        if not size:
            raise NoSuchKey.named(bucket, key)
        return ObjectInfo(
            key, size, time.time(), hashlib.md5(f"{key} {size}".encode(), usedforsecurity=False).hexdigest()
        )
