"""How the database is opened."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
from sqlalchemy import URL, Engine, create_engine, delete, event, insert, select
from sqlalchemy.exc import SQLAlchemyError

from modelarts_emulator.engine import postgresql
from modelarts_emulator.engine.schema import check_schema, prepare_schema
from modelarts_emulator.engine.tables import settings
from modelarts_emulator.http.errors import EmulatorError, is_disk_full
from modelarts_emulator.http.json import encode

__all__ = ["open_database", "token_key"]

GROUP = "front_ends"  # the setting that says which processes share the database
FILE_POOL: dict[str, Any] = {"pool_size": 16, "max_overflow": -1}
# As many as the servers' administrators are told of, less those of the two locks: who needs another one waits.
POSTGRESQL_POOL: dict[str, Any] = {"pool_size": 6, "max_overflow": 0, "pool_timeout": 30, "pool_pre_ping": True}


def open_database(place: Path | str, group: Mapping[str, object] | None = None) -> Engine:
    """Open the database and give it the newest schema; raises EmulatorError if that is not possible.

    A path is that of an SQLite file, whatever characters it has; a text is the URL of a PostgreSQL database, which
    belongs to this process until the engine is disposed. With a `group` it is shared with processes that have the same
    values of all that it names.
    """
    is_file = isinstance(place, Path)
    url = URL.create("sqlite", database=str(place)) if isinstance(place, Path) else postgresql.parse_url(place)
    options = FILE_POOL if is_file else {"connect_args": postgresql.CONNECT_ARGUMENTS, **POSTGRESQL_POOL}
    engine = create_engine(
        url,
        json_serializer=encode,
        json_deserializer=orjson.loads,
        hide_parameters=True,
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


def _join(engine: Engine, lock: postgresql.DatabaseLock, group: Mapping[str, object]) -> None:
    """Share the database with processes of this group; raises EmulatorError if those that use it are of another one."""
    own = {name: hashlib.sha256(repr(value).encode()).hexdigest()[:16] for name, value in group.items()}
    with engine.begin() as connection:
        if lock.is_exclusive:
            connection.execute(delete(settings).where(settings.c.name == GROUP))
            connection.execute(insert(settings).values(name=GROUP, value=json.dumps(own)))
        found = json.loads(connection.execute(select(settings.c.value).where(settings.c.name == GROUP)).scalar_one())
    if differing := sorted(name for name in own.keys() | found.keys() if own.get(name) != found.get(name)):
        raise EmulatorError(
            f"the database {engine.url.render_as_string()} is used by an emulator with another {', '.join(differing)}:"
            " start all front ends of a database with the same options, or name another database with --database-url"
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
