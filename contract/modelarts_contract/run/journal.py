"""What a run at a real service created, on disk before it exists, so that a kill loses nothing.

A journal is a file of JSON lines, `<run>.jsonl`, in the user's state folder or in CONTRACT_JOURNALS. Each line is
synced to disk before the request that it announces is sent. The file goes when everything in it was deleted.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

__all__ = ["Entry", "Journal", "abandoned"]


def folder() -> Path:
    given = os.environ.get("CONTRACT_JOURNALS")
    return Path(given) if given else platformdirs.user_state_path("modelarts-toolkit") / "contract"


@dataclass(frozen=True)
class Entry:
    """A thing that the run created; without an `id`, its creation was announced and the response is not known."""

    kind: str
    name: str
    id: str | None
    announced_at: float


class Journal:
    """The journal of one run; the process that has it open holds a lock on its file."""

    def __init__(self, path: Path) -> None:
        """Open a journal, or create it; raises BlockingIOError while another process has it open."""
        self.path = path
        self.run = path.stem
        self.target: dict[str, Any] = {}
        self._entries: dict[tuple[str, str], Entry] = {}
        self._ids: set[tuple[str, str]] = set()
        self._mutex = threading.RLock()
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._file = path.open("a+", encoding="utf-8")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            raise
        self._file.seek(0)
        lines = self._file.read()
        whole = lines[: lines.rfind("\n") + 1]  # A kill can cut off the last line: its request was not sent.
        self._file.truncate(len(whole.encode()))
        for line in whole.splitlines():
            self._apply(json.loads(line))

    @classmethod
    def create(cls, **target: str) -> Journal:
        """Begin the journal of a new run at this endpoint and project."""
        while True:
            # Another process that looks for abandoned journals may have opened it between our open and our lock.
            with contextlib.suppress(BlockingIOError):
                journal = cls(folder() / f"{secrets.token_hex(6)}.jsonl")
                journal._write({"event": "run", **target})
                return journal

    @property
    def prefix(self) -> str:
        """What the name of everything that the run creates starts with."""
        return f"contract-{self.run}-"

    def announce(self, kind: str, name: str) -> None:
        """Write down that the next request creates a thing of this name."""
        self._write({"event": "announced", "kind": kind, "name": name, "time": time.time()})

    def created(self, kind: str, name: str, id_: str) -> None:
        """Write down the id that the service gave."""
        self._write({"event": "created", "kind": kind, "name": name, "id": id_, "time": time.time()})

    def rejected(self, kind: str, name: str) -> None:
        """Write down that the announced request created nothing."""
        self._write({"event": "rejected", "kind": kind, "name": name})

    def deleted(self, entry: Entry) -> None:
        """Write down that the thing does not exist any more."""
        self._write({"event": "deleted", "kind": entry.kind, "name": entry.name, "id": entry.id})

    def has(self, kind: str, id_: str) -> bool:
        """Whether the run created the thing, which may be deleted by now."""
        with self._mutex:
            return (kind, id_) in self._ids

    def left(self, kind: str) -> list[Entry]:
        """What the run created and did not delete, oldest first."""
        with self._mutex:
            return [entry for (of, _), entry in self._entries.items() if of == kind]

    @property
    def is_empty(self) -> bool:
        """Whether nothing of the run is left at the service."""
        with self._mutex:
            return not self._entries

    def close(self) -> None:
        """Release the journal, and remove it if nothing is left."""
        if self.is_empty:
            self.path.unlink(missing_ok=True)
        self.release()

    def release(self) -> None:
        """Let other processes open the journal, which stays as it is."""
        self._file.close()

    def _write(self, line: dict[str, Any]) -> None:
        with self._mutex:
            self._file.write(json.dumps(line) + "\n")
            self._file.flush()
            os.fsync(self._file.fileno())
            self._apply(line)

    def _apply(self, line: dict[str, Any]) -> None:
        if line["event"] == "run":
            self.target = {name: value for name, value in line.items() if name != "event"}
            return
        kind, name = line["kind"], line["name"]
        if line["event"] == "announced":
            self._entries[kind, name] = Entry(kind, name, None, line["time"])
        elif line["event"] == "created":
            self._ids.add((kind, line["id"]))
            # Two things of one name are two entries: the service may accept a name twice.
            self._entries.pop((kind, name), None)
            self._entries[kind, line["id"]] = Entry(kind, name, line["id"], line["time"])
        else:
            self._entries.pop((kind, line.get("id") or name), None)


def abandoned(**target: str) -> Iterator[Journal]:
    """Open the journals of runs at this endpoint and project that ended without deleting everything."""
    for path in sorted(folder().glob("*.jsonl")):
        try:
            journal = Journal(path)
        except BlockingIOError:
            continue  # This run is going on.
        if journal.target == target:
            yield journal
        else:
            journal.release()  # not ours to remove: an empty one may be of a run that begins just now
