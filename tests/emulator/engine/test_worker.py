"""A supervisor without a server: hostile reports, a database that fails, a lost leadership; jobs hold up no other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, delete, event, select, text
from sqlalchemy.exc import OperationalError
from tests.emulator.conftest import Puppet

from modelarts_emulator.clock import Clock
from modelarts_emulator.control.time_travel import TimeTravel
from modelarts_emulator.engine import runs
from modelarts_emulator.engine.database import Database, open_database
from modelarts_emulator.engine.leadership import LeadershipLost, SingleProcess
from modelarts_emulator.engine.runs import Run
from modelarts_emulator.engine.scheduler import Capacity
from modelarts_emulator.engine.supervisor import Supervisor
from modelarts_emulator.engine.tables import events, metadata
from modelarts_emulator.engine.worker import Worker
from modelarts_emulator.execution.protocol import (
    Executor,
    JobSpec,
    PollResult,
    TaskEvent,
    TaskReport,
    task_names,
)
from modelarts_emulator.execution.simulated.executor import SimulatedExecutor
from modelarts_openapi.phases import Phase


class ScriptedExecutor(Puppet):
    """Tasks run until a test, or a stop, ends them."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.started: list[tuple[str, int]] = []
        self.polls: list[str] = []
        self.failures: dict[str, Exception] = {}

    def submit(self, spec: JobSpec) -> str:
        self.started.append((spec.job_id, spec.attempt))
        tasks = task_names(spec.node_count)
        self.report(spec.job_id, *(TaskReport(task, "running", 1000.0, attempt=spec.attempt) for task in tasks))
        return spec.job_id

    def poll(self, handles: Collection[str]) -> PollResult:
        self.polls += handles
        known = super().poll(handles)
        return {**known, **{job_id: self.failures[job_id] for job_id in handles if job_id in self.failures}}

    def end(self, job_id: str, exit_code: int = 0) -> None:
        ends = [replace(each, state="ended", ended_at=1001.0, exit_code=exit_code) for each in self.reports[job_id]]
        self.report(job_id, *ends)

    def cancel(self, handle: str) -> None:
        if isinstance(self.reports.get(handle), list):
            self.end(handle, 143)


class Bench:
    """One database for many supervisors, of which each begins as after a restart; time stands at `now` seconds."""

    def __init__(self, folder: Path, most: int = 2) -> None:
        self.engine = open_database(Path(folder) / "bench.db")
        self.database = Database(self.engine)
        self.folder, self.most = folder, most
        self.timer = 0.0
        self.clock: Callable[[], float] = lambda: 1002.0
        self.clear()

    def clear(self) -> None:
        """Begin without state."""
        with self.engine.begin() as connection:
            for table in metadata.sorted_tables:
                if table.name != "settings":
                    connection.execute(delete(table))
        self.executor = ScriptedExecutor(self.folder)
        self.count = 0
        self.restart()

    def restart(self, executor: Executor | None = None) -> None:
        """Let another supervisor go on with the tables and the executor, or another one."""
        worker = Worker(
            self.database, executor or self.executor, self.clock, Capacity(self.most), lambda _: {},
            timer=lambda: self.timer,
        )  # fmt: skip
        self.supervisor = Supervisor(worker)

    def close(self) -> None:
        self.engine.dispose()

    def create(self) -> str:
        """Store a job as the handler does; returns its id."""
        self.count += 1
        name = f"job-{self.count}"
        job = Run(name, "p", 1, self.count, JobSpec(name, name), flavor_id="f")
        with self.database.writing() as connection:
            runs.add(connection, job)
        return name

    def steps(self, number: int) -> None:
        """Let the supervisor do this many steps."""

        async def work() -> None:
            for _ in range(number):
                await self.supervisor.step()

        asyncio.run(work())

    def job(self, job_id: str) -> Run:
        with self.database.reading() as connection:
            found = runs.get(connection, job_id)
        assert found is not None
        return found

    def phases(self) -> dict[str, Phase]:
        with self.database.reading() as connection:
            return {row.id: row.phase for row in connection.execute(runs.RUNS)}

    def messages(self, job_id: str) -> Sequence[str]:
        """What the job's events say, in the order in which they were stored."""
        query = select(events.c.message).where(events.c.run_id == job_id).order_by(events.c.id)
        with self.database.reading() as connection:
            return list(connection.execute(query).scalars())


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
    failure=st.one_of(st.none(), st.sampled_from(["preempted", "node_lost", "flood"]), ODD),
    events=st.one_of(st.just(()), NOTES, ODD),
)
REPORTS = st.one_of(st.lists(HOSTILE, min_size=1, max_size=2), ODD)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(REPORTS)
@example([TaskReport("worker-0", "ended", 1000.0, 1001.0, 1, "cannot upload a\udcffb")])
@example([TaskReport("worker-0", "ended", 1e30, 1e30, 10**30, None)])
@example([TaskReport("worker-0", "ended", 1000.0, 1001.0, 0, events=(TaskEvent(1e300, "\udcff"),))])
@example([TaskReport("worker-0", "ended", 1000.0, 1001.0, 0), TaskReport("worker-0", "preparing")])
def test_a_job_holds_up_no_other_whatever_its_tasks_report(bench: Bench, reports: Any) -> None:
    """Reports that cannot be taken over end the job; also after a restart."""
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


@pytest.mark.parametrize("is_of_machine", [False, True])
def test_a_job_whose_state_cannot_be_read_is_given_up_after_a_minute_unless_the_machine_is_to_blame(
    bench: Bench, caplog: pytest.LogCaptureFixture, is_of_machine: bool
) -> None:
    """It says why, and the log names it; it is looked at less and less often, the others at full speed."""
    bad, good = bench.create(), bench.create()
    bench.steps(2)
    bench.executor.failures[bad] = OSError(28, "No space left") if is_of_machine else ValueError("half a record \udcff")
    bench.executor.polls.clear()
    for _ in range(118):
        bench.timer += 0.5
        bench.steps(1)
    phases = bench.phases()
    bench.timer += 8
    bench.steps(1)

    assert phases == {bad: "Running", good: "Running"}
    assert bench.executor.polls.count(good) == 119
    assert bench.executor.polls.count(bad) == 11
    assert f"job {bad}: its state cannot be read" in caplog.text
    assert bench.phases() == {bad: "Running" if is_of_machine else "Abnormal", good: "Running"}
    if not is_of_machine:
        assert "half a record \\udcff" in bench.job(bad).task_statuses[0]["message"]


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
    bench.steps(2)

    assert bench.phases() == {bad: "Abnormal", good: "Completed"}
    assert "a row that cannot be" in bench.job(bad).task_statuses[0]["message"]
    assert f"job {bad} is given up" in caplog.text
    assert bench.messages(good)[-1] == "The job is complete."


def test_a_run_whose_launch_was_the_last_that_was_committed_is_not_submitted(bench: Bench) -> None:
    """Another front end finds it launched, and submits it."""

    class Leadership(SingleProcess):
        def check(self, connection: Connection) -> None:
            if any(row.launched for row in connection.execute(runs.RUNS)):
                raise LeadershipLost

    bench.database.leadership = Leadership()
    bench.restart()
    bench.create()
    with pytest.raises(LeadershipLost):
        bench.steps(3)

    assert bench.job("job-1").launched
    assert bench.executor.started == []


def test_when_the_disk_is_full_nothing_is_lost_and_everything_goes_on(bench: Bench) -> None:
    """Whichever step's commit fails, the job completes, is started once, and all its events are stored once."""
    max_pages = 1_000_000
    fill = (
        "CREATE TRIGGER fill AFTER INSERT ON events BEGIN INSERT INTO events (run_id, time, level, source, message)"
        " VALUES ('filler', 0, '', '', hex(randomblob(1000000))); END"
    )

    def limit(connection: Any, *_: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {max_pages}")

    def execute(statement: str) -> Any:
        with bench.engine.begin() as connection:
            result = connection.exec_driver_sql(statement)
            return result.scalar() if result.returns_rows else None

    event.listen(bench.engine, "checkout", limit)
    job_id = bench.create()
    for action in (lambda: None, lambda: None, lambda: bench.executor.end(job_id)):
        action()
        execute(fill)
        max_pages = execute("PRAGMA page_count")
        with pytest.raises(OperationalError, match="full"):
            bench.steps(1)
        max_pages = 1_000_000
        execute("DROP TRIGGER fill")
        bench.steps(1)

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

    asyncio.run(time_travel.move(lambda now: now + number / 2))
    assert [bench.job(job_id).phase for job_id in jobs] == ["Completed"] * 30 + ["Running"] * 30
    asyncio.run(time_travel.move(lambda now: now + number / 2))
    assert [bench.job(job_id).past_duration for job_id in jobs] == [1000 * index for index in range(1, number + 1)]
    assert executor.polls <= 6 * number
    executor.close()


def test_a_job_whose_change_the_executor_misses_is_looked_at_from_time_to_time(bench: Bench) -> None:
    """An executor that never says that a job has changed cannot let it run for ever."""
    bench.executor.changed_jobs = set  # type: ignore[method-assign]
    job_id = bench.create()
    bench.steps(4)
    bench.timer += 15
    bench.steps(1)
    bench.executor.end(job_id)
    bench.timer += 15
    bench.steps(1)

    assert bench.phases() == {job_id: "Completed"}


def test_as_many_jobs_begin_in_one_step_as_there_is_room_for(tmp_path: Path) -> None:
    bench = Bench(tmp_path, most=3)
    for _ in range(4):
        bench.create()
    bench.steps(1)

    assert bench.executor.started == [("job-1", 0), ("job-2", 0), ("job-3", 0)]
    bench.close()


def test_what_was_read_is_dropped_when_the_leader_has_changed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process may have worked on the same jobs meanwhile."""
    forgotten: list[bool] = []
    monkeypatch.setattr(bench.executor, "forget", lambda: forgotten.append(True), raising=False)
    bench.steps(2)
    assert forgotten == []

    monkeypatch.setattr(type(bench.database.leadership), "epoch", 7)
    bench.steps(2)

    assert forgotten == [True]
