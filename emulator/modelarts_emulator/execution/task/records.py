"""The records of a task, which outlive every process: specification, claim, process, end.

The records lie apart from the container's directories, out of reach of a script that clears those away:

    <jobs>/<job id>/<task>/                     the container of the newest attempt
    <jobs>/.records/<job id>/<task>/            log and metrics of all attempts
    <jobs>/.records/<job id>/<attempt>/         specification of the attempt, request to stop it
    <jobs>/.records/<job id>/<attempt>/<task>/  claim, process, events, failure, end, room for the end

Every record is one JSON file that appears complete or not at all; events are appended line by line.
A script can also change these files. A damaged exit record counts as exit code 1; any other damaged record counts as
missing.
"""

from __future__ import annotations

import json
import math
import os
import stat
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from modelarts_emulator.execution.protocol import FailureKind, JobSpec, TaskEvent, spec_from_json, task_names
from modelarts_emulator.execution.task.process_tree import ProcessId
from modelarts_emulator.storage.files import create_file, open_regular, replace_file, sync_folder

FOLDER = ".records"
NOT_DELIVERED = "outputs written since the last upload are not in object storage"
"""A part of the message of every task that did not end by itself."""

EXIT_BYTES = 8192
"""Room that is kept for the record of a task's end."""
MAX_EVENTS_BYTES = 1 << 20
"""Bytes of an attempt's events that are read; the controller writes a few hundred."""


class _File:
    """A file in the folder of a task's records."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, place: TaskPlace, _class: type[TaskPlace]) -> Path:
        return place.folder / self._name


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

    claim = _File("controller.json")
    """The task's controller; a task has only one in each attempt."""
    process = _File("process.json")
    """The user's process and when it started."""
    events = _File("events.jsonl")
    """The task's events, a line each."""
    failure = _File("failure.json")
    """The failure that was injected last."""
    exit = _File("exit.json")
    """How the task ended."""
    room = _File("exit.room")
    """A file whose place on the disk is kept for the record of the end."""
    controller_log = _File("controller.log")
    """What the controller itself prints: nothing, unless it fails."""

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


def write(path: Path, value: Mapping[str, Any]) -> None:
    """Make or replace the record; raises OSError and leaves the old one and no draft if that fails."""
    replace_file(path, json.dumps(value).encode())


def write_once(path: Path, value: Mapping[str, Any]) -> bool:
    """Make the record unless it exists; False if it does. Of several writers exactly one gets True."""
    return create_file(path, json.dumps(value).encode())


def read(path: Path) -> dict[str, Any] | None:
    """The record, or None without one; empty if it was altered and cannot be read."""
    try:
        with open_regular(path) as stream:
            value = json.loads(stream.read())
    except FileNotFoundError:
        return {} if _is_in_the_way(path) else None
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _is_in_the_way(path: Path) -> bool:
    """Whether something other than a file is there; asked once, because the file may come at any moment."""
    try:
        return not stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def read_bytes(path: Path, max_bytes: int, offset: int = 0) -> bytes:
    """At most this many bytes of the file from the offset on; none without a file."""
    try:
        with open_regular(path) as stream:
            stream.seek(offset)
            return stream.read(max_bytes)
    except FileNotFoundError:
        return b""


class AttemptSpec(NamedTuple):
    """What an attempt runs, and the settings of its controllers."""

    job: JobSpec
    settings: dict[str, Any]


def read_spec(place: TaskPlace) -> AttemptSpec | None:
    """The attempt's specification; None if none can be read."""
    spec = read(place.spec)
    try:
        found = AttemptSpec(spec_from_json(spec["job"]), spec["settings"]) if spec else None
        return found if found and found.job.node_count > 0 else None
    except (LookupError, TypeError, ValueError, AttributeError):
        return None


def read_claim(place: TaskPlace) -> ProcessId | None:
    """The task's controller, or None as long as none has claimed it."""
    value = read(place.claim)
    return None if value is None else _process(value) or ProcessId(0, "unknown")


def read_start(place: TaskPlace) -> Start | None:
    """The start of the user's process, or None as long as it has not started."""
    value = read(place.process)
    if value is None:
        return None
    started_at = value.get("started_at")
    return Start(started_at if _is_number(started_at) else None, _process(value.get("process")))


def _process(value: Any) -> ProcessId | None:
    """The process that a record names, if it does."""
    pid, start_id = (value.get("pid"), value.get("start_id")) if isinstance(value, dict) else (None, None)
    return ProcessId(pid, start_id) if isinstance(pid, int) and pid > 0 and isinstance(start_id, str) else None


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and math.isfinite(value)


def read_failure(place: TaskPlace) -> FailureKind | None:
    """The failure that was injected last, or None."""
    return (read(place.failure) or {}).get("kind")


def write_exit(place: TaskPlace, end: Exit) -> bool:
    """Write down how the task ended; the first such record stands, False if there was one."""
    return write_once(place.exit, asdict(end))


def reserve_exit(place: TaskPlace) -> None:
    """Keep room for the record of the task's end, which has to be written also when the disk is full."""
    with suppress(OSError):
        place.room.write_bytes(b" " * EXIT_BYTES)


def write_reserved_exit(place: TaskPlace, end: Exit) -> bool:
    """As `write_exit`, by the task's controller, which has reserved the room."""
    try:
        with place.room.open("r+b") as stream:
            stream.write(json.dumps(asdict(end)).encode().ljust(EXIT_BYTES))
            stream.flush()
            os.fsync(stream.fileno())
        place.exit.hardlink_to(place.room)
    except FileExistsError:
        return False
    except OSError:  # nothing was reserved
        return write_exit(place, end)
    finally:
        with suppress(OSError):
            place.room.unlink()
    sync_folder(place.folder)
    return True


def exit_now(place: TaskPlace, code: int, message: str, failure: FailureKind | None = None) -> Exit:
    """The record of a task that ends now; its start is the recorded one."""
    start = read_start(place)
    return Exit(start.started_at if start else None, time.time(), code, message, failure)


def have_ended(places: Iterable[TaskPlace]) -> bool:
    """Whether all these tasks have exit records."""
    return all(place.exit.exists() for place in places)


def read_exit(place: TaskPlace) -> Exit | None:
    """How the task ended, or None as long as it has not."""
    if (value := read(place.exit)) is None:
        return None
    with suppress(LookupError, TypeError):
        times = [value["ended_at"], value["started_at"]]
        is_whole = type(value["exit_code"]) is int and isinstance(value["message"], str | None)
        if is_whole and _is_number(times[0]) and (times[1] is None or _is_number(times[1])):
            return Exit(**value)
    return Exit(None, place.exit.lstat().st_mtime, 1, "the task's exit record was altered or damaged")


def add_event(place: TaskPlace, event: TaskEvent) -> None:
    """Append the event; a reader sees all of it or nothing."""
    line = json.dumps(asdict(event)) + "\n"
    file = os.open(place.events, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(file, line.encode("ascii"))
    finally:
        os.close(file)


def read_events(place: TaskPlace) -> tuple[TaskEvent, ...]:
    """All events so far, oldest first, without one that is being written."""
    events = []
    for line in read_bytes(place.events, MAX_EVENTS_BYTES).split(b"\n")[:-1]:
        with suppress(TypeError, ValueError, RecursionError):
            events.append(TaskEvent(**json.loads(line)))
    return tuple(events)
