"""Add the table of tokens that were revoked."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

TEXT = sa.String(64).with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "revoked_tokens",
        sa.Column("digest", TEXT, primary_key=True),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
    )
