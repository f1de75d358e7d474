"""Several front ends serve one database: any of them takes requests, one supervises, another one takes over."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.databases import PostgresqlServer
from tests.stories.conftest import PATIENT, EmulatorProcess, Submit, connect, eventually

from modelarts_contract import login
from modelarts_contract.emulator import login_of
from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.server import Emulator
from modelarts_emulator.settings.data_folder import running_emulator
from modelarts_toolkit.errors import JobStopped


@pytest.fixture
def options(tmp_path: Path, server: PostgresqlServer) -> dict[str, Any]:
    """What all front ends have in common."""
    url = server.new_database()
    return {"data_dir": tmp_path / "data", "database_url": url, "paths": "mapping", "max_running_jobs": 4}


@pytest.fixture
def first(options: dict[str, Any]) -> Iterator[Emulator]:
    with Emulator(**options) as running:
        yield running


@pytest.fixture
def second(first: Emulator, options: dict[str, Any]) -> Iterator[Emulator]:
    with Emulator(**options) as running:
        yield running


def supervises(front_end: Emulator) -> bool:
    return bool(httpx.get(f"{front_end.endpoint}/_emulator/health").json()["supervises"])


def control(front_end: Emulator, path: str, body: Any = None) -> httpx.Response:
    headers = {"Authorization": f"Bearer {front_end.control_token}"}
    return httpx.post(f"{front_end.endpoint}/_emulator/{path}", headers=headers, json=body)


def test_another_front_end_takes_over_when_the_supervising_one_is_killed(
    options: dict[str, Any], submit: Submit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job that runs runs on, one that waits starts, and none is lost or run twice."""
    monkeypatch.setenv("MODELARTS_EMULATOR_DATABASE_URL", options["database_url"])
    killed = EmulatorProcess(options["data_dir"], more=("--max-running-jobs", "1"))
    killed.start()
    runs, release = tmp_path / "runs.txt", tmp_path / "released.txt"
    with Emulator(**options | {"max_running_jobs": 1}) as left, connect(left) as ma:
        assert not supervises(left)
        jobs = [submit(ma, name, PATIENT, RUNS=str(runs), RELEASE=str(release)) for name in ("runs", "waits")]
        eventually(lambda: runs.exists() and runs.read_text(), "the first job runs")
        killed.end(signal.SIGKILL)
        eventually(lambda: supervises(left), "the other front end supervises")
        jobs.append(submit(ma, "later", PATIENT, RUNS=str(runs), RELEASE=str(release)))
        release.touch()
        phases = [job.wait(timeout=300).phase for job in jobs]

        assert phases == ["Completed"] * 3
        assert sorted(runs.read_text().split()) == sorted(f"ma-job-{job.id}" for job in jobs)
        assert (running_emulator(left.data_dir) or {})["endpoint"] == left.endpoint


def test_what_one_front_end_accepts_the_other_one_does(
    first: Emulator, second: Emulator, submit: Submit, tmp_path: Path
) -> None:
    """A job that is created, stopped or deleted at one is started, stopped and deleted by the other."""
    assert (supervises(first), supervises(second)) == (True, False)
    runs, release = tmp_path / "runs.txt", tmp_path / "released.txt"
    with connect(first) as one, connect(second) as other:
        job = submit(other, "created", PATIENT, RUNS=str(runs), RELEASE=str(release))
        eventually(runs.exists, "the job runs")
        logs = [next(iter(ma.jobs.get(job).logs(follow=True))) for ma in (one, other)]
        other.jobs.get(job).stop()
        with pytest.raises(JobStopped):
            one.jobs.get(job).wait(timeout=300)
        other.v2.training_jobs.delete_training_job(job.id)
        records = first.data_dir / "jobs" / ".records" / job.id
        eventually(lambda: not records.exists(), "its files are removed")

    assert logs[0] == logs[1]


def test_a_token_that_one_front_end_issues_and_revokes_is_so_at_the_other(first: Emulator, second: Emulator) -> None:
    """Both have the users, their keys and the key that signs tokens from the data folder and the database."""
    token = login.token(first.endpoint, login_of(first.environment()))
    headers = {"X-Auth-Token": token}

    def status(front_end: Emulator) -> int:
        return httpx.get(f"{front_end.endpoint}/v3/auth/projects", headers=headers).status_code

    assert (status(first), status(second)) == (200, 200)
    httpx.delete(f"{first.endpoint}/v3/auth/tokens", headers=headers | {"X-Subject-Token": token})
    assert status(first) == 401
    eventually(lambda: status(second) == 401, "the other front end knows that it was revoked")


def test_a_front_end_that_lost_the_database_stops_supervising_at_once(
    first: Emulator, second: Emulator, server: PostgresqlServer, submit: Submit, tmp_path: Path
) -> None:
    """When the database is back, one of them supervises, whichever it is, and no job has run twice."""
    runs, release = tmp_path / "runs.txt", tmp_path / "released.txt"
    with connect(second) as ma:
        job = submit(ma, "runs", PATIENT, RUNS=str(runs), RELEASE=str(release))
        eventually(runs.exists, "the job runs")
        server.stop()
        eventually(lambda: not supervises(first), "it does not supervise any more")
        server.start()
        eventually(lambda: supervises(first) != supervises(second), "one of them supervises")
        later = submit(ma, "later", PATIENT, RUNS=str(runs), RELEASE=str(release))
        release.touch()
        job.wait(timeout=300)
        later.wait(timeout=300)

    assert len(runs.read_text().split()) == 2


def test_what_only_one_front_end_can_do_is_rejected_at_the_others(
    first: Emulator, second: Emulator, options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a sentence that says what to do instead."""
    monkeypatch.setattr("modelarts_emulator.engine.leadership.LOCK_TIMEOUT_S", 0.1)
    reset = control(second, "reset")
    of_a_job = control(second, "faults", {"kind": "preempted", "job": "job-1"})

    assert (reset.status_code, first.endpoint in reset.json()["error_msg"]) == (409, True)
    assert (of_a_job.status_code, "at the one that does" in of_a_job.text) == (409, True)
    assert control(first, "reset").status_code == 204
    catalogue = tmp_path / "catalogue.toml"
    catalogue.write_text('[[flavor]]\nflavor_id = "team.small"\nflavor_type = "CPU"\n')
    for other, problem in (
        ({"catalogue": catalogue}, "with another --catalogue or --capacity: start all front ends"),
        ({"region": "elsewhere", "max_jobs": 7}, "with another --max-jobs, --region: start all"),
        ({"data_dir": tmp_path / "other"}, "used by an emulator with another --data-dir"),
        ({"executor": "simulated", "data_dir": tmp_path / "other"}, "is used by another emulator"),
        ({"forget": True}, "--forget deletes what all of them serve, and 3 front ends serve this database"),
        ({"database_url": None}, "is already served by"),
    ):
        with pytest.raises(EmulatorError, match=problem):
            Emulator(**options | other).__enter__()
