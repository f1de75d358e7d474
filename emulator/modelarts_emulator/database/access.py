"""Access to the database of the emulator's state."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError

from modelarts_emulator.database.engine import transaction
from modelarts_emulator.http.errors import DatabaseLocked, is_disk_full

__all__ = ["Database"]


@dataclass(frozen=True, slots=True)
class Database:
    """Two connections that are kept open: `reader` reads the state as it is, `writer` is for `writing`."""

    reader: Connection
    writer: Connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction, committed at the end of the block unless something is raised there.

        Raises DatabaseLocked if another program locks the database for longer than SQLite waits for it.
        """
        try:
            with transaction(self.writer):
                yield self.writer
        except OperationalError as error:
            if is_disk_full(error):
                raise
            raise DatabaseLocked(error.orig) from error
