"""How the workflows ask for one job, whichever version of the API has it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from .explain import last_lines
from .flows import Flow
from .job_state import JobState


class JobReader(Protocol):
    """Reads one job: a training job of version 2, or a version of a training job of version 1."""

    @property
    def id(self) -> str:
        """The job's id, for messages."""

    def show(self) -> Any:
        """Ask for the job: the response, of the asynchronous client an awaitable of it."""

    def last_lines(self, state: JobState, limit_s: float) -> Flow[list[str]]:
        """Read the end of the log that explains a failure; none if it cannot be read."""


@dataclass(frozen=True, slots=True)
class TrainingJobReader:
    """Reads a training job of version 2."""

    connect: Callable[[], Any]
    id: str

    def show(self) -> Any:
        """As `JobReader.show`."""
        return self.connect().training_jobs.show_training_job_details(self.id)

    def last_lines(self, state: JobState, limit_s: float) -> Flow[list[str]]:
        """As `JobReader.last_lines`."""
        return last_lines(self.connect, state, limit_s)
