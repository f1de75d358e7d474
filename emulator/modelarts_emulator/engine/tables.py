"""What all tables have in common, and the tables of the engine but that of runs.

A table of an API stands beside the resource that it holds; a database with other tables is rejected.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields
from typing import Any

from sqlalchemy import JSON, BigInteger, Boolean, Column, Index, Integer, MetaData, Table, Text
from sqlalchemy.sql.schema import SchemaItem

metadata = MetaData()

# PostgreSQL would compare and sort by the rules of a language.
TEXT = Text().with_variant(Text(collation="C"), "postgresql")
TYPES: Mapping[str, Any] = {"str": TEXT, "Phase": TEXT, "Status": TEXT, "int": BigInteger, "bool": Boolean}


def table_of(
    entry: type,
    name: str,
    *more: SchemaItem,
    key: Collection[str] = ("id",),
    leave_out: Collection[str] = (),
    **options: Any,
) -> Table:
    """A table with a column for each field of a dataclass but those of `leave_out`; what is no text or number is JSON.

    A key that is a number is given by the database.
    """
    columns = []
    for field in fields(entry):
        if field.name not in leave_out:
            kind, _, rest = str(field.type).partition(" | ")
            is_number = field.name in key and kind == "int" and len(key) == 1
            column_type = Integer if is_number else TYPES.get(kind, JSON)
            columns.append(Column(field.name, column_type, primary_key=field.name in key, nullable=rest == "None"))
    return Table(name, metadata, *columns, *more, **options)


def columns(key: Mapping[str, Any], **others: Any) -> list[Column[Any]]:
    """Columns that are never null, with their types: those of the key, and others."""
    own = [Column(name, kind, primary_key=True) for name, kind in key.items()]
    return own + [Column(name, kind, nullable=False) for name, kind in others.items()]


settings = Table("settings", metadata, Column("name", TEXT, primary_key=True), Column("value", TEXT))

# What happened to runs. Times are in milliseconds since 1970.
events = Table(
    "events",
    metadata,
    *columns({"id": Integer}, run_id=TEXT, time=BigInteger, level=TEXT, source=TEXT, message=TEXT),
    Index("run_events", "run_id", "time", "id"),
)

# Runs that are gone for every client, and whose processes and files the supervisor still has to remove; `held_nodes`
# of the flavor are theirs until that was tried, `devices` until it is done.
removals = Table("removals", metadata, *columns({"run_id": TEXT}, flavor_id=TEXT, held_nodes=Integer, devices=JSON))
