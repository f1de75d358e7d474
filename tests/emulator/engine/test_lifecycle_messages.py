"""What the events of a job say: the wording is our own, but each thing is reported once, at its level and time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from modelarts_emulator.engine import lifecycle
from modelarts_emulator.engine.events import Event
from modelarts_emulator.engine.runs import RestartPolicy, Run
from modelarts_emulator.execution.protocol import FailureKind, TaskReport

HOUR_MS = 3_600_000
RUNNING = Run("j", "p", 2, 500, max_duration=HOUR_MS, phase="Running", launched=True, queue_time=900)


def summary(events: list[Event]) -> list[tuple[int, str, str, str]]:
    return [(event.time, event.message, event.source, event.level) for event in events]


def ended(failure: FailureKind | None, exit_code: int = 137, message: str | None = None) -> TaskReport:
    return TaskReport("worker-1", "ended", 1.0, 3.5, exit_code, message, failure=failure)


@pytest.mark.parametrize(("hours", "text"), [(1, "1 hour"), (2, "2 hours")])
def test_a_job_that_ran_too_long_shows_how_long_it_may_run(hours: int, text: str) -> None:
    events = lifecycle.time_out(replace(RUNNING, max_duration=hours * HOUR_MS), 7000)

    message = f"The job is being stopped: it has reached its maximum running duration of {text}."
    assert summary(events) == [(7000, message, "Job", "Info")]


def test_a_job_that_nobody_knows_or_can_start_shows_why() -> None:
    lost, unstartable = replace(RUNNING), replace(RUNNING)

    message = "The job failed: the executor does not know the job any more."
    assert summary(lifecycle.mark_lost(lost, 7000)) == [(7000, message, "Job", "Error")]
    assert (lost.phase, lost.secondary_phase) == ("Abnormal", "Lost")
    message = "The job failed: the job cannot be started: no code."
    assert summary(lifecycle.fail_to_start(unstartable, 7000, OSError("no code"))) == [(7000, message, "Job", "Error")]
    assert (unstartable.phase, unstartable.secondary_phase) == ("Abnormal", "CreateFailed")


@pytest.mark.parametrize(
    ("report", "events"),
    [
        (
            ended("preempted", 143),
            [
                ("[worker-1] The task was preempted.", "Task", "Warning"),
                ("The job failed: worker-1: preempted.", "Job", "Error"),
            ],
        ),
        (
            ended("node_lost"),
            [
                ("NodeLost: The node of worker-1 is gone", "K8S", "Warning"),
                ("The job failed: worker-1: node lost.", "Job", "Error"),
            ],
        ),
        (
            ended("out_of_memory", message="killed, out of memory\nmore"),
            [("The job failed: worker-1 ended with exit code 137: killed, out of memory.", "Job", "Error")],
        ),
        (ended(None, 3), [("The job failed: worker-1 ended with exit code 3.", "Job", "Error")]),
    ],
)
def test_a_failure_is_reported_with_its_task_and_cause(report: TaskReport, events: list[tuple[str, str, str]]) -> None:
    job = replace(RUNNING)
    lifecycle.apply_reports(job, 2000, [TaskReport("worker-0", "running", 1.0), TaskReport("worker-1", "running", 1.0)])

    found = lifecycle.apply_reports(job, 7000, [TaskReport("worker-0", "ended", 1.0, 3.5, 0), report])

    assert summary(found) == [(7000, *event) for event in events]
    assert job.running_records[-1]["end_related_task"] == "worker-1"


def test_a_hung_job_that_is_restarted_keeps_its_room() -> None:
    job = replace(RUNNING, restarts=RestartPolicy(0, hung=True))
    hung = [TaskReport("worker-0", "running", 1.0), TaskReport("worker-1", "running", 1.0, failure="hung")]

    warned = lifecycle.apply_reports(job, 5000, hung)
    restarted = lifecycle.apply_reports(
        job, 7000, [replace(report, state="ended", ended_at=6.0, exit_code=143) for report in hung]
    )

    assert summary(warned) == [(5000, "The job may hang: worker-1 makes no progress.", "Job", "Warning")]
    assert summary(restarted) == [(7000, "The job is being restarted (in place): worker-1 hung.", "Job", "Warning")]
    assert (job.phase, job.launched, job.retries, job.attempt) == ("Running", True, 0, 1)
    assert job.running_records[-1]["end_recover"] == "proc_restart"
