"""What the engine asks of the executor, and what it makes of errors."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from tests.emulator.bench import SPEC, ScriptedExecutor

from modelarts_emulator.engine.poller import ExecutorPoller
from modelarts_emulator.engine.runs import Run
from modelarts_emulator.execution.protocol import TaskReport


class Stage:
    """A poller over an executor that a test scripts; `timer` is its time in seconds."""

    def __init__(self, folder: Path) -> None:
        self.executor = ScriptedExecutor(folder)
        self.timer = 0.0
        self.poller = ExecutorPoller(self.executor, lambda _: {}, lambda: self.timer)

    def start(self, name: str) -> Run:
        job = Run(name, "p", 1, 1, SPEC | {"job_id": name, "name": name}, phase="Pending", launched=True)
        assert self.poller.submit([job]) == {}
        return job


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def test_a_stop_that_fails_is_repeated_after_a_delay(stage: Stage) -> None:
    """And other jobs are stopped and read meanwhile."""
    bad, good = (replace(stage.start(name), phase="Terminating") for name in ("bad", "good"))
    stops = []

    def stop(job_id: str) -> None:
        stops.append(job_id)
        if job_id == "bad" and stops.count("bad") < 3:
            raise OSError("there is no room to write that down")

    stage.executor.cancel = stop  # type: ignore[method-assign, assignment]
    polled = stage.poller.poll([bad, good])
    assert (set(polled.reports), polled.cancelled) == ({"bad", "good"}, {"good"})
    good.cancelled = True
    for _ in range(2):
        stage.poller.poll([bad, good])
    assert stops == ["bad", "good"]
    for _ in range(8):
        stage.timer += 0.1
        bad.cancelled |= "bad" in stage.poller.poll([bad, good]).cancelled
    assert stops == ["bad", "good", "bad", "bad"]


def test_a_removal_that_fails_waits_for_its_turn_unless_all_are_to_go_at_once(stage: Stage) -> None:
    """A reset does not wait; otherwise the delays of one job do not concern another."""

    attempts: list[str] = []

    def delete(handles: Collection[str]) -> Mapping[str, Exception]:
        attempts.extend(handles)
        return {"bad": OSError("its processes do not end")} if "bad" in handles else {}

    stage.executor.delete = delete  # type: ignore[method-assign]
    tried = stage.poller.delete(["bad", "good"])
    assert {run_id: str(error) for run_id, error in tried.items()} == {
        "bad": "its processes do not end",
        "good": "None",
    }
    assert stage.poller.delete(["bad"]) == {}
    assert stage.poller.delete(["bad"], at_once=True)["bad"] is not None
    stage.timer += 0.2
    assert stage.poller.delete(["bad"])["bad"] is not None
    assert attempts == ["bad", "good", "bad", "bad"]


def test_reports_of_tasks_that_the_job_does_not_have_are_not_taken_over(stage: Stage) -> None:
    """They are read again later, as everything that cannot be right."""
    job = stage.start("j")
    stage.executor.reports["j"] = [TaskReport("worker-7", "running", 1000.0)]
    assert not stage.poller.poll([job]).reports

    stage.executor.reports["j"] = [TaskReport("worker-0", "running", 1000.0)]
    assert not stage.poller.poll([job]).reports
    stage.timer += 0.1
    assert stage.poller.poll([job]).reports


def test_an_executor_that_raises_holds_up_its_jobs_only(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    """The error is logged for every job, and polling is retried later."""
    job = stage.start("j")

    def poll(handles: object) -> dict[str, list[TaskReport]]:
        raise RuntimeError("the scheduler does not respond")

    stage.executor.poll = poll  # type: ignore[method-assign]
    assert not stage.poller.poll([job]).reports
    assert "job j: its state cannot be read and will be read again: the scheduler does not respond" in caplog.text
