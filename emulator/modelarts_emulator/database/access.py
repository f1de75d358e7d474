"""Access to the database of the emulator's state."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError

from modelarts_emulator.database.engine import transaction
from modelarts_emulator.http.errors import DatabaseLocked, DatabaseUnreachable, ServiceError, is_disk_full

__all__ = ["Database", "service_error"]


@dataclass(frozen=True, slots=True)
class Database:
    """Two connections that are kept open: `reader` reads the state as it is, `writer` is for `writing`."""

    reader: Connection
    writer: Connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction, committed at the end of the block unless something is raised there.

        Raises DatabaseLocked if another program locks the database for longer than SQLite waits for it, and
        DatabaseUnreachable if the database server does not respond.
        """
        try:
            with transaction(self.writer):
                yield self.writer
        except OperationalError as error:
            raise service_error(error) or error from error


def service_error(error: BaseException) -> ServiceError | None:
    """How a client is told that the database cannot be used now; None for any other error, and for a full disk."""
    if not isinstance(error, OperationalError) or is_disk_full(error):
        return None
    is_file = isinstance(error.orig, sqlite3.Error)
    return DatabaseLocked(error.orig) if is_file else DatabaseUnreachable(error.orig)
