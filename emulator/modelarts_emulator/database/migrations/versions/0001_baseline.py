"""The tables of the first version that could be migrated."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table("settings", sa.Column("name", sa.String(64), primary_key=True), sa.Column("value", sa.String(256)))
    op.create_table(
        "algorithms",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("project_id", sa.String(64), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("create_time", sa.BigInteger, nullable=False),
        sa.Column("document", sa.JSON, nullable=False),
    )
    op.create_index("algorithm_names", "algorithms", ["project_id", "name"])
    op.create_index("algorithm_times", "algorithms", ["project_id", "create_time", "id"])
    op.create_table(
        "jobs",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("project_id", sa.String(64), nullable=False),
        sa.Column("user_id", sa.String(64), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(64), nullable=False),
        sa.Column("algorithm_name", sa.String(64), nullable=False),
        sa.Column("node_count", sa.Integer, nullable=False),
        sa.Column("flavor_id", sa.String(64), nullable=False),
        sa.Column("priority", sa.Integer, nullable=False),
        sa.Column("create_time", sa.BigInteger, nullable=False),
        sa.Column("phase", sa.String(16), nullable=False),
        sa.Column("secondary_phase", sa.String(32), nullable=False),
        sa.Column("launched", sa.Boolean, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("retries", sa.Integer, nullable=False),
        sa.Column("hung_task", sa.String(64), nullable=False),
        sa.Column("queue_time", sa.BigInteger, nullable=False),
        sa.Column("start_time", sa.BigInteger, nullable=False),
        sa.Column("attempt_start", sa.BigInteger, nullable=False),
        sa.Column("end_time", sa.BigInteger, nullable=False),
        sa.Column("worked", sa.BigInteger, nullable=False),
        sa.Column("history", sa.JSON, nullable=False),
        sa.Column("head", sa.Text, nullable=False),
        sa.Column("tail", sa.Text, nullable=False),
    )
    op.create_index(
        "job_searches",
        "jobs",
        ["project_id", "create_time", "id", "name", "phase", "kind", "algorithm_name", "user_id"],
    )
    op.create_index("job_names", "jobs", ["project_id", "name"], unique=True)
    op.create_table(
        "events",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("job_id", sa.String(36), nullable=False),
        sa.Column("time", sa.BigInteger, nullable=False),
        sa.Column("level", sa.String(8), nullable=False),
        sa.Column("source", sa.String(8), nullable=False),
        sa.Column("message", sa.Text, nullable=False),
    )
    op.create_index("job_events", "events", ["job_id", "time", "id"])
    op.create_table(
        "searches",
        sa.Column("job_id", sa.String(36), primary_key=True),
        sa.Column("spec", sa.JSON, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("ending", sa.JSON, nullable=True),
        sa.Column("started_at", sa.Float, nullable=True),
        sa.Column("sizes", sa.JSON, nullable=False),
        sa.Column("notes", sa.JSON, nullable=False),
        sa.Column("outcome", sa.JSON, nullable=True),
        sa.Column("analysis", sa.JSON, nullable=True),
    )
    op.create_table(
        "trials",
        sa.Column("job_id", sa.String(36), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("trial_id", sa.String(8), nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("config", sa.JSON, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("is_stopped", sa.Boolean, nullable=False),
        sa.Column("is_cut", sa.Boolean, nullable=False),
        sa.Column("started_at", sa.Float, nullable=True),
        sa.Column("ended_at", sa.Float, nullable=True),
        sa.Column("exit_code", sa.Integer, nullable=True),
        sa.Column("iterations", sa.Integer, nullable=False),
        sa.Column("reports", sa.JSON, nullable=False),
        sa.Column("latest", sa.JSON, nullable=False),
        sa.Column("matched", sa.BigInteger, nullable=False),
        sa.Column("copied", sa.JSON, nullable=False),
    )
    op.create_table(
        "removals",
        sa.Column("job_id", sa.String(36), primary_key=True),
        sa.Column("project_id", sa.String(64), nullable=False),
    )
