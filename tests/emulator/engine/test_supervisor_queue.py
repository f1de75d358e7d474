"""The queue of the supervisor while handlers change jobs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.emulator.bench import Bench


def test_a_queued_job_that_is_deleted_during_a_step_does_not_take_the_turn_of_the_next(tmp_path: Path) -> None:
    """The next one starts in the same step, in which the running one has ended."""
    bench = Bench(tmp_path, most=1)
    running, deleted, waiting = bench.create(), bench.create(), bench.create()
    bench.steps(3)
    assert [job_id for job_id, _ in bench.executor.started] == [running]

    def end_and_delete() -> None:
        bench.executor.interrupt = lambda: None
        bench.executor.end(running)
        bench.delete(deleted)

    bench.executor.interrupt = end_and_delete
    bench.steps(1)
    started = [job_id for job_id, _ in bench.executor.started]
    bench.close()

    assert started == [running, waiting]


def test_a_job_whose_change_the_executor_misses_is_looked_at_from_time_to_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An executor that never says that a job has changed cannot let it run for ever."""
    monkeypatch.setattr("modelarts_emulator.engine.worker.FULL_POLL_S", 0.0)
    bench = Bench(tmp_path)
    monkeypatch.setattr(bench.executor, "changed_jobs", set)
    job_id = bench.create()
    bench.steps(4)
    bench.executor.end(job_id)
    bench.steps(2)
    phases = bench.phases()
    bench.close()

    assert phases == {job_id: "Completed"}
