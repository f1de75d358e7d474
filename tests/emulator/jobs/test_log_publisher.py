"""Publication of logs while the store can and cannot be written."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.emulator.bench import SPEC, ScriptedExecutor

from modelarts_emulator.jobs.log_archive import Archive
from modelarts_emulator.jobs.poller import ExecutorPoller
from modelarts_emulator.jobs.runs import Run
from modelarts_emulator.storage.folder import FolderStore


class Stage:
    """Jobs that have logs, a store whose lock can be held, and a poller; `now` is its time in seconds."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.executor = ScriptedExecutor(folder)
        self.store = FolderStore(folder / "objects", lock_timeout_s=0.01)
        self.store.prepare()
        self.archive = Archive(self.store)
        self.now = 0.0
        self.poller = ExecutorPoller(self.executor, self.archive, lambda _: {}, lambda: self.now)

    def start(self, name: str) -> Run:
        job = Run(name, "p", 1, 1, SPEC | {"job_id": name, "name": name}, phase="Pending", launched=True)
        assert self.poller.submit([job]) == {}
        (self.folder / f"{name}-worker-0.log").write_text("a line\n")
        return job

    @contextmanager
    def lock_held(self) -> Iterator[None]:
        with (self.folder / "objects" / ".lock").open("r+b") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def is_published(self, name: str) -> bool:
        return self.archive.is_published("p", name, "worker-0")


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def test_a_log_that_cannot_be_published_does_not_concern_the_state_of_its_job(stage: Stage) -> None:
    """However long it lasts: the reports are read, no job is given up, and the log follows when the store is free."""
    jobs = [stage.start("a"), stage.start("b")]
    with stage.lock_held():
        for _ in range(3):
            stage.poller.forget_reports()
            polled = stage.poller.poll(jobs, [])
            assert (set(polled.reports), polled.given_up) == ({"a", "b"}, {})
            stage.now += 100
        assert not stage.is_published("a")
    stage.poller.poll(jobs, [])
    stage.now += 100
    stage.poller.poll(jobs, [])

    assert stage.is_published("a")
    assert stage.is_published("b")


def test_while_the_lock_is_held_one_publication_waits_for_it_and_not_one_of_each_job(stage: Stage) -> None:
    """A hundred jobs would otherwise wait a hundred times."""
    tries: list[str] = []
    create = stage.store.create_bucket

    def count(name: str, location: str = "", owner: str = "") -> None:
        tries.append(name)
        create(name, location, owner)

    stage.store.create_bucket = count  # type: ignore[method-assign]
    jobs = [stage.start(f"job-{number}") for number in range(20)]
    with stage.lock_held():
        for _ in range(5):
            stage.poller.poll(jobs, [])

    assert len(tries) == 1


def test_the_log_of_a_job_that_has_ended_is_published_when_the_store_is_free_again(stage: Stage) -> None:
    """The supervisor learns that something remains to be done."""
    job = stage.start("a")
    stage.executor.end("a")
    with stage.lock_held():
        stage.poller.poll([job], [])
        stage.poller.ended("a")
    assert stage.poller.has_unpublished_logs

    stage.now += 1
    stage.poller.poll([], [])
    assert stage.is_published("a")
    assert not stage.poller.has_unpublished_logs


def test_logs_of_removed_jobs_are_removed_when_the_store_is_free_again(stage: Stage) -> None:
    """And only one of them waits for its lock."""

    class Row:
        def __init__(self, job_id: str) -> None:
            self.run_id, self.project_id = job_id, "p"

    rows = [Row("a"), Row("b")]
    stage.poller.poll([stage.start("a"), stage.start("b")], [])
    with stage.lock_held():
        assert stage.poller.delete(rows)[0] == []
    stage.now += 1

    assert stage.poller.delete(rows) == (["a", "b"], None)
    assert not stage.is_published("a")
    assert not stage.is_published("b")


def test_the_log_of_a_removed_job_is_not_published_any_more(stage: Stage) -> None:
    """Whatever waited for the store is forgotten."""

    class Row:
        run_id, project_id = "a", "p"

    job = stage.start("a")
    with stage.lock_held():
        stage.poller.poll([job], [])
    stage.now += 1
    stage.poller.delete([Row])
    stage.poller.poll([], [])

    assert not stage.is_published("a")
    assert not stage.poller.has_unpublished_logs


def test_old_logs_are_deleted_when_the_store_is_free_again(stage: Stage, tmp_path: Path) -> None:
    """Object and file; a job that nobody knows any more does no harm."""

    class Row:
        project_id, node_count = "p", 1

        def __init__(self, job_id: str) -> None:
            self.run_id = job_id

    stage.poller.poll([stage.start("a")], [])
    with stage.lock_held():
        assert stage.poller.delete_logs([Row("a")]) == []
    assert stage.poller.delete_logs([Row("a")]) == []
    stage.now += 1

    assert stage.poller.delete_logs([Row("a"), Row("unknown")]) == ["a", "unknown"]
    assert not stage.is_published("a")
    assert not (tmp_path / "a-worker-0.log").exists()
