"""Runs in their table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from sqlalchemy import Connection, Engine, select

from modelarts_emulator.jobs import events, runs, tables
from modelarts_emulator.jobs.phases import Phase
from modelarts_emulator.jobs.runs import Run


def job(name: str, create_time: int, phase: Phase, launched: bool = False) -> Run:
    return Run(name, "p", 1, create_time, {"name": name}, phase=phase, launched=launched)


@pytest.fixture
def connection(engine: Engine) -> Iterator[Connection]:
    with engine.begin() as opened:
        yield opened


def test_the_jobs_that_have_not_ended_come_in_the_order_of_their_creation(connection: Connection) -> None:
    for each in (job("ended", 1, "Completed"), job("second", 3, "Pending"), job("first", 2, "Running", launched=True)):
        runs.add(connection, each)

    assert [found.id for found in runs.unfinished(connection)] == ["first", "second"]
    assert [found.id for found in runs.some(connection, ["ended", "unknown"])] == ["ended"]


def test_what_is_saved_is_read_again_and_a_removed_job_stays_removed(connection: Connection) -> None:
    kept, removed = job("kept", 1, "Pending"), job("removed", 2, "Pending")
    for each in (kept, removed):
        runs.add(connection, each)
    runs.remove(connection, removed)
    kept.attempt, kept.event_counts, kept.past_duration, kept.running_records = 2, {"worker-0": 3}, 4, [{"start_at": 1}]

    assert runs.save(connection, [kept, removed]) == {"removed"}
    assert runs.get(connection, "kept") == replace(kept, version=1)
    assert runs.get(connection, "removed") is None


def test_a_run_that_was_changed_since_it_was_read_is_not_overwritten(connection: Connection) -> None:
    runs.add(connection, job("j", 1, "Running"))
    mine, theirs = runs.get(connection, "j"), runs.get(connection, "j")
    assert mine is not None
    assert theirs is not None
    mine.phase, theirs.phase = "Completed", "Terminating"

    assert runs.save(connection, [theirs]) == set()
    assert runs.save(connection, [mine]) == {"j"}
    assert runs.get(connection, "j") == replace(theirs, version=1)


def test_a_job_takes_all_its_events_away(connection: Connection) -> None:
    for name in ("one", "two"):
        runs.add(connection, job(name, 1000, "Creating"))
        events.add(connection, [events.Event(name, 1000, "The job has been created.")])
    runs.remove(connection, job("one", 1000, "Creating"))

    assert connection.execute(select(tables.events.c.run_id)).all() == [("two",)]


def test_more_jobs_are_read_at_once_than_a_statement_has_parameters(connection: Connection) -> None:
    """A search, and the supervisor, ask for as many as they need."""
    for each in (job("first", 1, "Pending"), job("last", 2, "Pending")):
        runs.add(connection, each)

    found = runs.some(connection, ["first", *map(str, range(300_000)), "last"])
    assert [each.id for each in found] == ["first", "last"]
