"""Following a task's log, although a preview only ever shows the newest part of it.

What was written too quickly for the previews is read from the log's file in object storage, through its link.

Source: the page "Querying the Logs of a Specified Task in a Given Training Job (Preview)", whose response has
`content` (the newest 5 MB), `current_size` and `full_size` (bytes); the page on the OBS link for `obs_url`.
"""

import codecs
import logging
import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from .errors import ApiError, ConnectionFailed
from .flows import TRANSIENT, Call, Clock, Emit, Flow, OutageBudget, Pace
from .job_state import AnyJob, JobState
from .waiting import OnProgress, Watch

logger = logging.getLogger("modelarts_toolkit")

# The response to GET of an address with these headers, without a login; of the asynchronous client an awaitable of it.
Fetch: TypeAlias = Callable[[str, Mapping[str, str]], Any]

POLL = (0.5, 5.0)
PREVIEW_LIMIT = 5 * 1024 * 1024
FILE_PART = 1024 * 1024  # bytes of the log's file in one request
OVERLAP = 4096  # bytes before the part that show whether it continues what was read
FILE_LIMIT_S = 60.0  # for the link, and for one part
FILE_WAIT_S = 60.0  # after the job's end, until the log's file has what the previews missed
NOT_READY = frozenset({"ModelArts.2776", "ModelArts.2818"})  # "log not ready yet", "log not generated"


class Cursor:
    """How far a log has been read; `feed` returns the lines that are new.

    The place to go on from is computed from `full_size`, and believed only if what stands before it is what we
    read last: the documented example has a `full_size` that is the preview's limit and not the log's size, and
    bytes that are no UTF-8 arrive longer than they were.
    Where the sizes mislead, the last bytes read are looked up in the preview.
    """

    _MEMORY = 4096  # bytes
    _ANCHOR = 1024  # bytes of it that must stand before a part of the file

    def __init__(self) -> None:
        self.offset = 0  # bytes of the log read so far, as far as the service gave its size
        self._tail = b""  # the last bytes read
        self._read = 0  # length of the last preview
        self._full = 0  # the log's size at that time, as far as the service gave it
        self._partial = b""  # a line whose end has not come yet

    def is_behind(self, content: str, full_size: int | None = None) -> bool:
        """Whether bytes between what was read and this preview are missing: more was written than a preview holds."""
        return bool(self._locate(content, full_size)[-1])

    def feed(self, content: str, full_size: int | None = None) -> list[str]:
        """The complete lines of a preview that have not been returned before.

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
        """The new complete lines of the part of the log's file that starts at a byte; None if it does not continue.

        The part begins before what was not read yet, so that the last bytes read can be found in it.
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

    def flush(self) -> list[str]:
        """The last line, if it has no line end."""
        last, self._partial = self._partial, b""
        return [_text(last)] if last else []

    def _lines(self, new: bytes) -> list[str]:
        *whole, self._partial = (self._partial + new).split(b"\n")
        return [_text(line) for line in whole]

    def _locate(self, content: str, full_size: int | None) -> tuple[bytes, int, int, str]:
        """The preview's bytes, the log's size, where the unread part starts, and how much was lost before it."""
        data = content.encode("utf-8", "surrogatepass")
        is_cut = full_size is not None and full_size > len(data) and full_size != PREVIEW_LIMIT
        full = full_size if full_size is not None and is_cut else len(data)
        return (data, full, *self._place(data, full))

    def _place(self, data: bytes, full: int) -> tuple[int, str]:
        """Where the unread part of `data` starts, and how much was lost before it ("" for nothing)."""
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


def following(
    connect: Callable[[], Any],
    fetch: Fetch,
    job: AnyJob,
    clock: Clock,
    *,
    task: str | None = None,
    poll: tuple[float, float] = POLL,
    on_progress: OnProgress | None = None,
    follow: bool = True,
    all_tasks: bool = False,
) -> Flow[None]:
    """Emit a task's log lines as they come, until the job has ended and its log has come to rest.

    Without `follow`, emit the lines that are there already.
    With `all_tasks`, emit those of every task, each with the task's name before it.
    The phase is asked for before the log, so that the log read after the end is the whole log;
    it is read once more, because the service collects logs with a delay.
    Lines that the previews missed come from the log's file; lines after them wait for it.
    """
    watch, pace = Watch(connect, job, clock, on_progress), Pace(poll)
    outage = OutageBudget(clock, f"following the log of job {watch.id}")
    logs: dict[str, TaskLog] = {}
    had_ended, at_rest, ended_at = False, False, math.inf
    while not at_rest:
        has_new = False
        looked = clock.now()
        try:
            state = JobState.of((yield from watch.poll(outage.call_limit_s())))
            first = task or next(iter(state.tasks), "worker-0")
            previews = {}
            for name in (all_tasks and state.tasks) or (first,):
                previews[name] = yield from _preview(connect, watch.id, name, outage.call_limit_s())
        except TRANSIENT as error:
            watch.report(error)
            outage.record_failure(error)
        else:
            outage.record_success()
            ended_at = min(ended_at, clock.now()) if state.is_ended else math.inf
            may_come = follow and clock.now() - ended_at < FILE_WAIT_S
            for name, preview in previews.items():
                log = logs.setdefault(name, TaskLog(connect, fetch, watch.id, name, is_named=all_tasks))
                yield from log.take(preview, may_come=may_come)
            has_new = any(log.has_new for log in logs.values())
            is_behind = any(log.is_behind for log in logs.values())
            at_rest, had_ended = had_ended and not has_new and not is_behind, state.is_ended
            if not follow and all(log.is_read for log in logs.values()):
                break
        if not at_rest:
            took = clock.now() - looked  # pause for as long as a preview of 5 MB took over a slow line
            yield clock.sleep(max(pace.after(news=has_new), took))
    for log in logs.values():
        yield log.emit(log.cursor.flush())


class TaskLog:
    """The log of a task, as far as it has been read."""

    def __init__(self, connect: Callable[[], Any], fetch: Fetch, job: str, task: str, *, is_named: bool) -> None:
        self.cursor = Cursor()
        self.has_new = False  # the last preview, or the file, had new lines
        self.is_behind = False  # lines are missing that the file may still bring
        self.is_read = False  # all of the last preview was emitted
        self._task = task
        self._prefix = f"[{task}] " if is_named else ""
        self._file = LogFile(connect, fetch, job, self)

    def take(self, preview: tuple[str, int | None] | None, *, may_come: bool) -> Flow[None]:
        """Emit the new lines of a preview, and those before them from the file; `may_come`: later, if not now."""
        is_behind = preview is not None and self.cursor.is_behind(*preview)
        self.has_new = (yield from self._file.emit_missing(self._task)) if is_behind else False
        self.is_behind = is_behind and not self.has_new and may_come and not self._file.is_impossible
        self.is_read = not self.has_new and not self.is_behind  # the preview continues where the file has ended
        if preview is not None and self.is_read and (lines := self.cursor.feed(*preview)):
            self.has_new = True
            yield self.emit(lines)

    def emit(self, lines: list[str]) -> Emit:
        """The step that emits these lines."""
        return Emit([f"{self._prefix}{line}" for line in lines] if self._prefix else lines)


class LogFile:
    """The file of a task's log in object storage, behind a link that the service gives for five minutes."""

    def __init__(self, connect: Callable[[], Any], fetch: Fetch, job: str, log: TaskLog) -> None:
        self.is_impossible = False  # the service has no such link, or the file is not what the previews show
        self._connect = connect
        self._fetch = fetch
        self._job = job
        self._log = log

    def emit_missing(self, task: str) -> Flow[bool]:
        """Emit what the file has beyond the cursor, part by part; whether there was something."""
        try:
            link = yield Call(
                lambda: self._connect().logs.show_obs_url_of_training_job_logs(self._job, task), FILE_LIMIT_S
            )
        except TRANSIENT:
            return False
        except ApiError as error:
            self.is_impossible = error.error_code not in NOT_READY
            return False
        url, has_new, cursor = link.obs_url, False, self._log.cursor
        while isinstance(url, str):
            start = max(0, cursor.offset - OVERLAP)
            part = yield from self._part(url, start)
            size_before = cursor.offset
            lines = cursor.feed_file(part, start) if len(part) > size_before - start else []
            if lines is None:
                self.is_impossible = True
                logger.warning("the log of job %s has a file that differs from its preview", self._job)
                break
            has_new = has_new or cursor.offset > size_before
            yield self._log.emit(lines)
            if len(part) < FILE_PART:
                break
        return has_new

    def _part(self, url: str, start: int) -> Flow[bytes]:
        """The bytes from `start` on, FILE_PART at most; none if there are none or the link fails."""
        headers = {"Range": f"bytes={start}-{start + FILE_PART - 1}"}
        try:
            response = yield Call(lambda: self._fetch(url, headers), FILE_LIMIT_S)
        except ConnectionFailed:
            return b""
        if response.status_code == 206:
            return bytes(response.read())
        return bytes(response.read())[start : start + FILE_PART] if response.status_code == 200 else b""


def _preview(connect: Callable[[], Any], job: str, task: str, limit_s: float) -> Flow[tuple[str, int | None] | None]:
    """Content and full size of the log's newest part; None before the first line."""
    try:
        preview = yield Call(lambda: connect().logs.show_training_job_logs_preview(job, task), limit_s)
    except ApiError as error:
        if error.error_code not in NOT_READY:
            raise
        return None
    if preview is None:
        return None
    content = preview.context if preview.content is None else preview.content  # `context` until March 2022
    size = preview.full_size
    return (content, size if isinstance(size, int) else None) if isinstance(content, str) else None
