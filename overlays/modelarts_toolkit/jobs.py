"""What the workflows read from a job, whatever the service left out of its answer."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from modelarts_api.model import Model

if TYPE_CHECKING:
    from modelarts_api.v2.models import TrainingJob

Job: TypeAlias = "TrainingJob | str"

# Phases of the page "Creating a Training Job"; any other one is on its way to somewhere.
COMPLETED = "Completed"
TERMINATED = "Terminated"
ENDED = frozenset({COMPLETED, TERMINATED, "Failed", "Abnormal"})


@dataclass(frozen=True, slots=True)
class JobState:
    """A job's identity and where it stands; None or empty is what the service did not say."""

    id: str | None
    name: str | None
    phase: str | None
    secondary_phase: str | None
    tasks: tuple[str, ...]
    exit_codes: dict[str, int]
    messages: dict[str, str]

    @classmethod
    def of(cls, job: "TrainingJob") -> "JobState":
        document = job.to_dict()
        metadata, status = _object(document, "metadata"), _object(document, "status")
        statuses = [entry for entry in status.get("task_statuses") or () if isinstance(entry, dict)]
        return cls(
            id=metadata.get("id"),
            name=metadata.get("name"),
            phase=status.get("phase"),
            secondary_phase=status.get("secondary_phase"),
            tasks=tuple(status.get("tasks") or ()),
            exit_codes={str(s.get("task")): s["exit_code"] for s in statuses if isinstance(s.get("exit_code"), int)},
            messages={str(s.get("task")): s["message"] for s in statuses if s.get("message")},
        )

    @property
    def is_ended(self) -> bool:
        return self.phase in ENDED

    @property
    def failed_task(self) -> str:
        """The task whose log explains a failure: the first with a bad exit code, else the first."""
        bad = [task for task, code in self.exit_codes.items() if code]
        return next(iter((*bad, *self.tasks)), "worker-0")

    def __str__(self) -> str:
        return f'job "{self.name}" ({self.id})' if self.name else f"job {self.id}"


def job_id(job: Job) -> str:
    """The id of a job given as a model or as the id itself.

    Raises ValueError if the model has none, TypeError for anything else.
    """
    if not isinstance(job, str | Model):
        raise TypeError(f"a job is given as a TrainingJob or as its id, not as {type(job).__name__}")
    found = job if isinstance(job, str) else JobState.of(job).id
    if not found:
        raise ValueError("this job has no id: give one that the service answered, or its id")
    return found


def _object(document: dict[str, Any], name: str) -> dict[str, Any]:
    value = document.get(name)
    return value if isinstance(value, dict) else {}
