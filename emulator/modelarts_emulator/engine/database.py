"""Access to the database of the emulator's state."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from modelarts_emulator.engine.postgresql import WRITE_LOCK
from modelarts_emulator.http.errors import ServiceError, Unavailable, is_disk_full

__all__ = ["Database", "service_error"]


class Database:
    """The database, for any thread: every block has a connection of its own, from the engine's pool.

    Both blocks raise OperationalError while the database cannot be used; `service_error` makes a response of it.
    `check` is called at the begin of every transaction; with `is_shared` other processes use the database, too.
    """

    def __init__(
        self, engine: Engine, is_shared: bool = False, check: Callable[[Connection], None] | None = None
    ) -> None:
        self._engine = engine
        self._is_shared = is_shared
        self._check = check
        # SQLite has one writer at a time. Here the next one continues as soon as the last one has committed; left to
        # SQLite, it would try again after a while, and fail after 5 seconds.
        self._write_lock = threading.Lock()

    @property
    def is_embedded(self) -> bool:
        """Whether reading waits for nobody: SQLite, where a reader never waits for those who write."""
        return self._engine.dialect.name == "sqlite"

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection whose statements see what is committed; it never waits for a transaction that writes."""
        with self._engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction, committed at the end of the block, rolled back if something is raised there.

        Transactions follow one another, also those of other processes, so that what a block reads stays true until its
        end.
        """
        with self._write_lock, self._engine.begin() as connection:
            if self._is_shared:
                connection.execute(WRITE_LOCK)
            self.check(connection)
            yield connection

    def check(self, connection: Connection) -> None:
        """Raise what keeps those from writing whose access is `supervised`."""
        if self._check is not None:
            self._check(connection)

    def supervised(self, check: Callable[[Connection], None]) -> Database:
        """The same database for those whose transactions begin with this check."""
        other = Database(self._engine, self._is_shared, check)
        other._write_lock = self._write_lock
        return other


def service_error(error: BaseException) -> ServiceError | None:
    """The response to a client when the database cannot be used now; None for any other error, and for a full disk."""
    if isinstance(error, PoolTimeout):
        reason = "all connections of this front end have been in use for half a minute"
        return Unavailable("The emulator cannot reach its database", reason, "Send the request again later")
    if not isinstance(error, OperationalError) or is_disk_full(error):
        return None
    if isinstance(error.orig, sqlite3.Error):
        remedy = "Close the program that uses emulator.db"
        return Unavailable("The emulator cannot write its database", error.orig, remedy)
    remedy = "Start the database server, then look whether the request has had its effect"
    return Unavailable("The emulator cannot reach its database", error.orig, remedy)
