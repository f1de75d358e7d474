"""Which process supervises the jobs of a database that several processes use: the one that holds an advisory lock.

The lock is held by a session of its own, so it is free as soon as PostgreSQL has lost that process. Every process that
gets the lock writes a term of its own into the database, and a transaction of the supervision is only committed in the
term of its process: whoever has lost the lock without knowing it changes nothing any more.
"""

from __future__ import annotations

import logging
import os
import secrets
import select
import threading
from collections.abc import Callable
from typing import Any, Protocol

from sqlalchemy import Connection, Engine, text
from sqlalchemy import select as query
from sqlalchemy.exc import SQLAlchemyError

from modelarts_emulator.engine.postgresql import LOCK_KEY, WRITE_LOCK_KEY, connect_arguments
from modelarts_emulator.engine.tables import settings

__all__ = ["AloneSupervision", "SharedSupervision", "Supervision", "SupervisionLost"]

log = logging.getLogger(__name__)

SUPERVISOR_KEY = LOCK_KEY + 2
INTERVAL_S = 1.0  # between two attempts to get the lock
RETRY_DELAY_S = 0.5  # after a session that was lost
TERM = "supervisor"
READ_TERM = query(settings.c.value).where(settings.c.name == TERM)
WRITE_TERM = (
    "INSERT INTO settings (name, value) VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
)
COUNT = text(
    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1"
    " AND CAST(classid AS bigint) = :high AND CAST(objid AS bigint) = :low"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
).bindparams(high=LOCK_KEY >> 32, low=LOCK_KEY & 0xFFFFFFFF)


class SupervisionLost(Exception):  # noqa: N818 - not an error of this process
    """Another process supervises the jobs now."""


class Supervision(Protocol):
    """Whether this process supervises the jobs of its database, and with whom it shares the database."""

    @property
    def is_shared(self) -> bool:
        """Whether other processes may use the database at the same time."""
        raise NotImplementedError

    @property
    def term(self) -> str:
        """The name of the time since this process supervises without interruption; empty if it does not supervise."""
        raise NotImplementedError

    def count_others(self) -> int:
        """How many other processes use the database now."""
        raise NotImplementedError

    def check(self, connection: Connection) -> None:
        """Raise SupervisionLost if another process supervises; `connection` is in a transaction that writes."""
        raise NotImplementedError


class AloneSupervision(Supervision):
    """The supervision of a database that only this process uses."""

    is_shared = False
    term = "always"

    def count_others(self) -> int:
        return 0

    def check(self, connection: Connection) -> None:
        pass


class SharedSupervision(Supervision):
    """The supervision of a PostgreSQL database; a thread tries to get the lock, and notices at once if it is lost.

    `changed` is called, in that thread, whenever `term` has changed, and `ticked` about every second.
    """

    is_shared = True

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._arguments = connect_arguments(engine)
        self._term = ""
        self._is_first_done = threading.Event()
        self._is_closing = False
        self._thread = threading.Thread(target=self._run, name="supervision", daemon=True)
        self.changed: Callable[[], None] = lambda: None
        self.ticked: Callable[[], None] = lambda: None

    @property
    def term(self) -> str:
        return self._term

    def start(self) -> None:
        """Begin, and wait for the first attempt to get the lock."""
        self._wake, self._waker = os.pipe()
        self._thread.start()
        self._is_first_done.wait()

    def close(self) -> None:
        """Release the lock: another process may supervise from now on."""
        self._is_closing = True
        os.write(self._waker, b"x")
        self._thread.join()
        os.close(self._wake)
        os.close(self._waker)

    def count_others(self) -> int:
        with self._engine.connect() as connection:
            return int(connection.execute(COUNT).scalar_one()) - 1

    def check(self, connection: Connection) -> None:
        if not self._term or connection.execute(READ_TERM).scalar() != self._term:
            raise SupervisionLost

    def _run(self) -> None:
        import psycopg

        while not self._is_closing:
            try:
                with psycopg.connect(**self._arguments) as session:
                    self._hold(session)
            except (psycopg.Error, SQLAlchemyError):
                pass  # those who use the database say what is wrong with it
            except Exception:
                log.exception("this front end could not take part in the supervision and will try again")
            if not self._is_closing:
                self._set_term("")
                self._is_first_done.set()
                self._pause(RETRY_DELAY_S)
        self._set_term("")

    def _hold(self, session: Any) -> None:
        """Try to get the lock until it is held, then keep the session; returns when closing, raises psycopg.Error."""
        while not self._is_closing:
            if not self._term and session.execute("SELECT pg_try_advisory_lock(%s)", [SUPERVISOR_KEY]).fetchone()[0]:
                term = secrets.token_hex(16)
                with session.transaction():
                    session.execute("SELECT pg_advisory_xact_lock(%s)", [WRITE_LOCK_KEY])
                    session.execute(WRITE_TERM, [TERM, term])
                self._set_term(term)
            self._is_first_done.set()
            self.ticked()
            if self._pause(INTERVAL_S, session.fileno()):
                session.execute("SELECT 1")  # raises if the server has closed the session

    def _set_term(self, term: str) -> None:
        if term == self._term:
            return
        self._term = term
        if self._is_first_done.is_set() and not self._is_closing:
            log.warning("this front end %s", "supervises the jobs now" if term else "no longer supervises the jobs")
        self.changed()

    def _pause(self, seconds: float, descriptor: int | None = None) -> bool:
        """Wait; returns at once when closing, and True if there is something to read from the descriptor."""
        poll = select.poll()
        for reader in (self._wake, descriptor):
            if reader is not None:
                poll.register(reader, select.POLLIN)
        return descriptor in [reader for reader, _ in poll.poll(seconds * 1000)]
