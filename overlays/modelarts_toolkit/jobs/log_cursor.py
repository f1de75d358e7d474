"""How far the logs of a job's tasks have been read."""

import codecs
import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

PREVIEW_LIMIT = 5 * 1024 * 1024


class LogCursor:
    """How far a job's logs have been read: the next read that gets the cursor continues there.

    `to_json()` makes it text, so that another process can continue.
    A line counts as read when it is taken from the iterator.
    """

    def __init__(self) -> None:
        self._job: str | None = None
        self._tasks: dict[str, Cursor] = {}

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read a cursor from the text of `to_json`; raises ValueError for any other text."""
        cursor = cls()
        try:
            document = json.loads(text)
            cursor._job = document["job"]
            cursor._tasks = {str(task): Cursor.from_dict(found) for task, found in document["tasks"].items()}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError("not a cursor: use the text that LogCursor.to_json() returned") from error
        return cursor

    def to_json(self) -> str:
        """Return the cursor as text: some kilobytes per task, with the last bytes that were read."""
        return json.dumps({"job": self._job, "tasks": {task: found.delivered for task, found in self._tasks.items()}})

    def bind(self, job: str) -> None:
        """Use the cursor for the job with this id; raises ValueError if it was used for another job."""
        if self._job not in (None, job):
            raise ValueError(f"the cursor is for the logs of job {self._job}, not of job {job}: use a new LogCursor()")
        self._job = job

    def of(self, task: str) -> "Cursor":
        """Return the cursor of a task's log, after the last delivered line."""
        if task in self._tasks:
            self._tasks[task] = Cursor.from_dict(self._tasks[task].delivered)
        return self._tasks.setdefault(task, Cursor())


class Cursor:
    """How far one task's log has been read; `feed` returns the new lines.

    The start of the unread part is computed from `full_size`, and used only if the bytes before it are those that we
    read last. The size can mislead: in the documented example it is the preview's limit, not the log's size, and
    bytes that are not UTF-8 arrive longer than they were. Then the last bytes read are searched in the preview.
    """

    _MEMORY = 4096  # bytes
    _ANCHOR = 1024  # bytes of it that must come before a part of the file

    def __init__(self) -> None:
        self.offset = 0  # bytes of the log read so far, as far as the service gave its size
        self._tail = b""  # the last bytes read
        self._read = 0  # length of the last preview
        self._full = 0  # the log's size at that time, as far as the service gave it
        self._partial = b""  # a line without its end
        self._skip = 0  # lines after this position that were delivered before the cursor was saved
        self._saved = self.to_dict()  # before the lines that are being delivered
        self._delivered = 0  # of them

    def to_dict(self) -> dict[str, Any]:
        """Return the position as a JSON object."""
        return {
            "offset": self.offset,
            "tail": b64encode(self._tail).decode(),
            "read": self._read,
            "full": self._full,
            "partial": b64encode(self._partial).decode(),
            "skip": self._skip,
        }

    @classmethod
    def from_dict(cls, position: Mapping[str, Any]) -> Self:
        """Read a cursor from a position; raises KeyError, TypeError or ValueError for anything else."""
        cursor = cls()
        cursor.offset, cursor._read, cursor._full, cursor._skip = (
            int(position[name]) for name in ("offset", "read", "full", "skip")
        )
        cursor._tail, cursor._partial = (b64decode(position[name], validate=True) for name in ("tail", "partial"))
        cursor._saved = cursor.to_dict()
        return cursor

    @property
    def delivered(self) -> dict[str, Any]:
        """The position after the last line that was delivered."""
        return {**self._saved, "skip": self._saved["skip"] + self._delivered}

    def deliver(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield the lines; each counts as delivered when it is taken."""
        for line in lines:
            self._delivered += 1
            yield line
        self._saved, self._delivered = self.to_dict(), 0

    def _without_delivered(self, lines: list[str]) -> list[str]:
        skipped = min(self._skip, len(lines))
        self._skip -= skipped
        return lines[skipped:]

    def is_behind(self, content: str, full_size: int | None = None) -> bool:
        """Whether bytes before this preview are missing: more was written than a preview holds."""
        return bool(self._locate(content, full_size)[-1])

    def feed(self, content: str, full_size: int | None = None) -> list[str]:
        """Return the complete lines of a preview that have not been returned before.

        If bytes are missing, a line starting with `[modelarts-toolkit]` says how many.
        """
        data, full, start, lost = self._locate(content, full_size)
        new = data[start:]
        lines = []
        if lost:
            lines = [*self.flush(), f"[modelarts-toolkit] {lost} of the log are not shown: a preview holds 5 MB"]
            new = new.split(b"\n", 1)[-1]  # the first line is half a line
            self._tail = b""
        self._tail = (self._tail + data[start:])[-self._MEMORY :]
        self._read, self._full = len(data), full
        self.offset = self.offset + len(new) if full_size in (None, PREVIEW_LIMIT) else int(full_size or 0)
        return lines + self._lines(new)

    def feed_file(self, content: bytes, start: int) -> list[str] | None:
        """Return the new complete lines of a part of the log's file; None if it does not continue what was read.

        The part starts at byte `start`, before the unread bytes, so that the last bytes read can be found in it.
        """
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        data, unfinished = decoder.decode(content).encode(), len(decoder.getstate()[0])
        anchor = self._tail[-self._ANCHOR :]
        place = len(content[: max(0, self.offset - start)].decode("utf-8", "replace").encode())
        if not data.startswith(anchor, place - len(anchor)) or place < len(anchor):
            place = data.rfind(anchor, 0, place + len(anchor)) + len(anchor)
            if place < len(anchor):
                return None
        new = data[place:]
        self.offset = start + len(content) - unfinished  # half a character comes with the next part
        self._tail = (self._tail + new)[-self._MEMORY :]
        self._read, self._full = 0, self.offset
        return self._lines(new)

    def feed_newest(self, content: str) -> list[str] | None:
        """Return the new complete lines among a log's newest; None unless these certainly continue what was read.

        They come without sizes: the last bytes read must occur in them exactly once, and all must be text.
        """
        data = content.encode("utf-8", "surrogatepass")
        place = data.find(self._tail)
        if len(self._tail) < self._MEMORY or place < 0 or place != data.rfind(self._tail) or "\ufffd" in content:
            return None
        new = data[place + len(self._tail) :]
        self._tail = (self._tail + new)[-self._MEMORY :]
        self._read, self._full, self.offset = 0, self._full + len(new), self.offset + len(new)
        return self._lines(new)

    def flush(self) -> list[str]:
        """Return the last line, if it has no line end."""
        last, self._partial = self._partial, b""
        return self._without_delivered([_text(last)] if last else [])

    def _lines(self, new: bytes) -> list[str]:
        *whole, self._partial = (self._partial + new).split(b"\n")
        return self._without_delivered([_text(line) for line in whole])

    def _locate(self, content: str, full_size: int | None) -> tuple[bytes, int, int, str]:
        """Return the preview's bytes, the log's size, the start of the unread part, and how much was lost before it."""
        data = content.encode("utf-8", "surrogatepass")
        is_cut = full_size is not None and full_size > len(data) and full_size != PREVIEW_LIMIT
        full = full_size if full_size is not None and is_cut else len(data)
        return (data, full, *self._place(data, full))

    def _place(self, data: bytes, full: int) -> tuple[int, str]:
        """Return the start of the unread part of `data`, and how much was lost before it ("" for nothing)."""
        if not self._tail:
            missing = full - len(data)
            return 0, f"the first {missing} bytes" if missing > 0 else ""
        for place in (len(data) - (full - self._full), self._read):
            if self._continues(data, place):
                return place, ""
        if (found := data.rfind(self._tail)) >= 0:
            return found + len(self._tail), ""
        missing = full - self._full - len(data)
        if missing == 0 and full > len(data):  # the preview starts exactly where we stopped
            return 0, ""
        return 0, f"{missing} bytes" if missing > 0 else "some bytes"

    def _continues(self, data: bytes, place: int) -> bool:
        if not 0 < place <= len(data):
            return False
        before = data[max(0, place - len(self._tail)) : place]
        return self._tail.endswith(before)


def _text(line: bytes) -> str:
    return line.decode("utf-8", "surrogatepass").removesuffix("\r")
