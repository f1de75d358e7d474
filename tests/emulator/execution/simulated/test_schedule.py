"""Moments of jobs, the earliest first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from modelarts_emulator.execution.simulated.executor import Schedule

CHANGES = st.lists(st.tuples(st.sampled_from("abc"), st.one_of(st.none(), st.integers(0, 9))), max_size=30)


@given(CHANGES, st.integers(0, 9))
def test_jobs_are_taken_when_they_are_due(changes: list[tuple[str, int | None]], now: int) -> None:
    """A job is due at the moment that was set last, and not at all once it was discarded or taken."""
    schedule, expected = Schedule(), dict[str, int]()
    for job_id, moment in changes:
        if moment is None:
            schedule.discard(job_id)
            expected.pop(job_id, None)
        else:
            schedule.set(job_id, moment)
            expected[job_id] = moment

    assert schedule.next() == min(expected.values(), default=None)
    assert schedule.take(now) == sorted((i for i in expected if expected[i] <= now), key=lambda i: (expected[i], i))
    assert schedule.take(now) == []
    assert schedule.next() == min((moment for moment in expected.values() if moment > now), default=None)
    assert bool(schedule) == (schedule.next() is not None)
