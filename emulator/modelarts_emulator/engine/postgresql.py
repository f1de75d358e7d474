"""PostgreSQL as the emulator's database: its URL, its connections, and the lock that says which processes use it."""

from __future__ import annotations

import select
import threading
import time
from typing import Any

from sqlalchemy import URL, Engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from modelarts_emulator.http.errors import EmulatorError

__all__ = ["CONNECT_ARGUMENTS", "WRITE_LOCK", "DatabaseLock", "connect_arguments", "parse_url", "set_up", "unusable"]

EXAMPLE = "postgresql+psycopg://<USER>:<PASSWORD>@<HOST>:5432/<DATABASE>"
CONNECT_TIMEOUT_S = 3
LOCK_TIMEOUT_S = 5  # how long PostgreSQL may take to notice that an emulator was killed
LOCK_KEY = 0x6D6F64656C617274  # "modelart"
WRITE_LOCK_KEY = LOCK_KEY + 1
WRITE_LOCK = text(f"SELECT pg_advisory_xact_lock({WRITE_LOCK_KEY})")
"""What a transaction that writes begins with, so that those of all processes follow one another."""
CONNECT_ARGUMENTS = {
    "connect_timeout": CONNECT_TIMEOUT_S,
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


def parse_url(given: str) -> URL:
    """Read the URL of a PostgreSQL database; raises EmulatorError, which never shows the password."""
    try:
        url = make_url(given)
    except (ArgumentError, ValueError):
        raise EmulatorError(f"the database URL cannot be read: write it as {EXAMPLE}") from None
    if url.drivername not in ("postgresql", "postgresql+psycopg"):
        raise EmulatorError(f"the database URL begins with {url.drivername}: write it as {EXAMPLE}")
    if not url.database:
        raise EmulatorError(f"the database URL names no database: write it as {EXAMPLE}")
    try:
        import psycopg  # noqa: F401
    except ImportError:
        install = "pip install 'modelarts-toolkit[postgresql]' 'psycopg[binary]'"
        raise EmulatorError(f"PostgreSQL needs the library psycopg: {install}") from None
    return url.set(drivername="postgresql+psycopg")


def unusable(url: URL, error: Exception) -> EmulatorError:
    """Say in one sentence why the database cannot be used, without the password."""
    reason = " ".join(str(getattr(error, "orig", None) or error).split())
    return EmulatorError(
        f"cannot use the database {url.render_as_string()} ({reason}):"
        " check that it runs and that --database-url is right; the state is unchanged"
    )


def connect_arguments(engine: Engine) -> dict[str, Any]:
    """What psycopg needs for a connection to the engine's database that is not one of its pool."""
    _, arguments = engine.dialect.create_connect_args(engine.url)
    return {**arguments, **CONNECT_ARGUMENTS, "autocommit": True}


def set_up(engine: Engine, is_shared: bool = False) -> DatabaseLock:
    """Reserve the database for this engine until it is disposed, and prepare connections for texts and for outages.

    With `is_shared` others that share it may use it, too; the lock says whether there are any.
    Raises EmulatorError if the database cannot be reached, or another emulator uses it.
    """
    import psycopg

    lock = DatabaseLock(engine, is_shared)
    try:
        is_ours = lock.acquire(LOCK_TIMEOUT_S)
    except psycopg.Error as error:
        raise unusable(engine.url, error) from None
    if not is_ours:
        raise EmulatorError(
            f"the database {engine.url.render_as_string()} is used by another emulator:"
            " stop it, or name another database with --database-url"
        )
    event.listen(engine, "engine_disposed", lambda _: lock.release())

    def renew(connection: Any, _record: Any) -> None:
        try:
            lock.renew()
        except BaseException:
            connection.close()
            raise

    event.listen(engine, "connect", renew)
    event.listen(engine, "connect", _accept_nul)
    return lock


class DatabaseLock:
    """A lock on the database that ends with the connection which it keeps open; its errors are psycopg's.

    With `is_shared` the lock `is_exclusive` only for the first process, until it calls `share`.
    """

    def __init__(self, engine: Engine, is_shared: bool = False) -> None:
        self._arguments = connect_arguments(engine)
        self._is_shared = is_shared
        self._connection: Any = None
        self._renewal = threading.Lock()  # threads that connect at once after an outage find one lock, not one each
        self.is_exclusive = True

    def acquire(self, timeout_s: float = 0) -> bool:
        """Wait for the lock; False if another session has it."""
        import psycopg

        self._connection = psycopg.connect(**self._arguments)
        deadline = time.monotonic() + timeout_s
        try:
            while not (is_ours := self._try()) and time.monotonic() < deadline:
                time.sleep(timeout_s / 50)
        except BaseException:
            self.release()
            raise
        if not is_ours:
            self.release()
        return is_ours

    def share(self) -> None:
        """Let others that share the database use it from now on."""
        if self.is_exclusive:
            self._call("pg_advisory_lock_shared")
            self._call("pg_advisory_unlock")
            self.is_exclusive = False

    def _try(self) -> bool:
        if self.is_exclusive and self._call("pg_try_advisory_lock"):
            return True
        if self._is_shared and self._call("pg_try_advisory_lock_shared"):
            self.is_exclusive = False
            return True
        return False

    def _call(self, function: str) -> bool:
        return bool(self._connection.execute(f"SELECT {function}(%s)", [LOCK_KEY]).fetchone()[0])

    def renew(self) -> None:
        """Acquire the lock again if it was lost with the database server."""
        import psycopg

        with self._renewal:
            if _is_lost(self._connection):
                self.release()
                if not self.acquire():
                    raise psycopg.OperationalError("another emulator uses the database now")

    def release(self) -> None:
        """Close the connection, and with it the lock."""
        self._connection.close()


def _accept_nul(connection: Any, _record: Any) -> None:
    """Store U+FFFD for NUL, which PostgreSQL has not; nothing that the service allows has it."""
    from psycopg.types.string import StrDumperUnknown

    class Dumper(StrDumperUnknown):
        def dump(self, obj: str) -> Any:
            return super().dump(obj.replace("\0", "\ufffd"))

    connection.adapters.register_dumper(str, Dumper)


def _is_lost(connection: Any) -> bool:
    """Whether the server has closed a connection on which no statement is being executed."""
    if connection.closed:
        return True
    socket = select.poll()
    socket.register(connection.fileno(), select.POLLIN)
    return bool(socket.poll(0))  # an idle connection has something to read only if the server says goodbye
