"""A database of the first version, which kept training jobs as text of responses, opens with its jobs."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from modelarts_emulator.database.engine import open_database
from modelarts_emulator.execution.protocol import Channel
from modelarts_emulator.jobs import events, runs
from modelarts_emulator.jobs.runs import RestartPolicy
from modelarts_emulator.v2 import jobs
from modelarts_emulator.v2.views import job_view

DATA = Path(__file__).parents[2] / "data/emulator"
EXPECTED = json.loads((DATA / "first-database.json").read_text("utf-8"))
COMPLETED, RUNNING = EXPECTED["jobs"]
PROJECT = "6a0c2f4e8b1d4c3f9e5a7b2d1c8f0e34"
HOUR_MS = 3_600_000


@pytest.fixture
def migrated(tmp_path: Path) -> Iterator[Connection]:
    old = sqlite3.connect(tmp_path / "db")
    old.executescript((DATA / "first-database.sql").read_text("utf-8"))
    old.close()
    engine = open_database(tmp_path / "db")
    with engine.connect() as connection:
        yield connection
    engine.dispose()


@pytest.mark.parametrize("response", [COMPLETED, RUNNING], ids=["completed", "running"])
def test_jobs_are_shown_as_before(migrated: Connection, response: Any) -> None:
    """The responses are those that the first version sent, member by member."""
    now = response["metadata"]["create_time"] + HOUR_MS
    job = jobs.find(migrated, PROJECT, response["metadata"]["id"])
    shown = job_view(job, now)

    for grows in ("duration", "node_count_metrics"):
        if response is RUNNING:
            del response["status"][grows], shown["status"][grows]
    assert shown == response


def test_what_is_executed_is_known(migrated: Connection) -> None:
    """The run of a job that was running continues with its program, channels, policy and limits."""
    (run,) = runs.with_specs(migrated, runs.unfinished(migrated))
    spec = run.job_spec({"S3_ENDPOINT": "here"})

    assert (run.id, spec.job_id, spec.name) == (RUNNING["metadata"]["id"], RUNNING["metadata"]["id"], "waiting")
    assert (spec.code_dir, spec.boot_file) == ("/code/train/", "/code/train/train.py")
    assert spec.parameters == (("lr", "0.1"),)
    assert spec.inputs == (Channel("data_url", "/code/data/", "/home/ma-user/modelarts/inputs/data_url_0"),)
    assert [channel.obs_url for channel in spec.outputs] == ["/code/out/"]
    assert (spec.environments, spec.log_export_url) == ({"A": "b"}, "/code/logs/")
    assert spec.service_environments == {"S3_ENDPOINT": "here", "MA_NUM_GPUS": "0"}
    assert (run.restarts, run.max_duration) == (RestartPolicy(2, always=True), 2 * HOUR_MS)
    assert (run.priority, run.launched) == (2, True)


def test_events_and_counts_stay(migrated: Connection) -> None:
    """Events belong to the runs, which have the ids of the jobs."""
    total, _, _ = events.list_page(migrated, COMPLETED["metadata"]["id"], {}, (0, 2**62))

    assert total == EXPECTED["events"]["total"]
    assert jobs.count(migrated, PROJECT) == 2


def test_how_many_events_are_stored_stays_known(migrated: Connection) -> None:
    """None is stored twice, and the times that attempts have taken stay."""
    (run,) = runs.unfinished(migrated)

    assert run.event_counts == {"worker-0": 3}
    assert run.past_duration == 0
