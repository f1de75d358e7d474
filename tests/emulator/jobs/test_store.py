"""Jobs in their table."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, Engine, select

from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.jobs import events, store, tables
from modelarts_emulator.jobs.phases import Phase
from modelarts_emulator.jobs.store import Job


def job(name: str, create_time: int, phase: Phase, launched: bool = False) -> Job:
    return Job(name, "p", "u", name, "job", "", 1, create_time, '"a":1', '"b":2', phase=phase, launched=launched)


@pytest.fixture
def connection(engine: Engine) -> Iterator[Connection]:
    with engine.begin() as opened:
        yield opened


def test_the_jobs_that_have_not_ended_come_in_the_order_of_their_creation(connection: Connection) -> None:
    for each in (job("ended", 1, "Completed"), job("second", 3, "Pending"), job("first", 2, "Running", launched=True)):
        store.add(connection, each)

    assert [found.name for found in store.unfinished(connection)] == ["first", "second"]
    assert [found.name for found in store.some(connection, ["ended", "unknown"])] == ["ended"]


def test_what_is_saved_is_read_again_and_a_removed_job_stays_removed(connection: Connection) -> None:
    kept, removed = job("kept", 1, "Pending"), job("removed", 2, "Pending")
    for each in (kept, removed):
        store.add(connection, each)
    store.remove(connection, removed)
    kept.attempt, kept.noted, kept.worked, kept.running_records = 2, {"worker-0": 3}, 4, [{"start_at": 1}]
    store.save(connection, [kept, removed])

    assert store.get(connection, "kept") == kept
    assert store.get(connection, "removed") is None


def test_a_name_belongs_to_one_job_of_a_project(connection: Connection) -> None:
    first, second, elsewhere = (job(name, 1, "Creating") for name in ("first", "second", "elsewhere"))
    second.name = elsewhere.name = first.name
    elsewhere.project_id = "another"
    store.add(connection, first)
    store.add(connection, elsewhere)

    with (
        pytest.raises(ServiceError, match="There is already a training job of the name first") as refusal,
        connection.begin_nested(),
    ):
        store.add(connection, second)
    assert refusal.value.code == "ModelArts.2751"
    assert store.every(connection) == [first, elsewhere]


def test_a_job_takes_all_its_events_away(connection: Connection) -> None:
    for name in ("one", "two"):
        store.add(connection, job(name, 1000, "Creating"))
        events.add(connection, [events.Event(name, 1000, "The job has been created.")])
    store.remove(connection, job("one", 1000, "Creating"))

    assert connection.execute(select(tables.events.c.job_id)).all() == [("two",)]


def test_jobs_are_counted_as_they_come_and_go(connection: Connection) -> None:
    """By project."""
    made = [job(name, 1, "Creating") for name in ("one", "two", "three")]
    for each in made:
        store.add(connection, each)
    with pytest.raises(ServiceError), connection.begin_nested():
        store.add(connection, made[0])
    for _ in range(2):
        store.remove(connection, made[1]) if store.get(connection, "two") else None
    assert (store.count(connection, "p"), store.count(connection, "q")) == (2, 0)

    store.remove_all(connection)
    assert store.count(connection, "p") == 0
    store.add(connection, made[0])
    assert store.count(connection, "p") == 1


def test_more_jobs_are_read_at_once_than_a_statement_has_parameters(connection: Connection) -> None:
    """A search, and the supervisor, ask for as many as they need."""
    for each in (job("first", 1, "Pending"), job("last", 2, "Pending")):
        store.add(connection, each)

    found = store.some(connection, ["first", *map(str, range(300_000)), "last"])
    assert [each.id for each in found] == ["first", "last"]
