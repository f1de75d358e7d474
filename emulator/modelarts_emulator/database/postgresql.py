"""PostgreSQL as the emulator's database: its URL, its connections, and the lock that lets one emulator use it."""

from __future__ import annotations

import time
from typing import Any

from sqlalchemy import URL, Connection, Engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from modelarts_emulator.http.errors import EmulatorError

__all__ = ["CONNECT_ARGUMENTS", "lock_database", "parse_url", "set_up"]

EXAMPLE = "postgresql+psycopg://USER:PASSWORD@HOST:5432/DATABASE"
CONNECT_TIMEOUT_S = 3
LOCK_TIMEOUT_S = 5  # how long PostgreSQL may take to notice that an emulator was killed
LOCK_KEY = 0x6D6F64656C617274  # "modelart"
CONNECT_ARGUMENTS = {
    "connect_timeout": CONNECT_TIMEOUT_S,
    "application_name": "modelarts-emulator",
    # A server that does not respond is noticed after some seconds.
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,  # milliseconds
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


def set_up(engine: Engine) -> None:
    """Make connections store every text, and have them opened anew after the database was lost."""
    event.listen(engine, "connect", _accept_nul)
    event.listen(engine, "before_execute", _reconnect)


def lock_database(engine: Engine) -> None:
    """Let no other emulator use the database until the engine is disposed; raises EmulatorError if one does."""
    connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")
    connection.detach()  # the lock is the session's: it ends with the connection
    deadline = time.monotonic() + LOCK_TIMEOUT_S
    try:
        while not connection.execute(text("SELECT pg_try_advisory_lock(:key)"), {"key": LOCK_KEY}).scalar():
            if time.monotonic() > deadline:
                raise EmulatorError(
                    f"the database {engine.url.render_as_string()} is used by another emulator:"
                    " stop it, or name another database with --database-url"
                )
            time.sleep(LOCK_TIMEOUT_S / 50)
    except BaseException:
        connection.close()
        raise
    event.listen(engine, "engine_disposed", lambda _: connection.close())


def _accept_nul(connection: Any, _record: Any) -> None:
    """Store U+FFFD for NUL, which PostgreSQL has not; nothing that the service allows has it."""
    from psycopg.types.string import StrDumperUnknown

    class Dumper(StrDumperUnknown):
        def dump(self, obj: str) -> Any:
            return super().dump(obj.replace("\0", "\ufffd"))

    connection.adapters.register_dumper(str, Dumper)


def _reconnect(connection: Connection, *_: Any) -> None:
    """Connect a connection without transactions anew, which is kept open, if the database was lost meanwhile."""
    if connection.invalidated and connection.get_execution_options().get("isolation_level") == "AUTOCOMMIT":
        connection.rollback()
        connection.execution_options(isolation_level="AUTOCOMMIT")
