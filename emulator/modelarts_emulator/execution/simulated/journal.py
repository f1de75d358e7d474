"""The journal of simulated jobs: what each was told, so that a new executor knows as much.

An SQLite file of its own, in which the entries of one job are found without reading those of others. Nothing is
synchronised to the disk: what is lost with the machine's power is only what was simulated in its last seconds.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["Journal"]

_TABLES = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = OFF;
CREATE TABLE IF NOT EXISTS entries (number INTEGER PRIMARY KEY, job TEXT NOT NULL, entry TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS entries_of_jobs ON entries (job);
"""


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
        self._insert([(job_id, json.dumps(entry))])
        return entry

    def remove(self, job_id: str) -> bool:
        """Forget the job; False if nothing was known of it."""
        return self._open().execute("DELETE FROM entries WHERE job = ?", (job_id,)).rowcount > 0

    def close(self) -> None:
        """Let go of the file."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def _insert(self, rows: list[tuple[str, str]]) -> None:
        self._open().executemany("INSERT INTO entries (job, entry) VALUES (?, ?)", rows)

    def _open(self) -> sqlite3.Connection:
        if self._database is None:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._path.touch(mode=0o600)
            self._database = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
            self._database.executescript(_TABLES)
            self._import(self._path.with_suffix(".jsonl"))
        return self._database

    def _import(self, lines: Path) -> None:
        """Take over the journal of an earlier version: a file of lines, in which a job may have been removed."""
        if not lines.exists():
            return
        entries: dict[str, list[Mapping[str, Any]]] = {}
        for line in lines.read_bytes().splitlines(keepends=True):
            if line.endswith(b"\n"):
                entry = json.loads(line)
                of_job = entries.setdefault(entry["job"], [])
                if entry["kind"] == "removed":
                    of_job.clear()
                else:
                    of_job.append(entry)
        database = self._open()
        database.execute("BEGIN")
        self._insert([(job_id, json.dumps(entry)) for job_id, of_job in entries.items() for entry in of_job])
        database.execute("COMMIT")
        lines.unlink()
