"""Add the table of visualization jobs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

POSTGRESQL_TEXT = sa.Text(collation="C")


def upgrade() -> None:
    def text(type_: sa.types.TypeEngine[str]) -> sa.types.TypeEngine[str]:
        return type_.with_variant(POSTGRESQL_TEXT, "postgresql")

    op.create_table(
        "visualization_jobs",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("project_id", text(sa.String(64)), nullable=False),
        sa.Column("name", text(sa.String(64)), nullable=False),
        sa.Column("description", text(sa.Text()), nullable=False),
        sa.Column("tool", text(sa.String(16)), nullable=False),
        sa.Column("train_url", text(sa.Text()), nullable=False),
        sa.Column("resource_id", text(sa.String(36)), nullable=False),
        sa.Column("create_time", sa.BigInteger, nullable=False),
        sa.Column("run_limit_ms", sa.BigInteger, nullable=True),
        sa.Column("phase", text(sa.String(16)), nullable=False),
        sa.Column("start_time", sa.BigInteger, nullable=False),
        sa.Column("worked_ms", sa.BigInteger, nullable=False),
        sa.Column("error", text(sa.Text()), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("visualization_job_names", "visualization_jobs", ["project_id", "name"], unique=True)
    op.create_index("visualization_job_phases", "visualization_jobs", ["phase"])
