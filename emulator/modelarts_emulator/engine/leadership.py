"""Leader election: which process runs the jobs of a database that several processes may use.

A session of each process holds a lock of PostgreSQL on the database: a shared one, or an exclusive one if the process
uses the database alone. The leader is the process whose session holds a second lock, which is free as soon as
PostgreSQL has lost that process. Every new leader writes an epoch of its own into the database, and what only the
leader may write is committed in the epoch of its process alone: a process that has lost the lock without knowing it
changes nothing any more.
"""

from __future__ import annotations

import hashlib
import json
import logging
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import Connection, Engine, select, text
from sqlalchemy.exc import SQLAlchemyError

from modelarts_emulator.engine.tables import settings
from modelarts_emulator.errors import EmulatorError

log = logging.getLogger(__name__)

LOCK_KEY = 0x6D6F64656C617274  # "modelart"
WRITE_KEY, LEADER_KEY = LOCK_KEY + 1, LOCK_KEY + 2
WRITE_LOCK = text(f"SELECT pg_advisory_xact_lock({WRITE_KEY})")
"""What a transaction that writes begins with, so that those of all processes follow one another."""
CONNECT_ARGUMENTS = {
    "connect_timeout": 3,
    "application_name": "modelarts-emulator",
    # A server that does not respond is noticed after some seconds.
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,  # milliseconds
    # The server notices as soon that a process does not respond, and ends what it has begun.
    "options": "-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3"
    " -c idle_in_transaction_session_timeout=10000",  # milliseconds
}
INTERVAL_S = 1.0  # between two attempts to get the lock, or two looks whether it is still held
RETRY_DELAY_S = 0.5  # after a session that was lost
LOCK_TIMEOUT_S = 5.0  # how long PostgreSQL may take to notice that an emulator was killed
EPOCH = "epoch"
GROUP = "front_ends"  # what the processes that share the database have in common
READ_EPOCH = select(settings.c.value).where(settings.c.name == EPOCH)
READ_GROUP = "SELECT value FROM settings WHERE name = %s"
WRITE_SETTING = (
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
    """Names the present term of this process as the leader; another one for each term, empty without one."""

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
    """The leadership of a PostgreSQL database; a thread tries to get the lock, and notices within a second its loss.

    With a `group` the database is shared with processes of the same group: what they must have in common, by what is
    named if it differs. Without, other processes cannot use the database at the same time.
    """

    def __init__(self, engine: Engine, group: Mapping[str, object] | None) -> None:
        self._engine = engine
        self.is_shared = group is not None
        # Only hashes are stored: values are long, and nobody reads them.
        self._group = {key: hashlib.sha256(repr(value).encode()).hexdigest() for key, value in (group or {}).items()}
        self.epoch = ""
        self._is_first_done = threading.Event()
        self._rejection = ""
        self._is_closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="leader-election", daemon=True)
        self._changed: Callable[[], None] = lambda: None
        self._ticked: Callable[[], None] = lambda: None

    def start(self, changed: Callable[[], None] = lambda: None, ticked: Callable[[], None] = lambda: None) -> None:
        """As for a single process; returns after the first attempt to become the leader.

        Raises EmulatorError if another emulator uses the database and one of the two does so alone, or they differ in
        what processes that share it must have in common.
        """
        self._changed, self._ticked = changed, ticked
        self._thread.start()
        self._is_first_done.wait()
        if self._rejection:
            raise EmulatorError(f"the database {self._engine.url.render_as_string()} is used by {self._rejection}")

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

        _, arguments = self._engine.dialect.create_connect_args(self._engine.url)
        while not self._is_closing.is_set():
            try:
                with psycopg.connect(**{**arguments, **CONNECT_ARGUMENTS, "autocommit": True}) as session:
                    self._hold(session)
            except (psycopg.Error, SQLAlchemyError):
                pass  # those who use the database say what is wrong with it
            except Exception:
                log.exception("this front end could not take part in the leader election and will try again")
            self._set_epoch("")
            self._is_first_done.set()
            self._is_closing.wait(RETRY_DELAY_S)

    def _hold(self, session: Any) -> None:
        """Try to become the leader, then keep the session; returns when closing, raises psycopg.Error."""
        if rejection := self._join(session):
            self._rejection = rejection
            return
        while not self._is_closing.is_set():
            if self.epoch:
                session.execute("SELECT 1")  # raises if the server has closed the session
            elif _call(session, "pg_try_advisory_lock", LEADER_KEY):
                epoch = secrets.token_hex(16)
                with session.transaction():
                    session.execute("SELECT pg_advisory_xact_lock(%s)", [WRITE_KEY])
                    session.execute(WRITE_SETTING, [EPOCH, epoch])
                self._set_epoch(epoch)
            self._is_first_done.set()
            self._ticked()
            self._is_closing.wait(INTERVAL_S)

    def _join(self, session: Any) -> str:
        """Wait for the lock on the database; why it cannot be had, or "" if this process may use the database.

        The first process has an exclusive lock while it writes down what the others must have in common with it.
        """
        deadline = time.monotonic() + LOCK_TIMEOUT_S
        while not _call(session, "pg_try_advisory_lock", LOCK_KEY):
            if self.is_shared and _call(session, "pg_try_advisory_lock_shared", LOCK_KEY):
                return self._difference(session)
            if time.monotonic() > deadline or self._is_closing.wait(LOCK_TIMEOUT_S / 50):
                return "another emulator: stop it, or name another database with --database-url"
        if self.is_shared:
            session.execute(WRITE_SETTING, [GROUP, json.dumps(self._group)])
            _call(session, "pg_advisory_lock_shared", LOCK_KEY)
            _call(session, "pg_advisory_unlock", LOCK_KEY)
        return ""

    def _difference(self, session: Any) -> str:
        found = json.loads(session.execute(READ_GROUP, [GROUP]).fetchone()[0])
        names = sorted(name for name in found.keys() | self._group.keys() if found.get(name) != self._group.get(name))
        remedy = "start all front ends of a database with the same options, or name another one with --database-url"
        return f"an emulator with another {', '.join(names)}: {remedy}" if names else ""

    def _set_epoch(self, epoch: str) -> None:
        if epoch == self.epoch:
            return
        self.epoch = epoch
        if self._is_first_done.is_set() and not self._is_closing.is_set():
            log.warning("this front end %s", "supervises the jobs now" if epoch else "no longer supervises the jobs")
        self._changed()


def _call(session: Any, function: str, key: int) -> bool:
    return bool(session.execute(f"SELECT {function}(%s)", [key]).fetchone()[0])
