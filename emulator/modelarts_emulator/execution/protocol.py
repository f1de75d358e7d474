"""What it means to run a job: the specification that goes in, the reports that come out, and the protocol between.

An executor of jobs implements `Executor`; the supervisor knows nothing else about execution.
`docs/adding-an-executor.md` shows how.
It and `devices` import the standard library only, because every task's controller process also imports them.
"""

from __future__ import annotations

import re
import signal
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from modelarts_emulator.execution.devices import Device as Device  # a part of the protocol
from modelarts_emulator.execution.devices import devices_from_json

FAILED = 1
"""The exit code of a task whose program was not started, or whose outputs were not delivered."""
STOPPED = 128 + signal.SIGTERM
"""The exit code of a task that was asked to end."""
KILLED = 128 + signal.SIGKILL
"""The exit code of a task that was killed, or whose end nobody saw."""
METRICS = ("cpuUsage", "memUsage", "npuUtil", "npuMemUsage", "gpuUtil", "gpuMemUsage")
"""The values of `usage`, in percent."""
PYTHON = "emulator/python"
"""The annotation that names a job's Python: the absolute path of a program."""
NOT_MEASURED = -1.0
"""The documented value of a metric where nothing was measured."""
LOG_CHUNK_BYTES = 1 << 20
"""What `logs` returns at most, unless it is asked for less."""

_JOB_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")

TaskState = Literal["queued", "preparing", "running", "ended"]

AccessMethod = Literal["parameter", "env"]
"""How a script gets the directory of a channel."""

FailureKind = Literal["preempted", "node_lost", "out_of_memory"]
"""A failure that is not caused by the task's own program."""


@dataclass(frozen=True, slots=True)
class Channel:
    """One input or output of a job: where it is in object storage and where the script sees it.

    `local_dir` is the directory as documented (`/home/ma-user/...`); None asks for the documented default.
    The script gets it as the parameter `--name=...`, or as an environment variable of that name.
    The folder of an output begins with what lies at `obs_url` if `prefetch_to_local`, and empty otherwise.
    """

    name: str
    obs_url: str
    local_dir: str | None = None
    access_method: AccessMethod = "parameter"
    prefetch_to_local: bool = False


@dataclass(frozen=True, slots=True)
class Resources:
    """What each node of a job is to have; None where the flavor does not say."""

    flavor_id: str = ""
    cpu_cores: float | None = None
    memory_bytes: int | None = None
    gpu_count: int = 0
    npu_count: int = 0

    @property
    def devices(self) -> tuple[str, int]:
        """Of which kind and how many accelerators there are; no kind without any."""
        counts = {"gpu": self.gpu_count, "npu": self.npu_count}
        return next(((kind, count) for kind, count in counts.items() if count), ("", 0))


@dataclass(frozen=True, slots=True)
class JobSpec:
    """Everything that is needed to run a job, and nothing that must be looked up again.

    Either `boot_file` (below `code_dir`) or `command` is set.
    `service_environments` is what the platform adds for every job (`MA_APIGW_ENDPOINT`, `S3_ENDPOINT`, ...);
    it has keys, and is not shown. `environments` is what the user asked for, and it wins.
    `attempt` counts from 0; a job that the platform restarts is started again with the next number.
    `engine` has the preset engine's `engine_name`, `engine_version` and `engine_id`, or a custom image's `image_url`;
    `annotations` are the user's own.
    `parameters_as_variables` says that `parameters` are environment variables and not arguments, as in version 1 for a
    custom image.
    `resources` are those of each of the `node_count` nodes.
    `variable_aliases` are second names of the platform's variables, each with the variable that it stands for.
    `priority` is 1 to 3, 3 first. `max_duration_s` is how long the attempt may run, None for any time; the emulator
    stops it then, and an engine with limits of its own should do so soon after.
    `account_id` is the account of the job: buckets of another account are neither read nor written.
    `devices` are, for each node, the accelerators that its task gets, and no others; None if the emulator gives none
    out, because the machine has none, or because the executor has a queue of its own.
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
    parameters_as_variables: bool = False
    inputs: tuple[Channel, ...] = ()
    outputs: tuple[Channel, ...] = ()
    environments: Mapping[str, str] | None = None
    log_export_url: str | None = None
    service_environments: Mapping[str, str] | None = field(default=None, repr=False)
    attempt: int = 0
    engine: Mapping[str, str] | None = None
    annotations: Mapping[str, str] | None = None
    resources: Resources = Resources()
    variable_aliases: Mapping[str, str] | None = None
    priority: int = 1
    max_duration_s: float | None = None
    account_id: str = ""
    devices: tuple[tuple[Device, ...], ...] | None = None

    @property
    def python(self) -> str | None:
        """The Python that the job itself names; None if it takes the one of its engine."""
        return (self.annotations or {}).get(PYTHON)


def is_job_id(job_id: str) -> bool:
    """Whether the id can be the name of a folder, because executors make folders of ids."""
    return _JOB_ID.fullmatch(job_id) is not None


def check_job_id(job_id: str) -> None:
    """Raise ValueError unless the id can be the name of a folder."""
    if not is_job_id(job_id):
        raise ValueError(f"{job_id!r} cannot be a job's id: use letters, digits, '-' and '_'")


def spec_to_json(job: JobSpec) -> dict[str, Any]:
    """The specification as plain JSON values."""
    value = _fields(job)
    for name in ("environments", "service_environments"):
        value[name] = dict(getattr(job, name) or {})
    for name in ("inputs", "outputs"):
        value[name] = tuple(map(_fields, getattr(job, name)))
    value["resources"] = _fields(job.resources)
    if job.devices is not None:
        value["devices"] = [[_fields(device) for device in own] for own in job.devices]
    return value


def _fields(item: Any) -> dict[str, Any]:
    """What `dataclasses.asdict` gives, without copying the values, which takes most of its time."""
    return {name: getattr(item, name) for name in item.__dataclass_fields__}


def spec_from_json(value: Mapping[str, Any]) -> JobSpec:
    """The specification that `spec_to_json` wrote."""
    members = dict(value)
    members["parameters"] = tuple((name, text) for name, text in members["parameters"])
    members["inputs"] = tuple(Channel(**channel) for channel in members["inputs"])
    members["outputs"] = tuple(Channel(**channel) for channel in members["outputs"])
    members["resources"] = Resources(**members.get("resources", {}))
    if (devices := members.get("devices")) is not None:
        members["devices"] = devices_from_json(devices)
    return JobSpec(**members)


@dataclass(frozen=True, slots=True)
class TaskEvent:
    """Something that a task did, for the events of its job; `time` in Unix seconds."""

    time: float
    message: str
    source: Literal["K8S", "Task"] = "Task"
    level: Literal["Info", "Warning", "Error"] = "Info"


@dataclass(frozen=True, slots=True)
class TaskReport:
    """How one task (`worker-0`, ...) of the job's newest attempt is doing; times are Unix seconds.

    `queued` waits for room at an executor that has a queue of its own, `preparing` is fetching code and inputs.
    `started_at` is when the user's process started: None if it never did.
    `exit_code` follows the shell: 128 + n for a process that signal n ended.
    `message` says why a task ended, where the exit code alone does not.
    `failure` is the failure that ended the task.
    `events` are all of this attempt so far, oldest first; later reports only add to them.
    """

    task: str
    state: TaskState
    started_at: float | None = None
    ended_at: float | None = None
    exit_code: int | None = None
    message: str | None = None
    attempt: int = 0
    failure: FailureKind | None = None
    events: tuple[TaskEvent, ...] = ()


PollResult = Mapping[str, Sequence[TaskReport] | Exception]
"""By handle, the reports of all tasks in order, or why a job's state cannot be read now. Unknown jobs are absent."""


class Executor(ABC):
    """Runs jobs. An implementation inherits from this class, and with it what is optional.

    A job's handle is its `job_id`, so that a caller that was killed before it could store a handle still knows it; what
    an engine calls the job is the executor's business. No method waits for a task to start, to end or to react.
    `poll`, `logs`, `log_size`, `log_file` and `usage` only read. All methods may be called from any thread.
    """

    owns_queue: bool = False
    """Whether jobs may wait here: then all are submitted at once, and `queued` tasks wait for the executor's room."""

    @abstractmethod
    def submit(self, spec: JobSpec) -> str:
        """Start every task of this attempt, unless it was started before, even before a crash; returns the handle.

        The attempt before it must have ended. The log continues where that attempt ended.
        Raises ValueError for a specification that cannot be run here.
        """

    @abstractmethod
    def poll(self, handles: Collection[str]) -> PollResult:
        """Report on all these jobs at once; an error of one is its result, and is not raised."""

    @abstractmethod
    def cancel(self, handle: str) -> None:
        """Ask every task of the job to end: SIGTERM to all its processes, SIGKILL after a grace time."""

    @abstractmethod
    def delete(self, handles: Collection[str]) -> Mapping[str, Exception]:
        """End the processes of these jobs at once and delete their files; the errors by handle.

        Nothing happens for unknown jobs.
        """

    def logs(self, handle: str, task: str, offset: int = 0, max_bytes: int = LOG_CHUNK_BYTES) -> bytes:
        """The task's log, of all attempts, from this byte on; empty at its end.

        This implementation reads `log_file`; an executor without log files overrides it. Raises KeyError for a task
        that the job cannot have.
        """
        if (path := self.log_file(handle, task)) is None:
            raise NotImplementedError
        try:
            with path.open("rb") as stream:
                stream.seek(offset)
                return stream.read(max_bytes)
        except FileNotFoundError:
            return b""

    def usage(self, handle: str, task: str) -> dict[str, list[float]] | None:
        """One value per period and metric, oldest first; None before the first. Raises KeyError as `logs`."""
        self.logs(handle, task, 0, 1)
        return None

    # Optional, and right as they are for executors that need none of it.

    def advance(self, handles: Collection[str]) -> Mapping[str, Exception]:  # noqa: ARG002
        """Do what is due for these jobs now, such as repairing what a crash interrupted; the errors by handle."""
        return {}

    def changed_jobs(self) -> Collection[str] | None:
        """The jobs that may have something new to report since the last call; None if any job may."""
        return None

    def forget(self) -> None:
        """Drop cached state, because another process may have run the jobs in the meantime."""
        return

    def log_size(self, handle: str, task: str) -> int:
        """The bytes that the task's log has now. Raises KeyError as `logs`."""
        if (path := self.log_file(handle, task)) is not None:
            return path.stat().st_size if path.exists() else 0
        size = 0
        while chunk := self.logs(handle, task, size):
            size += len(chunk)
        return size

    def log_file(self, handle: str, task: str) -> Path | None:  # noqa: ARG002
        """The file on this machine that the log is written to, if there is one. Raises KeyError as `logs`."""
        return None

    def inject_fault(self, handle: str, task: str, kind: FailureKind) -> bool:
        """Cause this failure of the task, for tests of what follows; False if the task has ended.

        Raises KeyError as `logs`, and FailureInjectionError for a failure that cannot be caused here.
        """
        self.logs(handle, task, 0, 1)
        raise FailureInjectionError(
            f"the executor {type(self).__name__} cannot cause the failure {kind}: start the emulator with another"
            " --executor, such as simulated"
        )

    def close(self) -> None:
        """Release what this process holds; jobs continue."""
        return


class FailureInjectionError(ValueError):
    """This failure cannot be caused here; the message names the remedy."""


def for_each(handles: Iterable[str], action: Callable[[str], Any]) -> dict[str, Exception]:
    """Run the action for every job, even if it fails for others; returns the errors by handle."""
    errors: dict[str, Exception] = {}
    for handle in handles:
        try:
            action(handle)
        except Exception as error:
            errors[handle] = error
    return errors


def service_line(message: str, at: float, level: str = "INFO") -> str:
    """A line of the service in a task's log, in local time as the service prints it; `at` in Unix seconds."""
    moment = datetime.fromtimestamp(at).astimezone()
    return f"[ModelArts Service Log][{level}][{moment:%Y/%m/%d %H:%M:%S},{moment.microsecond // 1000:03d}]: {message}"


def task_names(node_count: int) -> list[str]:
    """`worker-0` to `worker-(n-1)`, as the service names a job's tasks."""
    return [f"worker-{index}" for index in range(node_count)]
