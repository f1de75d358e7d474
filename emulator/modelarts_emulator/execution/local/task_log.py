"""A task's log: what the user's process wrote, byte for byte, and the service's own lines in between."""

from __future__ import annotations

import contextlib
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
        self._lost_bytes = 0
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
        self._append(_service_line(message, level), own_line=True)

    def _append(self, data: bytes, own_line: bool = False) -> None:
        """Append to the file; what a full disk does not take is counted, and logged as soon as there is room."""
        with self._lock:
            if self._lost_bytes:
                notice = f"{self._lost_bytes} bytes of the log were lost because they could not be written"
                if self._write(_service_line(notice, "WARNING"), own_line=True):
                    self._lost_bytes += len(data)
                    return
                self._lost_bytes = 0
            self._lost_bytes += self._write(data, own_line)

    def _write(self, data: bytes, own_line: bool) -> int:
        """Write to the file; returns how many of the bytes could not be written."""
        view = memoryview(b"\n" + data if own_line and not self._at_line_start else data)
        with contextlib.suppress(OSError):
            while view:
                written = os.write(self._file, view)
                self._at_line_start = view[written - 1] == ord("\n")
                view = view[written:]
        return len(view)

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._file)


def _service_line(message: str, level: str) -> bytes:
    now = datetime.now().astimezone()
    stamp = f"{now:%Y/%m/%d %H:%M:%S},{now.microsecond // 1000:03d}"
    return f"[ModelArts Service Log][{level}][{stamp}]: {message}\n".encode(errors="backslashreplace")


def _last_byte(path: Path) -> bytes:
    with path.open("rb") as stream:
        stream.seek(-1, os.SEEK_END)
        return stream.read()
