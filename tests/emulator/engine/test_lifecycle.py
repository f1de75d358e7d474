"""What becomes of a job by what its tasks report, and its events."""

from __future__ import annotations

import pytest

from modelarts_emulator.engine import lifecycle
from modelarts_emulator.engine.phases import Phase
from modelarts_emulator.engine.runs import RestartPolicy, Run
from modelarts_emulator.execution.protocol import TaskEvent, TaskReport

HOUR_MS = 3_600_000


def job(phase: Phase = "Pending", launched: bool = True, retries_allowed: int = 0) -> Run:
    restarts = RestartPolicy(retries_allowed, always=bool(retries_allowed))
    return Run(
        "j", "p", 1, 500, max_duration=2 * HOUR_MS, restarts=restarts, phase=phase, launched=launched, queue_time=900
    )


def running(at: float = 1.0, events: tuple[TaskEvent, ...] = ()) -> TaskReport:
    return TaskReport("worker-0", "running", at, events=events)


def ended(exit_code: int | None = 0, message: str | None = None, start: float | None = 1.0) -> TaskReport:
    return TaskReport("worker-0", "ended", start, 3.5, exit_code, message)


def test_that_a_job_runs_is_reported_before_what_its_task_did_at_the_same_time() -> None:
    """Also if task and job have the same millisecond: events are stored, and shown, in this order."""
    one = job()
    events = lifecycle.apply_reports(one, 1000, [running(1.0, (TaskEvent(1.0, "training started."),))])

    assert [(event.time, event.message) for event in events] == [
        (1000, "The job is running."),
        (1000, "training started."),
    ]


def test_a_job_ran_before_anybody_looked_but_not_before_it_was_queued() -> None:
    """The event has the time at which the first task started, within what is possible."""
    for started, reported_at in ((0.1, 900), (1.2, 1200), (99.0, 5000)):
        events = lifecycle.apply_reports(job(), 5000, [running(started)])
        assert [event.time for event in events] == [reported_at]


def test_notes_are_reported_once() -> None:
    """However often they are reported."""
    one, notes = job(), (TaskEvent(1.0, "first"), TaskEvent(2.0, "second", "K8S", "Warning"))
    lifecycle.apply_reports(one, 1000, [running(events=notes[:1])])

    events = lifecycle.apply_reports(one, 2000, [running(events=notes)])
    assert [(event.message, event.source, event.level) for event in events] == [("second", "K8S", "Warning")]
    assert lifecycle.apply_reports(one, 2000, [running(events=notes)]) == []


@pytest.mark.parametrize(
    ("report", "phase", "secondary", "duration", "reason"),
    [
        (ended(0), "Completed", "Completed", 2500, "job completed"),
        (ended(3), "Failed", "Failed", 2500, "exit with 3"),
        (ended(1, start=None), "Failed", "Failed", 0, None),
    ],
)
def test_a_job_ends_as_its_task_does(
    report: TaskReport, phase: Phase, secondary: str, duration: int, reason: str | None
) -> None:
    """In one step, even if nobody saw it run; a task that never started leaves no running record."""
    one = job()
    lifecycle.apply_reports(one, 9000, [report])

    assert (one.phase, one.secondary_phase, one.past_duration, one.end_time) == (phase, secondary, duration, 3500)
    assert [record.get("end_reason") for record in one.running_records] == ([reason] if reason else [])


def test_a_stopped_job_is_terminated_on_both_levels() -> None:
    """By its tasks' end, or because the executor never knew it."""
    for reports in ([ended(143)], None):
        one = job("Running")
        lifecycle.stop(one, 2000)
        assert (one.phase, one.secondary_phase) == ("Terminating", "Terminating")
        events = lifecycle.apply_reports(one, 4000, reports) if reports else lifecycle.mark_lost(one, 4000)

        assert (one.phase, one.secondary_phase) == ("Terminated", "Terminated")
        assert events[-1].message == "The job has been stopped."


def test_a_job_that_is_being_stopped_is_not_stopped_again_when_its_time_is_over() -> None:
    one = job()
    lifecycle.apply_reports(one, 2000, [running()])
    assert one.deadline == 1000 + 2 * HOUR_MS

    lifecycle.stop(one, 3000)

    assert one.deadline is None


def test_a_job_that_is_restarted_waits_again_and_counts_its_attempts_together() -> None:
    """It is given up after half an hour in the queue, and stopped after two hours of running in all."""
    one = job(retries_allowed=1)
    lifecycle.apply_reports(one, 4000, [ended(1)])

    assert (one.phase, one.attempt, one.retries, one.launched, one.queue_time) == ("Pending", 1, 1, False, 4000)
    assert one.deadline == 4000 + HOUR_MS // 2
    one.launched = True
    lifecycle.apply_reports(one, 6000, [TaskReport("worker-0", "running", 5.0, attempt=1)])
    assert (one.phase, one.deadline) == ("Running", 5000 + 2 * HOUR_MS - 2500)
    lifecycle.time_out(one, 2 * HOUR_MS)
    assert one.phase == "Terminating"


def test_a_job_that_waited_too_long_for_its_restart_fails() -> None:
    """With an event of the level Error that says so."""
    one = job(retries_allowed=1)
    lifecycle.apply_reports(one, 4000, [ended(1)])
    events = lifecycle.time_out(one, 4000 + HOUR_MS // 2)

    assert (one.phase, one.end_time) == ("Failed", 4000 + HOUR_MS // 2)
    assert [(event.level, "30 minutes" in event.message) for event in events] == [("Error", True)]


@pytest.mark.parametrize("phase", ["Creating", "Pending", "Running", "Terminating"])
def test_a_job_is_given_up_in_any_phase_and_says_why(phase: Phase) -> None:
    """What cannot be encoded in the reason becomes an escape sequence."""
    one = job(phase)
    events = lifecycle.give_up(one, 2000, ValueError("odd \udcff"))

    assert (one.phase, one.secondary_phase, one.end_time) == ("Abnormal", "Lost", 2000)
    assert one.task_statuses[0]["message"].endswith("odd \\udcff")
    assert events[-1].message.encode()
