"""Jobs in their table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, select

from modelarts_emulator import jobs
from modelarts_emulator.jobs import Job
from modelarts_emulator.phases import Phase
from modelarts_emulator.tables import events, open_database


def job(name: str, create_time: int, phase: Phase, launched: bool = False) -> Job:
    return Job(name, "p", "u", name, "job", "", 1, create_time, '"a":1', '"b":2', phase=phase, launched=launched)


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    engine = open_database(f"sqlite:///{tmp_path}/db")
    with engine.begin() as opened:
        yield opened
    engine.dispose()


def test_the_jobs_that_have_not_ended_come_in_the_order_of_their_creation(connection: Connection) -> None:
    for each in (job("ended", 1, "Completed"), job("second", 3, "Pending"), job("first", 2, "Running", launched=True)):
        jobs.add(connection, each)

    assert [found.name for found in jobs.unfinished(connection)] == ["first", "second"]
    assert [found.name for found in jobs.some(connection, ["ended", "unknown"])] == ["ended"]


def test_what_is_saved_is_read_again_and_a_removed_job_stays_removed(connection: Connection) -> None:
    kept, removed = job("kept", 1, "Pending"), job("removed", 2, "Pending")
    for each in (kept, removed):
        jobs.add(connection, each)
    jobs.remove(connection, removed)
    kept.attempt, kept.noted, kept.worked, kept.running_records = 2, {"worker-0": 3}, 4, [{"start_at": 1}]
    jobs.save(connection, [kept, removed])

    assert jobs.get(connection, "kept") == kept
    assert jobs.get(connection, "removed") is None


def test_a_job_brings_the_event_of_its_creation_and_takes_all_its_events_away(connection: Connection) -> None:
    jobs.add(connection, job("one", 1000, "Creating"))
    told = connection.execute(select(events.c.job_id, events.c.time)).all()
    jobs.remove(connection, job("one", 1000, "Creating"))

    assert told == [("one", 1000)]
    assert connection.execute(select(events)).all() == []
