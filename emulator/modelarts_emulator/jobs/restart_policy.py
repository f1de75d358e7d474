"""Restarts: what a job's annotations allow the platform to do about an attempt that did not end well.

Sources: user manual, on automatic restarts (without `job-unconditional-retry`, only what is wrong with the environment
restarts a job; at most three times) and on restarts upon suspension (in place, not counted, three in a row).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from modelarts_emulator.execution.protocol import STOPPED, TaskReport
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.jobs.store import Job

__all__ = ["PATIENCE", "Recovery", "Terms", "culprit", "recover", "restarts_hung_tasks"]

Recovery = Literal["proc_restart", "job_reschedule", "job_reschedule_with_taint"]

PATIENCE = 30 * 60 * 1000
"""Milliseconds that a job which was restarted waits for room before the platform gives it up."""
HANGS = 3

NUMBER = "fault-tolerance/job-retry-num"
ALWAYS = "fault-tolerance/job-unconditional-retry"
HUNG = "fault-tolerance/hang-retry"


@dataclass(frozen=True, slots=True)
class Terms:
    """How often a job is restarted, whether after any failure, and whether when it hangs."""

    number: int = 0
    always: bool = False
    hung: bool = False

    @classmethod
    def of(cls, annotations: Mapping[str, str]) -> Terms:
        """What the annotations ask for; raises ServiceError (2788) for values that are not documented."""
        number = annotations.get(NUMBER) or "0"
        if number not in ("0", "1", "2", "3"):
            raise ServiceError("ModelArts.2788", f"Invalid parameter ({NUMBER}): {number!r} is not 1, 2 or 3.")
        flags = {}
        for name in (ALWAYS, HUNG):
            flags[name] = annotations.get(name) or "false"
            if flags[name] not in ("true", "false"):
                raise ServiceError(
                    "ModelArts.2788", f"Invalid parameter ({name}): {flags[name]!r} is not true or false."
                )
            if flags[name] == "true" and number == "0":
                raise ServiceError("ModelArts.2788", f"Invalid parameter ({name}): it has no effect without {NUMBER}.")
        return cls(int(number), flags[ALWAYS] == "true", flags[HUNG] == "true")


def recover(job: Job, reports: Sequence[TaskReport]) -> tuple[Recovery, str] | None:
    """How the attempt that failed is to be made good, and which restart that is; None if it is not."""
    if job.hung_task and restarts_hung_tasks(job):
        return "proc_restart", "in place"
    terms = _terms(job)
    failures = {report.failure for report in reports}
    if job.retries >= terms.number or not (terms.always or failures & {"node_lost", "preempted"}):
        return None
    count = f"{job.retries + 1} of {terms.number}"
    return "job_reschedule_with_taint" if "node_lost" in failures else "job_reschedule", count


def restarts_hung_tasks(job: Job) -> bool:
    """Whether the job is to be restarted if it hangs now."""
    last = job.running_records[-HANGS - 1 : -1]
    return _terms(job).hung and [record.get("end_recover") for record in last] != ["proc_restart"] * HANGS


def culprit(reports: Sequence[TaskReport]) -> TaskReport:
    """The task that did not end well before any other did; of those at one moment, not one that was only stopped."""
    bad = [report for report in reports if report.failure or report.exit_code] or list(reports)
    return min(bad, key=lambda report: (not report.failure, report.ended_at or 0, report.exit_code == STOPPED))


def _terms(job: Job) -> Terms:
    annotations: dict[str, Any] = job.document["metadata"].get("annotations") or {}
    return Terms.of(annotations)
