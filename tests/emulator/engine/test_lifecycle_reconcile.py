"""Reconciliation: what follows from runs, reports and time, without a table or an executor."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modelarts_emulator.engine.lifecycle import reconcile
from modelarts_emulator.engine.runs import RestartPolicy, Run
from modelarts_emulator.execution.protocol import TaskReport

NOW = 10_000


def run(name: str = "j", **changes: object) -> Run:
    given_run = Run(name, "p", 1, 500, restarts=RestartPolicy(3, always=True), phase="Pending", launched=True)
    return replace(given_run, **changes)  # type: ignore[arg-type]


def report(state: str = "running", **changes: object) -> TaskReport:
    return replace(TaskReport("worker-0", "running", 1.0), state=state, **changes)  # type: ignore[arg-type]


PHASES = st.sampled_from(["Creating", "Pending", "Running", "Terminating"])
RUNS = st.builds(
    run,
    phase=PHASES,
    launched=st.booleans(),
    attempt=st.integers(0, 2),
    attempt_start=st.sampled_from([0, 1000]),
    queue_time=st.sampled_from([0, 9000]),
    running_records=st.just([{"start_at": 1}]),
    max_duration=st.sampled_from([0, 5000]),
)
REPORTS: Any = st.one_of(
    st.none(),
    st.just([]),
    st.builds(
        report,
        st.sampled_from(["preparing", "running"]),
        attempt=st.integers(0, 2),
    ).map(lambda one: [one]),
    st.builds(
        report,
        st.just("ended"),
        ended_at=st.just(3.0),
        exit_code=st.sampled_from([0, 1, None]),
        attempt=st.integers(0, 2),
        failure=st.sampled_from([None, "preempted", "node_lost"]),
    ).map(lambda one: [one]),
)


@settings(deadline=None)
@given(RUNS, REPORTS)
def test_runs_stay_as_they_are_and_what_was_reconciled_needs_nothing_more(
    before: Run, reports: list[TaskReport] | None
) -> None:
    """The changes are new objects; applied and reconciled again, nothing changes and nothing is reported twice."""
    copied = deepcopy(before)
    given_reports = {} if reports is None else {before.id: reports}
    changes = reconcile([before], given_reports, NOW)
    after = changes.runs.get(before.id, before)
    again = reconcile([after], {}, NOW)

    assert before == copied
    assert not changes.failures
    if after.launched or after.phase == "Pending":
        assert not again.runs
        assert not again.events


def test_a_run_that_was_launched_but_is_unknown_to_the_executor_is_submitted() -> None:
    """The emulator died before it could; one that is being stopped is not."""
    pending = reconcile([run()], {"j": []}, NOW)
    stopped = reconcile([run(phase="Terminating")], {"j": []}, NOW)

    assert (list(pending.submissions), pending.runs) == (["j"], {})
    assert (stopped.submissions, stopped.runs["j"].phase) == ({}, "Terminated")


@pytest.mark.parametrize("attempt", [0, 1])
def test_reports_of_an_earlier_attempt_mean_that_the_newest_was_not_submitted(attempt: int) -> None:
    """After a restart in place, which takes no room anew."""
    changes = reconcile([run(phase="Running", attempt=1)], {"j": [report("ended", attempt=attempt, exit_code=0)]}, NOW)

    assert ("j" in changes.submissions) == (attempt == 0)


def test_one_run_that_cannot_be_reconciled_holds_up_no_other() -> None:
    """Its error is reported, and it stays as it is."""
    bad, good = run("bad", running_records=[]), run("good", phase="Creating", launched=False)
    broken = replace(bad, attempt_start=1000)
    reports = {"bad": [report("ended", ended_at=3.0, exit_code=0)]}
    changes = reconcile([replace(broken, phase="Running"), good], reports, NOW)

    assert list(changes.failures) == ["bad"]
    assert {run_id: after.phase for run_id, after in changes.runs.items()} == {"good": "Pending"}


def test_a_run_whose_state_cannot_be_read_any_more_is_given_up() -> None:
    """With the reason."""
    changes = reconcile([run(phase="Running")], {}, NOW, {"j": OSError("no such record")})

    assert (changes.runs["j"].phase, changes.runs["j"].secondary_phase) == ("Abnormal", "Lost")
    assert "no such record" in changes.events[0].message
