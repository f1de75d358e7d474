"""Add training jobs of ModelArts v1, their versions, and stored settings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

LONG_TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def _text(length: int) -> sa.String:
    return sa.String(length).with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "v1_jobs",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("project_id", _text(64), nullable=False),
        sa.Column("user_id", _text(64), nullable=False),
        sa.Column("name", _text(64), nullable=False),
        sa.Column("description", LONG_TEXT, nullable=False),
        sa.Column("create_time", sa.BigInteger, nullable=False),
        sa.Column("versions_made", sa.Integer, nullable=False),
        sa.Column("version_count", sa.Integer, nullable=False),
        sa.Column("newest_version_id", sa.Integer, nullable=True),
        sqlite_autoincrement=True,
    )
    op.create_index("v1_job_names", "v1_jobs", ["project_id", "name"], unique=True)
    op.create_table(
        "v1_versions",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("job_id", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("run_id", _text(36), nullable=False, unique=True),
        sa.Column("pre_version_id", sa.Integer, nullable=True),
        sa.Column("create_time", sa.BigInteger, nullable=False),
        sa.Column("output", LONG_TEXT, nullable=False),
        sa.Column("document", sa.JSON, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("v1_version_numbers", "v1_versions", ["job_id", "number"], unique=True)
    op.create_table(
        "v1_configs",
        sa.Column("project_id", _text(64), primary_key=True),
        sa.Column("name", _text(64), primary_key=True),
        sa.Column("description", LONG_TEXT, nullable=False),
        sa.Column("create_time", sa.BigInteger, nullable=False),
        sa.Column("document", sa.JSON, nullable=False),
    )
