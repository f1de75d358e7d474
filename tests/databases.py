"""A PostgreSQL server of the tests' own, made from the system's binaries."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.local_servers import end_with_parent, free_ports

NewDatabase = Callable[[], str | None]
USER, PASSWORD = "emulator", "not-to-be-shown"
BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "fsync": "off",
    "full_page_writes": "off",
    "max_connections": "60",
    "shared_buffers": "16MB",
}


def why_not() -> str | None:
    """Why there is no PostgreSQL on this machine; None if there is one."""
    if not BINARIES:
        return "PostgreSQL is not installed: apt-get install postgresql"
    if os.getuid() == 0 and _owner() is None:
        return "PostgreSQL does not run as root, and there is neither a user postgres nor nobody"
    return None


class PostgresqlServer:
    """A server on a free port, which can be stopped and started again."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="modelarts-postgresql-"))
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = _owner() if os.getuid() == 0 else None
        if self._owner is not None:
            os.chown(self._folder, self._owner, -1)
        (self.port,) = free_ports(1)
        password = self._folder / "password"
        password.write_text(PASSWORD)
        self._run("initdb", "--no-sync", "--auth=scram-sha-256", f"--username={USER}", f"--pwfile={password}",
                  "--locale=C.UTF-8", "--encoding=UTF8", "--pgdata", str(self._folder / "data"))  # fmt: skip
        self.start()

    def start(self) -> None:
        """Start the server unless it runs, and wait until it accepts connections; it ends with this process."""
        if self._process is not None and self._process.poll() is None:
            return
        options = [f"--{name}={value}" for name, value in SETTINGS.items()]
        options += [f"--port={self.port}", f"--unix_socket_directories={self._folder}"]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [BINARIES[-1] / "postgres", "-D", self._folder / "data", *options],
                stdout=log, stderr=log, user=self._owner, cwd="/", preexec_fn=partial(end_with_parent, signal.SIGQUIT),
            )  # fmt: skip
        ready: list[str | Path] = [BINARIES[-1] / "pg_isready", "--quiet", "--host=127.0.0.1", f"--port={self.port}"]
        while subprocess.run(ready).returncode != 0:
            assert self._process.poll() is None, (self._folder / "log").read_text()
            time.sleep(0.02)

    def stop(self) -> None:
        """Stop the server at once, with all connections."""
        self._run("pg_ctl", "stop", "--wait", "--silent", "--mode=immediate", "--pgdata", str(self._folder / "data"))
        if self._process is not None:
            self._process.wait()

    def close(self) -> None:
        """Stop the server and remove its files."""
        if (self._folder / "data" / "postmaster.pid").exists():
            self.stop()
        shutil.rmtree(self._folder)

    def url(self, database: str, password: str = PASSWORD) -> str:
        """The URL of a database, for `--database-url`."""
        return f"postgresql+psycopg://{USER}:{password}@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """Make an empty database; return its URL."""
        import psycopg

        name = f"test_{uuid.uuid4().hex}"
        place = self.url("postgres").replace("+psycopg", "")
        with psycopg.connect(place, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self.url(name)

    def _run(self, program: str, *arguments: str) -> None:
        # Output goes into a file: the server inherits it, and a pipe would be open for as long as the server runs.
        with (self._folder / "output").open("ab") as output:
            done = subprocess.run(
                [BINARIES[-1] / program, *arguments], stdout=output, stderr=output, user=self._owner, cwd="/"
            )
        assert done.returncode == 0, (self._folder / "output").read_text()


def _owner() -> int | None:
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_uid
        except KeyError:
            continue
    return None
