"""Say how long logs of runs are kept; those of runs that have ended are deleted when they are older."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

LOG_LIFETIME = 30 * 24 * 3_600_000  # milliseconds
ENDED = ("Completed", "Failed", "Abnormal", "Terminated")


def _text(length: int) -> sa.String:
    return sa.String(length).with_variant(sa.Text(collation="C"), "postgresql")


runs = sa.table(
    "runs",
    *(sa.column(name) for name in ("id", "project_id", "node_count", "phase", "end_time", "log_lifetime")),
    sa.column("spec", sa.JSON),
)
v2_jobs = sa.table("v2_jobs", sa.column("run_id"))


def upgrade() -> None:
    op.add_column("runs", sa.Column("log_lifetime", sa.BigInteger, nullable=False, server_default="0"))
    run_logs = op.create_table(
        "run_logs",
        sa.Column("run_id", _text(36), primary_key=True),
        sa.Column("project_id", _text(64), nullable=False),
        sa.Column("node_count", sa.Integer, nullable=False),
        sa.Column("is_published", sa.Boolean, nullable=False),
        sa.Column("delete_time", sa.BigInteger, nullable=True),
    )
    op.create_index("run_logs_published", "run_logs", ["is_published"])
    op.create_index("run_logs_deleted", "run_logs", ["delete_time"])
    is_kept = runs.c.spec["log_export_url"].as_string().is_not(None)
    is_of_v2 = runs.c.id.in_(sa.select(v2_jobs.c.run_id))
    op.execute(sa.update(runs).where(is_of_v2, sa.not_(is_kept)).values(log_lifetime=LOG_LIFETIME))
    ended = sa.select(
        runs.c.id, runs.c.project_id, runs.c.node_count, sa.true(), runs.c.end_time + runs.c.log_lifetime + 1
    ).where(runs.c.phase.in_(ENDED), runs.c.log_lifetime > 0)
    names = ["run_id", "project_id", "node_count", "is_published", "delete_time"]
    op.execute(sa.insert(run_logs).from_select(names, ended))
