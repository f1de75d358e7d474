"""The life of a job as a table and a pure function."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from modelarts_emulator.engine.phases import (
    ACTIVE,
    STOPPABLE,
    TRANSITIONS,
    Phase,
    check,
    is_terminal,
    observe,
)
from modelarts_emulator.execution.protocol import TaskReport

UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # on a busy machine

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


@UNHURRIED
@given(st.sampled_from(PHASES), st.lists(REPORT, max_size=4))
def test_whatever_tasks_report_the_next_phase_is_a_step_of_the_table(phase: Phase, reports: list[TaskReport]) -> None:
    target = observe(phase, reports)

    assert target == phase or target in TRANSITIONS[phase]


@UNHURRIED
@given(st.lists(st.lists(REPORT, max_size=3), max_size=12), st.booleans())
def test_a_phase_that_was_left_never_comes_back(history: list[list[TaskReport]], stopped: bool) -> None:
    """However reports change, forwards or backwards, and whenever a stop comes."""
    phase: Phase = "Pending"
    seen: list[Phase] = [phase]
    for number, reports in enumerate(history):
        if stopped and number == 3 and phase in STOPPABLE:
            seen.append(phase := check(phase, "Terminating"))
        while (target := observe(phase, reports)) != phase:
            seen.append(phase := check(phase, target))

    assert len(set(seen)) == len(seen)
    assert not any(is_terminal(passed) for passed in seen[:-1])


@UNHURRIED
@given(st.lists(REPORT, min_size=1, max_size=4))
@example([TaskReport("worker-0", "ended", exit_code=0), TaskReport("worker-1", "ended", exit_code=1)])
@example([TaskReport("worker-0", "ended", exit_code=0), TaskReport("worker-1", "running")])
def test_only_a_running_job_all_of_whose_tasks_exit_with_0_completes(reports: list[TaskReport]) -> None:
    completes = all(report.state == "ended" and report.exit_code == 0 for report in reports)

    assert (observe("Running", reports) == "Completed") == completes


def test_a_job_that_ended_between_two_looks_still_passes_through_running() -> None:
    reports = [TaskReport("worker-0", "ended", started_at=1.0, ended_at=2.0, exit_code=0)]

    assert observe("Pending", reports) == "Running"
    assert observe("Running", reports) == "Completed"


def test_a_job_that_could_not_start_fails_without_having_run() -> None:
    assert observe("Pending", [TaskReport("worker-0", "ended", ended_at=2.0, exit_code=1)]) == "Failed"


def test_a_job_that_is_being_stopped_is_terminated_even_if_it_exits_with_0() -> None:
    assert observe("Terminating", [TaskReport("worker-0", "ended", 1.0, 2.0, 0)]) == "Terminated"


def test_phases_are_the_documented_ones_and_all_can_be_reached() -> None:
    documented = {
        "Creating", "Pending", "Running", "Completed", "Failed", "Terminating", "Terminated", "Abnormal",
    }  # fmt: skip

    assert set(TRANSITIONS) == documented
    assert {"Creating"} | {target for targets in TRANSITIONS.values() for target in targets} == documented


def test_a_job_can_be_stopped_while_it_is_creating_pending_or_running() -> None:
    assert {"Creating", "Pending", "Running"} == STOPPABLE


def test_a_terminal_phase_has_no_way_out() -> None:
    """Four phases end a job for good; in the others it is listed among those that are to be looked after."""
    assert {phase for phase in PHASES if is_terminal(phase)} == {"Completed", "Failed", "Terminated", "Abnormal"}
    assert {"Creating", "Pending", "Running", "Terminating"} == ACTIVE
    with pytest.raises(ValueError, match="cannot go from Completed to Running"):
        check("Completed", "Running")
