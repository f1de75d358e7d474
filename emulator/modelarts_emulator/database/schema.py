"""The schema of the database: created in a new one, migrated in one of an earlier version, checked by its revision.

Every revision is a file in `migrations/versions`; `tables.REVISION` is the newest one. Alembic, which applies them, is
imported only if a database has another revision, because that takes longer than the rest of the start.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    delete,
    func,
    insert,
    inspect,
    select,
)

from modelarts_emulator.http.errors import EmulatorError
from modelarts_emulator.jobs.tables import REVISION, job_counts, metadata, settings, v2_jobs

__all__ = ["MIGRATIONS", "check_schema", "prepare_schema"]

MIGRATIONS = Path(__file__).with_name("migrations")
BASELINE = "0001"
BASELINE_LAYOUT = "abefb14b"  # what databases say that were made before there were revisions

COUNTS = select(v2_jobs.c.project_id, func.count()).group_by(v2_jobs.c.project_id)

# As Alembic makes it.
revisions = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)


def prepare_schema(engine: Engine) -> None:
    """Give the database the newest schema, all or nothing; raises EmulatorError if its schema is not known here."""
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")  # else SQLite's driver commits every change of the schema
        found = _revision(connection)
        if found is None:
            metadata.create_all(connection, checkfirst=False)
            revisions.create(connection, checkfirst=False)
            connection.execute(insert(revisions).values(version_num=REVISION))
        elif found != REVISION:
            _migrate(connection, found)
        _correct_job_counts(connection)


def check_schema(engine: Engine) -> None:
    """Raise EmulatorError unless the database, which others use now, has the newest schema."""
    with engine.connect() as connection:
        found = _revision(connection)
    if found != REVISION:
        raise EmulatorError(
            f"the database {engine.url.render_as_string()} is used by emulators of another version (schema {found}, not"
            f" {REVISION}): stop all of them before the first one of this version starts"
        )


def _correct_job_counts(connection: Connection) -> None:
    """Count the jobs again if the counts are wrong: a version that does not know them may have changed the jobs."""
    found = sorted(tuple(row) for row in connection.execute(select(job_counts).where(job_counts.c.count != 0)))
    right = sorted(tuple(row) for row in connection.execute(COUNTS))
    if found != right:
        connection.execute(delete(job_counts))
        connection.execute(insert(job_counts).from_select(["project_id", "count"], COUNTS))


def _revision(connection: Connection) -> str | None:
    """The revision of the database's schema; None if it has no tables of the emulator."""
    found: str | None
    names = inspect(connection).get_table_names()
    if revisions.name in names:
        found = connection.execute(select(revisions)).scalar()
    elif settings.name in names:
        layout = connection.execute(select(settings.c.value).where(settings.c.name == "layout")).scalar()
        found = BASELINE if layout == BASELINE_LAYOUT else None
    else:
        return None
    if found is None:
        raise _unknown(connection, "an unknown version")
    return found


def _migrate(connection: Connection, found: str) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory
    from alembic.util.exc import CommandError

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    try:
        ScriptDirectory.from_config(config).get_revision(found)
    except CommandError:
        raise _unknown(connection, f"a newer version (revision {found}; this one knows {REVISION})") from None
    if not inspect(connection).has_table(revisions.name):
        command.stamp(config, found)
    command.upgrade(config, "head")


def _unknown(connection: Connection, version: str) -> EmulatorError:
    url = connection.engine.url
    is_file = url.get_backend_name() == "sqlite"
    name = url.database if is_file else url.render_as_string()
    other = "choose another folder with --data-dir" if is_file else "name another database with --database-url"
    return EmulatorError(
        f"the database {name} was written by {version} of the emulator, and was not changed:"
        f" start that version, or {other}"
    )
