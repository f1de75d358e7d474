"""The journal of simulated jobs: what they were told, one line of JSON each, so that a new executor knows as much.

A line is written with one call and counts once it is complete; nothing is synchronised to the disk, because what is
lost with the machine's power is only what was simulated in its last seconds.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

__all__ = ["Journal"]


class Journal:
    """An append-only file of entries; every entry has the member `job`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def read(self) -> Iterator[dict[str, Any]]:
        """All entries about jobs that were not removed, oldest first; the others leave the file for good."""
        try:
            lines = self._path.read_bytes().splitlines(keepends=True)
        except FileNotFoundError:
            return
        entries = [json.loads(line) for line in lines if line.endswith(b"\n")]
        removed = {entry["job"]: number for number, entry in enumerate(entries) if entry["kind"] == "removed"}
        kept = [entry for number, entry in enumerate(entries) if number > removed.get(entry["job"], -1)]
        if len(kept) < len(lines):
            self._replace(kept)
        yield from kept

    def append(self, job_id: str, kind: str, **members: Any) -> dict[str, Any]:
        """Write an entry down, and return it."""
        entry = {"job": job_id, "kind": kind, **members}
        if self._file is None:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        view = memoryview(_line(entry))
        while view:
            view = view[os.write(self._file, view) :]
        return entry

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _replace(self, entries: list[dict[str, Any]]) -> None:
        draft = self._path.with_suffix(".new")
        draft.write_bytes(b"".join(map(_line, entries)))
        draft.replace(self._path)


def _line(entry: Mapping[str, Any]) -> bytes:
    return json.dumps(entry).encode() + b"\n"
