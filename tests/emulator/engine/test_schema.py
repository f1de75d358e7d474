"""Schemas of databases: created, found again, and rejected when they are others."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from tests.databases import PASSWORD

from modelarts_emulator.engine.opening import open_database
from modelarts_emulator.http.errors import EmulatorError


@pytest.mark.parametrize(
    "changes",
    [
        ["update settings set value = 'x' where name = 'schema'"],
        ["delete from settings where name = 'schema'"],
        ["drop table settings"],
    ],
)
def test_a_database_with_another_schema_is_rejected_unchanged(database: Path | str, changes: list[str]) -> None:
    """In one sentence, with a remedy that keeps the objects."""
    open_database(database).dispose()
    open_database(database).dispose()
    engine = create_engine(database if isinstance(database, str) else f"sqlite:///{database}")
    with engine.begin() as connection:
        for change in changes:
            connection.execute(text(change))
    engine.dispose()
    before = database.read_bytes() if isinstance(database, Path) else None

    remedy = "(move the folder away|drop it) .*objects.*, or (choose another one with --data-dir|name another one with)"
    with pytest.raises(EmulatorError, match=rf" was written by another version .* was not changed: {remedy}") as error:
        open_database(database)

    assert PASSWORD not in str(error.value)
    if isinstance(database, Path):
        assert before == database.read_bytes()
        assert f"the data folder {database.parent} was written" in str(error.value)
