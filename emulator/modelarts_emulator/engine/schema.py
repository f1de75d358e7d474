"""The schema of the database: created in a new one, and compared in one that has tables already."""

from __future__ import annotations

import hashlib
from pathlib import Path

from sqlalchemy import Connection, Engine, insert, inspect, select

from modelarts_emulator.engine.tables import metadata, settings
from modelarts_emulator.http.errors import EmulatorError

__all__ = ["check_schema", "prepare_schema"]

NAME = "schema"  # the setting that says which tables a database has


def prepare_schema(engine: Engine) -> None:
    """Create the tables in a new database, all or none; raises EmulatorError if an old one has other tables."""
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")  # else SQLite's driver commits every change of the schema
        names = inspect(connection).get_table_names()
        if settings.name in names:
            _check(connection)
        elif names:
            raise _other_schema(connection)
        else:
            metadata.create_all(connection, checkfirst=False)
            connection.execute(insert(settings).values(name=NAME, value=_digest()))


def check_schema(engine: Engine) -> None:
    """Raise EmulatorError unless the database, which others use now, has these tables."""
    with engine.connect() as connection:
        _check(connection)


def _check(connection: Connection) -> None:
    found = connection.execute(select(settings.c.value).where(settings.c.name == NAME)).scalar()
    if found != _digest():
        raise _other_schema(connection)


def _digest() -> str:
    """A text that differs for other tables, columns, types or indexes."""
    tables = [
        (
            table.name,
            [(column.name, type(column.type).__name__, column.nullable) for column in table.columns],
            sorted((str(index.name), [column.name for column in index.columns]) for index in table.indexes),
        )
        for table in metadata.sorted_tables
    ]
    return hashlib.sha256(repr(tables).encode()).hexdigest()


def _other_schema(connection: Connection) -> EmulatorError:
    url = connection.engine.url
    if url.database is not None and url.get_backend_name() == "sqlite":
        folder = Path(url.database).parent
        where, remedy = f"the data folder {folder}", "move the folder away (its objects/ can go into the new one)"
        other = "choose another one with --data-dir"
    else:
        where, remedy = f"the database {url.render_as_string()}", "drop it (objects/ of the data folder can stay)"
        other = "name another one with --database-url"
    return EmulatorError(
        f"{where} was written by another version of the emulator, or by another program, and was not changed:"
        f" {remedy}, or {other}"
    )
