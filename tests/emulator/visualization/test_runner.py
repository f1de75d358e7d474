"""The processes of visualization jobs, started and ended by what the database says of the jobs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest
from sqlalchemy import insert
from tests.emulator.conftest import eventually

from modelarts_emulator.engine.database import Database, open_database
from modelarts_emulator.storage.protocol import AccountStore, Store
from modelarts_emulator.v1.visualizations import JOBS
from modelarts_emulator.visualization import jobs
from modelarts_emulator.visualization.jobs import VisualizationJob, visualization_jobs
from modelarts_emulator.visualization.runner import VisualizationRunner


class Bench:
    """A supervisor with room for one process, and two buckets, one of which is another account's."""

    def __init__(self, folder: Path) -> None:
        self.engine = open_database(folder / "emulator.db")
        self.database = Database(self.engine)
        self.folder = folder / "tools"
        store = Store(folder / "objects")
        store.create_bucket("bucket")
        store.create_bucket("theirs", owner="other-account")
        store_of = partial(AccountStore, store)
        self.runner = VisualizationRunner(
            self.database, store_of, self.folder, lambda: 1_000_000.0, is_simulated=False, capacity=1
        )

    def add(self, name: str, bucket: str = "bucket") -> VisualizationJob:
        job = VisualizationJob(0, "p", name, "", "tensorboard", f"/{bucket}/logs/", "", 0)
        with self.database.writing() as connection:
            values = {name: getattr(job, name) for name in jobs.NAMES if name != "id"}
            key = visualization_jobs.c.id
            return replace(job, id=connection.execute(insert(visualization_jobs).returning(key), values).scalar_one())

    def save(self, job: VisualizationJob) -> None:
        with self.database.writing() as connection:
            jobs.save(connection, job)

    def find(self, job: VisualizationJob) -> VisualizationJob:
        while self.runner.step():
            pass
        with self.database.reading() as connection:
            return JOBS.find(connection, "p", job.id)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.runner.close()
    made.engine.dispose()


def _processes() -> list[Any]:
    """The tools that run; a process may end while it is looked at."""
    found = []
    for each in psutil.Process().children():
        with suppress(psutil.NoSuchProcess):
            if (
                each.status() != psutil.STATUS_ZOMBIE
                and "modelarts_emulator.visualization.tensorboard" in each.cmdline()
            ):
                found.append(each)
    return found


def test_jobs_wait_in_pending_until_there_is_room_for_their_tools(bench: Bench) -> None:
    first, second = bench.add("a"), bench.add("b")
    assert (bench.find(first).phase, bench.find(second).phase) == ("Creating", "Pending")

    bench.save(replace(bench.find(first), phase="Terminating"))

    assert bench.find(first).phase == "Terminated"
    eventually(lambda: bench.find(second).phase == "Running")


def test_a_tool_that_cannot_be_started_fails_its_job_with_the_reason(bench: Bench) -> None:
    """Or may not be: a bucket may have changed hands while the job waited, or while no emulator ran."""
    job = bench.find(bench.add("b", bucket="theirs"))

    assert (job.phase, _processes()) == ("Failed", [])
    assert "bucket theirs belongs to another account" in job.error

    bench.folder.write_text("a file")
    job = bench.find(bench.add("a"))

    assert job.phase == "Failed"
    assert job.error.startswith("tensorboard could not be started: ")
    assert "Not a directory" in job.error


def test_tools_end_when_another_process_is_the_leader(bench: Bench) -> None:
    """Their jobs stay active: the other process gives them tools of its own."""
    job = bench.add("a")
    assert bench.find(job).phase == "Creating"
    eventually(_processes)  # the kernel shows the command line of a new process a moment later

    bench.runner.drop_cached_state()

    assert _processes() == []
    assert bench.find(job).phase == "Creating"
    eventually(_processes)
