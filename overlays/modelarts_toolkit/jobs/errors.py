"""Errors of a job that did not complete."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from modelarts_api.errors import ToolkitError

from .info import JobInfo


@dataclass(frozen=True, slots=True)
class Verdict:
    """An explanation of a job's state: `cause` is an id in the catalogue, `evidence` holds the lines that show it."""

    cause: str
    text: str
    remedy: str
    evidence: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.text} {self.remedy}".strip()

    def to_dict(self) -> dict[str, Any]:
        """The verdict as a JSON object."""
        return {**asdict(self), "evidence": list(self.evidence)}


class JobError(ToolkitError):
    """The job did not complete in the wait; `job` is the object that was waited for, with its last known state."""

    def __init__(self, message: str, job: JobInfo, *others: object) -> None:
        super().__init__(message, job, *others)  # all of them, so that the error can be copied and pickled
        self.job = job

    def __str__(self) -> str:
        return str(self.args[0])


class JobFailed(JobError):  # noqa: N818
    """The job ended in Failed or Abnormal.

    `exit_codes` holds the exit code of each task that reported one, `log_lines` the end of the failed task's log,
    `verdict` the probable cause and its remedy, if one is known.
    """

    def __init__(
        self,
        message: str,
        job: JobInfo,
        exit_codes: Mapping[str, int],
        log_lines: Sequence[str],
        verdict: Verdict | None = None,
    ) -> None:
        super().__init__(message, job, exit_codes, log_lines, verdict)
        self.verdict = verdict
        self.exit_codes = dict(exit_codes)
        self.log_lines = tuple(log_lines)


class JobStopped(JobError):  # noqa: N818
    """The job was terminated before it ended by itself."""


class WaitTimeout(JobError):  # noqa: N818
    """The time limit of a wait has passed; the job keeps running."""
