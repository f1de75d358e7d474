"""The journal of simulated jobs: what happened to each, so that a new executor can continue.

An SQLite file of its own, in which the entries of one job are found without reading those of others. Nothing is
synchronised to the disk: what is lost with the machine's power is only what was simulated in its last seconds.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

__all__ = ["Journal"]

log = logging.getLogger(__name__)

_TABLES = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = OFF;
CREATE TABLE IF NOT EXISTS entries (number INTEGER PRIMARY KEY, job TEXT NOT NULL, entry TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS entries_of_jobs ON entries (job);
"""


_INSERT = "INSERT INTO entries (job, entry) VALUES (?, ?)"


class Journal:
    """Entries by job; it belongs to one thread at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._database: sqlite3.Connection | None = None

    def of(self, job_id: str) -> list[dict[str, Any]]:
        """The job's entries, oldest first."""
        query = "SELECT entry FROM entries WHERE job = ? ORDER BY number"
        return [json.loads(entry) for (entry,) in self._open().execute(query, (job_id,))]

    def append(self, job_id: str, kind: str, **members: Any) -> dict[str, Any]:
        """Store an entry, and return it."""
        entry = {"job": job_id, "kind": kind, **members}
        self._open().execute(_INSERT, (job_id, json.dumps(entry)))
        return entry

    def remove(self, job_ids: Iterable[str]) -> None:
        """Forget the jobs, all or none."""
        database = self._open()
        database.execute("BEGIN IMMEDIATE")
        try:
            database.executemany("DELETE FROM entries WHERE job = ?", ((job_id,) for job_id in job_ids))
        except BaseException:
            database.execute("ROLLBACK")
            raise
        database.execute("COMMIT")

    def close(self) -> None:
        """Let go of the file."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def _open(self) -> sqlite3.Connection:
        if self._database is None:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._path.touch(mode=0o600)
            database = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
            try:
                database.executescript(_TABLES)
                _import(database, self._path.with_suffix(".jsonl"))
            except BaseException:
                database.close()  # which also rolls back what was not committed
                raise
            self._database = database
        return self._database


def _import(database: sqlite3.Connection, lines: Path) -> None:
    """Take over the journal of an earlier version, all or nothing: a file of lines, in which jobs may be removed.

    Lines that cannot be read are skipped, and so are jobs that have entries in the database already: a crash may have
    left the file there after it was imported.
    """
    if not lines.exists():
        return
    entries: dict[str, list[Mapping[str, Any]]] = {}
    for number, line in enumerate(lines.read_bytes().splitlines(keepends=True), start=1):
        if line.endswith(b"\n"):
            try:
                _replay(entries, line)
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                log.warning("%s: line %d cannot be read and is skipped: %r", lines, number, error)
    database.execute("BEGIN IMMEDIATE")
    known = {job_id for (job_id,) in database.execute("SELECT DISTINCT job FROM entries")}
    rows = [
        (job_id, json.dumps(entry)) for job_id, of_job in entries.items() for entry in of_job if job_id not in known
    ]
    database.executemany(_INSERT, rows)
    database.execute("COMMIT")
    lines.unlink()


def _replay(entries: dict[str, list[Mapping[str, Any]]], line: bytes) -> None:
    """Add the line's entry to those of its job; raises ValueError, KeyError or TypeError if it is not an entry."""
    entry = json.loads(line)
    job_id, kind = entry["job"], entry["kind"]
    if not isinstance(job_id, str):
        raise TypeError("the id of the job is not a text")
    of_job = entries.setdefault(job_id, [])
    if kind == "removed":
        of_job.clear()
    else:
        of_job.append(entry)
