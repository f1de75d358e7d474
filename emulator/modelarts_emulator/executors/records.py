"""What is written down about a task, so that the truth survives any process: specification, claim, process, end.

A task's folder is `<jobs>/<job_id>/<task>/`; the job's specification lies above it.
Every record is one JSON file that appears complete or not at all.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from . import Channel, JobSpec

SPEC = "spec.json"
STOP = "stop"
CLAIM = "controller.json"
PROCESS = "process.json"
EXIT = "exit.json"
METRICS = "metrics.jsonl"
LOG = "task.log"
CONTROLLER_LOG = "controller.log"

IN_TASK = frozenset({CLAIM, PROCESS, EXIT, METRICS, LOG, CONTROLLER_LOG})
"""What lies in a task's folder beside the container's directories."""


@dataclass(frozen=True, slots=True)
class Exit:
    """How a task ended: times in Unix seconds, the exit code as a shell counts it."""

    started_at: float | None
    ended_at: float
    exit_code: int
    message: str | None


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
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    # Environment variables of a job may be secrets: nobody else reads these files.
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
        json.dump(value, stream)
        stream.flush()
        os.fsync(stream.fileno())
    return draft


def write_exit(task_dir: Path, end: Exit) -> bool:
    """Write down how the task ended; the first such record stands, False if there was one."""
    return write_once(task_dir / EXIT, asdict(end))


def read_exit(task_dir: Path) -> Exit | None:
    """How the task ended, or None as long as it has not."""
    value = read(task_dir / EXIT)
    return None if value is None else Exit(**value)


def spec_to_json(job: JobSpec) -> dict[str, Any]:
    """The specification as plain JSON values."""
    value = asdict(job)
    value["environments"] = dict(job.environments or {})
    value["service_environments"] = dict(job.service_environments or {})
    return value


def spec_from_json(value: Mapping[str, Any]) -> JobSpec:
    """The specification that `spec_to_json` wrote."""
    members = dict(value)
    members["parameters"] = tuple((name, text) for name, text in members["parameters"])
    members["inputs"] = tuple(Channel(**channel) for channel in members["inputs"])
    members["outputs"] = tuple(Channel(**channel) for channel in members["outputs"])
    return JobSpec(**members)
