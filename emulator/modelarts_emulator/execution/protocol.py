"""What it means to run a job: the specification that goes in, the reports that come out, and the protocol between.

Whoever executes jobs implements `Executor`; the supervisor knows nothing else about execution.
This module imports the standard library only, because every task's controller process imports it, too.
"""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

__all__ = [
    "KILLED",
    "STOPPED",
    "Channel",
    "Disturbance",
    "Executor",
    "JobSpec",
    "Note",
    "TaskReport",
    "TaskState",
    "task_names",
]

STOPPED = 128 + signal.SIGTERM
"""The exit code of a task that was asked to end."""
KILLED = 128 + signal.SIGKILL
"""The exit code of a task that vanished."""

TaskState = Literal["preparing", "running", "ended"]

Disturbance = Literal["preempted", "hung", "node_lost", "disk_full"]
"""What can befall a task that is not its own doing."""


@dataclass(frozen=True, slots=True)
class Channel:
    """One input or output of a job: where it is in object storage and where the script sees it.

    `local_dir` is the directory as documented (`/home/ma-user/...`); None asks for the documented default.
    """

    name: str
    obs_url: str
    local_dir: str | None = None


@dataclass(frozen=True, slots=True)
class JobSpec:
    """Everything that is needed to run a job, and nothing that must be looked up again.

    Either `boot_file` (below `code_dir`) or `command` is set.
    `service_environments` is what the platform adds for every job (`MA_APIGW_ENDPOINT`, `S3_ENDPOINT`, ...);
    `environments` is what the user asked for, and it wins.
    `attempt` counts from 0; a job that the platform restarts is started again with the next number.
    `engine` is the preset engine's name, version and id, if it has one; `annotations` are the user's own.
    `search` is the job's `auto_search` policy, for a job that searches hyperparameters.
    """

    job_id: str
    name: str
    node_count: int = 1
    code_dir: str | None = None
    boot_file: str | None = None
    command: str | None = None
    local_code_dir: str | None = None
    working_dir: str | None = None
    parameters: tuple[tuple[str, str], ...] = ()
    inputs: tuple[Channel, ...] = ()
    outputs: tuple[Channel, ...] = ()
    environments: Mapping[str, str] | None = None
    log_export_url: str | None = None
    service_environments: Mapping[str, str] | None = None
    attempt: int = 0
    engine: Mapping[str, str] | None = None
    annotations: Mapping[str, str] | None = None
    search: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """Something that a task did, as the events of its job tell it; `time` in Unix seconds."""

    time: float
    message: str
    source: Literal["K8S", "Task"] = "Task"
    level: Literal["Info", "Warning", "Error"] = "Info"


@dataclass(frozen=True, slots=True)
class TaskReport:
    """How one task (`worker-0`, ...) of the job's newest attempt is doing; times are Unix seconds.

    `started_at` is when the user's process started: None if it never did.
    `exit_code` follows the shell: 128 + n for a process that signal n ended.
    `message` says why a task ended, where the exit code alone does not.
    `disturbance` is what befell the task, if anything did: of a running task, that it hangs.
    `notes` are all of this attempt so far, oldest first; there are only ever more of them.
    """

    task: str
    state: TaskState
    started_at: float | None = None
    ended_at: float | None = None
    exit_code: int | None = None
    message: str | None = None
    attempt: int = 0
    disturbance: Disturbance | None = None
    notes: tuple[Note, ...] = ()


class Executor(Protocol):
    """Runs jobs. Every method is quick: none waits for a task to start, to end or to obey."""

    def start(self, job: JobSpec) -> None:
        """Start every task of this attempt that was never started before, also before a crash of this process.

        The attempt before it must have ended; its log goes on in the same file.
        """

    def poll(self, job_id: str) -> list[TaskReport]:
        """Report every task, in order; an empty list if the job is unknown here."""

    def stop(self, job_id: str) -> None:
        """Ask every task to end: SIGTERM to all its processes, SIGKILL after a grace time."""

    def disturb(self, job_id: str, task: str, disturbance: Disturbance) -> bool:
        """Let this befall a task, for tests of what comes after; False if the task has ended.

        Raises KeyError as `log_path`, and ValueError for a disturbance that cannot be caused here.
        """

    def remove(self, job_id: str) -> None:
        """Make everything of the job disappear: its processes at once and its files."""

    def log_path(self, job_id: str, task: str) -> Path:
        """Where the task's log, of all attempts, is or will be; raises KeyError for a task that the job cannot have."""

    def metrics(self, job_id: str, task: str) -> dict[str, list[float]] | None:
        """One value per period and metric, oldest first; None until there is a first value."""


def task_names(node_count: int) -> list[str]:
    """`worker-0` to `worker-(n-1)`, as the service names a job's tasks."""
    return [f"worker-{index}" for index in range(node_count)]
