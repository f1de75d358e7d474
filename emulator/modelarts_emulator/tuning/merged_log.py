"""The log of a search: the lines of all its trials as they come, each with its trial's id in front."""

from __future__ import annotations

from pathlib import Path

from modelarts_emulator.execution.local.task_process import LOG_LIMIT

__all__ = ["MergedLog"]

CHUNK = 1 << 20


class MergedLog:
    """One file that only grows; `size` is how much of it is known to be right, what lies behind it is cut off."""

    def __init__(self, path: Path, size: int, limit: int = LOG_LIMIT) -> None:
        self._path = path
        self.size = size
        self._limit = limit
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with path.open("ab") as stream:
            stream.truncate(size)

    def append_from(self, source: Path, offset: int, trial_id: str, is_complete: bool) -> int:
        """Append what whole lines the trial's log has behind the offset; returns the offset behind them."""
        try:
            with source.open("rb") as stream:
                stream.seek(offset)
                data = stream.read(CHUNK)
        except FileNotFoundError:
            return offset
        end = data.rfind(b"\n") + 1
        if (is_complete and len(data) < CHUNK) or (not end and len(data) == CHUNK):
            end = len(data)
        if end:
            lines = data[:end].removesuffix(b"\n").split(b"\n")
            self._append(b"".join(b"[%s] %s\n" % (trial_id.encode(), line) for line in lines))
        return offset + end

    def _append(self, data: bytes) -> None:
        kept = data[: max(self._limit - self.size, 0)]
        if kept:
            with self._path.open("ab") as stream:
                stream.write(kept)
            self.size = self._path.stat().st_size
