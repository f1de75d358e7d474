"""Tools of visualization jobs are started, looked at and ended, without a server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import insert

from modelarts_emulator.clock import Clock
from modelarts_emulator.engine.database import Database, open_database
from modelarts_emulator.engine.leadership import SingleProcess
from modelarts_emulator.storage.account_store import AccountStore
from modelarts_emulator.storage.folder import FolderStore
from modelarts_emulator.v1.visualizations import JOBS
from modelarts_emulator.visualization import jobs
from modelarts_emulator.visualization.jobs import VisualizationJob
from modelarts_emulator.visualization.jobs import visualization_jobs as table
from modelarts_emulator.visualization.runner import VisualizationRunner
from modelarts_emulator.visualization.tools import START_S, STOP_S, SimulatedTool


class Bench:
    """A supervisor on a clock that stands, with room for some tools; a start raises what `error` holds."""

    def __init__(self, folder: Path, capacity: int) -> None:
        self.engine = open_database(folder / "emulator.db")
        self.database = Database(self.engine)
        self.clock = Clock(lambda: 1_000_000.0)
        self.clock.freeze()
        self.error: Exception | None = None
        self.started = 0
        self.on_close: Callable[[SimulatedTool], None] = lambda _: None
        store = FolderStore(folder / "objects")
        store.create_bucket("bucket")
        store.create_bucket("theirs", owner="other-account")
        self.store_of = partial(AccountStore, store)
        self.runner = VisualizationRunner(
            self.database, self.store_of, self.start, folder / "tools", self.clock, capacity
        )

    def start(self, *place: Any) -> SimulatedTool:
        self.started += 1
        if self.error is not None:
            raise self.error
        tool = SimulatedTool(self.clock, *place)
        tool.close = lambda: self.on_close(tool)  # type: ignore[method-assign]
        return tool

    def add(self, name: str, bucket: str = "bucket", **members: Any) -> VisualizationJob:
        job = VisualizationJob(0, "p", name, "", "tensorboard", f"/{bucket}/logs/", "", 0, **members)
        with self.database.writing() as connection:
            values = {name: getattr(job, name) for name in jobs.NAMES if name != "id"}
            return replace(job, id=connection.execute(insert(table).returning(table.c.id), values).scalar_one())

    def save(self, job: VisualizationJob) -> None:
        with self.database.writing() as connection:
            jobs.save(connection, job)

    def find(self, job: VisualizationJob) -> VisualizationJob:
        with self.database.reading() as connection:
            return JOBS.find(connection, "p", job.id)

    def advance(self, seconds: float = 0) -> None:
        self.clock.advance_to(self.clock() + seconds)
        while self.runner.step():
            pass


def test_jobs_wait_in_pending_until_there_is_room_for_their_tools(tmp_path: Path) -> None:
    bench = Bench(tmp_path, capacity=1)
    first, second = bench.add("a"), bench.add("b")

    bench.advance()
    bench.advance(START_S)
    assert (bench.find(first).phase, bench.find(second).phase) == ("Running", "Pending")

    bench.save(replace(bench.find(first), phase="Terminating"))
    bench.advance()
    bench.advance(STOP_S)
    bench.advance(START_S)
    assert (bench.find(first).phase, bench.find(second).phase) == ("Terminated", "Running")
    bench.engine.dispose()


def test_a_tool_that_cannot_be_started_fails_its_job_with_the_reason(tmp_path: Path) -> None:
    bench = Bench(tmp_path, capacity=1)
    bench.error = OSError("no more processes")
    job = bench.add("a")

    bench.advance()
    assert (bench.find(job).phase, bench.started) == ("Failed", 1)
    assert bench.find(job).error == "tensorboard could not be started: no more processes"

    bench.error = None
    bench.save(replace(bench.find(job), phase="Creating", error=""))
    bench.advance()
    bench.advance(START_S)
    assert bench.find(job).phase == "Running"
    bench.engine.dispose()


class Elsewhere(SingleProcess):
    """Another process is the leader."""

    is_shared = True
    epoch = ""


def test_a_process_that_is_not_the_leader_knows_where_each_tool_serves(tmp_path: Path) -> None:
    bench = Bench(tmp_path, capacity=1)
    job = bench.add("a")
    bench.advance()
    bench.advance(START_S)
    elsewhere = Database(bench.engine, Elsewhere())
    other = VisualizationRunner(elsewhere, bench.store_of, bench.start, tmp_path, bench.clock, 1)

    assert bench.started == 1
    assert other.url(bench.find(job)) == bench.runner.url(bench.find(job)) != ""
    bench.engine.dispose()


def test_no_tool_starts_on_a_bucket_of_another_account(tmp_path: Path) -> None:
    """The bucket may have changed hands while the job waited, or while no emulator ran."""
    bench = Bench(tmp_path, capacity=1)
    job = bench.add("a", bucket="theirs")

    bench.advance()

    assert (bench.find(job).phase, bench.started) == ("Failed", 0)
    assert "bucket theirs belongs to another account" in bench.find(job).error
    bench.engine.dispose()


def test_tools_end_when_another_process_is_the_leader(tmp_path: Path) -> None:
    """Their jobs stay active: the other process gives them tools of its own."""
    bench = Bench(tmp_path, capacity=1)
    closed: list[SimulatedTool] = []
    bench.on_close = closed.append
    job = bench.add("a")
    bench.advance()

    bench.runner.drop_cached_state()

    assert len(closed) == 1
    assert bench.find(job).phase == "Creating"
    bench.advance()
    assert bench.started == 2
    bench.engine.dispose()
