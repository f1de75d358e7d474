"""Restarts: what a run's policy allows the platform to do about an attempt that did not end well.

Sources: user manual, on automatic restarts (unless it is restarted `always`, only what is wrong with the environment
restarts a job; at most three times) and on restarts upon suspension (in place, not counted, three in a row).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from modelarts_emulator.engine.runs import Run
from modelarts_emulator.execution.protocol import STOPPED, TaskReport

__all__ = ["Recovery", "recover", "restarts_hung_tasks", "root_cause"]

Recovery = Literal["proc_restart", "job_reschedule", "job_reschedule_with_taint"]

HANGS = 3


def recover(job: Run, reports: Sequence[TaskReport]) -> tuple[Recovery, str] | None:
    """How the attempt that failed is to be made good, and which restart that is; None if it is not."""
    if job.hung_task and restarts_hung_tasks(job):
        return "proc_restart", "in place"
    terms = job.restarts
    failures = {report.failure for report in reports}
    if job.retries >= terms.number or not (terms.always or failures & {"node_lost", "preempted"}):
        return None
    count = f"{job.retries + 1} of {terms.number}"
    return "job_reschedule_with_taint" if "node_lost" in failures else "job_reschedule", count


def restarts_hung_tasks(job: Run) -> bool:
    """Whether the job is to be restarted if it hangs now."""
    last = job.running_records[-HANGS - 1 : -1]
    return job.restarts.hung and [record.get("end_recover") for record in last] != ["proc_restart"] * HANGS


def root_cause(reports: Sequence[TaskReport]) -> TaskReport:
    """The task that did not end well before any other did; of those at one moment, not one that was only stopped."""
    bad = [report for report in reports if report.failure or report.exit_code] or list(reports)
    return min(bad, key=lambda report: (not report.failure, report.ended_at or 0, report.exit_code == STOPPED))
