"""What is written down about a task, so that the truth survives any process: specification, claim, process, end.

The records lie apart from the container's directories, out of reach of a script that clears those away:

    <jobs>/<job id>/<task>/                     the container of the newest attempt
    <jobs>/.records/<job id>/<task>/            log and metrics of all attempts
    <jobs>/.records/<job id>/<attempt>/         specification of the attempt, wish to stop it
    <jobs>/.records/<job id>/<attempt>/<task>/  claim, process, notes, disturbance, end

Every record is one JSON file that appears complete or not at all; notes are appended line by line.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from . import Channel, Disturbance, JobSpec, Note, task_names

FOLDER = ".records"


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
    def notes(self) -> Path:
        """What the controller tells of its doing, a line each."""
        return self.folder / "notes.jsonl"

    @property
    def disturbance(self) -> Path:
        """What has befallen the task last."""
        return self.folder / "disturbance.json"

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
    disturbance: Disturbance | None = None


def write(path: Path, value: Mapping[str, Any]) -> None:
    """Write the record; a reader sees the old one or the new one, never a part."""
    draft = _draft(path, value)
    draft.replace(path)


def write_once(path: Path, value: Mapping[str, Any]) -> bool:
    """Write the record unless there is one; False if there is. Of several writers exactly one gets True."""
    draft = _draft(path, value)
    try:
        os.link(draft, path)
    except FileExistsError:
        return False
    finally:
        draft.unlink()
    return True


def read(path: Path) -> dict[str, Any] | None:
    """The record, or None if there is none."""
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    value: dict[str, Any] = json.loads(text)
    return value


def _draft(path: Path, value: Mapping[str, Any]) -> Path:
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    # Environment variables of a job may be secrets: nobody else reads these files.
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
        json.dump(value, stream)
        stream.flush()
        os.fsync(stream.fileno())
    return draft


def read_disturbance(place: TaskPlace) -> Disturbance | None:
    """What has befallen the task last, or None."""
    value = read(place.disturbance)
    return None if value is None else value["kind"]


def write_exit(place: TaskPlace, end: Exit) -> bool:
    """Write down how the task ended; the first such record stands, False if there was one."""
    return write_once(place.exit, asdict(end))


def read_exit(place: TaskPlace) -> Exit | None:
    """How the task ended, or None as long as it has not."""
    value = read(place.exit)
    return None if value is None else Exit(**value)


def add_note(place: TaskPlace, note: Note) -> None:
    """Append the note; a reader sees all of it or nothing."""
    line = json.dumps(asdict(note)) + "\n"
    file = os.open(place.notes, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(file, line.encode("ascii"))
    finally:
        os.close(file)


def parse_note(line: bytes) -> Note:
    """The note of a complete line."""
    return Note(**json.loads(line))


def spec_to_json(job: JobSpec) -> dict[str, Any]:
    """The specification as plain JSON values."""
    value = asdict(job)
    for name in ("environments", "service_environments"):
        value[name] = dict(getattr(job, name) or {})
    return value


def spec_from_json(value: Mapping[str, Any]) -> JobSpec:
    """The specification that `spec_to_json` wrote."""
    members = dict(value)
    members["parameters"] = tuple((name, text) for name, text in members["parameters"])
    members["inputs"] = tuple(Channel(**channel) for channel in members["inputs"])
    members["outputs"] = tuple(Channel(**channel) for channel in members["outputs"])
    return JobSpec(**members)
