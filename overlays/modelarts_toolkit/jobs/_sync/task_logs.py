# Derived from _async/task_logs.py by scripts/derive_sync.py; do not edit.
"""The log of a task of a training job, although a preview only ever shows the newest part of it.

What was written too quickly for the previews is read from the log's file in object storage, through its link.

Source: the page "Querying the Logs of a Specified Task in a Given Training Job (Preview)", whose response has
`content` (the newest 5 MB), `current_size` and `full_size` (bytes); the page on the OBS link for `obs_url`.
"""

import logging
from collections.abc import Iterator, Iterable, Sequence

from modelarts_toolkit._sync.connection import Connection
from modelarts_toolkit.errors import ApiError, ConnectionFailed
from modelarts_toolkit.http.deadlines import call_within
from modelarts_toolkit.jobs.log_cursor import Cursor, LogCursor
from modelarts_toolkit.jobs.polling import TRANSIENT

from .waiting import PolledJob

logger = logging.getLogger("modelarts_toolkit")

FILE_PART = 1024 * 1024  # bytes of the log's file in one request
OVERLAP = 4096  # bytes before the part that show whether it continues what was read
FILE_LIMIT_S = 60.0  # for the link, and for one part
NOT_READY = frozenset({"ModelArts.2776", "ModelArts.2818"})  # "log not ready yet", "log not generated"


class TaskLogs:
    """The logs of a job's tasks: that of the first task, that of `task`, or all of them.

    A cursor leaves out what was read with it before, and moves on.
    """

    def __init__(
        self,
        connection: Connection,
        job: PolledJob,
        *,
        task: str | None,
        all_tasks: bool,
        cursor: LogCursor | None,
    ) -> None:
        self._cursor = cursor or LogCursor()
        self._cursor.bind(job.key)
        self._connection = connection
        self._job = job
        self._logs: dict[str, TaskLog] = {}
        self._task = task
        self._all_tasks = all_tasks

    def open(self, limit_s: float) -> "Sequence[TaskLog]":  # noqa: ARG002 - nothing is asked for
        """As `LogSource.open`."""
        state = self._job.state
        first = self._task or next(iter(state.tasks), "worker-0")
        names = (self._all_tasks and state.tasks) or (first,)
        for name in names:
            if name not in self._logs:
                cursor = self._cursor.of(name)
                self._logs[name] = TaskLog(self._connection, self._job.key, name, cursor, is_named=self._all_tasks)
        return [log for name, log in self._logs.items() if name in names or log.cursor.offset]


class TaskLog:
    """The log of a task, as far as it has been read."""

    def __init__(self, connection: Connection, job: str, task: str, cursor: Cursor, *, is_named: bool) -> None:
        self.cursor = cursor
        self.has_new = False  # the last preview, or the file, had new lines
        self.is_behind = False  # lines are missing that the file may still bring
        self.is_read = False  # all of the last preview was emitted
        self._connection = connection
        self._job = job
        self._task = task
        self._prefix = f"[{task}] " if is_named else ""
        self._has_no_file = False  # the service has no link to it, or it is not what the previews show

    def read(self, limit_s: float, *, may_come: bool) -> Iterator[Iterable[str]]:
        """As `LogReader.read`: the lines of the newest preview, and those before them from the file."""
        preview = self._preview(limit_s)
        is_behind = preview is not None and self.cursor.is_behind(*preview)
        self.has_new = False
        if is_behind:
            for lines in self._missing():
                yield lines
        self.is_behind = is_behind and not self.has_new and may_come and not self._has_no_file
        self.is_read = not self.has_new and not self.is_behind  # the preview continues where the file has ended
        if preview is not None and self.is_read and (new := self.cursor.feed(*preview)):
            self.has_new = True
            yield self._shown(new)

    def rest(self) -> Iterable[str]:
        """The last line, if it has no end."""
        return self._shown(self.cursor.flush())

    def _shown(self, lines: list[str]) -> Iterable[str]:
        """The lines with the task's name; each counts as delivered when it is taken."""
        return (f"{self._prefix}{line}" for line in self.cursor.deliver(lines))

    def _preview(self, limit_s: float) -> tuple[str, int | None] | None:
        """Content and full size of the log's newest part; None before the first line."""
        try:
            preview = call_within(
                limit_s, lambda: self._connection.v2.logs.show_training_job_logs_preview(self._job, self._task)
            )
        except ApiError as error:
            if error.error_code not in NOT_READY:
                raise
            return None
        if preview is None:
            return None
        contents = (preview.content, preview.context)  # `context` until March 2022
        size: object = preview.full_size
        content = next((text for text in contents if isinstance(text, str)), None)
        return None if content is None else (content, size if isinstance(size, int) else None)

    def _missing(self) -> Iterator[Iterable[str]]:
        """Yield what the log's file in object storage has beyond the cursor, part by part."""
        url = self._link()
        while url is not None:
            start = max(0, self.cursor.offset - OVERLAP)
            part = self._part(url, start)
            size_before = self.cursor.offset
            lines = self.cursor.feed_file(part, start) if len(part) > size_before - start else []
            if lines is None:
                self._has_no_file = True
                logger.warning("the log of job %s has a file that differs from its preview", self._job)
                break
            self.has_new = self.has_new or self.cursor.offset > size_before
            yield self._shown(lines)
            if len(part) < FILE_PART:
                break

    def _link(self) -> str | None:
        """The link to the log's file, which the service gives for five minutes."""
        try:
            link = call_within(
                FILE_LIMIT_S,
                lambda: self._connection.v2.logs.show_obs_url_of_training_job_logs(self._job, self._task),
            )
        except TRANSIENT:
            return None
        except ApiError as error:
            self._has_no_file = error.error_code not in NOT_READY
            return None
        url: object = link.obs_url
        return url if isinstance(url, str) else None

    def _part(self, url: str, start: int) -> bytes:
        """The bytes from `start` on, FILE_PART at most; none if there are none or the link fails."""
        headers = {"Range": f"bytes={start}-{start + FILE_PART - 1}"}
        try:
            response = call_within(
                FILE_LIMIT_S, lambda: self._connection._network.fetch(url, headers)
            )
        except ConnectionFailed:
            return b""
        if response.status_code == 206:
            return response.read()
        return (response.read())[start : start + FILE_PART] if response.status_code == 200 else b""
