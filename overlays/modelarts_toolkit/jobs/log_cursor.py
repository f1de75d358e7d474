"""How far the logs of a job's tasks have been read."""

import codecs
import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

PREVIEW_LIMIT = 5 * 1024 * 1024
MOST_LEFT_OUT = 64 * 1024  # bytes at the begin of a full preview, such as half a line
MOST_UNFINISHED = 4096  # bytes of a line without an end that are offered
UNKNOWN = -1  # bytes


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


@dataclass(frozen=True, slots=True)
class Preview:
    """The newest part of a log; its place in the log, in bytes, as far as the service gave usable sizes."""

    data: bytes
    replaced: int  # bytes that are not text, each of which arrives as the three of U+FFFD, or at most
    start: int | None
    end: int | None

    @classmethod
    def of(cls, content: str, full_size: object = None, current_size: object = None) -> Self:
        """Read a response; in the documented example `full_size` is the preview's limit, not the size of the log."""
        data, replaced = content.encode("utf-8", "surrogatepass"), content.count("\ufffd")
        sizes = range(len(data) - 2 * replaced, len(data) + 1)
        current = current_size if isinstance(current_size, int) and current_size in sizes else len(data)
        if isinstance(full_size, int) and full_size >= sizes.start and full_size != PREVIEW_LIMIT:
            return cls(data, replaced, max(0, full_size - current), full_size)
        is_whole = len(data) < PREVIEW_LIMIT - MOST_LEFT_OUT  # a preview that is not full is the whole log
        return cls(data, replaced, 0, current) if is_whole else cls(data, replaced, None, None)


class Cursor:
    """How far one task's log has been read; `feed` returns the new lines.

    The sizes say where the unread part starts, and the bytes before it must be those that were read last. If the sizes
    mislead, these bytes must stand in the preview exactly once; a log can consist of equal lines.
    """

    _MEMORY = 4096  # bytes
    _ANCHOR = 1024  # bytes of it that must come before a part of the file

    def __init__(self) -> None:
        self.offset = 0  # bytes of the log read so far, as far as the service gave its size
        self._tail = b""  # the last bytes read
        self._read = 0  # as `offset`, in bytes of the text that previews have
        self._seen = 0  # the log's size in the last preview
        self._partial = b""  # a line without its end
        self._gap: int | None = None  # bytes missing so far; the rest of the line that follows them is missing, too
        self._skip = 0  # lines after this position that were delivered before the cursor was saved
        self._saved = self._position()  # before the lines that are being delivered
        self._delivered = 0  # of them

    def _position(self) -> dict[str, Any]:
        numbers = {"offset": self.offset, "read": self._read, "seen": self._seen, "gap": self._gap, "skip": self._skip}
        return {**numbers, "tail": self._tail, "partial": self._partial}

    @classmethod
    def from_dict(cls, position: Mapping[str, Any]) -> Self:
        """Read a cursor from a position; raises KeyError, TypeError or ValueError for anything else."""
        cursor = cls()
        cursor.offset, cursor._read, cursor._skip = (int(position[name]) for name in ("offset", "read", "skip"))
        cursor._seen, gap = int(position.get("seen", 0)), position.get("gap")
        cursor._gap = None if gap is None else int(gap)
        cursor._tail, cursor._partial = (b64decode(position[name], validate=True) for name in ("tail", "partial"))
        cursor._saved = cursor._position()
        return cursor

    @property
    def delivered(self) -> dict[str, Any]:
        """The position after the last line that was delivered, as a JSON object."""
        texts = {name: b64encode(self._saved[name]).decode() for name in ("tail", "partial")}
        return {**self._saved, **texts, "skip": self._saved["skip"] + self._delivered}

    @property
    def unfinished(self) -> str:
        """What a terminal shows of the last line, if it has no end yet: the text after its last carriage return."""
        shown = self._partial.rstrip(b"\r")
        return shown[shown.rfind(b"\r") + 1 :][:MOST_UNFINISHED].decode("utf-8", "replace")

    @property
    def begun(self) -> str:
        """The last line up to its last carriage return, if it has no end yet."""
        return self._partial[: self._partial.rfind(b"\r") + 1].decode("utf-8", "surrogatepass")

    def deliver(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield the lines; each counts as delivered when it is taken."""
        for line in lines:
            self._delivered += 1
            yield line
        self._save()

    def _save(self) -> None:
        self._saved, self._delivered = self._position(), 0

    def is_behind(self, preview: Preview) -> bool:
        """Whether bytes before this preview are missing, or may be."""
        place, lost = self._locate(preview)
        return lost != 0 and not _is_anew(preview, place, lost)

    def feed(self, preview: Preview) -> list[str]:
        """Return the complete lines of a preview that have not been returned before.

        If bytes are missing, a line starting with `[modelarts-toolkit]` says how many. A line of which a part is
        missing is not shown.
        """
        place, lost = self._locate(preview)
        if lost:
            self._jump(preview, place, lost)
        new = preview.data[place:]
        self._tail = (self._tail + new)[-self._MEMORY :]
        self._read += len(new)
        self.offset = self.offset + len(new) if preview.end is None else max(self.offset, preview.end)
        self._seen = self._seen if preview.end is None else preview.end
        return self._lines(new)

    def feed_file(self, content: bytes, start: int, end: int | None = None) -> list[str] | None:
        """Return the new complete lines of a part of the log's file; None if it does not continue what was read.

        The part starts at byte `start`, before the unread bytes, so that the last bytes read can be found in it.
        `end` is that of the newest preview, which has half a character only if its rest will not come.
        """
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        data = decoder.decode(content, final=start + len(content) == end).encode()
        unfinished = len(decoder.getstate()[0])
        anchor = self._tail[-self._ANCHOR :]
        place = len(content[: max(0, self.offset - start)].decode("utf-8", "replace").encode())
        if place < len(anchor) or not data.startswith(anchor, place - len(anchor)):
            place, is_only = _after(anchor, data)
            if not is_only:
                return None
        new = data[place:]
        self.offset = start + len(content) - unfinished  # half a character comes with the next part
        self._read += len(new)
        self._tail = (self._tail + new)[-self._MEMORY :]
        return self._lines(new)

    def flush(self) -> list[str]:
        """Return the last line, if it has no line end."""
        last, self._partial = [_text(self._partial)] if self._partial else [], b""
        if self._gap is not None:
            last, self._gap = [_notice(self._gap)], None
        return self._without_delivered(last)

    def _lines(self, new: bytes) -> list[str]:
        notices = []
        if self._gap is not None:
            rest = new.find(b"\n") + 1 or len(new)
            self._gap += rest if self._gap != UNKNOWN else 0
            if not new[:rest].endswith(b"\n"):
                return []
            notices, new, self._gap = [_notice(self._gap)], new[rest:], None
        *whole, self._partial = (self._partial + new).split(b"\n")
        return self._without_delivered([*notices, *map(_text, whole)])

    def _without_delivered(self, lines: list[str]) -> list[str]:
        skipped = min(self._skip, len(lines))
        self._skip -= skipped
        return lines[skipped:]

    def _locate(self, preview: Preview) -> tuple[int, int]:
        """Return where the unread part starts in the preview, and how many bytes are missing before it, or UNKNOWN."""
        data, tail = preview.data, self._tail
        if not tail:
            return 0, UNKNOWN if preview.start is None else max(0, preview.start - self.offset)
        if preview.end is not None and preview.end < self._seen:  # the log began anew
            return 0, UNKNOWN
        if preview.end is not None:
            unread = preview.end - self.offset
            if unread < 0 or (unread == 0 and data.endswith(tail)):  # also if the file is ahead of the previews
                return len(data), 0
            if preview.start == 0 and data.endswith(tail, 0, self._read) and self._read <= len(data):
                return self._read, 0
            last = len(data) - unread
            if last < 0:
                return 0, -last
            if not preview.replaced and tail.endswith(data[max(0, last - len(tail)) : last]):
                return last, 0
            if preview.replaced:
                first = last - 2 * preview.replaced
                place, is_only = _after(tail, data, first, last)
                return place, 0 if is_only and first >= len(tail) else UNKNOWN
        place, is_only = _after(tail, data)
        return place, 0 if is_only and len(tail) == self._MEMORY else UNKNOWN

    def _jump(self, preview: Preview, place: int, lost: int) -> None:
        """Continue at a place of the preview, after missing bytes; nothing before it is asked for again."""
        if _is_anew(preview, place, lost):
            self._partial += (b"\n" if self._partial else b"") + _notice(lost).encode() + b"\n"
            self._gap = None
        else:
            missing = max(0, self._gap or 0) + len(self._partial) + lost  # without lines that an earlier process took
            self._gap, self._partial = UNKNOWN if UNKNOWN in (lost, self._gap) or self._skip else missing, b""
        self._tail, self._read, self._skip = preview.data[:place][-self._MEMORY :], (preview.start or 0) + place, 0
        if preview.end is not None:
            self.offset = max(0, preview.end - len(preview.data) + place)
        self._save()


def _after(part: bytes, data: bytes, first: int = 0, last: int | None = None) -> tuple[int, bool]:
    """Return the end of a part of the data, between these places, and whether it is the only one; 0 if none is."""
    start = max(0, first - len(part)) if last is not None else 0
    found = data.find(part, start, last)
    return (found + len(part), data.find(part, found + 1, last) < 0) if found >= 0 else (0, False)


def _is_anew(preview: Preview, place: int, lost: int) -> bool:
    """Whether another log begins, of which all lines are there."""
    return lost == UNKNOWN and place == 0 and preview.start == 0


def _notice(missing: int) -> str:
    if missing == UNKNOWN:
        return "[modelarts-toolkit] the log does not continue where it ended: lines may be missing, or come twice"
    return f"[modelarts-toolkit] {missing} bytes of the log are not shown: a preview holds 5 MB"


def _text(line: bytes) -> str:
    return line.decode("utf-8", "surrogatepass").removesuffix("\r")
