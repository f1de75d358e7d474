"""A supervisor without a server: hostile reports, a database that fails, a lost leadership; jobs hold up no other."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, event, text
from sqlalchemy.exc import OperationalError
from tests.emulator.bench import SPEC, Bench, ScriptedExecutor

from modelarts_emulator.engine import runs, supervisor
from modelarts_emulator.engine.database import Database
from modelarts_emulator.engine.leadership import LeadershipLost, SingleProcess
from modelarts_emulator.engine.poller import ExecutorPoller
from modelarts_emulator.engine.runs import Run, is_terminal
from modelarts_emulator.engine.supervisor import Supervisor, Worker
from modelarts_emulator.execution.protocol import PollResult, TaskEvent, TaskReport
from modelarts_emulator.execution.simulated.clock import Clock, TimeTravel
from modelarts_emulator.execution.simulated.executor import SimulatedExecutor

UNHURRIED = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture], max_examples=60
)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    opened = Bench(tmp_path)
    yield opened
    opened.close()


TEXTS = st.one_of(st.none(), st.text(st.characters(exclude_categories=[])), st.just("a\udcffb"), st.just("x" * 100_000))
NUMBERS = st.one_of(
    st.none(), st.floats(), st.integers(), st.sampled_from([1e30, -1e30, float("nan"), float("inf"), 10**40, "1", True])
)
ODD: Any = st.one_of(NUMBERS, TEXTS, st.just(b"\xff"), st.just([]))
NOTES = st.lists(
    st.builds(TaskEvent, NUMBERS, TEXTS, st.sampled_from(["Task", "K8S", "\udcff"]), st.sampled_from(["Info", "?"])),
    max_size=2,
).map(tuple)
HOSTILE = st.builds(
    TaskReport,
    task=st.one_of(st.just("worker-0"), st.just("worker-9"), st.just("\udcff")),
    state=st.one_of(st.sampled_from(["preparing", "running", "ended"]), st.just("dancing")),
    started_at=NUMBERS,
    ended_at=NUMBERS,
    exit_code=NUMBERS,
    message=TEXTS,
    attempt=st.one_of(st.just(0), ODD),
    failure=st.one_of(st.none(), st.sampled_from(["hung", "node_lost", "flood"]), ODD),
    events=st.one_of(st.just(()), NOTES, ODD),
)
REPORTS = st.one_of(st.lists(HOSTILE, min_size=1, max_size=2), ODD)


@UNHURRIED
@given(REPORTS)
@example([TaskReport("worker-0", "ended", 1000.0, 1001.0, 1, "cannot upload a\udcffb")])
@example([TaskReport("worker-0", "ended", 1e30, 1e30, 10**30, None)])
@example([TaskReport("worker-0", "ended", 1000.0, 1001.0, 0, events=(TaskEvent(1e300, "\udcff"),))])
@example([TaskReport("worker-0", "ended", 1000.0, 1001.0, 0), TaskReport("worker-0", "preparing")])
def test_a_job_holds_up_no_other_whatever_its_tasks_report(bench: Bench, reports: Any) -> None:
    """Reports that cannot be stored are stored with a replacement, or end the job; also after a restart."""
    bench.clear()
    bad, good = bench.create(), bench.create()
    bench.steps(2)
    bench.executor.reports[bad] = reports
    bench.executor.end(good)
    bench.steps(2)

    assert bench.job(good).phase == "Completed"

    bench.restart()
    bench.steps(2)
    another = bench.create()
    bench.steps(2)
    assert bench.job(another).phase == "Running"

    for _ in range(40):
        bench.timer += 5
        bench.steps(1)
    phase = bench.job(bad).phase
    if not is_terminal(phase):  # it is believed: what it says of itself can be true
        assert phase in ("Pending", "Running")
        assert all(report.state in ("preparing", "running") for report in reports)


def test_a_message_that_is_not_utf_8_is_stored_with_an_escape_sequence(bench: Bench) -> None:
    """The name of a file that Latin-1 encodes reaches the user in the job's status and its events."""
    job_id = bench.create()
    bench.steps(2)
    bench.executor.end(job_id, 1, "cannot upload a\udcffb")
    bench.steps(2)

    assert bench.job(job_id).task_statuses == [
        {"task": "worker-0", "exit_code": 1, "message": "cannot upload a\\udcffb"}
    ]
    assert bench.messages(job_id)[-1] == "The job failed: worker-0 ended with exit code 1: cannot upload a\\udcffb."


def test_a_job_whose_state_cannot_be_read_is_retried_ever_less_often_and_then_given_up(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    """After a minute the job is Abnormal, says why, and the log names it; the others went on at full speed."""
    bad, good = bench.create(), bench.create()
    bench.steps(2)
    bench.executor.failures[bad] = ValueError("half a record \udcff")
    bench.executor.polls.clear()
    with caplog.at_level(logging.ERROR):
        for _ in range(300):
            bench.timer += 0.1
            bench.steps(1)

    assert bench.job(bad).phase == "Running"
    assert bench.executor.polls.count(good) == 300
    assert bench.executor.polls.count(bad) <= 15
    assert f"job {bad}: its state cannot be read" in caplog.text

    bench.timer += 31
    bench.steps(1)
    assert (bench.job(bad).phase, bench.job(good).phase) == ("Abnormal", "Running")
    assert "half a record \\udcff" in bench.job(bad).task_statuses[0]["message"]
    assert f"job {bad} is given up" in caplog.text


def test_a_job_whose_state_cannot_be_read_for_a_while_goes_on(bench: Bench) -> None:
    """A failure that passes costs the job nothing, and its minute begins anew with the next one."""
    job_id = bench.create()
    bench.steps(2)
    for _ in range(3):
        bench.executor.failures[job_id] = ValueError("half a record")
        bench.timer += 50
        bench.steps(2)
        bench.executor.failures.clear()
        bench.timer += 50
        bench.steps(2)
    bench.executor.end(job_id)
    bench.steps(1)

    assert bench.job(job_id).phase == "Completed"


def test_a_full_disk_gives_up_no_job(bench: Bench) -> None:
    """A job does not fail because the machine lacks resources: it waits until there is room."""
    job_id = bench.create()
    bench.steps(2)
    bench.executor.failures[job_id] = OSError(28, "No space left on device")
    for _ in range(40):
        bench.timer += 5
        bench.steps(1)
    assert bench.job(job_id).phase == "Running"
    bench.executor.failures.clear()
    bench.executor.end(job_id)
    bench.timer += 5
    bench.steps(1)

    assert bench.job(job_id).phase == "Completed"


def test_a_job_that_the_database_rejects_is_given_up_and_the_others_are_stored(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    """Jobs share a transaction; when it fails, each is stored in one of its own."""
    bad, good = bench.create(), bench.create()
    bench.steps(2)
    with bench.engine.begin() as connection:
        connection.execute(
            text(
                f"CREATE TRIGGER reject BEFORE UPDATE ON runs WHEN NEW.id = '{bad}' AND NEW.phase = 'Completed'"
                " BEGIN SELECT RAISE(ABORT, 'a row that cannot be'); END"
            )
        )
    for job_id in (bad, good):
        bench.executor.end(job_id)
    with caplog.at_level(logging.ERROR):
        bench.steps(2)

    assert bench.phases() == {bad: "Abnormal", good: "Completed"}
    assert "a row that cannot be" in bench.job(bad).task_statuses[0]["message"]
    assert f"job {bad} is given up" in caplog.text
    assert bench.messages(good)[-1] == "The job is complete."


def test_what_a_request_changes_during_a_step_is_not_overwritten(bench: Bench) -> None:
    """A job that was stopped in time is Terminated, whatever the step knew when it asked the executor."""
    job_id = bench.create()
    bench.steps(2)
    bench.executor.end(job_id)

    def stop_unnoticed() -> None:
        bench.executor.interrupt = lambda: None
        job = bench.job(job_id)
        with bench.database.writing() as connection:
            bench.supervisor.terminate(connection, job)

    bench.executor.interrupt = stop_unnoticed
    bench.steps(1)

    assert bench.job(job_id).phase == "Terminated"
    assert bench.messages(job_id)[-3:] == [
        "The job is running.",
        "The job is being stopped.",
        "The job has been stopped.",
    ]


@pytest.mark.parametrize("fault", ["locked", "full"])
def test_when_a_commit_fails_nothing_is_lost_and_everything_goes_on(bench: Bench, fault: str) -> None:
    """Whichever step's commit fails, the job completes, is started once, and all its events are stored once."""
    max_pages = 1_000_000
    fill = (
        "CREATE TRIGGER fill AFTER INSERT ON events BEGIN INSERT INTO events (run_id, time, level, source, message)"
        " VALUES ('filler', 0, '', '', hex(randomblob(1000000))); END"
    )

    def limit(connection: Any, *_: object) -> None:
        connection.execute("PRAGMA busy_timeout = 1")
        connection.execute(f"PRAGMA max_page_count = {max_pages}")

    def execute(statement: str) -> Any:
        with bench.engine.begin() as connection:
            result = connection.exec_driver_sql(statement)
            return result.scalar() if result.returns_rows else None

    def fail() -> None:
        nonlocal max_pages
        if fault == "full":
            execute(fill)
            max_pages = execute("PRAGMA page_count")
        with pytest.raises(OperationalError, match="full" if fault == "full" else "locked"):
            bench.steps(1)
        if fault == "full":
            max_pages = 1_000_000
            execute("DROP TRIGGER fill")

    event.listen(bench.engine, "checkout", limit)
    other = sqlite3.connect(str(bench.engine.url.database), isolation_level=None)
    job_id = bench.create()
    for action in (lambda: None, lambda: None, lambda: bench.executor.end(job_id)):
        action()
        if fault == "locked":
            other.execute("BEGIN IMMEDIATE")
        fail()
        if fault == "locked":
            other.execute("ROLLBACK")
        bench.steps(1)
    other.close()

    assert bench.job(job_id).phase == "Completed"
    assert bench.executor.started == [(job_id, 0)]
    assert bench.messages(job_id) == ["The job has been created.", "The job is running.", "The job is complete."]


class CountingExecutor(SimulatedExecutor):
    polls = 0

    def poll(self, handles: Collection[str]) -> PollResult:
        self.polls += len(handles)
        return super().poll(handles)


def test_moving_the_clock_costs_in_proportion_to_what_happens(bench: Bench, tmp_path: Path) -> None:
    """Of jobs that end one after another, only the one that ends is looked at, not all that run."""
    clock = Clock()
    clock.freeze()
    executor = CountingExecutor(tmp_path / "jobs", clock)
    number = 60
    for index in range(1, number + 1):
        executor.plans.add(job=f"job-{index}", duration=index)
    bench.clock, bench.most = clock, number
    bench.restart(executor)
    jobs = [bench.create() for _ in range(number)]
    time_travel = TimeTravel(clock, executor, bench.supervisor, tmp_path)

    asyncio.run(time_travel.advance(number / 2))
    assert [bench.job(job_id).phase for job_id in jobs] == ["Completed"] * 30 + ["Running"] * 30
    asyncio.run(time_travel.advance(number / 2))
    assert [bench.job(job_id).past_duration for job_id in jobs] == [1000 * index for index in range(1, number + 1)]
    assert executor.polls <= 6 * number
    executor.close()


def test_a_queued_job_that_is_deleted_during_a_step_does_not_take_the_turn_of_the_next(bench: Bench) -> None:
    """The next one starts in the same step, in which the running one has ended."""
    bench.most = 1
    bench.restart()
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

    assert started == [running, waiting]


def test_a_job_whose_change_the_executor_misses_is_looked_at_from_time_to_time(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An executor that never says that a job has changed cannot let it run for ever."""
    monkeypatch.setattr("modelarts_emulator.engine.supervisor.FULL_POLL_S", 0.0)
    monkeypatch.setattr(bench.executor, "changed_jobs", set)
    job_id = bench.create()
    bench.steps(4)
    bench.executor.end(job_id)
    bench.steps(2)
    phases = bench.phases()

    assert phases == {job_id: "Completed"}


class Leadership(SingleProcess):
    """The leadership of a front end, which ends when the test says so, or as soon as a run is launched."""

    def __init__(self) -> None:
        self.is_lost = False
        self.ends_at_launch = False

    def check(self, connection: Connection) -> None:
        is_launched = self.ends_at_launch and any(run.launched for run in runs.every(connection))
        if self.is_lost or is_launched:
            raise LeadershipLost


@pytest.fixture
def leadership(bench: Bench) -> Leadership:
    """The leadership of the bench's supervisor."""
    bench.database.leadership = found = Leadership()
    bench.most = 5
    bench.restart()
    return found


def test_a_run_whose_launch_was_the_last_that_was_committed_is_not_submitted(
    bench: Bench, leadership: Leadership
) -> None:
    """Another front end finds it launched, and submits it."""
    bench.create()
    leadership.ends_at_launch = True
    with pytest.raises(LeadershipLost):
        bench.steps(3)

    assert bench.job("job-1").launched
    assert bench.executor.started == []


def test_what_another_front_end_ended_while_it_was_submitted_ends(bench: Bench, leadership: Leadership) -> None:
    """What it removed is removed, and what it continues with runs on."""
    executor = bench.executor
    worker = Worker(Database(bench.engine), ScriptedExecutor(bench.folder), bench.clock, 5, lambda _: {})
    other = Supervisor(worker)
    stopped, deleted, kept = (bench.create() for _ in range(3))

    async def take_over() -> None:
        bench.stop(stopped)
        bench.delete(deleted)
        for _ in range(3):
            await other.step()

    def lose_leadership() -> None:
        executor.interrupt = lambda: None
        leadership.is_lost = True
        asyncio.run(take_over())

    executor.interrupt = lose_leadership
    with pytest.raises(LeadershipLost):
        bench.steps(1)

    assert [job_id for job_id, _ in executor.started] == [stopped, deleted, kept]
    assert bench.phases() == {stopped: "Terminated", kept: "Running"}
    assert executor.removed == [deleted]
    assert {job_id: reports[0].state for job_id, reports in executor.reports.items()} == {
        stopped: "ended",
        kept: "running",
    }


def test_of_many_runs_only_some_are_submitted_before_it_is_looked_again(
    bench: Bench, leadership: Leadership, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their specifications are read piece by piece, too."""
    monkeypatch.setattr(supervisor, "SUBMISSIONS_PER_PIECE", 2)
    made = [bench.create() for _ in range(5)]

    def lose_leadership() -> None:
        leadership.is_lost = len(bench.executor.started) == 3

    bench.executor.interrupt = lose_leadership
    with pytest.raises(LeadershipLost):
        bench.steps(1)

    assert [job_id for job_id, _ in bench.executor.started] == made[:4]


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
