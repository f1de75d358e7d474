"""Logs of jobs that have ended are published, also after a crash, and deleted when they are 30 days old."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update
from tests.emulator.bench import Bench

from modelarts_emulator.jobs import run_logs, worker
from modelarts_emulator.jobs.tables import runs
from modelarts_emulator.server import Emulator

DAYS_30_S = 30 * 24 * 3600


@pytest.fixture
def api(tmp_path: Path, log_in: Callable[..., Any]) -> Iterator[Any]:
    with Emulator(tmp_path, executor="simulated", token_lifetime=10**9, check_responses=True) as emulator:
        emulator.clock.freeze()
        yield log_in(emulator)


def ended_job(api: Any, **spec: Any) -> Any:
    """A job that has ended by itself."""
    body = api.job_body()
    body["spec"] |= spec
    job_id = api.create_job(body)["metadata"]["id"]
    api.emulator.clock.advance(3600)
    job = api.job(job_id)
    assert job["status"]["phase"] == "Completed"
    return job


def end_s(job: Any) -> float:
    """When the job ended, in Unix seconds."""
    return float((job["status"]["start_time"] + job["status"]["duration"]) / 1000)


def codes(api: Any, job: Any) -> list[str | None]:
    """The error codes of the log's preview and of its link; None where there is none."""
    path = f"/training-jobs/{job['metadata']['id']}/tasks/worker-0/logs"
    return [api.call("GET", f"{path}/{name}").json().get("error_code") for name in ("preview", "url")]


def places(api: Any, job: Any) -> list[bool]:
    """Whether the log is there as an object, and as a file of the executor."""
    job_id = job["metadata"]["id"]
    (bucket,) = [bucket.name for bucket in api.store.buckets() if bucket.name.startswith("modelarts-training-log-")]
    found = api.store.list(bucket, f"{job_id}/").objects
    return [bool(found), (api.emulator.data_dir / "jobs" / job_id / "worker-0.log").exists()]


def test_the_log_of_a_job_is_deleted_30_days_after_its_end(api: Any) -> None:
    """By the emulator's clock, and not a millisecond before; the log of a job that exports it stays."""
    job = ended_job(api)
    exported = ended_job(api, log_export_path={"obs_url": f"/{api.bucket}/logs/"})

    api.emulator.clock.advance_to(end_s(job) + DAYS_30_S)
    assert codes(api, job) == [None, None]
    assert places(api, job) == [True, True]

    api.emulator.clock.advance(0.001)
    assert codes(api, job) == ["ModelArts.2819", "ModelArts.2819"]
    assert places(api, job) == [False, False]
    api.emulator.clock.advance(10 * DAYS_30_S)
    assert codes(api, exported) == [None, None]
    assert places(api, exported) == [True, True]
    assert api.job(job["metadata"]["id"])["status"] == job["status"]


def test_logs_of_many_jobs_are_deleted_together(api: Any) -> None:
    """Also those of jobs that are deleted meanwhile."""
    made = [api.create_job()["metadata"]["id"] for _ in range(5)]
    api.emulator.clock.advance(3600)
    api.call("DELETE", f"/training-jobs/{made[0]}")
    api.emulator.clock.advance(DAYS_30_S)

    left = [entry for bucket in api.store.buckets() for entry in api.store.list(bucket.name).objects]
    assert not [entry for entry in left if entry.key.endswith(".log")]


def test_logs_that_cannot_be_deleted_hold_up_no_later_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many they are; they are the oldest ones."""
    monkeypatch.setattr(worker, "MAX_LOG_DELETIONS", 2)
    bench = Bench(tmp_path, most=5)
    made = [bench.create() for _ in range(5)]
    with bench.database.writing() as connection:
        connection.execute(update(runs).values(log_lifetime=1000))
    bench.supervisor.reload()
    bench.steps(2)
    for job_id in made:
        bench.executor.end(job_id)
    bench.steps(1)
    for job_id in made[:3]:
        (tmp_path / f"{job_id}-worker-0.log").mkdir()  # nothing that can be deleted like a file
    bench.clock = lambda: 1004.0
    bench.restart()
    bench.steps(4)

    with bench.database.reading() as connection:
        left = [row.run_id for row in run_logs.due(connection, 10**9, 10)]
    bench.close()
    assert left == made[:3]


def test_a_log_that_was_published_is_not_published_again_after_a_restart(tmp_path: Path) -> None:
    """Else every start would ask the store about the logs of all jobs that ever ended."""
    bench = Bench(tmp_path)
    job_id = bench.create()
    bench.steps(2)
    (tmp_path / f"{job_id}-worker-0.log").write_text("a line\n")
    bench.executor.end(job_id)
    bench.steps(3)
    ((bucket,), (key, _)) = (bench.store.buckets(), *bench.store.sizes(bench.store.buckets()[0].name))
    bench.store.delete(bucket.name, key)

    bench.restart()
    bench.steps(3)

    assert list(bench.store.sizes(bucket.name)) == []
    bench.close()
