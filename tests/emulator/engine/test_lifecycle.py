"""The state machine of jobs: phases, reports of tasks, deadlines, and the events that report them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from modelarts_emulator.engine import lifecycle
from modelarts_emulator.engine.events import Event
from modelarts_emulator.engine.lifecycle import observe, reconcile
from modelarts_emulator.engine.runs import ACTIVE, STOPPABLE, Run, is_terminal
from modelarts_emulator.execution.protocol import FailureKind, TaskEvent, TaskReport
from modelarts_openapi.phases import TRANSITIONS, Phase

HOUR_MS = 3_600_000


def job(phase: Phase = "Pending", launched: bool = True, retries_allowed: int = 0) -> Run:
    restarts: dict[str, Any] = {"max_retries": retries_allowed, "is_always_retried": bool(retries_allowed)}
    return Run("j", "p", 1, 500, max_duration=2 * HOUR_MS, **restarts, phase=phase, launched=launched, queue_time=900)


def running(at: float = 1.0, events: tuple[TaskEvent, ...] = ()) -> TaskReport:
    return TaskReport("worker-0", "running", at, events=events)


def ended(exit_code: int | None = 0, message: str | None = None, start: float | None = 1.0) -> TaskReport:
    return TaskReport("worker-0", "ended", start, 3.5, exit_code, message)


def test_that_a_job_runs_is_reported_before_what_its_tasks_did() -> None:
    """With the time at which the first task started, within what is possible, and at once if anybody looks late."""
    events = lifecycle.apply_reports(job(), 1000, [running(1.0, (TaskEvent(1.0, "training started."),))])

    assert [(event.time, event.message) for event in events] == [
        (1000, "The job is running."),
        (1000, "training started."),
    ]

    later = [lifecycle.apply_reports(job(), 5000, [running(started)]) for started in (0.1, 1.2, 99.0)]
    assert [[event.time for event in events] for events in later] == [[900], [1200], [5000]]


def test_notes_are_reported_once() -> None:
    """However often they are reported, and by whichever task."""
    one, notes = job(), (TaskEvent(1.0, "first"), TaskEvent(2.0, "second", "K8S", "Warning"))
    lifecycle.apply_reports(one, 1000, [running(events=notes[:1])])

    events = lifecycle.apply_reports(one, 2000, [running(events=notes)])
    assert [(event.message, event.source, event.level) for event in events] == [("second", "K8S", "Warning")]
    assert lifecycle.apply_reports(one, 2000, [running(events=notes)]) == []

    reports = [running(events=(TaskEvent(1.0, "first"),)), replace(running(), task="worker-1")]
    reports[1] = replace(reports[1], events=(TaskEvent(1.0, "second"),))

    events = lifecycle.apply_reports(job("Running"), 1000, reports)

    assert [event.message for event in events] == ["first", "second"]


def test_a_stopped_job_is_terminated_on_both_levels() -> None:
    """By its tasks' end, also with 0, or because the executor never knew it; its time limit does not stop it again."""
    assert observe("Terminating", [ended(0), replace(running(), task="worker-1")]) == "Terminating"
    for reports in ([ended(143)], [ended(0)], None):
        one = job("Running")
        lifecycle.stop(one, 2000)
        assert (one.phase, one.secondary_phase) == ("Terminating", "Terminating"), reports
        events = lifecycle.apply_reports(one, 4000, reports) if reports else lifecycle.mark_lost(one, 4000)

        assert (one.phase, one.secondary_phase) == ("Terminated", "Terminated"), reports
        assert events[-1].message == "The job has been stopped.", reports

    one = job()
    lifecycle.apply_reports(one, 2000, [running()])
    assert one.deadline == 1000 + 2 * HOUR_MS

    lifecycle.stop(one, 3000)

    assert one.deadline is None


def test_a_job_that_is_restarted_waits_again_and_counts_its_attempts_together() -> None:
    """It fails after half an hour in the queue, with an event, and is stopped after two hours of running in all."""
    one = job(retries_allowed=1)
    lifecycle.apply_reports(one, 4000, [ended(1)])

    assert (one.phase, one.attempt, one.retries, one.launched, one.queue_time) == ("Pending", 1, 1, False, 4000)
    assert one.deadline == 4000 + HOUR_MS // 2
    late = replace(one)
    events = lifecycle.time_out(late, 4000 + HOUR_MS // 2)
    assert (late.phase, late.end_time) == ("Failed", 4000 + HOUR_MS // 2)
    assert [(event.level, "30 minutes" in event.message) for event in events] == [("Error", True)]
    one.launched = True
    lifecycle.apply_reports(one, 6000, [TaskReport("worker-0", "running", 5.0, attempt=1)])
    assert (one.phase, one.deadline) == ("Running", 5000 + 2 * HOUR_MS - 2500)
    lifecycle.time_out(one, 2 * HOUR_MS)
    assert one.phase == "Terminating"


@pytest.mark.parametrize("phase", ["Creating", "Pending", "Running", "Terminating"])
def test_a_job_is_given_up_in_any_phase_and_says_why(phase: Phase) -> None:
    """What cannot be encoded in the reason becomes an escape sequence."""
    one, _ = reconcile(job(phase), None, 2000, ValueError("odd \udcff"))
    assert (one.phase, one.secondary_phase) == ("Abnormal", "Lost")
    one = job(phase)
    events = lifecycle.give_up(one, 2000, ValueError("odd \udcff"))

    assert (one.phase, one.secondary_phase, one.end_time) == ("Abnormal", "Lost", 2000)
    assert one.task_statuses[0]["message"].endswith("odd \\udcff")
    assert (events[-1].time, events[-1].level) == (2000, "Error")
    assert events[-1].message.encode()


RUNNING = Run("j", "p", 2, 500, max_duration=HOUR_MS, phase="Running", launched=True, queue_time=900)


def summary(events: list[Event]) -> list[tuple[int, str, str, str]]:
    return [(event.time, event.message, event.source, event.level) for event in events]


def failed(failure: FailureKind | None, exit_code: int = 137, message: str | None = None) -> TaskReport:
    return TaskReport("worker-1", "ended", 1.0, 3.5, exit_code, message, failure=failure)


def test_a_job_that_ran_too_long_shows_how_long_it_may_run() -> None:
    ends = [lifecycle.time_out(replace(RUNNING, max_duration=hours * HOUR_MS), 7000) for hours in (1, 2)]
    message = "The job is being stopped: it has reached its maximum running duration of {}."
    expected = [[(7000, message.format(text), "Job", "Info")] for text in ("1 hour", "2 hours")]
    assert [summary(events) for events in ends] == expected


def test_a_job_that_nobody_knows_or_can_start_shows_why() -> None:
    unstartable = replace(RUNNING)
    lost = replace(RUNNING, attempt_start=1000, running_records=[{"start_at": 1}])

    message = "The job failed: the executor does not know the job any more."
    assert summary(lifecycle.mark_lost(lost, 7000)) == [(7000, message, "Job", "Error")]
    reason = "the executor does not know the job any more"
    assert lost.running_records == [{"start_at": 1, "end_at": 7, "end_reason": reason}]
    assert lost.task_statuses == [{"task": "worker-0", "exit_code": None, "message": reason}]
    assert (lost.phase, lost.secondary_phase) == ("Abnormal", "Lost")
    message = "The job failed: the job cannot be started: no code."
    assert summary(lifecycle.fail_to_start(unstartable, 7000, OSError("no code"))) == [(7000, message, "Job", "Error")]
    assert (unstartable.phase, unstartable.secondary_phase) == ("Abnormal", "CreateFailed")


def test_a_failure_is_reported_with_its_task_and_cause() -> None:
    for report, events in [
        (
            failed("preempted", 143),
            [
                ("[worker-1] The task was preempted.", "Task", "Warning"),
                ("The job failed: worker-1: preempted.", "Job", "Error"),
            ],
        ),
        (
            failed("node_lost"),
            [
                ("NodeLost: The node of worker-1 is gone", "K8S", "Warning"),
                ("The job failed: worker-1: node lost.", "Job", "Error"),
            ],
        ),
        (
            failed("out_of_memory", message="killed, out of memory\nmore"),
            [("The job failed: worker-1 ended with exit code 137: killed, out of memory.", "Job", "Error")],
        ),
        (failed(None, 3), [("The job failed: worker-1 ended with exit code 3.", "Job", "Error")]),
    ]:
        job = replace(RUNNING)
        lifecycle.apply_reports(
            job, 2000, [TaskReport("worker-0", "running", 1.0), TaskReport("worker-1", "running", 1.0)]
        )

        found = lifecycle.apply_reports(job, 7000, [TaskReport("worker-0", "ended", 1.0, 3.5, 0), report])

        assert summary(found) == [(7000, *event) for event in events], report
        assert job.running_records[-1]["end_related_task"] == "worker-1", report
    assert (job.running_records[-1]["end_reason"], job.past_duration, job.end_time) == ("exit with 3", 2500, 3500)


PHASES = sorted(TRANSITIONS)
MOMENT = st.one_of(st.none(), st.floats(0, 1e6))
REPORT = st.builds(
    TaskReport,
    task=st.sampled_from(["worker-0", "worker-1"]),
    state=st.sampled_from(["preparing", "running", "ended"]),
    started_at=MOMENT,
    ended_at=MOMENT,
    exit_code=st.one_of(st.none(), st.integers(0, 255)),
    message=st.none(),
)


@given(st.sampled_from(PHASES), st.lists(REPORT, max_size=4))
def test_whatever_tasks_report_the_next_phase_is_a_step_of_the_table(phase: Phase, reports: list[TaskReport]) -> None:
    target = observe(phase, reports)

    assert target == phase or target in TRANSITIONS[phase]


@given(st.lists(REPORT, min_size=1, max_size=4))
@example([TaskReport("worker-0", "ended", exit_code=0), TaskReport("worker-1", "ended", exit_code=1)])
@example([TaskReport("worker-0", "ended", exit_code=0), TaskReport("worker-1", "running")])
def test_only_a_running_job_all_of_whose_tasks_exit_with_0_completes(reports: list[TaskReport]) -> None:
    completes = all(report.state == "ended" and report.exit_code == 0 for report in reports)

    assert (observe("Running", reports) == "Completed") == completes


def test_a_terminal_phase_has_no_way_out() -> None:
    """Four phases end a job for good; in the others it is looked after, and can be stopped unless it is stopping."""
    assert {phase for phase in PHASES if is_terminal(phase)} == {"Completed", "Failed", "Terminated", "Abnormal"}
    assert {"Creating", "Pending", "Running", "Terminating"} == ACTIVE == STOPPABLE | {"Terminating"}
    with pytest.raises(ValueError, match="cannot go from Completed to Running"):
        Run("j", "p", 1, 1, phase="Completed").move("Running")


NOW = 10_000


def run(name: str = "j", **changes: object) -> Run:
    given_run = Run(name, "p", 1, 500, max_retries=3, is_always_retried=True, phase="Pending", launched=True)
    return replace(given_run, **changes)  # type: ignore[arg-type]


def report(state: str = "running", **changes: object) -> TaskReport:
    return replace(TaskReport("worker-0", "running", 1.0), state=state, **changes)  # type: ignore[arg-type]


RUNS = st.builds(
    run,
    phase=st.sampled_from(sorted(ACTIVE)),
    launched=st.booleans(),
    attempt=st.integers(0, 2),
    attempt_start=st.sampled_from([0, 1000]),
    queue_time=st.sampled_from([0, 9000]),
    running_records=st.just([{"start_at": 1}]),
    max_duration=st.sampled_from([0, 5000]),
)
ONE_REPORT: Any = st.builds(
    report,
    st.sampled_from(["preparing", "running", "ended"]),
    ended_at=st.just(3.0),
    exit_code=st.sampled_from([0, 1, None]),
    attempt=st.integers(0, 2),
    failure=st.sampled_from([None, "preempted", "node_lost"]),
)


@given(RUNS, st.none() | st.just([]) | ONE_REPORT.map(lambda one: [one]))
def test_what_was_reconciled_needs_nothing_more(before: Run, reports: list[TaskReport] | None) -> None:
    """The run that is given stays as it is; the changed one changes no more, and nothing is reported twice."""
    copied = replace(before)
    after, _ = reconcile(before, reports, NOW)

    assert before == copied
    if after.launched or after.phase == "Pending":
        assert reconcile(after, None, NOW) == (after, [])


def test_a_run_that_was_launched_but_is_unknown_to_the_executor_waits_for_its_submission() -> None:
    """The emulator died before it could submit it; one that is being stopped has ended."""
    pending, stopping = run(phase="Pending"), run(phase="Terminating")

    assert (reconcile(pending, [], NOW)[0].phase, lifecycle.is_unsubmitted(pending, [])) == ("Pending", True)
    assert (reconcile(stopping, [], NOW)[0].phase, lifecycle.is_unsubmitted(stopping, [])) == ("Terminated", False)


def test_reports_of_an_earlier_attempt_mean_that_the_newest_was_not_submitted() -> None:
    """After a restart in place, which takes no room anew."""
    before = run(phase="Running", attempt=1)
    for attempt in (0, 1):
        reports = [report("ended", attempt=attempt, exit_code=0)]
        assert lifecycle.is_unsubmitted(before, reports) == (attempt == 0), attempt
        assert (reconcile(before, reports, NOW)[0] == before) == (attempt == 0), attempt


def test_the_task_that_failed_first_is_the_cause() -> None:
    """Not one that was stopped because of it at the same moment of a clock that is moved."""
    victim = TaskReport("worker-0", "ended", 1000.0, 1005.0, 143, "stopped because worker-1 ended with exit code 9")
    culprit = TaskReport("worker-1", "ended", 1000.0, 1005.0, 9)

    assert lifecycle.root_cause([victim, culprit]) is culprit

    first = TaskReport("worker-1", "ended", 1000.0, 1004.0, 9)
    second = TaskReport("worker-0", "ended", 1000.0, 1005.0, 1)

    assert lifecycle.root_cause([second, first]) is first
