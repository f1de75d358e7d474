"""The database of the emulator's state: how it is opened, read and written, and what queries of all tables share."""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
from sqlalchemy import (
    URL,
    ColumnElement,
    Connection,
    Engine,
    create_engine,
    event,
    insert,
    inspect,
    make_url,
    select,
    true,
)
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from modelarts_emulator.engine.leadership import CONNECT_ARGUMENTS, WRITE_LOCK, SingleProcess
from modelarts_emulator.engine.runs import runs
from modelarts_emulator.engine.tables import settings
from modelarts_emulator.errors import EmulatorError, is_disk_full
from modelarts_emulator.http.contract import encode

TABLES = runs.metadata  # all of them
MAX_NUMBER = 2**62  # of a statement: what every database holds
MAX_ID = 2**31 - 1  # of an integer column
SCHEMA = "schema"  # the setting that says which tables a database has
FILE_POOL: dict[str, Any] = {"pool_size": 16, "max_overflow": -1}
# As many as the servers' administrators know of, less that of the leader election: who needs another one waits.
POSTGRESQL_POOL: dict[str, Any] = {"pool_size": 6, "max_overflow": 0, "pool_timeout": 30, "pool_pre_ping": True}
EXAMPLE_URL = "postgresql+psycopg://<USER>:<PASSWORD>@<HOST>:5432/<DATABASE>"


class Database:
    """The database, for any thread: every block has a connection of its own, from the engine's pool.

    The blocks raise OperationalError while the database cannot be used; `http.errors` makes a response of it.
    `leadership` says which of the processes that use the database is the leader.
    """

    def __init__(self, engine: Engine, leadership: SingleProcess | None = None) -> None:
        self._engine = engine
        self._is_sqlite = engine.dialect.name == "sqlite"
        self._readers = engine if self._is_sqlite else engine.execution_options(isolation_level="REPEATABLE READ")
        self.leadership = leadership or SingleProcess()
        # SQLite has one writer at a time. Here the next one continues as soon as the last one has committed; left to
        # SQLite, it would try again after a while, and fail after 5 seconds.
        self._write_lock = threading.Lock()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection whose statements all see one committed state; it waits for no transaction that writes."""
        with self._readers.connect() as connection:
            if self._is_sqlite:  # its driver begins a transaction before a write only
                connection.connection.cursor().execute("BEGIN")
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction, committed at the end of the block, rolled back if something is raised there.

        Transactions follow one another, also those of other processes, so that what a block reads stays true until its
        end.
        """
        with self._write_lock, self._engine.begin() as connection:
            if self.leadership.is_shared:
                connection.execute(WRITE_LOCK)
            yield connection

    @contextmanager
    def writing_as_leader(self) -> Iterator[Connection]:
        """A transaction for what only the leader may write; raises LeadershipLost if another process is the leader."""
        with self.writing() as connection:
            self.leadership.check(connection)
            yield connection


def open_database(place: Path | str) -> Engine:
    """Open the database, with the tables in a new one; raises EmulatorError if it cannot be used or has other tables.

    A path is that of an SQLite file, whatever characters it has; a text is the URL of a PostgreSQL database.
    """
    is_file = isinstance(place, Path)
    url = URL.create("sqlite", database=str(place)) if isinstance(place, Path) else _postgresql_url(place)
    options = FILE_POOL if is_file else {"connect_args": CONNECT_ARGUMENTS, **POSTGRESQL_POOL}
    engine = create_engine(
        url,
        json_serializer=lambda value: encode(value).decode(),
        json_deserializer=orjson.loads,
        hide_parameters=True,
        pool_use_lifo=True,  # few connections at a time, whose caches know the newest rows
        **options,
    )
    event.listen(engine, "connect", _tune_sqlite if is_file else _accept_nul)
    try:
        _prepare_schema(engine)
    except SQLAlchemyError as error:
        engine.dispose()
        raise _unusable(url, error) from (error if is_file else None)
    except BaseException:
        engine.dispose()  # what is still in SQLite's log goes into the file, so that the file alone can be moved away
        raise
    return engine


def _postgresql_url(given: str) -> URL:
    """Read the URL of a PostgreSQL database; raises EmulatorError, which never shows the password."""
    try:
        url = make_url(given)
    except (ArgumentError, ValueError):
        raise EmulatorError(f"the database URL cannot be read: write it as {EXAMPLE_URL}") from None
    if url.drivername not in ("postgresql", "postgresql+psycopg"):
        raise EmulatorError(f"the database URL begins with {url.drivername}: write it as {EXAMPLE_URL}")
    if not url.database:
        raise EmulatorError(f"the database URL names no database: write it as {EXAMPLE_URL}")
    try:
        import psycopg  # noqa: F401
    except ImportError:
        install = "pip install 'modelarts-toolkit[postgresql]' 'psycopg[binary]'"
        raise EmulatorError(f"PostgreSQL needs the library psycopg: {install}") from None
    return url.set(drivername="postgresql+psycopg")


def _accept_nul(connection: Any, _record: Any) -> None:
    """Store U+FFFD for NUL, which PostgreSQL has not; nothing that the service allows has it."""
    from psycopg.types.string import StrDumperUnknown

    class Dumper(StrDumperUnknown):
        def dump(self, obj: str) -> Any:
            return super().dump(obj.replace("\0", "\ufffd"))

    connection.adapters.register_dumper(str, Dumper)


def _tune_sqlite(connection: Any, _record: Any) -> None:
    # A commit survives the end of the process, however it ends; only a crash of the machine may cost the last ones.
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    # Commits wait for the disk at checkpoints alone: the rarer these are, the fewer pages are written many times.
    connection.execute("PRAGMA wal_autocheckpoint = 10000")
    # 8 MB for each connection; the pages that a hundred thousand jobs are found by are read from the system's cache.
    connection.execute("PRAGMA cache_size = -8000")
    connection.execute("PRAGMA mmap_size = 268435456")


def _prepare_schema(engine: Engine) -> None:
    """Create the tables in a new database, all or none; raises EmulatorError if an old one has other tables."""
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")  # else SQLite's driver commits every change of the schema
        else:
            connection.execute(WRITE_LOCK)
        names = inspect(connection).get_table_names()
        if not names:
            if engine.dialect.name == "postgresql":
                _set_conditions_of_indexes()
            TABLES.create_all(connection, checkfirst=False)
            connection.execute(insert(settings).values(name=SCHEMA, value=schema_digest()))
        elif settings.name not in names or _setting(connection, SCHEMA) != schema_digest():
            raise _other_schema(connection.engine.url)


def _set_conditions_of_indexes() -> None:
    """Give partial indexes the condition for PostgreSQL; in the tables, it would import that dialect at every start."""
    for index in (index for table in TABLES.tables.values() for index in table.indexes):
        if (condition := index.dialect_kwargs.get("sqlite_where")) is not None:
            index.dialect_kwargs["postgresql_where"] = condition


def schema_digest() -> str:
    """A text that differs for other tables, columns, types or indexes."""
    tables = [
        (
            table.name,
            [(column.name, type(column.type).__name__, column.nullable) for column in table.columns],
            sorted((str(index.name), [column.name for column in index.columns]) for index in table.indexes),
        )
        for table in TABLES.sorted_tables
    ]
    return hashlib.sha256(repr(tables).encode()).hexdigest()


def _other_schema(url: URL) -> EmulatorError:
    if url.database is not None and url.get_backend_name() == "sqlite":
        where = f"the data folder {Path(url.database).parent}"
        remedy = "move the folder away (its objects/ can go into the new one), or choose another one with --data-dir"
    else:
        where = f"the database {url.render_as_string()}"
        remedy = "drop it (objects/ of the data folder can stay), or name another one with --database-url"
    return EmulatorError(
        f"{where} was written by another version of the emulator, or by another program, and was not changed: {remedy}"
    )


def _unusable(url: URL, error: SQLAlchemyError) -> EmulatorError:
    """Say in one sentence why the database cannot be used, without the password."""
    if is_disk_full(error):
        remedy = "free some space, or choose another folder with --data-dir"
        return EmulatorError(f"the disk of the database {url.database} is full: {remedy}")
    reason = " ".join(str(getattr(error, "orig", None) or error).split())
    if url.get_backend_name() == "sqlite":
        place, remedy = url.database, "move it away, or choose another folder with --data-dir"
    else:
        place = url.render_as_string()
        remedy = "check that it runs and that --database-url is right; the state is unchanged"
    return EmulatorError(f"cannot use the database {place} ({reason}): {remedy}")


def token_key(engine: Engine) -> bytes:
    """The key that this database's tokens are signed with; made on first use."""
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(WRITE_LOCK)
        found = _setting(connection, "token_key")
        if found is None:
            found = secrets.token_hex(32)
            connection.execute(insert(settings).values(name="token_key", value=found))
    return bytes.fromhex(found)


def _setting(connection: Connection, name: str) -> str | None:
    return connection.execute(select(settings.c.value).where(settings.c.name == name)).scalar()


def is_id(number: int) -> bool:
    """Whether a row can have this number as its id; the database would reject a larger one."""
    return 0 < number <= MAX_ID


def contains(connection: Connection, column: ColumnElement[Any], text: str) -> ColumnElement[bool]:
    """Whether the column holds the text, in either case of ASCII letters; true for an empty text."""
    if not text:
        return true()
    text = text.replace("\0", "\ufffd")  # for SQLite, NUL would end the pattern
    # LIKE of SQLite ignores the case of ASCII letters, and takes half as long as `icontains`, which calls lower().
    is_sqlite = connection.dialect.name == "sqlite"
    return (column.contains if is_sqlite else column.icontains)(text, autoescape=True)


def ordered(columns: Sequence[ColumnElement[Any]], is_ascending: bool) -> list[ColumnElement[Any]]:
    """The columns as an order: all ascending, or all descending."""
    return [column if is_ascending else column.desc() for column in columns]
