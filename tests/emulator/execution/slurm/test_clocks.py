"""Clocks of nodes that are wrong."""

from __future__ import annotations

import pytest

from modelarts_emulator.execution.protocol import TaskEvent, TaskReport
from modelarts_emulator.execution.slurm.clocks import clock_error_s, corrected


@pytest.mark.parametrize(
    ("claimed_at", "allocated_at", "error_s"),
    [
        (1000.0, 999.0, 0.0),
        (996.0, 1000.0, 0.0),  # within what things take
        (1090.0, 999.0, 89.0),  # fast: it says a time that has not come yet
        (1090.0, None, 89.0),
        (900.0, 1000.0, -100.0),  # slow: it says a time before the allocation
        (900.0, None, 0.0),
    ],
)
def test_a_clock_is_wrong_if_it_shows_what_cannot_be(
    claimed_at: float, allocated_at: float | None, error_s: float
) -> None:
    assert clock_error_s(claimed_at, allocated_at, now=1001.0) == error_s


def test_times_of_a_node_are_corrected_and_those_of_the_emulator_are_not() -> None:
    report = TaskReport(
        "worker-0", "ended", 1090.0, 1095.0, 0, events=(TaskEvent(1000.0, "queued", "K8S"), TaskEvent(1090.0, "began"))
    )
    right = corrected(report, 90.0)

    assert (right.started_at, right.ended_at) == (1000.0, 1005.0)
    assert [event.time for event in right.events] == [1000.0, 1000.0]
    assert corrected(report, 0.0) is report
