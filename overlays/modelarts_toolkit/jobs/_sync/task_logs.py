# Derived from _async/task_logs.py by scripts/derive_sync.py; do not edit.
"""The complete log of a task of a training job, although a preview shows only its newest part.

Lines that the previews missed are read from the log's file in object storage, through its link. A long log is followed
by its file alone, as long as the file has all that previews had.

Source: the page "Querying the Logs of a Specified Task in a Given Training Job (Preview)", whose response has
`content` (the newest 5 MB), `current_size` and `full_size` (bytes); the page on the OBS link for `obs_url`.
"""

import logging
from collections.abc import Iterator, Iterable, Sequence
from dataclasses import dataclass, field

import httpx

from modelarts_api.codes import LOG_NOT_READY, LOG_NOT_WRITTEN
from modelarts_toolkit.connection._sync.connection import Connection
from modelarts_toolkit.errors import ApiError, ConnectionFailed
from modelarts_toolkit.http.deadlines import call_within
from modelarts_toolkit.http.transport import TIMEOUT
from modelarts_toolkit.jobs._sync.waiting import PolledJob
from modelarts_toolkit.jobs.log_cursor import Cursor, LogCursor, Preview
from modelarts_toolkit.jobs.polling import TRANSIENT

logger = logging.getLogger("modelarts_toolkit")

FILE_PART = 1024 * 1024  # bytes of the log's file in one request
OVERLAP = 4096  # bytes before the part, to check that it continues what was read
FILE_LIMIT_S = 60.0  # for the link, and for one part
LONG = 256 * 1024  # bytes of a preview; instead of a longer one, the file is read
MOST_IDLE = 5  # reads of the file alone that bring nothing; then a preview shows whether the file is behind
NOT_READY = frozenset({LOG_NOT_READY, LOG_NOT_WRITTEN})


@dataclass(slots=True, eq=False)
class TaskLogs:
    """The logs of a job's tasks: of the first task, of `task`, or of all.

    A cursor skips lines that were read with it before, and advances.
    """

    _connection: Connection
    _job: PolledJob
    _task: str | None
    _all_tasks: bool
    _cursor: LogCursor
    _is_continued: bool  # by a later read
    _logs: "dict[str, TaskLog]" = field(default_factory=dict)

    def open(self, limit_s: float) -> "Sequence[TaskLog]":  # noqa: ARG002 - sends no request
        """As `LogSource.open`."""
        state = self._job.state
        first = self._task or next(iter(state.tasks), "worker-0")
        names = (self._all_tasks and state.tasks) or (first,)
        for name in names:
            if name not in self._logs:
                known = (self._connection, self._job, name, self._cursor.of(name), self._is_continued)
                self._logs[name] = TaskLog(*known, f"[{name}] " if self._all_tasks else "")
        return [log for name, log in self._logs.items() if name in names or log.cursor.offset]

    @property
    def unfinished(self) -> str:
        """As `LogSource.unfinished`."""
        found = sorted(self._logs.values(), key=lambda log: (log.cursor.unfinished != "", log.has_new))
        return f"{found[-1].prefix}{text}" if found and (text := found[-1].cursor.unfinished) else ""

    @property
    def begun(self) -> str:
        """As `LogSource.begun`."""
        return next((log.cursor.begun for log in self._logs.values()), "")


@dataclass(slots=True, eq=False)
class TaskLog:
    """The log of a task, as far as it has been read; `prefix` is that of each line."""

    _connection: Connection
    _job: PolledJob
    _task: str
    cursor: Cursor
    _is_continued: bool
    prefix: str
    has_new: bool = False  # the last preview, or the file, had new text
    is_behind: bool = False  # lines are missing that the file may still bring
    is_read: bool = False  # all of the last response was emitted
    _has_no_file: bool = False  # the service has no link to it, or it is not what the previews show
    _is_long: bool = False  # as the last preview was
    _has_all: bool = False  # the file has all that was read
    _idle: int = 0  # reads since the last preview that brought nothing

    def read(self, limit_s: float, *, may_come: bool) -> Iterator[Iterable[str]]:
        """As `LogReader.read`: the lines of the newest preview, and those before them from the file."""
        self.has_new = self.is_behind = False
        if self._is_long and self._idle < MOST_IDLE and not self._job.state.is_ended:
            for lines in self._from_file():
                yield lines
            self._idle = 0 if self.has_new else self._idle + 1
            self.is_read = True
            if self._has_all:
                return
        preview = self._preview(limit_s)
        self._idle = 0
        is_behind = preview is not None and self.cursor.is_behind(preview)
        if preview is not None and is_behind:
            for lines in self._from_file(preview.end):
                yield lines
        self._is_long = preview is not None and len(preview.data) >= LONG and not self._has_no_file
        self.is_behind = is_behind and not self.has_new and may_come and not self._has_no_file
        self.is_read = not self.has_new and not self.is_behind  # the preview continues where the file has ended
        if preview is not None and self.is_read:
            size_before = self.cursor.offset
            new = self.cursor.feed(preview)
            self.has_new = bool(new) or self.cursor.offset != size_before
            if self.has_new:
                yield self._shown(new)

    def rest(self) -> Iterable[str]:
        """The last line, if it has no end; a later read of a running job gives it whole."""
        return () if self._is_continued and not self._job.state.is_ended else self._shown(self.cursor.flush())

    def _shown(self, lines: list[str]) -> Iterable[str]:
        """Yield the lines with the task's name; each counts as delivered when it is taken."""
        return (f"{self.prefix}{line}" for line in self.cursor.deliver(lines))

    def _preview(self, limit_s: float) -> Preview | None:
        """Return the log's newest part; None before the first line."""
        try:
            preview = call_within(
                limit_s, lambda: self._connection.v2.logs.show_training_job_logs_preview(self._job.key, self._task)
            )
        except ApiError as error:
            if error.error_code not in NOT_READY:
                raise
            return None
        if preview is None:
            return None
        contents = (preview.content, preview.context)  # `context` until March 2022
        content = next((text for text in contents if isinstance(text, str)), None)
        return None if content is None else Preview.of(content, preview.full_size, preview.current_size)

    def _from_file(self, end: int | None = None) -> Iterator[Iterable[str]]:
        """Yield the lines of the log's file in object storage after the cursor, part by part; `end` as in a preview."""
        url = self._link()
        self._has_all = False
        while url is not None:
            start = max(0, self.cursor.offset - OVERLAP)
            part = self._part(url, start)
            size_before = self.cursor.offset
            lines = self.cursor.feed_file(part, start, end) if len(part) > size_before - start else []
            if lines is None:
                self._has_no_file = True
                logger.warning("the log of job %s has a file that differs from its preview", self._job.key)
                break
            self._has_all = len(part) >= size_before - start
            if self.cursor.offset > size_before:
                self.has_new = True
                yield self._shown(lines)
            if len(part) < FILE_PART:
                break

    def _link(self) -> str | None:
        """Request the link to the log's file, which is valid for five minutes."""
        try:
            link = call_within(
                FILE_LIMIT_S,
                lambda: self._connection.v2.logs.show_obs_url_of_training_job_logs(
                    self._job.key, self._task, content_type="text/plain"
                ),
            )
        except TRANSIENT:
            return None
        except ApiError as error:
            self._has_no_file = error.error_code not in NOT_READY
            return None
        url: object = link.obs_url
        return url if isinstance(url, str) else None

    def _part(self, url: str, start: int) -> bytes:
        """Read the bytes from `start` on, FILE_PART at most; empty at the end, or if the link fails."""
        headers = {"Range": f"bytes={start}-{start + FILE_PART - 1}"}
        request = httpx.Request("GET", url, headers=headers, extensions={"timeout": TIMEOUT.as_dict()})
        transport = self._connection._network.transport(url)  # without a login: the address is signed
        try:
            response = call_within(FILE_LIMIT_S, lambda: transport.handle_request(request))
        except ConnectionFailed:
            return b""
        if response.status_code == 206:
            return response.read()
        return (response.read())[start : start + FILE_PART] if response.status_code == 200 else b""
