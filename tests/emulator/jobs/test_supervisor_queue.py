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


@pytest.mark.parametrize("change", ["stop", "delete", "end"])
def test_a_new_job_that_was_changed_before_the_supervisor_saw_it_stays_as_it_was_changed(
    tmp_path: Path, change: str
) -> None:
    """Also if the supervisor learns of the change before it is given the job as it was created."""
    bench = Bench(tmp_path)
    job_id = bench.create()
    created = bench.job(job_id)
    bench.restart()
    if change == "stop":
        bench.stop(job_id)
    elif change == "delete":
        bench.delete(job_id)
    else:
        bench.steps(1)
        bench.executor.end(job_id)
        bench.steps(2)
    bench.supervisor.added(created)
    bench.steps(3)
    started, phases, removals = [name for name, _ in bench.executor.started], bench.phases(), bench.removals()
    messages = bench.messages(job_id)
    bench.close()

    assert phases == {"stop": {job_id: "Terminated"}, "delete": {}, "end": {job_id: "Completed"}}[change]
    assert started == ([job_id] if change == "end" else [])
    assert removals == 0
    assert len(messages) == len(set(messages))


def test_a_new_job_that_was_removed_before_the_supervisor_saw_it_takes_no_room(tmp_path: Path) -> None:
    """Also if its removal was finished before the supervisor is given the job as it was created."""
    bench = Bench(tmp_path, most=1)
    removed = bench.create()
    created = bench.job(removed)
    bench.restart()
    bench.delete(removed)
    bench.steps(1)
    bench.supervisor.added(created)
    bench.steps(2)
    later = bench.create()
    bench.steps(2)
    started = [name for name, _ in bench.executor.started]
    bench.close()

    assert started == [later]


def test_a_job_whose_change_the_executor_misses_is_looked_at_from_time_to_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An executor that never says that a job has changed cannot let it run for ever."""
    monkeypatch.setattr("modelarts_emulator.jobs.worker.FULL_POLL_S", 0.0)
    bench = Bench(tmp_path)
    monkeypatch.setattr(bench.executor, "changed_jobs", set)
    job_id = bench.create()
    bench.steps(4)
    bench.executor.end(job_id)
    bench.steps(2)
    phases = bench.phases()
    bench.close()

    assert phases == {job_id: "Completed"}
