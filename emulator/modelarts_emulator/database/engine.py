"""How the database is opened."""

from __future__ import annotations

import hashlib
import secrets
from pathlib import Path
from typing import Any

import orjson
from sqlalchemy import URL, Engine, create_engine, delete, event, insert, select
from sqlalchemy.exc import SQLAlchemyError

from modelarts_emulator.database import postgresql
from modelarts_emulator.database.schema import check_schema, prepare_schema
from modelarts_emulator.http.errors import EmulatorError, is_disk_full
from modelarts_emulator.http.json import encode
from modelarts_emulator.jobs.tables import settings

__all__ = ["open_database", "token_key"]

GROUP = "front_ends"  # the setting that says which processes share the database
POOL_SIZE = 16  # connections that stay open once they were needed


def open_database(place: Path | str, group: str | None = None) -> Engine:
    """Open the database and give it the newest schema; raises EmulatorError if that is not possible.

    A path is that of an SQLite file, whatever characters it has; a text is the URL of a PostgreSQL database, which
    belongs to this process until the engine is disposed. With a `group` it is shared with processes of the same group.
    """
    is_file = isinstance(place, Path)
    url = URL.create("sqlite", database=str(place)) if isinstance(place, Path) else postgresql.parse_url(place)
    options: dict[str, Any] = {} if is_file else {"connect_args": postgresql.CONNECT_ARGUMENTS, "pool_pre_ping": True}
    engine = create_engine(
        url,
        json_serializer=encode,
        json_deserializer=orjson.loads,
        hide_parameters=True,
        pool_size=POOL_SIZE,
        max_overflow=-1,
        pool_use_lifo=True,  # few connections at a time, whose caches know the newest rows
        **options,
    )
    try:
        if is_file:
            event.listen(engine, "connect", _tune_sqlite)
        else:
            lock = postgresql.set_up(engine, group is not None)
        if is_file or lock.is_exclusive:
            prepare_schema(engine)
        else:
            check_schema(engine)
        if not is_file and group is not None:
            _join(engine, lock, group)
    except SQLAlchemyError as error:
        engine.dispose()
        if is_file:
            raise _unusable(url, error) from error
        raise postgresql.unusable(url, error) from None
    except BaseException:
        engine.dispose()  # what is still in SQLite's log goes into the file, so that the file alone can be moved away
        raise
    return engine


def _join(engine: Engine, lock: postgresql.DatabaseLock, group: str) -> None:
    """Share the database with processes of this group; raises EmulatorError if those that use it are of another one."""
    digest = hashlib.sha256(group.encode()).hexdigest()
    with engine.begin() as connection:
        if lock.is_exclusive:
            connection.execute(delete(settings).where(settings.c.name == GROUP))
            connection.execute(insert(settings).values(name=GROUP, value=digest))
        found = connection.execute(select(settings.c.value).where(settings.c.name == GROUP)).scalar()
    if found != digest:
        raise EmulatorError(
            f"the database {engine.url.render_as_string()} is used by an emulator with another --data-dir or"
            " --executor, or whose processes run on another machine: start all front ends of a database with the same"
            " options, or name another database with --database-url"
        )
    lock.share()


def _unusable(url: URL, error: SQLAlchemyError) -> EmulatorError:
    if is_disk_full(error):
        remedy = "free some space, or choose another folder with --data-dir"
        return EmulatorError(f"the disk of the database {url.database} is full: {remedy}")
    reason = getattr(error, "orig", None) or error
    remedy = "move it away, or choose another folder with --data-dir"
    return EmulatorError(f"cannot use the database {url.render_as_string()} ({reason}): {remedy}")


def token_key(engine: Engine) -> bytes:
    """The key that this database's tokens are signed with; made on first use."""
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(postgresql.WRITE_LOCK)
        found = connection.execute(select(settings.c.value).where(settings.c.name == "token_key")).scalar()
        if found is None:
            found = secrets.token_hex(32)
            connection.execute(insert(settings).values(name="token_key", value=found))
    return bytes.fromhex(found)


def _tune_sqlite(connection: Any, _record: Any) -> None:
    # A commit survives the end of the process, however it ends; only a crash of the machine may cost the last ones.
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    # Commits wait for the disk at checkpoints alone: the rarer these are, the fewer pages are written many times.
    connection.execute("PRAGMA wal_autocheckpoint = 10000")
    # 8 MB for each connection; the pages that a hundred thousand jobs are found by are read from the system's cache.
    connection.execute("PRAGMA cache_size = -8000")
    connection.execute("PRAGMA mmap_size = 268435456")
