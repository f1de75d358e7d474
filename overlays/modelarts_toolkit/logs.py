"""Following a task's log, although the service only ever shows the newest part of it.

Source: the page "Querying the Logs of a Specified Task in a Given Training Job (Preview)", which answers
`content` (the newest 5 MB), `current_size` and `full_size` (bytes).
"""

from collections.abc import Callable
from typing import Any

from .errors import ApiError
from .flows import TRANSIENT, Call, Clock, Emit, Flow, OutageBudget, Pace
from .jobs import Job, JobState
from .waiting import OnProgress, Watch

POLL = (0.5, 5.0)
PREVIEW_LIMIT = 5 * 1024 * 1024
NOT_READY = frozenset({"ModelArts.2776", "ModelArts.2818"})  # "log not ready yet", "log not generated"


class Cursor:
    """How far a log has been read; `feed` returns the lines that are new.

    The place to go on from is computed from `full_size`, and believed only if what stands before it is what we
    read last: the documented example has a `full_size` that is the preview's limit and not the log's size, and
    bytes that are no UTF-8 arrive longer than they were.
    Where the sizes mislead, the last bytes read are looked up in the preview.
    """

    _MEMORY = 4096

    def __init__(self) -> None:
        self._tail = b""  # the last bytes read
        self._read = 0  # length of the last preview
        self._full = 0  # the log's size at that time, as far as the service said
        self._partial = b""  # a line whose end has not come yet

    def feed(self, content: str, full_size: int | None = None) -> list[str]:
        """The complete lines of `content` that have not been returned before.

        A line starting with `[modelarts-toolkit]` says where bytes were lost: more was written between two calls
        than a preview holds.
        """
        data = content.encode("utf-8", "surrogatepass")
        is_cut = full_size is not None and full_size > len(data) and full_size != PREVIEW_LIMIT
        full = full_size if full_size is not None and is_cut else len(data)
        start, lost = self._place(data, full)
        new = data[start:]
        lines = []
        if lost:
            lines = [*self.flush(), f"[modelarts-toolkit] {lost} of the log are not shown: a preview holds 5 MB"]
            new = new.split(b"\n", 1)[-1]  # the first line is half a line
        self._tail = (self._tail + data[start:])[-self._MEMORY :] if not lost else data[-self._MEMORY :]
        self._read, self._full = len(data), full
        *whole, self._partial = (self._partial + new).split(b"\n")
        return lines + [_text(line) for line in whole]

    def flush(self) -> list[str]:
        """The last line, if it has no line end."""
        last, self._partial = self._partial, b""
        return [_text(last)] if last else []

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
    job: Job,
    clock: Clock,
    *,
    task: str | None = None,
    poll: tuple[float, float] = POLL,
    on_progress: OnProgress | None = None,
) -> Flow[None]:
    """Emit a task's log lines as they come, until the job has ended and its log has come to rest.

    The phase is asked for before the log, so that the log read after the end is the whole log;
    it is read once more, because the service collects logs with a delay.
    """
    watch, cursor, pace = Watch(connect, job, clock, on_progress), Cursor(), Pace(poll)
    outage = OutageBudget(clock, f"following the log of job {watch.id}")
    had_ended, at_rest = False, False
    while not at_rest:
        lines: list[str] = []
        looked = clock.now()
        try:
            state = JobState.of((yield from watch.poll(outage.call_limit_s())))
            of_task = task or next(iter(state.tasks), "worker-0")
            preview = yield from _preview(connect, watch.id, of_task, outage.call_limit_s())
        except TRANSIENT as error:
            watch.report(error)
            outage.record_failure(error)
        else:
            outage.record_success()
            lines = cursor.feed(*preview) if preview is not None else []
            at_rest, had_ended = had_ended and not lines, state.is_ended
        if lines:
            yield Emit(lines)
        if not at_rest:
            took = clock.now() - looked  # a preview of 5 MB over a slow line must not become all the line does
            yield clock.sleep(max(pace.after(news=bool(lines)), took))
    yield Emit(cursor.flush())


def _preview(connect: Callable[[], Any], job: str, task: str, limit_s: float) -> Flow[tuple[str, int | None] | None]:
    """Content and full size of the log's newest part; None while there is no log yet."""
    try:
        preview = yield Call(lambda: connect().logs.show_training_job_logs_preview(job, task), limit_s)
    except ApiError as error:
        if error.error_code not in NOT_READY:
            raise
        return None
    document = {} if preview is None else preview.to_dict()
    content = document.get("content")
    if content is None:
        content = document.get("context")  # the member's name until March 2022
    size = document.get("full_size")
    return (content, size if isinstance(size, int) else None) if isinstance(content, str) else None
