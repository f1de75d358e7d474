"""What is written down about a task, so that the truth survives any process: specification, claim, process, end.

The records lie apart from the container's directories, out of reach of a script that clears those away:

    <jobs>/<job id>/<task>/                     the container of the newest attempt
    <jobs>/.records/<job id>/<task>/            log and metrics of all attempts
    <jobs>/.records/<job id>/<attempt>/         specification of the attempt, request to stop it
    <jobs>/.records/<job id>/<attempt>/<task>/  claim, process, events, failure, end

Every record is one JSON file that appears complete or not at all; events are appended line by line.
A script can reach these files, too: what is read here is text that can be stored and numbers within bounds,
whatever the files hold.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args

from modelarts_emulator.execution.local.json_files import UnreadableFile, read, read_bytes, write, write_once
from modelarts_emulator.execution.local.process_tree import ProcessId
from modelarts_emulator.execution.protocol import FailureKind, TaskEvent, task_names

__all__ = [
    "FOLDER",
    "NOT_DELIVERED",
    "UNKNOWN",
    "Exit",
    "Start",
    "TaskPlace",
    "UnreadableFile",
    "add_event",
    "folder_id",
    "newest_attempt",
    "parse_event",
    "read",
    "read_claim",
    "read_exit",
    "read_failure",
    "read_new_events",
    "read_spec",
    "read_start",
    "write",
    "write_exit",
    "write_once",
]

FOLDER = ".records"
UNKNOWN = ProcessId(0, "unknown")
"""Stands for the process of a record that cannot be read: it never lives."""

NOT_DELIVERED = "outputs written since the last upload are not in object storage"
"""What the message of a task says that did not end by itself."""

MAX_NODES = 10_000
MAX_MESSAGE = 10_000
"""Characters of a message that are kept."""
MAX_EVENTS_BYTES = 1 << 20
"""Bytes of an attempt's events that are read; the controller writes a few hundred."""
LATEST_S = 4_102_444_800.0
"""2100-01-01: no time of a record is later."""
_MAX_RECORD_BYTES = 1 << 20
_MAX_PID = 1 << 31
_ALTERED = "the task's exit record was altered or damaged"
_ALTERED_EXIT_CODE = 1


@dataclass(frozen=True, slots=True)
class TaskPlace:
    """Where everything about one task of one attempt lies."""

    jobs: Path
    job_id: str
    attempt: int
    task: str

    @property
    def index(self) -> int:
        """The number of the task's node, from 0."""
        return int(self.task.rpartition("-")[2])

    @property
    def container(self) -> Path:
        """The root of the container's file system."""
        return self.jobs / self.job_id / self.task

    @property
    def _job(self) -> Path:
        return self.jobs / FOLDER / self.job_id

    @property
    def log(self) -> Path:
        """The log of all attempts."""
        return self._job / self.task / "task.log"

    @property
    def metrics(self) -> Path:
        """The metrics of all attempts, one line per period."""
        return self._job / self.task / "metrics.jsonl"

    @property
    def spec(self) -> Path:
        """What the attempt is to run; the same for all its tasks."""
        return self._job / str(self.attempt) / "spec.json"

    @property
    def stop(self) -> Path:
        """Exists if the attempt is to end; the same for all its tasks."""
        return self._job / str(self.attempt) / "stop"

    @property
    def folder(self) -> Path:
        """The folder of the records that follow."""
        return self._job / str(self.attempt) / self.task

    @property
    def claim(self) -> Path:
        """The one controller that the task ever has in this attempt."""
        return self.folder / "controller.json"

    @property
    def process(self) -> Path:
        """The user's process and when it started."""
        return self.folder / "process.json"

    @property
    def events(self) -> Path:
        """The task's events, a line each."""
        return self.folder / "events.jsonl"

    @property
    def failure(self) -> Path:
        """The failure that was injected last."""
        return self.folder / "failure.json"

    @property
    def exit(self) -> Path:
        """How the task ended."""
        return self.folder / "exit.json"

    @property
    def controller_log(self) -> Path:
        """What the controller itself prints: nothing, unless it fails."""
        return self.folder / "controller.log"

    def tasks(self, node_count: int) -> list[TaskPlace]:
        """The places of all tasks of this attempt."""
        return [TaskPlace(self.jobs, self.job_id, self.attempt, task) for task in task_names(node_count)]


def newest_attempt(jobs: Path, job_id: str) -> TaskPlace | None:
    """The first task of the newest attempt of which a specification is written down; None if there is none."""
    try:
        names = [path.name for path in (jobs / FOLDER / job_id).iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return None
    for attempt in sorted((int(name) for name in names if name.isdecimal()), reverse=True):
        place = TaskPlace(jobs, job_id, attempt, "worker-0")
        if place.spec.exists():
            return place
    return None


@dataclass(frozen=True, slots=True)
class Exit:
    """How a task ended: times in Unix seconds, the exit code as a shell counts it."""

    started_at: float | None
    ended_at: float
    exit_code: int
    message: str | None
    failure: FailureKind | None = None


@dataclass(frozen=True, slots=True)
class Start:
    """When the user's process started, in Unix seconds, and which one it is, if that is known."""

    started_at: float | None
    process: ProcessId | None


def read_spec(place: TaskPlace) -> dict[str, Any] | None:
    """The attempt's specification; None if there is none that can be read."""
    with suppress(UnreadableFile):
        value = read(place.spec)
        if value is not None and _node_count(value) is not None:
            return value
    return None


def _node_count(spec: Mapping[str, Any]) -> int | None:
    job = spec.get("job")
    count = job.get("node_count") if isinstance(job, dict) else None
    return count if type(count) is int and 0 < count <= MAX_NODES else None


def folder_id(place: TaskPlace) -> int:
    """What distinguishes the folder of the task's records from a copy of it, also after it was moved."""
    return place.folder.stat().st_ino


def _is_copy(place: TaskPlace, value: Mapping[str, Any]) -> bool:
    """Whether a record with a process is a copy: the process belongs to the emulator of another folder."""
    with suppress(FileNotFoundError):
        here = folder_id(place)
        return bool(value.get("folder_id", here) != here)
    return False


def read_claim(place: TaskPlace) -> ProcessId | None:
    """The task's controller, or None as long as none has claimed it.

    UNKNOWN, which never lives, if the record cannot be read, or is a copy.
    """
    try:
        value = read(place.claim, _MAX_RECORD_BYTES)
    except UnreadableFile:
        return UNKNOWN
    if value is None:
        return None
    return UNKNOWN if _is_copy(place, value) else _process(value) or UNKNOWN


def read_start(place: TaskPlace) -> Start | None:
    """The start of the user's process, or None as long as it has not started."""
    try:
        value = read(place.process, _MAX_RECORD_BYTES)
    except UnreadableFile:
        value = {}
    if value is None:
        return None
    process = None if _is_copy(place, value) else _process(value.get("process"))
    return Start(_time(value.get("started_at")), process)


def read_failure(place: TaskPlace) -> FailureKind | None:
    """The failure that was injected last, or None."""
    with suppress(UnreadableFile):
        if (value := read(place.failure, _MAX_RECORD_BYTES)) is not None:
            return _failure(value.get("kind"))
    return None


def write_exit(place: TaskPlace, end: Exit) -> bool:
    """Write down how the task ended; the first such record stands, False if there was one."""
    return write_once(place.exit, asdict(_exit(asdict(end), end.ended_at)))


def read_exit(place: TaskPlace) -> Exit | None:
    """How the task ended, or None as long as it has not."""
    try:
        value = read(place.exit, _MAX_RECORD_BYTES)
    except UnreadableFile as error:
        return Exit(None, _modified_at(place.exit), _ALTERED_EXIT_CODE, f"{_ALTERED}: {_text(str(error))}")
    return None if value is None else _exit(value, _modified_at(place.exit))


def _exit(value: Mapping[str, Any], default_end: float) -> Exit:
    ended_at = _time(value.get("ended_at"))
    if ended_at is None:
        ended_at = _time(default_end) or 0.0
    started_at = _time(value.get("started_at"))
    if started_at is not None:
        started_at = min(started_at, ended_at)
    code, message = value.get("exit_code"), value.get("message")
    if type(code) is not int or not 0 <= code <= 255:
        return Exit(started_at, ended_at, _ALTERED_EXIT_CODE, f"{_ALTERED}: exit_code is not a number from 0 to 255")
    text = None if message is None else _text(str(message))
    return Exit(started_at, ended_at, code, text, _failure(value.get("failure")))


def add_event(place: TaskPlace, event: TaskEvent) -> None:
    """Append the event; a reader sees all of it or nothing."""
    line = json.dumps(asdict(event)) + "\n"
    file = os.open(place.events, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(file, line.encode("ascii"))
    finally:
        os.close(file)


def read_new_events(place: TaskPlace, offset: int) -> tuple[int, list[TaskEvent]]:
    """The events from the offset on, oldest first, and the offset of those that are yet to come."""
    size = max(0, MAX_EVENTS_BYTES - offset)
    try:
        data = read_bytes(place.events, size, offset) or b""
    except UnreadableFile:
        return offset, []
    complete = data[: data.rfind(b"\n") + 1]
    events = [event for line in complete.split(b"\n") if (event := parse_event(line)) is not None]
    return offset + len(complete), events


def parse_event(line: bytes) -> TaskEvent | None:
    """The event of a complete line, or None if the line is not an event."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    moment = _time(value.get("time")) if isinstance(value, dict) else None
    if moment is None or not isinstance(message := value.get("message"), str):
        return None
    source: Literal["K8S", "Task"] = "K8S" if value.get("source") == "K8S" else "Task"
    level = value.get("level") if value.get("level") in ("Info", "Warning", "Error") else "Info"
    return TaskEvent(moment, _text(message), source, cast(Literal["Info", "Warning", "Error"], level))


def _text(text: str) -> str:
    """The text as it can be stored: what is not Unicode is written with backslashes, what is too long is cut off."""
    kept = text.encode(errors="backslashreplace").decode()
    return kept if len(kept) <= MAX_MESSAGE else f"{kept[:MAX_MESSAGE]} ..."


def _time(value: object) -> float | None:
    """The time in Unix seconds, from 1970 to 2100, or None if it is not one."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LATEST_S:
        return None
    return float(value)


def _modified_at(path: Path) -> float:
    """When the file was last modified, in Unix seconds; now, if that is not known."""
    with suppress(OSError):
        if (moment := _time(path.stat().st_mtime)) is not None:
            return moment
    return time.time()


def _process(value: object) -> ProcessId | None:
    if not isinstance(value, dict):
        return None
    pid, start_id = value.get("pid"), value.get("start_id")
    if type(pid) is not int or not 0 < pid < _MAX_PID or not isinstance(start_id, str):
        return None
    return ProcessId(pid, start_id)


def _failure(value: object) -> FailureKind | None:
    return cast(FailureKind, value) if isinstance(value, str) and value in get_args(FailureKind) else None
