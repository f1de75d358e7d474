# Derived from _async/version_logs.py by scripts/derive_sync.py; do not edit.
"""The logs of a version of a job, which version 1 of the API returns in pieces with cursors.

Source: the pages "Obtaining the Name of a Training Job Log File" and "Querying Training Job Logs": `order=desc` reads
the records after the cursor, `asc` those before it, and without a cursor the response has the newest ones.
"""

from collections import deque
from collections.abc import Iterator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from modelarts_api.types import UNSET
from modelarts_toolkit.connection._sync.connection import Connection
from modelarts_toolkit.errors import ConfigError
from modelarts_toolkit.http.deadlines import call_within
from modelarts_toolkit.jobs.info import TrainingJobVersionInfo

if TYPE_CHECKING:
    from modelarts_api.v1.models import LogLines

PIECE_LINES = 500  # the most that a response holds
PIECE_LIMIT_S = 60.0


@dataclass(frozen=True, slots=True)
class LogCalls:
    """The calls about the logs of one version."""

    connection: Connection
    job_id: int
    version_id: int

    def files(self, limit_s: float) -> Sequence[str]:
        """Request the names of the log files."""
        logs = self.connection.v1.logs
        found = call_within(limit_s, lambda: logs.list_training_job_log_files(self.job_id, self.version_id))
        return found.log_file_list

    def piece(
        self,
        limit_s: float,
        file: str,
        lines: int = PIECE_LINES,
        cursor: str | None = None,
        order: Literal["asc", "desc"] = "desc",
    ) -> "LogLines":
        """Request the records after a cursor, or before it; without one, the newest ones."""
        logs = self.connection.v1.logs
        return call_within(
            limit_s,
            lambda: logs.show_training_job_log(
                self.job_id,
                self.version_id,
                log_file=file,
                lines=lines,
                base_line=UNSET if cursor is None else cursor,
                order=UNSET if cursor is None else order,
            ),
        )


@dataclass(slots=True, eq=False)
class VersionLogs:
    """The logs of a version's nodes: of the first node, of `task` (`worker-1`, or a file), or of all."""

    _calls: LogCalls
    _version: TrainingJobVersionInfo
    _task: str | None
    _all_tasks: bool
    _logs: "dict[str, RecordLog]" = field(default_factory=dict)
    unfinished: str = ""  # records are whole lines

    def open(self, limit_s: float) -> "Sequence[RecordLog]":
        """As `LogSource.open`; the list of log files is read as long as there are fewer logs than nodes.

        Raises ConfigError for a task that the version does not have.
        """
        if len(self._logs) < (self._version.nodes or 1 if self._all_tasks else 1):
            files = self._calls.files(limit_s)  # empty before the version has been started
            named = {f"worker-{index}": file for index, file in enumerate(files)}
            wanted = [name for name, file in named.items() if self._all_tasks or self._task in (None, name, file)]
            if named and not wanted:
                raise ConfigError(f"there is no task {self._task}: the version has {', '.join(named)}")
            for name in wanted if self._all_tasks else wanted[:1]:
                if name not in self._logs:
                    prefix = f"[{name}] " if self._all_tasks else ""
                    self._logs[name] = RecordLog(self._calls, named[name], prefix)
        return [*self._logs.values()]


@dataclass(slots=True, eq=False)
class RecordLog:
    """The log of a node, as far as it has been read."""

    _calls: LogCalls
    _file: str
    _prefix: str
    _cursor: str | None = None
    has_new: bool = False
    is_behind: bool = False  # nothing is missing: the cursor continues at the end of the last piece
    is_read: bool = True

    def read(self, limit_s: float, *, may_come: bool) -> Iterator[Iterable[str]]:  # noqa: ARG002 - of logs that are behind
        """Yield the records after those that were read, while pieces are full; the first time, the whole log."""
        piece = self._calls.piece(limit_s, self._file, cursor=self._cursor)
        self.has_new = False
        earlier = self._before(piece) if self._cursor is None else []
        while True:
            before, self._cursor = self._cursor, str(piece.end_line) if piece.end_line else self._cursor
            lines = [*earlier, *records(piece)]
            self.has_new = self.has_new or bool(lines)
            yield [f"{self._prefix}{line}" for line in lines]
            if not is_full(piece) or self._cursor == before:
                return
            piece, earlier = self._calls.piece(PIECE_LIMIT_S, self._file, cursor=self._cursor), []

    def rest(self) -> Iterable[str]:
        """Return nothing, because records are whole lines."""
        return ()

    def _before(self, piece: "LogLines") -> list[str]:
        """Return the records before a piece, from the start of the log; of long records a piece has few."""
        pieces: deque[list[str]] = deque()
        first = ""
        while piece.start_line and _number(piece.lines) and str(piece.start_line) != first:
            first = str(piece.start_line)
            piece = self._calls.piece(PIECE_LIMIT_S, self._file, cursor=first, order="asc")
            if str(piece.start_line) != first:
                pieces.appendleft(records(piece))
        return [line for lines in pieces for line in lines]


def is_full(piece: "LogLines") -> bool:
    """Whether there may be more records than the piece has."""
    return _number(piece.lines) >= PIECE_LINES


def records(piece: "LogLines") -> list[str]:
    """Split a piece into records, which empty lines separate; a record can be empty."""
    content, count = piece.content or "", _number(piece.lines)
    found = content.removesuffix("\n").split("\n\n") if content and count else []
    return [line.strip("\r\n") for line in (found[:count] if len(found) > count else found)]


def _number(value: object) -> int:
    """Return the number of records, which is text in one example."""
    return int(value) if isinstance(value, int) or (isinstance(value, str) and value.isdigit()) else 0
