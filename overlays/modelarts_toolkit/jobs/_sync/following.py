# Derived from _async/following.py by scripts/derive_sync.py; do not edit.
"""Following the logs of a job as they grow."""

import math
from collections.abc import Iterator, Iterable, Sequence
from typing import Protocol

from modelarts_toolkit.jobs.log_turns import FollowedLog, LogTurns
from modelarts_toolkit.jobs.polling import TRANSIENT, Clock, OnProgress, OutageBudget, Pace

from .waiting import PolledJob, Watch

POLL = (0.5, 5.0)
FILE_WAIT_S = 60.0  # after the job's end, until the log's file has what the previews missed


class LogReader(FollowedLog, Protocol):
    """The log of one task, as far as it has been read."""

    def read(self, limit_s: float, *, may_come: bool) -> Iterator[Iterable[str]]:
        """Ask for what is new, for `limit_s` seconds at most, and yield the new lines, in pieces as they come.

        `may_come`: missing lines later, if not now. Raises what its calls raise; the next `read` continues after the
        lines that were yielded.
        """

    def rest(self) -> Iterable[str]:
        """The lines that are left at the end."""


class LogSource(Protocol):
    """The logs of a job's tasks."""

    def open(self) -> Sequence[LogReader]:
        """The logs to read of the job as it is now, always in the same order; calls nothing."""


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
    """Yield the lines of the logs as they come, in pieces, until the job has ended and its logs have come to rest.

    Without `follow`, yield the lines that are there already.
    While the job runs there is one request between two pauses, for the job or for one of its logs, as `LogTurns` says;
    parts of a log's file that the previews missed come in addition.
    What is read after the end is the whole log, save for `late_lines`.
    """
    watch, pace = Watch(job, clock, on_progress), Pace(poll)
    turns = LogTurns(follow=follow, late_lines=late_lines)
    outage = OutageBudget(clock, f"following the log of job {job.key}")
    logs: Sequence[LogReader] = ()
    ended_at = math.inf
    while True:
        log, looked, phase = turns.next(logs), clock.now(), watch.phase
        try:
            if log is None:
                watch.poll(outage.call_limit_s())
            else:
                may_come = follow and clock.now() - ended_at < FILE_WAIT_S
                for lines in log.read(outage.call_limit_s(), may_come=may_come):
                    outage.record_success()  # taking these lines may take long
                    yield lines
        except TRANSIENT as error:
            watch.report(error)
            outage.record_failure(error)
        else:
            outage.record_success()
            if log is None:
                turns.after_job(job.state)
                ended_at = clock.now() if turns.is_ended else math.inf
            else:
                turns.after_log(log)
            logs = source.open()
            if turns.is_over(logs):
                break
            if turns.is_due(logs):
                continue
        took = clock.now() - looked  # pause for as long as a preview of 5 MB took over a slow line
        is_news = watch.phase != phase or any(log.has_new for log in logs)
        clock.sleep(max(pace.after(news=is_news), took))
    for log in logs:
        yield log.rest()
