"""The journal of simulated jobs: what happened to each, so that a new executor can continue.

An SQLite file of its own, in which the entries of one job are found without reading those of others. Nothing is
synchronised to the disk: what is lost with the machine's power is only what was simulated in its last seconds.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

__all__ = ["Journal"]

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
            except BaseException:
                database.close()  # which also rolls back what was not committed
                raise
            self._database = database
        return self._database
