"""The supervisor under random requests, hostile reports and a database that fails: jobs never hold up each other."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import event, text
from sqlalchemy.exc import OperationalError
from tests.emulator.bench import Bench

from modelarts_emulator.engine.phases import is_terminal
from modelarts_emulator.execution.protocol import PollResult, TaskEvent, TaskReport
from modelarts_emulator.execution.simulated.clock import Clock
from modelarts_emulator.execution.simulated.executor import SimulatedExecutor
from modelarts_emulator.execution.simulated.time_travel import TimeTravel

UNHURRIED = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture], max_examples=60
)

# In the middle of every call of the executor one of these happens, to a job of which there may be one.
ACTIONS = st.lists(
    st.tuples(st.sampled_from(["create", "stop", "delete", "end", "another", "nothing", "nothing"]), st.integers(1, 6)),
    max_size=40,
)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    opened = Bench(tmp_path)
    yield opened
    opened.close()


def act(bench: Bench, kind: str, number: int) -> None:
    job_id = f"job-{number}"
    if kind == "create":
        bench.create()
    elif kind == "end" and job_id in bench.executor.reports:
        bench.executor.end(job_id)
    elif kind == "stop":
        bench.stop(job_id)
    elif kind == "delete":
        bench.delete(job_id)
    elif kind == "another":  # as after a restart
        bench.restart()


async def play(bench: Bench, actions: list[tuple[str, int]]) -> None:
    """Let the actions happen in the server's thread while the executor works in another; step until all is done."""
    loop, server = asyncio.get_running_loop(), threading.get_ident()
    left = iter(actions)

    def next_action() -> bool:
        if (action := next(left, None)) is not None:
            act(bench, *action)
        return action is not None

    def interrupt() -> None:
        async def run() -> None:
            next_action()

        assert threading.get_ident() != server
        asyncio.run_coroutine_threadsafe(run(), loop).result()

    bench.executor.interrupt = interrupt
    while next_action():
        await bench.supervisor.step()
        live = [job_id for job_id, reports in bench.executor.reports.items() if reports[0].state != "ended"]
        assert len(live) <= bench.most
    bench.executor.interrupt = lambda: None


@UNHURRIED
@given(ACTIONS)
@example([("create", 1)] * 5 + [("nothing", 1)] * 4 + [("delete", 1), ("delete", 2), ("delete", 3)])
@example([("create", 1)] * 5 + [("delete", 1), ("nothing", 1), ("delete", 3), ("delete", 4)])
def test_no_slot_leaks_and_no_job_is_stranded_whatever_is_created_stopped_and_deleted(
    bench: Bench, actions: list[tuple[str, int]]
) -> None:
    """What is marked as launched is started, what is deleted is nowhere, every job ends, and all slots are free.

    Whenever another supervisor goes on.
    """
    bench.clear()
    asyncio.run(play(bench, actions))
    for _ in range(2 + bench.count):
        for job_id in bench.executor.reports:
            bench.executor.end(job_id)
        bench.steps(3)

    phases = bench.phases()
    assert all(map(is_terminal, phases.values())), phases
    assert set(bench.executor.reports) <= set(phases)
    assert bench.removals() == 0
    fresh = [bench.create() for _ in range(bench.most)]
    bench.steps(3)
    assert {job_id: bench.job(job_id).phase for job_id in fresh} == dict.fromkeys(fresh, "Running")


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
        with bench.database.writing() as connection:
            bench.supervisor.terminate(connection, bench.job(job_id))

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
    time_travel = TimeTravel(clock, executor, [bench.supervisor], tmp_path)

    asyncio.run(time_travel.advance(number / 2))
    assert [bench.job(job_id).phase for job_id in jobs] == ["Completed"] * 30 + ["Running"] * 30
    asyncio.run(time_travel.advance(number / 2))
    assert [bench.job(job_id).past_duration for job_id in jobs] == [1000 * index for index in range(1, number + 1)]
    assert executor.polls <= 6 * number
    executor.close()
