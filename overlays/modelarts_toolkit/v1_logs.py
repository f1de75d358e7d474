"""The logs of a version of a job, which version 1 of the API gives in pieces that cursors continue.

Source: the pages "Obtaining the Name of a Training Job Log File" and "Querying Training Job Logs": `order=desc` reads
the records after the cursor, `asc` those before it, and without a cursor the newest ones come.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import ApiError, ConfigError, ConnectionFailed
from .explain import LOG_LINES
from .flows import Call, Emit, Flow
from .job_state import JobState
from .logs import LogReader

PIECE_LINES = 500  # the most that a response holds
PIECE_LIMIT_S = 60.0


@dataclass(frozen=True, slots=True)
class VersionReader:
    """Reads a version of a training job of version 1."""

    connect: Callable[[], Any]
    job_id: int
    version_id: int

    @property
    def id(self) -> str:
        """The ids of the job and of the version."""
        return f"{self.job_id}/{self.version_id}"

    def show(self) -> Any:
        """As `JobReader.show`."""
        return self.connect().training_job_versions.show_training_job_version(self.job_id, self.version_id)

    def log_files(self) -> Any:
        """Ask for the names of the log files."""
        return self.connect().logs.list_training_job_log_files(self.job_id, self.version_id)

    def log_piece(self, file: str, **query: Any) -> Any:
        """Ask for a piece of a log."""
        return self.connect().logs.show_training_job_log(self.job_id, self.version_id, log_file=file, **query)

    def last_lines(self, _: JobState, limit_s: float) -> Flow[list[str]]:
        """Read the end of the first node's log; none if it cannot be read."""
        try:
            files = (yield Call(self.log_files, limit_s)).log_file_list
            if not files:
                return []
            piece = yield Call(lambda: self.log_piece(files[0], lines=LOG_LINES), limit_s)
        except (ApiError, ConnectionFailed):
            return []
        return records(piece)


class VersionLogs:
    """The logs of a version's nodes: that of the first node, that of `task` (`worker-1`, or a file), or all of them."""

    def __init__(self, reader: VersionReader, *, task: str | None = None, all_tasks: bool = False) -> None:
        self.reader = reader
        self._logs: dict[str, RecordLog] = {}
        self._files = LogFiles(reader, self._add)
        self._task = task
        self._all_tasks = all_tasks

    def open(self, version: Any) -> "Sequence[LogReader]":
        """As `LogSource.open`; as long as there are fewer logs than nodes, the list of log files is read, too."""
        is_whole = len(self._logs) >= (version.worker_server_num or 1 if self._all_tasks else 1)
        return [*([] if is_whole else [self._files]), *self._logs.values()]

    def _add(self, files: Sequence[str]) -> bool:
        """Take the log files that are wanted; whether there are new ones.

        Raises ConfigError for a task that the version does not have.
        """
        known = len(self._logs)
        for name, file in self._chosen({f"worker-{index}": file for index, file in enumerate(files)}).items():
            if name not in self._logs:
                self._logs[name] = RecordLog(self.reader, file, f"[{name}] " if self._all_tasks else "")
        return len(self._logs) > known

    def _chosen(self, files: dict[str, str]) -> dict[str, str]:
        """Those of the log files that are wanted; raises ConfigError for a task that the version does not have."""
        if self._all_tasks or not files:
            return files
        if self._task is None:
            return dict(list(files.items())[:1])
        found = {name: file for name, file in files.items() if self._task in (name, file)}
        if not found:
            raise ConfigError(f"there is no task {self._task}: the version has {', '.join(files)}")
        return found


class LogFiles:
    """The list of a version's log files, which is empty before it has been started; `add` takes their names."""

    is_behind = False
    is_read = True
    is_ending = False

    def __init__(self, reader: VersionReader, add: Callable[[Sequence[str]], bool]) -> None:
        self.has_new = False
        self._reader = reader
        self._add = add

    def fetch(self, limit_s: float) -> Flow[Any]:
        """Ask for the names of the log files."""
        return (yield Call(self._reader.log_files, limit_s))

    def take(self, fetched: Any, *, may_come: bool) -> Flow[None]:  # noqa: ARG002 - of logs that are behind
        """Add the logs of these files."""
        yield from ()
        self.has_new = self._add(fetched.log_file_list)

    def rest(self) -> Emit:
        """Nothing."""
        return Emit(())


class RecordLog:
    """The log of a node, as far as it has been read."""

    is_behind = False  # nothing is missing: the cursor continues where the last piece has ended
    is_read = True
    is_ending = False

    def __init__(self, reader: VersionReader, file: str, prefix: str) -> None:
        self.has_new = False
        self._reader = reader
        self._file = file
        self._prefix = prefix
        self._cursor: str | None = None

    def fetch(self, limit_s: float) -> Flow[Any]:
        """Ask for the records after those that were read; at first, for the newest ones."""
        return (yield Call(self._next_piece, limit_s))

    def take(self, piece: Any, *, may_come: bool) -> Flow[None]:  # noqa: ARG002 - of logs that are behind
        """Emit the records of a piece and, as long as pieces are full, those of the next ones."""
        self.has_new = False
        earlier = (yield from self._before(piece)) if self._cursor is None else []
        while True:
            before, self._cursor = self._cursor, str(piece.end_line) if piece.end_line else self._cursor
            lines = [*earlier, *records(piece)]
            self.has_new = self.has_new or bool(lines)
            yield self._emit(lines)
            if not is_full(piece) or self._cursor == before:
                return
            piece, earlier = (yield Call(self._next_piece, PIECE_LIMIT_S)), []

    def rest(self) -> Emit:
        """The step that emits what is left: nothing, because records are whole lines."""
        return Emit(())

    def _next_piece(self) -> Any:
        following = {} if self._cursor is None else {"base_line": self._cursor, "order": "desc"}
        return self._reader.log_piece(self._file, lines=PIECE_LINES, **following)

    def _before(self, piece: Any) -> Flow[list[str]]:
        """The records before a piece, from the begin of the log."""
        pieces: deque[list[str]] = deque()
        while is_full(piece):
            first = str(piece.start_line)
            piece = yield Call(
                lambda cursor=first: self._reader.log_piece(  # type: ignore[misc]
                    self._file, lines=PIECE_LINES, base_line=cursor, order="asc"
                ),
                PIECE_LIMIT_S,
            )
            pieces.appendleft(records(piece))
            if str(piece.start_line) == first:
                break
        return [line for lines in pieces for line in lines]

    def _emit(self, lines: list[str]) -> Emit:
        return Emit(f"{self._prefix}{line}" for line in lines)


def is_full(piece: Any) -> bool:
    """Whether there may be more records than the piece has."""
    return _number(piece.lines) >= PIECE_LINES


def records(piece: Any) -> list[str]:
    """The records of a piece, which are separated by empty lines; a record can be empty, too."""
    content, count = piece.content or "", _number(piece.lines)
    found = content.removesuffix("\n").split("\n\n") if content and count else []
    return [line.strip("\r\n") for line in (found[:count] if len(found) > count else found)]


def _number(value: Any) -> int:
    """The number of records, which one example has as text."""
    return int(value) if isinstance(value, int) or (isinstance(value, str) and value.isdigit()) else 0
