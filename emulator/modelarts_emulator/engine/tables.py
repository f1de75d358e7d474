"""What all tables have in common, and the tables of the engine but that of runs.

A table of an API stands beside the resource that it holds; a database with other tables is rejected.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Integer, MetaData, String, Table, Text

metadata = MetaData()

# PostgreSQL would reject longer texts, which SQLite stores, and would compare and sort by the rules of a language.
_POSTGRESQL_TEXT = Text(collation="C")
LONG_TEXT = Text().with_variant(_POSTGRESQL_TEXT, "postgresql")


def short_text(length: int) -> String:
    """Text of about `length` characters."""
    return String(length).with_variant(_POSTGRESQL_TEXT, "postgresql")


settings = Table(
    "settings", metadata, Column("name", short_text(64), primary_key=True), Column("value", short_text(256))
)

# What happened to runs. Times are in milliseconds since 1970.
events = Table(
    "events",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("run_id", short_text(36), nullable=False),
    Column("time", BigInteger, nullable=False),
    Column("level", short_text(8), nullable=False),
    Column("source", short_text(8), nullable=False),
    Column("message", LONG_TEXT, nullable=False),
    Index("run_events", "run_id", "time", "id"),
)

# Runs that are gone for every client, and whose processes and files the supervisor still has to remove; `held_nodes`
# of the flavor are theirs until that was tried.
removals = Table(
    "removals",
    metadata,
    Column("run_id", short_text(36), primary_key=True),
    Column("flavor_id", short_text(64), nullable=False),
    Column("held_nodes", Integer, nullable=False),
)
