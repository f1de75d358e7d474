"""Make names of algorithms unique, and texts on PostgreSQL as SQLite has them: of any length, sorted by code point."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

TEXTS = {
    "settings": ("name", "value"),
    "algorithms": ("id", "project_id", "name"),
    "jobs": (
        "id",
        "project_id",
        "user_id",
        "name",
        "kind",
        "algorithm_name",
        "flavor_id",
        "phase",
        "secondary_phase",
        "hung_task",
        "head",
        "tail",
    ),
    "job_counts": ("project_id",),
    "events": ("job_id", "level", "source", "message"),
    "searches": ("job_id",),
    "trials": ("job_id", "trial_id", "status"),
    "removals": ("job_id", "project_id"),
}


def upgrade() -> None:
    op.drop_index("algorithm_names", "algorithms")
    op.create_index("algorithm_names", "algorithms", ["project_id", "name"], unique=True)
    if op.get_bind().dialect.name == "postgresql":
        for table, columns in TEXTS.items():
            for column in columns:
                op.alter_column(table, column, type_=sa.Text(collation="C"))
