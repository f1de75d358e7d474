"""Leader election: which process runs the jobs of a database that several processes use.

The leader is the process that holds an advisory lock of PostgreSQL. A session of its own holds the lock, so it is free
as soon as PostgreSQL has lost that process. Every new leader writes an epoch of its own into the database, and what
only the leader may write is committed in the epoch of its process alone: a process that has lost the lock without
knowing it changes nothing any more.
"""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, Engine, select, text
from sqlalchemy.exc import SQLAlchemyError

from modelarts_emulator.engine.postgresql import LOCK_KEY, WRITE_LOCK_KEY, connect_arguments
from modelarts_emulator.engine.tables import settings

__all__ = ["LeaderElection", "LeadershipLost", "SingleProcess"]

log = logging.getLogger(__name__)

LEADER_KEY = LOCK_KEY + 2
INTERVAL_S = 1.0  # between two attempts to get the lock, or two looks whether it is still held
RETRY_DELAY_S = 0.5  # after a session that was lost
EPOCH = "epoch"
READ_EPOCH = select(settings.c.value).where(settings.c.name == EPOCH)
WRITE_EPOCH = (
    "INSERT INTO settings (name, value) VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
)
COUNT = text(
    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1"
    " AND CAST(classid AS bigint) = :high AND CAST(objid AS bigint) = :low"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
).bindparams(high=LOCK_KEY >> 32, low=LOCK_KEY & 0xFFFFFFFF)


class LeadershipLost(Exception):  # noqa: N818 - not an error of this process
    """Another process is the leader now."""


class SingleProcess:
    """The leadership of a database that only this process uses."""

    is_shared = False
    """Whether other processes may use the database at the same time."""

    epoch = "always"
    """Id of the time since when this process is the leader without interruption; empty if it is not the leader."""

    @property
    def is_leader(self) -> bool:
        return bool(self.epoch)

    def start(self, changed: Callable[[], None], ticked: Callable[[], None]) -> None:
        """Call `changed` whenever the epoch has changed, and `ticked` about every second, in a thread of their own."""

    def close(self) -> None:
        """Let another process be the leader from now on."""

    def count_others(self) -> int:
        """How many other processes use the database now."""
        return 0

    def check(self, connection: Connection) -> None:
        """Raise LeadershipLost if another process is the leader, as this transaction sees it."""


class LeaderElection(SingleProcess):
    """The leadership of a PostgreSQL database; a thread tries to get the lock, and notices within a second its loss."""

    is_shared = True

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._arguments = connect_arguments(engine)
        self.epoch = ""
        self._is_first_done = threading.Event()
        self._is_closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="leader-election", daemon=True)
        self._changed: Callable[[], None] = lambda: None
        self._ticked: Callable[[], None] = lambda: None

    def start(self, changed: Callable[[], None] = lambda: None, ticked: Callable[[], None] = lambda: None) -> None:
        """As for a single process; returns after the first attempt to get the lock."""
        self._changed, self._ticked = changed, ticked
        self._thread.start()
        self._is_first_done.wait()

    def close(self) -> None:
        self._is_closing.set()
        if self._thread.is_alive():
            self._thread.join()

    def count_others(self) -> int:
        with self._engine.connect() as connection:
            return int(connection.execute(COUNT).scalar_one()) - 1

    def check(self, connection: Connection) -> None:
        if not self.epoch or connection.execute(READ_EPOCH).scalar() != self.epoch:
            raise LeadershipLost

    def _run(self) -> None:
        import psycopg

        while not self._is_closing.is_set():
            try:
                with psycopg.connect(**self._arguments) as session:
                    self._hold(session)
            except (psycopg.Error, SQLAlchemyError):
                pass  # those who use the database say what is wrong with it
            except Exception:
                log.exception("this front end could not take part in the leader election and will try again")
            self._set_epoch("")
            self._is_first_done.set()
            self._is_closing.wait(RETRY_DELAY_S)

    def _hold(self, session: Any) -> None:
        """Try to get the lock until it is held, then keep the session; returns when closing, raises psycopg.Error."""
        while not self._is_closing.is_set():
            if self.epoch:
                session.execute("SELECT 1")  # raises if the server has closed the session
            elif session.execute("SELECT pg_try_advisory_lock(%s)", [LEADER_KEY]).fetchone()[0]:
                epoch = secrets.token_hex(16)
                with session.transaction():
                    session.execute("SELECT pg_advisory_xact_lock(%s)", [WRITE_LOCK_KEY])
                    session.execute(WRITE_EPOCH, [EPOCH, epoch])
                self._set_epoch(epoch)
            self._is_first_done.set()
            self._ticked()
            self._is_closing.wait(INTERVAL_S)

    def _set_epoch(self, epoch: str) -> None:
        if epoch == self.epoch:
            return
        self.epoch = epoch
        if self._is_first_done.is_set() and not self._is_closing.is_set():
            log.warning("this front end %s", "supervises the jobs now" if epoch else "no longer supervises the jobs")
        self._changed()
