# Derived from _async/following.py by scripts/derive_sync.py; do not edit.
"""Follow the logs of a job as they grow."""

import math
from collections.abc import Iterator, Iterable, Sequence
from typing import Protocol

from modelarts_toolkit.jobs._sync.waiting import PolledJob, Watch
from modelarts_toolkit.jobs.polling import TRANSIENT, Clock, OnProgress, OutageBudget, Pace

POLL = (0.5, 5.0)
FILE_WAIT_S = 60.0  # after the job's end, for the log's file to get lines that the previews missed
READS_AFTER_END = 2  # of each log, at least, if lines may come late


class LogReader(Protocol):
    """The log of one task, as far as it has been read."""

    has_new: bool  # the last read found new text
    is_behind: bool  # lines are missing that may still come
    is_read: bool  # all lines of the last read were emitted

    def read(self, limit_s: float, *, may_come: bool) -> Iterator[Iterable[str]]:
        """Request new lines, for `limit_s` seconds at most, and yield them in pieces as they arrive.

        `may_come`: missing lines may still arrive later. Raises the errors of its calls; the next `read` continues
        after the yielded lines.
        """

    def rest(self) -> Iterable[str]:
        """Return the remaining lines at the end."""


class LogSource(Protocol):
    """The logs of a job's tasks."""

    def open(self, limit_s: float) -> Sequence[LogReader]:
        """Return the logs of the job as it is now, always in the same order."""

    @property
    def unfinished(self) -> str:
        """What a terminal shows of the last line, if it has no end yet; of several tasks, that of the newest one.

        `follow_logs` yields an empty piece when only this has changed.
        """


def follow_logs(
    job: PolledJob,
    source: LogSource,
    clock: Clock,
    *,
    poll: tuple[float, float],
    on_progress: OnProgress | None,
    follow: bool,
    late_lines: bool = True,
) -> Iterator[Iterable[str]]:
    """Yield the lines of the logs in pieces, until the job has ended and its logs are complete.

    Without `follow`, yield the lines so far.
    Each round requests the job and then the new lines of each log. The service collects lines with a delay, so after
    the job's end logs are read until no new lines come, READS_AFTER_END times at least; without `late_lines` once.
    """
    watch, pace = Watch(job, clock, on_progress), Pace(poll)
    outage = OutageBudget(clock, f"following the log of job {job.key}")
    logs: Sequence[LogReader] = ()
    ended_at, last_reads = math.inf, 0
    while True:
        began, phase = clock.now(), watch.phase
        try:
            if not last_reads and (watch.poll(outage.call_limit_s())).is_ended:
                ended_at = clock.now()
            logs = source.open(outage.call_limit_s())
            for log in logs:
                may_come = follow and clock.now() - ended_at < FILE_WAIT_S
                for lines in log.read(outage.call_limit_s(), may_come=may_come):
                    outage.record_success()  # the caller may take long for these lines
                    yield lines
        except TRANSIENT as error:
            watch.report(error)
            outage.record_failure(error)
        else:
            outage.record_success()
            last_reads += ended_at < math.inf or not follow
            if last_reads and _is_settled(logs, last_reads, may_grow=follow and late_lines):
                break
        took = clock.now() - began  # pause for as long as the requests took: a preview of 5 MB is slow on a slow line
        is_news = watch.phase != phase or any(log.has_new for log in logs)
        clock.sleep(max(pace.after(news=is_news), took))
    for log in logs:
        yield log.rest()


def _is_settled(logs: Sequence[LogReader], reads: int, *, may_grow: bool) -> bool:
    """Whether the logs of a job that has ended, or that is not followed, have been read completely."""
    if any(log.is_behind for log in logs):
        return False
    if may_grow:
        return reads >= READS_AFTER_END and not any(log.has_new for log in logs)
    return all(log.is_read for log in logs)
