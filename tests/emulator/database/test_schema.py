"""Schemas of databases: created, migrated, and rejected when they are newer."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, create_engine, inspect, text
from tests.databases import PASSWORD

from modelarts_emulator.database.engine import open_database
from modelarts_emulator.database.schema import MIGRATIONS, revisions
from modelarts_emulator.http.errors import EmulatorError
from modelarts_emulator.jobs.runs import Run
from modelarts_emulator.jobs.tables import REVISION, metadata
from modelarts_emulator.v2 import jobs
from modelarts_emulator.v2.jobs import Job


def plain_engine(database: Path | str) -> Engine:
    return create_engine(database if isinstance(database, str) else f"sqlite:///{database}")


@pytest.fixture
def empty(database: Path | str) -> Iterator[Engine]:
    engine = plain_engine(database)
    yield engine
    engine.dispose()


def upgrade(engine: Engine, revision: str) -> None:
    from alembic import command  # takes long to import, and every worker imports this file
    from alembic.config import Config

    with engine.begin() as connection:
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", str(MIGRATIONS))
        command.upgrade(config, revision)


def add_jobs(connection: Connection, projects: Sequence[str], first: int = 0) -> None:
    """Store a job in each of these projects as a version does that does not count them."""
    described = {column["name"]: column["type"].python_type for column in inspect(connection).get_columns("jobs")}
    document = {"head": '"kind":"job","metadata":{}', "tail": '"algorithm":{},"spec":{}'}
    for number, project in enumerate(projects, start=first):
        columns = {
            name: number if kind is int else project
            for name, kind in described.items()
            if name not in ("launched", "history")
        } | {"id": str(number), "name": str(number), **document}
        names = ", ".join(columns)
        values = ", ".join(f":{name}" for name in columns)
        connection.execute(
            text(f"insert into jobs ({names}, launched, history) values ({values}, false, '{{}}')"), columns
        )


def test_migrations_lead_to_the_same_schema_as_a_new_database_has(empty: Engine) -> None:
    """Tables, columns with their types, and indexes: whoever changes `tables.py` adds a migration."""
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    upgrade(empty, "head")

    with empty.connect() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), metadata)
    assert differences == []


def test_the_revision_in_the_code_is_the_newest_migration() -> None:
    from alembic.script import ScriptDirectory

    assert ScriptDirectory(str(MIGRATIONS)).get_heads() == [REVISION]


def test_a_new_database_is_made_and_opened_again_without_alembic(tmp_path: Path) -> None:
    """Importing it takes longer than the rest of the start."""
    program = """
import pathlib, sys
from modelarts_emulator.database.engine import open_database
for _ in range(2):
    open_database(pathlib.Path(sys.argv[1])).dispose()
sys.exit("alembic" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", program, tmp_path / "db"]).returncode == 0


def test_a_database_before_the_counts_of_jobs_gets_them(database: Path | str, empty: Engine) -> None:
    upgrade(empty, "0001")
    with empty.begin() as connection:
        add_jobs(connection, ("p", "p", "q"))

    engine = open_database(database)
    with engine.connect() as connection:
        found = connection.execute(text("select project_id, count from job_counts order by 1")).all()
        assert connection.execute(revisions.select()).scalars().all() == [REVISION]
    engine.dispose()

    assert [tuple(row) for row in found] == [("p", 2), ("q", 1)]


def test_jobs_that_are_counted_wrongly_are_counted_again_at_the_next_start(database: Path | str) -> None:
    """A version that does not know the counts may have added and removed jobs."""
    engine = open_database(database)
    with engine.begin() as connection:
        for number in range(3):
            run = Run(str(number), "p", 1, number)
            jobs.add(connection, Job(run.id, "p", "u", run.id, "job", "", number, "", {}, run))
        connection.execute(text("update job_counts set count = 7"))
        connection.execute(text("insert into job_counts values ('q', 1)"))
    engine.dispose()

    engine = open_database(database)
    with engine.connect() as connection:
        assert (jobs.count(connection, "p"), jobs.count(connection, "q")) == (3, 0)
    engine.dispose()


def test_a_migration_that_fails_changes_nothing(database: Path | str, empty: Engine) -> None:
    upgrade(empty, "0001")
    with empty.begin() as connection:
        connection.execute(text("create view job_counts as select 1"))

    with pytest.raises(EmulatorError, match="cannot use the database"):
        open_database(database)

    with empty.connect() as connection:
        assert connection.execute(revisions.select()).scalars().all() == ["0001"]
        assert not inspect(connection).has_index("jobs", "job_counts")


@pytest.mark.parametrize(
    ("change", "version"),
    [
        ("update alembic_version set version_num = '9999'", r"a newer version \(revision 9999; this one knows \d{4}\)"),
        ("delete from alembic_version", "an unknown version"),
        ("drop table alembic_version", "an unknown version"),
    ],
)
def test_a_database_of_another_version_is_rejected_unchanged(database: Path | str, change: str, version: str) -> None:
    """In one sentence, with a remedy that loses nothing."""
    open_database(database).dispose()
    engine = plain_engine(database)
    with engine.begin() as connection:
        connection.execute(text(change))
    engine.dispose()
    before = database.read_bytes() if isinstance(database, Path) else None

    remedy = "start that version, or (choose another folder with --data-dir|name another database with --database-url)$"
    with pytest.raises(EmulatorError, match=rf" was written by {version} .* was not changed: {remedy}") as error:
        open_database(database)

    assert PASSWORD not in str(error.value)
    assert before is None or before == Path(database).read_bytes()
