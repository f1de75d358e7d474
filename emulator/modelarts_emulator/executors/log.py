"""A task's log: what the user's process wrote, byte for byte, and the service's own lines in between."""

from __future__ import annotations

import os
import threading
from datetime import datetime
from pathlib import Path
from typing import Literal

LIMIT = 1 << 30
"""Bytes of the user's output that are kept: the number at which the service's `modelarts-pipe` goes silent."""


class TaskLog:
    """Appends to the log file, from any thread; what was appended is visible to readers at once."""

    def __init__(self, path: Path, limit: int = LIMIT) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self._limit = limit
        # An earlier attempt may have written already; beyond the limit, it has said so.
        size = os.fstat(self._file).st_size
        self._room = limit - size if size <= limit else -1
        self._at_line_start = not size or _last_byte(path) == b"\n"
        self._lock = threading.Lock()

    def output(self, data: bytes) -> None:
        """Append output of the user's process; beyond the limit it is dropped, after one line that says so."""
        if self._room < 0:
            return
        kept = data[: self._room]
        self._append(kept)
        self._room -= len(kept)
        if len(kept) < len(data):
            self._room = -1
            message = (
                f"the log holds {self._limit} bytes of output, no more; the process will continue running silently"
            )
            self.service(message, "WARNING")

    def service(self, message: str, level: Literal["INFO", "WARNING", "ERROR"] = "INFO") -> None:
        """Append a line of the service, on a line of its own, in local time as the service prints it."""
        now = datetime.now().astimezone()
        stamp = f"{now:%Y/%m/%d %H:%M:%S},{now.microsecond // 1000:03d}"
        line = f"[ModelArts Service Log][{level}][{stamp}]: {message}\n"
        self._append(line.encode(errors="backslashreplace"), own_line=True)

    def _append(self, data: bytes, own_line: bool = False) -> None:
        with self._lock:
            view = memoryview(b"\n" + data if own_line and not self._at_line_start else data)
            try:
                while view:
                    self._at_line_start = view[-1] == ord("\n")
                    view = view[os.write(self._file, view) :]
            except OSError:
                self._room = -1  # a full disk silences the log, it does not end the job

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._file)


def _last_byte(path: Path) -> bytes:
    with path.open("rb") as stream:
        stream.seek(-1, os.SEEK_END)
        return stream.read()
