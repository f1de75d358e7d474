"""Which request comes next while logs are followed."""

from collections.abc import Hashable, Sequence
from typing import Protocol, TypeVar

from .state import JobState

LOG_TURNS = 10  # requests for logs between two for the job, at most: its phase is reported, too
READS_AFTER_END = 2  # of each log, at least, where lines may come late


class FollowedLog(Hashable, Protocol):
    """What is known of a log that is followed."""

    has_new: bool  # what was read last has new lines
    is_behind: bool  # lines are missing that may still come
    is_read: bool  # all of what was read last was emitted
    is_ending: bool  # what was read last says that the task has ended


Log = TypeVar("Log", bound=FollowedLog)


class LogTurns:
    """Chooses what is asked for in each interval: the job, or the log that was read longest ago.

    The job is asked for first, when every log was read since then and none has anything new or the last lines of a
    task, and after LOG_TURNS requests for logs at the latest.
    Once it has ended, each log is read until it brings nothing new, READS_AFTER_END times at least: lines may come
    late, because the service collects them with a delay. The logs are read in rounds then, with a pause between two
    rounds. Without `late_lines` each is read once.
    Without `follow`, the job is asked for once, and then each log until it is read.
    """

    def __init__(self, *, follow: bool, late_lines: bool = True) -> None:
        self.is_ended = False
        self._late_lines = late_lines and follow
        self._follow = follow
        self._turn = 0
        self._job_turn = 0  # the last one in which the job was asked for; 0 before that
        self._log_turns: dict[Hashable, int] = {}  # the last one of each log
        self._reads: dict[Hashable, int] = {}  # of each log, since the job has ended

    def next(self, logs: Sequence[Log]) -> Log | None:
        """The log to ask for, None for the job."""
        if self._is_last:
            due: Sequence[Log] = [log for log in logs if not self._is_settled(log)]
        elif self._job_turn and self._turn - self._job_turn < LOG_TURNS:
            due = [log for log in logs if self._is_busy(log) or self._last_turn(log) < self._job_turn]
        else:
            due = ()
        return min(due, key=self._last_turn, default=None)

    def after_job(self, state: JobState) -> None:
        """The job was asked for."""
        self._turn += 1
        self._job_turn = self._turn
        self.is_ended = state.is_ended

    def after_log(self, log: FollowedLog) -> None:
        """The log was read."""
        self._turn += 1
        self._log_turns[log] = self._turn
        if self._is_last:
            self._reads[log] = self._reads.get(log, 0) + 1

    def is_due(self, logs: Sequence[FollowedLog]) -> bool:
        """Whether a log is to be read without a pause: the round of reads after the end is not complete."""
        rounds = max([1, *(self._reads.get(log, 0) for log in logs)])
        return self._is_last and any(self._reads.get(log, 0) < rounds for log in logs if not self._is_settled(log))

    def is_over(self, logs: Sequence[FollowedLog]) -> bool:
        """Whether there is nothing left to read."""
        return self._is_last and all(map(self._is_settled, logs))

    @property
    def _is_last(self) -> bool:
        """Whether the logs are read for the last time: the job has ended, or is not followed."""
        return self.is_ended or (not self._follow and self._job_turn > 0)

    def _is_settled(self, log: FollowedLog) -> bool:
        reads = self._reads.get(log, 0)
        if not self._late_lines:
            return reads > 0 and log.is_read and not log.is_behind
        return reads >= READS_AFTER_END and not log.has_new and not log.is_behind

    def _is_busy(self, log: FollowedLog) -> bool:
        return (log.has_new and not log.is_ending) or log.is_behind

    def _last_turn(self, log: FollowedLog) -> int:
        return self._log_turns.get(log, 0)
