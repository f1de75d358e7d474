"""Statements that the driver executes itself: they must give and take what SQLAlchemy's own way does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Engine,
    Integer,
    MetaData,
    String,
    Table,
    bindparam,
    create_engine,
    insert,
    update,
)
from sqlalchemy import select as choose
from sqlalchemy.exc import IntegrityError

from modelarts_emulator.jobs.prepared import Prepared

metadata = MetaData()
things = Table(
    "things",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(8)),
    Column("is_good", Boolean),
    Column("document", JSON),
)
NAMES = ["document", "id", "name", "is_good"]
ADD = Prepared(insert(things).values({name: bindparam(name) for name in NAMES}), NAMES)
BY_NAME = Prepared(
    choose(things).where(things.c.name == bindparam("wanted"), things.c.is_good == bindparam("good")).limit(1),
    ["good", "wanted"],
)
CHANGE = Prepared(
    update(things).where(things.c.id == bindparam("wanted")).values(document=bindparam("new_document")),
    ["new_document", "wanted"],
)
ROWS = [
    {"id": 1, "name": "a", "is_good": True, "document": {"list": [1, None]}},
    {"id": 2, "name": "b", "is_good": False, "document": []},
]
VALUES = [[row[name] for name in NAMES] for row in ROWS]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = create_engine(f"sqlite:///{tmp_path / 'things.db'}")
    metadata.create_all(engine)
    yield engine
    engine.dispose()


def test_what_is_stored_reads_as_sqlalchemy_reads_it(engine: Engine) -> None:
    with engine.begin() as connection:
        ADD.run(connection, VALUES)

    with engine.connect() as connection:
        assert [dict(row._mapping) for row in connection.execute(choose(things))] == ROWS


def test_the_first_row_has_values_of_the_columns_types(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(insert(things), ROWS)

    with engine.connect() as connection:
        assert BY_NAME.first(connection, True, "a") == [1, "a", True, {"list": [1, None]}]
        assert BY_NAME.first(connection, True, "b") is None


def test_rows_are_changed_one_by_one(engine: Engine) -> None:
    with engine.begin() as connection:
        ADD.run(connection, VALUES)
        CHANGE.run(connection, [([row["name"]], row["id"]) for row in ROWS])

    with engine.connect() as connection:
        found = [row.document for row in connection.execute(choose(things.c.document).order_by(things.c.id))]
    assert found == [["a"], ["b"]]


def test_a_row_that_breaks_a_rule_of_its_table_is_refused_as_sqlalchemy_refuses_it(engine: Engine) -> None:
    with engine.connect() as connection, pytest.raises(IntegrityError):
        ADD.run(connection, [VALUES[0], VALUES[0]])


def test_what_a_transaction_gives_up_is_not_stored(engine: Engine) -> None:
    with engine.connect() as connection, connection.begin() as transaction:
        ADD.run(connection, VALUES)
        transaction.rollback()

    with engine.connect() as connection:
        assert BY_NAME.first(connection, True, "a") is None
