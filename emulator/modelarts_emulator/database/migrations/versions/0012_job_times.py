"""Find pages of all jobs in the order of time by an index whose entries are short."""

from __future__ import annotations

from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.create_index("v2_job_times", "v2_jobs", ["project_id", "create_time", "id"])
