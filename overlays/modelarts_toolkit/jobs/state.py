"""The parts of a job that workflows read; the response may lack any of them."""

import re
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from modelarts_api.phases import (
    COMPLETED,
    FAILED,
    PHASES_OF_STATUSES,
    RUNNING,
    STATUS_NAMES,
    TERMINAL_PHASES,
    TERMINATED,
    Phase,
)
from modelarts_runtime.model import Model
from modelarts_runtime.views import StatusNumberView

if TYPE_CHECKING:
    from modelarts_api.v2.models import TrainingJob

__all__ = ["COMPLETED", "FAILED", "RUNNING", "TERMINAL_PHASES", "TERMINATED", "JobState", "Phase"]

# Version 1: the phase for each name of a status.
PHASE_OF_STATUS: Mapping[str, str] = {STATUS_NAMES[number]: phase for number, phase in PHASES_OF_STATUSES.items()}
_PLAIN_FAILURE = STATUS_NAMES[11]

# A message of the platform about a task that adds nothing to its exit code.
_REPEATS_EXIT_CODE = re.compile(
    r"(killed|(ended|exit(ed)?|terminated) (by|with) (signal|exit code|code)? *\w+)\.?", re.IGNORECASE
)
# A task that ended because another one had failed.
_STOPPED_WITH_OTHERS = "stopped because"


@dataclass(frozen=True, slots=True)
class JobState:
    """A job's identity and state; None or empty if the response has no value.

    In version 1 of the API, the secondary phase is the name of the status.
    """

    id: str | None
    name: str | None
    phase: str | None
    secondary_phase: str | None
    tasks: tuple[str, ...]
    exit_codes: dict[str, int]
    messages: dict[str, str]
    end_related_task: str | None = None  # the task that ended the last attempt

    @classmethod
    def of(cls, job: "TrainingJob | StatusNumberView") -> "JobState":
        if isinstance(job, StatusNumberView):
            return cls._of_version(job)
        records = models_at(job, "status", "running_records")
        statuses = {str(value_at(status, "task")): status for status in models_at(job, "status", "task_statuses")}
        codes = {task: value_at(status, "exit_code") for task, status in statuses.items()}
        return cls(
            id=text_at(job, "metadata", "id"),
            name=text_at(job, "metadata", "name"),
            phase=text_at(job, "status", "phase"),
            secondary_phase=text_at(job, "status", "secondary_phase"),
            tasks=tuple(map(str, values_at(job, "status", "tasks"))),
            exit_codes={task: code for task, code in codes.items() if isinstance(code, int)},
            messages={task: str(text) for task, status in statuses.items() if (text := value_at(status, "message"))},
            end_related_task=text_at(records[-1], "end_related_task") if records else None,
        )

    @classmethod
    def _of_version(cls, version: StatusNumberView) -> "JobState":
        ids = (value_at(version, "job_id"), value_at(version, "version_id"))
        names = (value_at(version, "job_name"), value_at(version, "version_name"))
        return cls(
            id="/".join(str(each) for each in ids if each is not None) or None,
            name="/".join(str(each) for each in names if each) or None,
            phase=PHASE_OF_STATUS.get(version.status_name, version.status_name),
            secondary_phase=version.status_name,
            tasks=(),
            exit_codes={},
            messages={},
        )

    @property
    def is_version(self) -> bool:
        """Whether this is a version of a job of version 1."""
        return self.secondary_phase in STATUS_NAMES.values()

    @property
    def failure_kind(self) -> str:
        """The phase or status, if it says more than that the job failed; else empty."""
        if self.is_version:
            return "" if self.secondary_phase == _PLAIN_FAILURE else f"status {self.secondary_phase}"
        return "" if self.phase == FAILED else f"phase {self.phase}"

    @property
    def is_ended(self) -> bool:
        return self.phase in TERMINAL_PHASES

    @property
    def failed_task(self) -> str:
        """The task that failed first, whose log explains the failure.

        The last attempt's record names it. Without that, it is the first task with a bad exit code that was not stopped
        because of another task, or else the first task.
        """
        failed = [task for task, code in self.exit_codes.items() if code]
        first = [task for task in failed if not self.messages.get(task, "").startswith(_STOPPED_WITH_OTHERS)]
        return next((task for task in (self.end_related_task, *first, *failed, *self.tasks) if task), "worker-0")

    @property
    def explanation(self) -> str:
        """The tasks' exit codes and messages, beginning with the task that failed first; each fact once."""
        tasks = sorted({**self.exit_codes, **self.messages}, key=lambda task: task != self.failed_task)
        return "; ".join(filter(None, map(self._explain, tasks)))

    def _explain(self, task: str) -> str:
        code, message = self.exit_codes.get(task), self.messages.get(task, "")
        if not code:
            return f"{task}: {message}" if message else ""
        name = _signal_name(code)
        text = f"{task} was killed (exit code {code}, {name})" if name else f"{task} ended with exit code {code}"
        if message and not _REPEATS_EXIT_CODE.fullmatch(message):
            return f"{text}: {message}"
        return text

    def __str__(self) -> str:
        return f'job "{self.name}" ({self.id})' if self.name else f"job {self.id}"


def _signal_name(exit_code: int) -> str:
    """Return the signal of an exit code 128 + n, as shells report it; "" for any other."""
    try:
        return signal.Signals(exit_code - 128).name
    except ValueError:
        return ""


def value_at(model: object, *path: str) -> object:
    """Return the value at a path of fields in a response; None if a field is missing."""
    for name in path:
        model = getattr(model, name, None) if isinstance(model, Model) else None
    return model


def text_at(model: object, *path: str) -> str | None:
    """Return the text at a path; None for anything else."""
    found = value_at(model, *path)
    return found if isinstance(found, str) else None


def values_at(model: object, *path: str) -> list[object]:
    """Return the entries of a list at a path; empty if it is missing or something else."""
    found = value_at(model, *path)
    return found if isinstance(found, list) else []


def models_at(model: object, *path: str) -> list[Model]:
    """Return the objects in a list at a path."""
    return [entry for entry in values_at(model, *path) if isinstance(entry, Model)]
