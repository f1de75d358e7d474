"""The parts of a job that workflows read; the response may lack any of them."""

import re
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from modelarts_api.phases import (
    COMPLETED,
    CREATING,
    FAILED,
    PENDING,
    PHASES,
    RUNNING,
    STATUS_NAMES,
    STATUSES_OF_PHASES,
    TERMINAL_PHASES,
    TERMINATED,
    Phase,
)
from modelarts_toolkit.reading import entries, part, present, read

if TYPE_CHECKING:
    from modelarts_api.v1.models import TrainingJobVersion
    from modelarts_api.v2.models import TrainingJob

__all__ = ["COMPLETED", "FAILED", "RUNNING", "TERMINAL_PHASES", "TERMINATED", "JobState", "Phase"]

STAGES = ("scheduling", "preparing", "running", "end")
MOMENTS = (*PHASES, *STAGES)
# The phases and stages that a job has passed in a phase.
PASSED: Mapping[str, Sequence[str]] = {
    PENDING: (CREATING,),
    RUNNING: (CREATING, PENDING, *STAGES[:3]),
    COMPLETED: (CREATING, PENDING, RUNNING, *STAGES),
}
# Version 1: the name of the status that says no more than that the job failed.
_PLAIN_FAILURE = STATUS_NAMES[STATUSES_OF_PHASES[FAILED][0]]

# A message of the platform about a task that adds nothing to its exit code.
_REPEATS_EXIT_CODE = re.compile(
    r"(killed|(ended|exit(ed)?|terminated) (by|with) (signal|exit code|code)? *\w+)\.?", re.IGNORECASE
)
# A task that ended because another one had failed.
_STOPPED_WITH_OTHERS = "stopped because"
# An event about a task, as the page "Obtaining Events" shows it.
_FAILED_TASK = re.compile(r"\[(?P<task>[^]]+)\] Training finished\. Exit code (?!0\b)")
_STOPPING = {137: 1, 143: 2}  # exit codes of tasks that may have been stopped: they come after all others


@dataclass(frozen=True, slots=True)
class JobState:
    """A job's identity and state; None or empty if the response has no value.

    In version 1 of the API, the secondary phase is the name of the status.
    """

    id: str | None
    name: str | None
    phase: Phase | None
    secondary_phase: str | None
    tasks: tuple[str, ...]
    exit_codes: dict[str, int]
    messages: dict[str, str]
    end_related_task: str | None = None  # the task that ended the last attempt
    diagnosis: tuple[str, str] | None = None  # the platform's own diagnosis: the fact and the remedy
    is_version: bool = False  # of a job of version 1

    @classmethod
    def of_job(cls, job: "TrainingJob") -> "JobState":
        """Read the state of a job of version 2."""
        records = entries(lambda: job.status.running_records)
        statuses = {str(each.task): each for each in entries(lambda: job.status.task_statuses)}
        return cls(
            id=read(lambda: job.metadata.id, str),
            name=read(lambda: job.metadata.name, str),
            phase=part(lambda: job.status.phase, str),
            secondary_phase=read(lambda: job.status.secondary_phase, str),
            tasks=tuple(entries(lambda: job.status.tasks, str)),
            exit_codes={task: each.exit_code for task, each in statuses.items() if isinstance(each.exit_code, int)},
            messages={task: str(each.message) for task, each in statuses.items() if each.message},
            end_related_task=read(lambda: records[-1].end_related_task, str),
            diagnosis=_diagnosis(job),
        )

    @classmethod
    def of_version(cls, version: "TrainingJobVersion") -> "JobState":
        """Read the state of a version of a job of version 1."""
        return cls(
            id="/".join(str(each) for each in (version.job_id, version.version_id) if each is not None) or None,
            name="/".join(str(each) for each in (version.job_name, version.version_name) if each) or None,
            # A status of no known phase is shown as it is, as a new phase of version 2 is.
            phase=version.phase or (None if version.status is None else cast("Phase", version.status_name)),
            secondary_phase=version.status_name,
            tasks=(),
            exit_codes={},
            messages={},
            is_version=True,
        )

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
        because of another task (its message says so, or else SIGTERM and SIGKILL do), or else the first task.
        """

        def order(task: str) -> tuple[bool, int]:
            is_stopped = self.messages.get(task, "").startswith(_STOPPED_WITH_OTHERS)
            return is_stopped, _STOPPING.get(self.exit_codes[task], 0)

        failed = sorted((task for task, code in self.exit_codes.items() if code), key=order)
        return next((task for task in (self.end_related_task, *failed, *self.tasks) if task), "worker-0")

    def named_by(self, events: Sequence[str]) -> "JobState":
        """The state with the task that the events, oldest first, say failed first, if no record names one."""
        ends = {found["task"]: place for place, text in enumerate(events) if (found := _FAILED_TASK.match(text))}
        first = min((task for task in ends if self.exit_codes.get(task)), key=ends.__getitem__, default=None)
        return replace(self, end_related_task=self.end_related_task or first)

    @property
    def explanation(self) -> str:
        """The tasks' exit codes and messages, beginning with the task that failed first; each fact once."""
        tasks = sorted({**self.exit_codes, **self.messages}, key=lambda task: task != self.failed_task)
        return "; ".join(filter(None, map(self._explain, tasks)))

    def _explain(self, task: str) -> str:
        code, message = self.exit_codes.get(task), self.messages.get(task, "")
        if not code:
            return f"{task}: {message}" if message else ""
        name = signal_name(code)
        text = f"{task} was killed (exit code {code}, {name})" if name else f"{task} ended with exit code {code}"
        if message and not _REPEATS_EXIT_CODE.fullmatch(message):
            return f"{text}: {message}"
        return text

    def __str__(self) -> str:
        return f'job "{self.name}" ({self.id})' if self.name else f"job {self.id}"


def _diagnosis(job: "TrainingJob") -> tuple[str, str] | None:
    """Return the first cause that the platform names, and what it suggests, with the page about it."""
    results = entries(lambda: present(job.status.failure_analysis_result).analysis_results or [])
    if not results:
        return None
    text, remedy = read(lambda: results[0].description, str), read(lambda: results[0].solution, str)
    link = read(lambda: results[0].document_link, str)
    return text or "it names no cause", " ".join(filter(None, (remedy, link and f"See {link}")))


def signal_name(exit_code: int) -> str:
    """Return the signal of an exit code 128 + n, as shells report it; "" for any other."""
    try:
        return signal.Signals(exit_code - 128).name
    except ValueError:
        return ""
