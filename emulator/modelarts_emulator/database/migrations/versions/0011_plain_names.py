"""Give columns the names of what they hold."""

from __future__ import annotations

from alembic import op

revision = "0011"
down_revision = "0010"

RENAMED = (
    ("runs", "worked", "past_duration"),
    ("searches", "notes", "events"),
    ("trials", "is_cut", "is_interrupted"),
    ("visualization_jobs", "worked_ms", "past_duration_ms"),
)


def upgrade() -> None:
    for table, old, new in RENAMED:
        op.execute(f"ALTER TABLE {table} RENAME COLUMN {old} TO {new}")
    # In the JSON of what grows with a run; within a text of a user, the first quotation mark would be escaped.
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    replaced = "replace({}, '\"noted\":', '\"event_counts\":')"
    value = replaced.format("history") if is_sqlite else f"CAST({replaced.format('CAST(history AS text)')} AS json)"
    op.execute(f"UPDATE runs SET history = {value}")  # noqa: S608 - nothing of it is given by a user
