"""What Alembic runs to migrate a database: it gets the connection, and the transaction, from `schema.migrate`."""

from __future__ import annotations

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
