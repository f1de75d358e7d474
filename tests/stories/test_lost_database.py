"""The PostgreSQL server stops while jobs run: they run on, requests get 503, and nothing is lost or doubled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.databases import PASSWORD, PostgresqlServer
from tests.stories.conftest import PATIENT, Submit, connect, eventually, job_body

from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts, ServiceFailure


@pytest.fixture
def emulator(tmp_path: Path, server: PostgresqlServer) -> Iterator[Emulator]:
    url = server.new_database()
    with Emulator(data_dir=tmp_path / "data", database_url=url, max_running_jobs=2, check_responses=True) as running:
        yield running


def test_jobs_go_on_while_the_database_is_lost(
    ma: ModelArts, emulator: Emulator, submit: Submit, server: PostgresqlServer, tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    """One job ends, another one runs on, a third one waits for room."""
    runs = tmp_path / "runs"
    jobs = {
        name: submit(ma, name, PATIENT, RUNS=str(runs), RELEASE=str(tmp_path / f"release-{name}"))
        for name in ("ends", "continues", "waits")
    }
    (tmp_path / "release-waits").touch()
    eventually(lambda: runs.exists() and len(runs.read_text().splitlines()) == 2, "two jobs run")

    server.stop()
    (tmp_path / "release-ends").touch()
    exits = emulator.data_dir / "jobs" / ".records" / jobs["ends"].id
    eventually(lambda: list(exits.glob("*/worker-0/exit.json")), "the job ends without the database")
    health = httpx.get(f"{emulator.endpoint}/_emulator/health")
    reset = httpx.post(
        f"{emulator.endpoint}/_emulator/reset", headers={"Authorization": f"Bearer {emulator.control_token}"}
    )
    with pytest.raises(ServiceFailure, match="cannot reach its database") as rejected:
        ma.v2.training_jobs.show_training_job_details(jobs["ends"].id)
    server.start()

    ended = [jobs[name].wait(timeout=300) for name in ("ends", "waits")]
    (tmp_path / "release-continues").touch()
    ended.append(jobs["continues"].wait(timeout=300))

    assert [job.phase for job in ended] == ["Completed"] * 3
    assert len(runs.read_text().splitlines()) == 3
    assert health.status_code == 200
    assert (reset.status_code, "Start the database server" in reset.text) == (503, True)
    assert PASSWORD not in str(rejected.value) + caplog.text + reset.text
    assert PASSWORD not in (emulator.data_dir / "emulator.json").read_text()


def test_an_idle_emulator_connects_anew(
    ma: ModelArts, submit: Submit, server: PostgresqlServer, caplog: pytest.LogCaptureFixture
) -> None:
    """A request that failed has had no effect, and none fails once the database is back."""
    first = submit(ma, "first", "print('done')")
    first.wait(timeout=300)
    body = job_body("second", "first")

    server.stop()
    with pytest.raises(ServiceFailure, match="cannot reach its database"):
        ma.v2.training_jobs.create_training_job(body)
    server.start()

    second = ma.v2.training_jobs.create_training_job(body)
    server.stop()
    server.start()
    assert [job.metadata.name for job in ma.v2.training_jobs.iter_training_jobs()] == ["second", "first"]
    ma.jobs.get(second).wait(timeout=300)
    assert PASSWORD not in caplog.text


def test_an_emulator_without_its_database_stops_and_leaves_jobs_to_the_next_one(
    server: PostgresqlServer, submit: Submit, tmp_path: Path
) -> None:
    url = server.new_database()
    options: dict[str, Any] = {"data_dir": tmp_path / "data", "database_url": url}
    with Emulator(**options) as running:
        with connect(running) as ma:
            runs, release = tmp_path / "runs", tmp_path / "release"
            job = submit(ma, "continues", PATIENT, RUNS=str(runs), RELEASE=str(release))
        eventually(runs.exists, "the job runs")
        server.stop()
    with pytest.raises(EmulatorError, match="check that it runs and that --database-url is right") as unreachable:
        Emulator(**options).__enter__()
    server.start()

    release.touch()
    with Emulator(**options) as running, connect(running) as ma:
        assert ma.jobs.get(job).wait(timeout=300).phase == "Completed"
    assert len(runs.read_text().splitlines()) == 1
    assert PASSWORD not in str(unreachable.value)
