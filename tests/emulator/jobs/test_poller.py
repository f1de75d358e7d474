"""What the supervisor's threads do with the executor and with logs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from tests.emulator.bench import SPEC, ScriptedExecutor

from modelarts_emulator.execution.protocol import TaskReport
from modelarts_emulator.jobs.log_archive import Archive
from modelarts_emulator.jobs.poller import ExecutorPoller
from modelarts_emulator.jobs.runs import Run
from modelarts_emulator.storage.folder import FolderStore


class Stage:
    """A poller over an executor that a test scripts; `timer` is its time in seconds."""

    def __init__(self, folder: Path) -> None:
        self.executor = ScriptedExecutor(folder)
        self.archive = Archive(FolderStore(folder / "objects"))
        self.timer = 0.0
        self.poller = ExecutorPoller(self.executor, self.archive, lambda _: {}, lambda: self.timer)

    def start(self, name: str) -> Run:
        job = Run(name, "p", 1, 1, SPEC | {"job_id": name, "name": name}, phase="Pending", launched=True)
        assert self.poller.submit([job]) == {}
        return job


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def test_reports_are_new_until_they_were_read_once_for_a_version_of_the_run(stage: Stage) -> None:
    """They are new again when they change, when the run has changed, and when what is known is dropped."""
    job = stage.start("j")
    assert list(stage.poller.poll([job], []).reports) == ["j"]
    assert not stage.poller.poll([job], []).reports

    job = replace(job, version=1)
    assert list(stage.poller.poll([job], []).reports) == ["j"]
    assert not stage.poller.poll([job], []).reports
    stage.poller.forget_reports()
    assert list(stage.poller.poll([job], []).reports) == ["j"]
    stage.executor.end("j")
    assert [report.state for report in stage.poller.poll([job], []).reports["j"]] == ["ended"]


def test_a_job_is_asked_to_end_once_per_attempt(stage: Stage) -> None:
    """Looking at it again does not repeat the signal; the next attempt can be stopped, too."""
    job = stage.start("j")
    stops: list[str] = []

    def stop(job_id: str) -> None:
        stops.append(job_id)

    stage.executor.cancel = stop  # type: ignore[method-assign, assignment]
    for _ in range(3):
        stage.poller.poll([job], [job])
    assert stops == ["j"]

    again = replace(job, attempt=1)
    stage.poller.poll([again], [again])
    assert stops == ["j", "j"]


def test_a_stop_that_fails_is_repeated_after_a_delay(stage: Stage) -> None:
    """And other jobs are stopped and read meanwhile."""
    bad, good = stage.start("bad"), stage.start("good")
    stops = []

    def stop(job_id: str) -> None:
        stops.append(job_id)
        if job_id == "bad" and stops.count("bad") < 3:
            raise OSError("there is no room to write that down")

    stage.executor.cancel = stop  # type: ignore[method-assign, assignment]
    assert set(stage.poller.poll([bad, good], [bad, good]).reports) == {"bad", "good"}
    for _ in range(2):
        stage.poller.poll([bad, good], [bad, good])
    assert stops == ["bad", "good"]
    for _ in range(8):
        stage.timer += 0.1
        stage.poller.poll([bad, good], [bad, good])
    assert stops == ["bad", "good", "bad", "bad"]


def test_a_log_becomes_an_object_as_soon_as_there_is_one(stage: Stage, tmp_path: Path) -> None:
    """Also if the task reports nothing new when its first line appears."""
    job = stage.start("j")
    stage.poller.poll([job], [])
    assert not stage.archive.is_published("p", "j", "worker-0")

    (tmp_path / "j-worker-0.log").write_text("a line\n")
    stage.poller.poll([job], [])
    assert stage.archive.is_published("p", "j", "worker-0")


def test_a_removal_that_fails_waits_for_its_turn_unless_all_are_to_go_at_once(stage: Stage) -> None:
    """A reset does not wait; otherwise the delays of one job do not concern another."""

    class Row:
        def __init__(self, job_id: str) -> None:
            self.run_id, self.project_id = job_id, "p"

    attempts: list[str] = []

    def delete(handles: Collection[str]) -> Mapping[str, Exception]:
        attempts.extend(handles)
        return {"bad": OSError("its processes do not end")} if "bad" in handles else {}

    stage.executor.delete = delete  # type: ignore[method-assign]
    done, error = stage.poller.delete([Row("bad"), Row("good")])
    assert (done, str(error)) == (["good"], "its processes do not end")
    assert stage.poller.delete([Row("bad")]) == ([], None)
    assert stage.poller.delete([Row("bad")], at_once=True)[1] is not None
    stage.timer += 0.2
    assert stage.poller.delete([Row("bad")])[1] is not None
    assert attempts == ["bad", "good", "bad", "bad"]


def test_reports_of_tasks_that_the_job_does_not_have_are_not_taken_over(stage: Stage) -> None:
    """They are read again later, as everything that cannot be right."""
    job = stage.start("j")
    stage.executor.reports["j"] = [TaskReport("worker-7", "running", 1000.0)]
    assert not stage.poller.poll([job], []).reports

    stage.executor.reports["j"] = [TaskReport("worker-0", "running", 1000.0)]
    assert not stage.poller.poll([job], []).reports
    stage.timer += 0.1
    assert stage.poller.poll([job], []).reports


def test_an_executor_that_raises_holds_up_its_jobs_only(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    """The error is logged for every job, and polling is retried later."""
    job = stage.start("j")

    def poll(handles: object) -> dict[str, list[TaskReport]]:
        raise RuntimeError("the scheduler does not respond")

    stage.executor.poll = poll  # type: ignore[method-assign]
    assert not stage.poller.poll([job], []).reports
    assert "job j: its state cannot be read and will be read again: the scheduler does not respond" in caplog.text


def test_a_log_that_is_not_a_file_of_this_machine_becomes_an_object_at_its_end(stage: Stage) -> None:
    """It is read through the executor."""
    job = stage.start("j")
    stage.executor.log_file = lambda *_: None  # type: ignore[method-assign, assignment]
    stage.executor.logs = lambda _handle, _task, offset=0, _max=0: b"a line\n"[offset:]  # type: ignore[method-assign, assignment]
    stage.poller.poll([job], [])
    assert not stage.archive.is_published("p", "j", "worker-0")

    stage.executor.end("j")
    stage.poller.poll([job], [])
    assert stage.archive.is_published("p", "j", "worker-0")
