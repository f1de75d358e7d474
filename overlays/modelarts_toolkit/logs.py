"""Following a task's log, although a preview only ever shows the newest part of it.

What was written too quickly for the previews is read from the log's file in object storage, through its link.

Source: the page "Querying the Logs of a Specified Task in a Given Training Job (Preview)", whose response has
`content` (the newest 5 MB), `current_size` and `full_size` (bytes); the page on the OBS link for `obs_url`.
"""

import logging
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from .errors import ApiError, ConnectionFailed
from .flows import TRANSIENT, Call, Clock, Emit, Flow, OutageBudget, Pace
from .job_readers import JobReader, TrainingJobReader
from .job_state import AnyJob, JobState, job_id
from .log_cursor import Cursor, LogCursor
from .log_turns import FollowedLog, LogTurns
from .waiting import OnProgress, Watch

logger = logging.getLogger("modelarts_toolkit")

# The response to GET of an address with these headers, without a login; of the asynchronous client an awaitable of it.
Fetch: TypeAlias = Callable[[str, Mapping[str, str]], Any]

POLL = (0.5, 5.0)
FILE_PART = 1024 * 1024  # bytes of the log's file in one request
OVERLAP = 4096  # bytes before the part that show whether it continues what was read
FILE_LIMIT_S = 60.0  # for the link, and for one part
FILE_WAIT_S = 60.0  # after the job's end, until the log's file has what the previews missed
NOT_READY = frozenset({"ModelArts.2776", "ModelArts.2818"})  # "log not ready yet", "log not generated"
END_LINE = re.compile(r"\[Model[Aa]rts Service Log\].*\bexit with \d+")  # of the platform, when a task has ended
LAST_LINES = 5  # among which it is


class LogReader(FollowedLog, Protocol):
    """The log of one task, as far as it has been read."""

    def fetch(self, limit_s: float) -> Flow[Any]:
        """Ask for what is new; raises what the call raises."""

    def take(self, fetched: Any, *, may_come: bool) -> Flow[None]:
        """Emit the new lines of what was fetched; `may_come`: missing lines later, if not now.

        Raises what its calls raise; the next `fetch` continues after the lines that were emitted.
        """

    def rest(self) -> Emit:
        """The step that emits what is left at the end."""


class LogSource(Protocol):
    """The logs of a job's tasks."""

    @property
    def reader(self) -> JobReader:
        """Reads the job."""

    def open(self, job: Any) -> Sequence[LogReader]:
        """The logs to read of the job as it is now, always in the same order; calls nothing."""


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
    cursor: LogCursor | None = None,
    late_lines: bool = True,
) -> Flow[None]:
    """Emit a task's log lines as they come, until the job has ended and its log has come to rest.

    Without `follow`, emit the lines that are there already.
    With `all_tasks`, emit those of every task, each with the task's name before it.
    Lines that the previews missed come from the log's file; lines after them wait for it.
    A cursor leaves out what was read with it before, and moves on.
    Without `late_lines` no line comes after the job's end, as of the emulator.
    """
    source = PreviewLogs(connect, fetch, job_id(job), task, cursor or LogCursor(), all_tasks=all_tasks)
    yield from following_source(source, clock, poll=poll, on_progress=on_progress, follow=follow, late_lines=late_lines)


def following_source(
    source: LogSource,
    clock: Clock,
    *,
    poll: tuple[float, float] = POLL,
    on_progress: OnProgress | None = None,
    follow: bool = True,
    late_lines: bool = True,
) -> Flow[None]:
    """Emit the lines of the source's logs as they come.

    While the job runs there is one request between two pauses, for the job or for one of its logs, as `LogTurns` says;
    parts of a log's file that the previews missed come in addition.
    What is read after the end is the whole log, save for `late_lines`.
    """
    watch, pace = Watch(source.reader, clock, on_progress), Pace(poll)
    turns = LogTurns(follow=follow, late_lines=late_lines)
    outage = OutageBudget(clock, f"following the log of job {source.reader.id}")
    logs: Sequence[LogReader] = ()
    ended_at = math.inf
    while True:
        log, looked, phase = turns.next(logs), clock.now(), watch.phase
        try:
            if log is None:
                logs = source.open((yield from watch.poll(outage.call_limit_s())))
            else:
                fetched = yield from log.fetch(outage.call_limit_s())
                outage.record_success()  # what is emitted now may take long
                yield from log.take(fetched, may_come=follow and clock.now() - ended_at < FILE_WAIT_S)
        except TRANSIENT as error:
            watch.report(error)
            outage.record_failure(error)
        else:
            outage.record_success()
            if log is None:
                turns.after_job(JobState.of(watch.job))
                ended_at = clock.now() if turns.is_ended else math.inf
            else:
                turns.after_log(log)
                logs = source.open(watch.job)
            if turns.is_over(logs):
                break
            if turns.is_due(logs):
                continue
        took = clock.now() - looked  # pause for as long as a preview of 5 MB took over a slow line
        is_news = watch.phase != phase or any(log.has_new for log in logs)
        yield clock.sleep(max(pace.after(news=is_news), took))
    for log in logs:
        yield log.rest()


class PreviewLogs:
    """The logs of a training job of version 2, of which previews show the newest part."""

    def __init__(
        self,
        connect: Callable[[], Any],
        fetch: Fetch,
        job: str,
        task: str | None,
        cursor: LogCursor,
        *,
        all_tasks: bool,
    ) -> None:
        cursor.bind(job)
        self.reader = TrainingJobReader(connect, job)
        self._logs: dict[str, TaskLog] = {}
        self._fetch = fetch
        self._task = task
        self._all_tasks = all_tasks
        self._cursor = cursor

    def open(self, job: Any) -> "Sequence[TaskLog]":
        """As `LogSource.open`."""
        tasks = JobState.of(job).tasks
        first = self._task or next(iter(tasks), "worker-0")
        names = (self._all_tasks and tasks) or (first,)
        for name in names:
            if name not in self._logs:
                reader, cursor = self.reader, self._cursor.of(name)
                self._logs[name] = TaskLog(
                    reader.connect, self._fetch, reader.id, name, cursor, is_named=self._all_tasks
                )
        return [log for name, log in self._logs.items() if name in names or log.cursor.offset]


class TaskLog:
    """The log of a task of version 2, as far as it has been read."""

    def __init__(
        self, connect: Callable[[], Any], fetch: Fetch, job: str, task: str, cursor: Cursor, *, is_named: bool
    ) -> None:
        self._connect = connect
        self._job = job
        self.cursor = cursor
        self.has_new = False  # the last preview, or the file, had new lines
        self.is_behind = False  # lines are missing that the file may still bring
        self.is_read = False  # all of the last preview was emitted
        self.is_ending = False  # with the platform's line about the task's end
        self._task = task
        self._prefix = f"[{task}] " if is_named else ""
        self._file = LogFile(connect, fetch, job, self)

    def fetch(self, limit_s: float) -> Flow[tuple[str, int | None] | None]:
        """The newest preview."""
        return (yield from _preview(self._connect, self._job, self._task, limit_s))

    def take(self, preview: tuple[str, int | None] | None, *, may_come: bool) -> Flow[None]:
        """Emit the new lines of a preview, and those before them from the file; `may_come`: later, if not now."""
        is_behind = preview is not None and self.cursor.is_behind(*preview)
        self.has_new = (yield from self._file.emit_missing(self._task)) if is_behind else False
        self.is_behind = is_behind and not self.has_new and may_come and not self._file.is_impossible
        self.is_read = not self.has_new and not self.is_behind  # the preview continues where the file has ended
        self.is_ending = False
        if preview is not None and self.is_read and (lines := self.cursor.feed(*preview)):
            self.has_new, self.is_ending = True, any(map(END_LINE.match, lines[-LAST_LINES:]))
            yield self.emit(lines)

    def rest(self) -> Emit:
        """The step that emits the last line, if it has no end."""
        return self.emit(self.cursor.flush())

    def emit(self, lines: list[str]) -> Emit:
        """The step that emits these lines."""
        return Emit(f"{self._prefix}{line}" for line in self.cursor.deliver(lines))


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
