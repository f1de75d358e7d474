"""The tables of the emulator's state, and how the database that holds them is opened."""

from __future__ import annotations

import secrets
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import orjson
from sqlalchemy import (
    JSON,
    URL,
    BigInteger,
    Boolean,
    Column,
    Connection,
    Engine,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    event,
    func,
    insert,
    select,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import Pool

from modelarts_emulator.http.errors import EmulatorError, is_disk_full
from modelarts_emulator.http.json import encode

__all__ = [
    "algorithms",
    "events",
    "job_counts",
    "jobs",
    "open_database",
    "removals",
    "searches",
    "token_key",
    "transaction",
    "trials",
]

metadata = MetaData()

settings = Table("settings", metadata, Column("name", String(64), primary_key=True), Column("value", String(256)))

algorithms = Table(
    "algorithms",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("project_id", String(64), nullable=False),
    Column("name", String(64), nullable=False),
    Column("create_time", BigInteger, nullable=False),
    Column("document", JSON, nullable=False),
    Index("algorithm_names", "project_id", "name"),
    Index("algorithm_times", "project_id", "create_time", "id"),
)

# `head` and `tail` are what the service says about the job apart from its progress, as JSON text; of it only the
# description, in `head`, may change.
# `launched` is set before the executor is called, so that after a crash every job that may have a process is known;
# `attempt` and `launched` together say what the executor was asked for. `hung_task` is the task that hangs, `retries`
# the restarts that count. `history` is what grows with the job: see jobs.HISTORY.
# Times are in milliseconds since 1970; 0 is "not yet". `worked` is how long all attempts that ended ran, in
# milliseconds, `attempt_start` when the one that runs began.
jobs = Table(
    "jobs",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("project_id", String(64), nullable=False),
    Column("user_id", String(64), nullable=False),
    Column("name", String(64), nullable=False),
    Column("kind", String(64), nullable=False),
    Column("algorithm_name", String(64), nullable=False),
    Column("node_count", Integer, nullable=False),
    Column("flavor_id", String(64), nullable=False),
    Column("priority", Integer, nullable=False),
    Column("create_time", BigInteger, nullable=False),
    Column("phase", String(16), nullable=False),
    Column("secondary_phase", String(32), nullable=False),
    Column("launched", Boolean, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("retries", Integer, nullable=False),
    Column("hung_task", String(64), nullable=False),
    Column("queue_time", BigInteger, nullable=False),
    Column("start_time", BigInteger, nullable=False),
    Column("attempt_start", BigInteger, nullable=False),
    Column("end_time", BigInteger, nullable=False),
    Column("worked", BigInteger, nullable=False),
    Column("history", JSON, nullable=False),
    Column("head", Text, nullable=False),
    Column("tail", Text, nullable=False),
    # Holds all that a search asks about, so that it reads no more rows than its page has.
    Index("job_searches", "project_id", "create_time", "id", "name", "phase", "kind", "algorithm_name", "user_id"),
    # Unique also tells SQLite that it is the one to look names up in.
    Index("job_names", "project_id", "name", unique=True),
)

# How many jobs each project has: counted as they come and go, because counting a hundred thousand takes longer than to
# find a page of them. Made anew from the table of jobs where it is missing.
job_counts = Table(
    "job_counts",
    metadata,
    Column("project_id", String(64), primary_key=True),
    Column("count", Integer, nullable=False),
)

# What happened to jobs. Times are in milliseconds since 1970.
events = Table(
    "events",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("job_id", String(36), nullable=False),
    Column("time", BigInteger, nullable=False),
    Column("level", String(8), nullable=False),
    Column("source", String(8), nullable=False),
    Column("message", Text, nullable=False),
    Index("job_events", "job_id", "time", "id"),
)

# Searches for hyperparameters that were started: the specification they were started with and how far they are.
# `sizes` are the bytes of each task's log, `ending` says how the attempt will end, `outcome` how it ended.
searches = Table(
    "searches",
    metadata,
    Column("job_id", String(36), primary_key=True),
    Column("spec", JSON, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("ending", JSON, nullable=True),
    Column("started_at", Float, nullable=True),
    Column("sizes", JSON, nullable=False),
    Column("notes", JSON, nullable=False),
    Column("outcome", JSON, nullable=True),
    Column("analysis", JSON, nullable=True),
)

# The trials of searches, in their order; written down before they start. Times are in seconds since 1970.
# `is_stopped` alone is written by a request: somebody wants the trial to end early.
trials = Table(
    "trials",
    metadata,
    Column("job_id", String(36), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("trial_id", String(8), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("config", JSON, nullable=False),
    Column("status", String(16), nullable=False),
    Column("is_stopped", Boolean, nullable=False),
    Column("is_cut", Boolean, nullable=False),
    Column("started_at", Float, nullable=True),
    Column("ended_at", Float, nullable=True),
    Column("exit_code", Integer, nullable=True),
    Column("iterations", Integer, nullable=False),
    Column("reports", JSON, nullable=False),
    Column("latest", JSON, nullable=False),
    Column("matched", BigInteger, nullable=False),
    Column("copied", JSON, nullable=False),
)

# Jobs that are gone for every client, and whose processes and files the supervisor still has to clear away.
removals = Table(
    "removals",
    metadata,
    Column("job_id", String(36), primary_key=True),
    Column("project_id", String(64), nullable=False),
)


def layout(tables: MetaData = metadata) -> str:
    """What the tables and their columns are, in eight characters: state in another layout cannot be read."""
    columns = (
        f"{column.table.name}.{column.name} {type(column.type).__name__}"
        for table in tables.sorted_tables
        if table.name != "job_counts"  # derived from another
        for column in table.columns
    )
    return f"{zlib.crc32(','.join(columns).encode()):08x}"


def open_database(place: Path | str) -> Engine:
    """An engine on a database that has the tables; raises EmulatorError if there is no such database to be had.

    A path is that of an SQLite file, whatever characters it has; a text is SQLAlchemy's URL.
    """
    url = URL.create("sqlite", database=str(place)) if isinstance(place, Path) else make_url(place)
    engine = create_engine(url, json_serializer=encode, json_deserializer=orjson.loads)
    if url.get_backend_name() == "sqlite":
        event.listen(engine, "connect", _tune_sqlite)
    try:
        metadata.create_all(engine)
        _check_layout(engine)
        _count_jobs(engine)
    except SQLAlchemyError as error:
        engine.dispose()
        if is_disk_full(error):
            raise EmulatorError(
                f"the disk of the database {url.database} is full:"
                " free some space, or choose another folder with --data-dir"
            ) from error
        raise EmulatorError(
            f"cannot use the database {url.render_as_string()} ({getattr(error, 'orig', None) or error}):"
            " move it away, or choose another folder with --data-dir"
        ) from error
    except EmulatorError:
        engine.dispose()  # what is still in SQLite's log goes into the file, so that the file alone can be moved away
        raise
    return engine


@contextmanager
def transaction(connection: Connection) -> Iterator[None]:
    """A transaction that writes: committed at the end of the block, rolled back if something is raised there.

    SQLite has one writer at a time. The threads of this process wait for each other here, where one of them goes on
    as soon as the other has committed; left to SQLite, they would try again after a while, and fail after 5 seconds.
    """
    with _write_locks.setdefault(connection.engine.pool, threading.Lock()), connection.begin():
        yield


_write_locks: WeakKeyDictionary[Pool, threading.Lock] = WeakKeyDictionary()


def token_key(engine: Engine) -> bytes:
    """The key that this database's tokens are signed with; made on first use."""
    with engine.begin() as connection:
        found = connection.execute(select(settings.c.value).where(settings.c.name == "token_key")).scalar()
        if found is None:
            found = secrets.token_hex(32)
            connection.execute(insert(settings).values(name="token_key", value=found))
    return bytes.fromhex(found)


def _check_layout(engine: Engine) -> None:
    with engine.begin() as connection:
        found = {row.name: row.value for row in connection.execute(select(settings))}
        if not found:
            connection.execute(insert(settings).values(name="layout", value=layout()))
        elif found.get("layout") != layout():
            raise EmulatorError(
                f"{engine.url.database} was written by another version of the emulator, and this one cannot read it:"
                " move this file away (jobs and algorithms go with it, all objects stay),"
                " or choose another folder with --data-dir"
            )


def _count_jobs(engine: Engine) -> None:
    """Count the jobs of a database of an earlier version, which did not."""
    with engine.begin() as connection:
        if connection.execute(select(job_counts).limit(1)).first() is None:
            counted = select(jobs.c.project_id, func.count()).group_by(jobs.c.project_id)
            connection.execute(insert(job_counts).from_select(["project_id", "count"], counted))


def _tune_sqlite(connection: Any, _record: Any) -> None:
    # A commit survives the end of the process, however it ends; only a crash of the machine may cost the last ones.
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    # Commits wait for the disk at checkpoints alone: the rarer these are, the fewer pages are written many times.
    connection.execute("PRAGMA wal_autocheckpoint = 10000")
    # 32 MB, if there is so much: the pages that a hundred thousand jobs are found by.
    connection.execute("PRAGMA cache_size = -32000")
