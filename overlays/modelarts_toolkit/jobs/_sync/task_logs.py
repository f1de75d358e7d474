# Derived from _async/task_logs.py by scripts/derive_sync.py; do not edit.
"""The complete log of a task of a training job, although a preview shows only its newest part.

Lines that the previews missed are read from the log's file in object storage, through its link.
If the service can also read logs line by line, this replaces the previews of a long log that is followed, and a
missing file.

Source: the page "Querying the Logs of a Specified Task in a Given Training Job (Preview)", whose response has
`content` (the newest 5 MB), `current_size` and `full_size` (bytes); the page on the OBS link for `obs_url`; the page
ShowTrainingJobLogsFromAom, which leaves much open, so its lines are used only if previews confirm them.
"""

import logging
from collections import deque
from collections.abc import Iterator, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from modelarts_api.codes import LOG_NOT_READY, LOG_NOT_WRITTEN
from modelarts_api.types import UNSET
from modelarts_toolkit.connection._sync.connection import Connection
from modelarts_toolkit.errors import ApiError, BadRequest, ConnectionFailed
from modelarts_toolkit.http.deadlines import call_within
from modelarts_toolkit.jobs._sync.waiting import PolledJob
from modelarts_toolkit.jobs.log_cursor import Cursor, LogCursor
from modelarts_toolkit.jobs.polling import TRANSIENT

if TYPE_CHECKING:
    from modelarts_api.v2.models import LogLines

logger = logging.getLogger("modelarts_toolkit")

FILE_PART = 1024 * 1024  # bytes of the log's file in one request
OVERLAP = 4096  # bytes before the part, to check that it continues what was read
FILE_LIMIT_S = 60.0  # for the link, and for one part
PIECE_LINES = 500  # the most that a response holds
LONG = 256 * 1024  # characters of a preview; for a longer one, the newest lines are requested instead
MOST_MISSING = 64 * 1024 * 1024  # bytes of a log that are read line by line
NOT_READY = frozenset({LOG_NOT_READY, LOG_NOT_WRITTEN})


class TaskLogs:
    """The logs of a job's tasks: of the first task, of `task`, or of all.

    A cursor skips lines that were read with it before, and advances.
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

    def open(self, limit_s: float) -> "Sequence[TaskLog]":  # noqa: ARG002 - sends no request
        """As `LogSource.open`."""
        state = self._job.state
        first = self._task or next(iter(state.tasks), "worker-0")
        names = (self._all_tasks and state.tasks) or (first,)
        for name in names:
            if name not in self._logs:
                cursor = self._cursor.of(name)
                self._logs[name] = TaskLog(self._connection, self._job, name, cursor, is_named=self._all_tasks)
        return [log for name, log in self._logs.items() if name in names or log.cursor.offset]


class TaskLog:
    """The log of a task, as far as it has been read."""

    def __init__(
        self, connection: Connection, job: PolledJob, task: str, cursor: Cursor, *, is_named: bool
    ) -> None:
        self.cursor = cursor
        self.has_new = False  # the last preview, or the file, had new lines
        self.is_behind = False  # lines are missing that the file may still bring
        self.is_read = False  # all of the last preview was emitted
        self._connection = connection
        self._job = job
        self._task = task
        self._prefix = f"[{task}] " if is_named else ""
        self._has_no_file = False  # the service has no link to it, or it is not what the previews show
        self._is_long = False  # as the last preview was
        self._newest: int | None = None  # the cursor of the newest line that was seen

    def read(self, limit_s: float, *, may_come: bool) -> Iterator[Iterable[str]]:
        """As `LogReader.read`: the lines of the newest preview, and those before them from the file.

        While a job runs, the newest lines of a long log are enough if they continue it.
        """
        if self._is_long and not self._job.state.is_ended and (new := self._newest_lines(limit_s)) is not None:
            self.has_new, self.is_behind, self.is_read = bool(new), False, True
            yield self._shown(new)
            return
        preview = self._preview(limit_s)
        self._is_long = preview is not None and len(preview[0]) >= LONG
        is_behind = preview is not None and self.cursor.is_behind(*preview)
        self.has_new = False
        if is_behind:
            for lines in self._missing():
                yield lines
            if preview is not None and preview[1] is not None and self._has_no_file:
                preview = (self._longer(preview[0], preview[1]), preview[1])
        self.is_behind = is_behind and not self.has_new and may_come and not self._has_no_file
        self.is_read = not self.has_new and not self.is_behind  # the preview continues where the file has ended
        if preview is not None and self.is_read and (new := self.cursor.feed(*preview)):
            self.has_new = True
            yield self._shown(new)

    def rest(self) -> Iterable[str]:
        """The last line, if it has no end."""
        return self._shown(self.cursor.flush())

    def _shown(self, lines: list[str]) -> Iterable[str]:
        """Yield the lines with the task's name; each counts as delivered when it is taken."""
        return (f"{self._prefix}{line}" for line in self.cursor.deliver(lines))

    def _preview(self, limit_s: float) -> tuple[str, int | None] | None:
        """Return content and full size of the log's newest part; None before the first line."""
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
        size: object = preview.full_size
        content = next((text for text in contents if isinstance(text, str)), None)
        return None if content is None else (content, size if isinstance(size, int) else None)

    def _piece(self, limit_s: float, before: str | None = None) -> "LogLines | None":
        """Return the lines before a cursor, or the newest ones; None if the service does not read logs line by line."""
        with suppress(BadRequest), self._connection.optional("showTrainingJobLogsFromAom") as is_offered:
            if is_offered:
                return call_within(
                    limit_s,
                    lambda: self._connection.v2.logs.show_training_job_logs_from_aom(
                        self._job.key,
                        self._task,
                        base_line=before or UNSET,
                        lines=PIECE_LINES,
                        order="asc" if before else UNSET,
                    ),
                )
        return None

    def _newest_lines(self, limit_s: float) -> list[str] | None:
        """Return the new lines among the newest ones; None unless these include the newest line of the last read."""
        if (piece := self._piece(limit_s)) is None:
            return None
        newest, self._newest = self._newest, _number(piece.end_line)
        first = _number(piece.start_line)
        is_continued = newest is not None and first is not None and first <= newest
        return self.cursor.feed_newest(piece.content or "") if is_continued else None

    def _longer(self, content: str, full_size: int) -> str:
        """Extend a preview with earlier lines, read backwards; unchanged unless these lines contain all of it."""
        whole_lines = content[: content.rfind("\n") + 1]
        wanted = full_size - self.cursor.offset + OVERLAP
        pieces: deque[str] = deque()
        before: str | None = None
        while 0 < wanted < MOST_MISSING:
            if (piece := self._piece(FILE_LIMIT_S, before)) is None:
                return content
            if not piece.content or not piece.start_line or piece.start_line == before:
                break
            pieces.appendleft(piece.content)
            before = piece.start_line
            wanted -= len(piece.content.replace("\ufffd", "?").encode("utf-8", "surrogatepass"))
        text = "".join(pieces)
        place = text.rfind(whole_lines)
        return text[:place] + content if whole_lines and place > 0 else content

    def _missing(self) -> Iterator[Iterable[str]]:
        """Yield the lines of the log's file in object storage after the cursor, part by part."""
        url = self._link()
        while url is not None:
            start = max(0, self.cursor.offset - OVERLAP)
            part = self._part(url, start)
            size_before = self.cursor.offset
            lines = self.cursor.feed_file(part, start) if len(part) > size_before - start else []
            if lines is None:
                self._has_no_file = True
                logger.warning("the log of job %s has a file that differs from its preview", self._job.key)
                break
            self.has_new = self.has_new or self.cursor.offset > size_before
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
        try:
            response = call_within(
                FILE_LIMIT_S, lambda: self._connection._network.fetch(url, headers)
            )
        except ConnectionFailed:
            return b""
        if response.status_code == 206:
            return response.read()
        return (response.read())[start : start + FILE_PART] if response.status_code == 200 else b""


def _number(cursor: object) -> int | None:
    """Return a cursor as a number, as in version 1; None for any other."""
    return int(cursor) if isinstance(cursor, str) and cursor.isascii() and cursor.isdigit() else None
