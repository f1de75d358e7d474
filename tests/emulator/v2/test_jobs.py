"""Training jobs in their table."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, Engine

from modelarts_emulator.engine.runs import Run
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.v2 import jobs
from modelarts_emulator.v2.jobs import Job


def job(name: str) -> Job:
    return Job(name, "p", "u", name, "job", "", 1, "", {}, Run(name, "p", 1, 1))


@pytest.fixture
def connection(engine: Engine) -> Iterator[Connection]:
    with engine.begin() as opened:
        yield opened


def test_a_name_belongs_to_one_job_of_a_project(connection: Connection) -> None:
    first, second, elsewhere = (job(name) for name in ("first", "second", "elsewhere"))
    second.name = elsewhere.name = first.name
    elsewhere.project_id = "another"
    jobs.add(connection, first)
    jobs.add(connection, elsewhere)

    expected = pytest.raises(ServiceError, match="There is already a training job of the name first")
    with expected as rejection, connection.begin_nested():
        jobs.add(connection, second)
    assert rejection.value.code == "ModelArts.2751"
    assert sorted(found.id for found in jobs.some(connection, ["first", "second", "elsewhere"])) == [
        "elsewhere",
        "first",
    ]


def test_jobs_are_counted_as_they_come_and_go(engine: Engine) -> None:
    """By project."""
    made = [job(name) for name in ("one", "two", "three")]
    with engine.begin() as connection:
        for each in made:
            jobs.add(connection, each)
        with pytest.raises(ServiceError), connection.begin_nested():
            jobs.add(connection, made[0])
        jobs.remove(connection, made[1])
        assert (jobs.count(connection, "p"), jobs.count(connection, "q")) == (2, 0)
