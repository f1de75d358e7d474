"""Following the logs of a job as they grow."""

import math
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Protocol

from modelarts_toolkit.jobs.polling import TRANSIENT, AsyncClock, OnProgress, OutageBudget, Pace

from .waiting import AsyncPolledJob, AsyncWatch

POLL = (0.5, 5.0)
FILE_WAIT_S = 60.0  # after the job's end, until the log's file has what the previews missed
READS_AFTER_END = 2  # of each log, at least, where lines may come late


class AsyncLogReader(Protocol):
    """The log of one task, as far as it has been read."""

    @property
    def has_new(self) -> bool:
        """Whether what was read last has new lines."""

    @property
    def is_behind(self) -> bool:
        """Whether lines are missing that may still come."""

    @property
    def is_read(self) -> bool:
        """Whether all of what was read last was emitted."""

    def read(self, limit_s: float, *, may_come: bool) -> AsyncIterator[Iterable[str]]:
        """Ask for what is new, for `limit_s` seconds at most, and yield the new lines, in pieces as they come.

        `may_come`: missing lines later, if not now. Raises what its calls raise; the next `read` continues after the
        lines that were yielded.
        """

    def rest(self) -> Iterable[str]:
        """The lines that are left at the end."""


class AsyncLogSource(Protocol):
    """The logs of a job's tasks."""

    async def open(self, limit_s: float) -> Sequence[AsyncLogReader]:
        """The logs to read of the job as it is now, always in the same order."""


async def follow_logs(
    job: AsyncPolledJob,
    source: AsyncLogSource,
    clock: AsyncClock,
    *,
    poll: tuple[float, float],
    on_progress: OnProgress | None,
    follow: bool,
    late_lines: bool = True,
) -> AsyncIterator[Iterable[str]]:
    """Yield the lines of the logs as they come, in pieces, until the job has ended and its logs have come to rest.

    Without `follow`, yield the lines that are there already.
    Each round asks for the job, and then for what is new in each log. After the job's end, logs are read until they
    bring nothing new, READS_AFTER_END times at least, because the service collects lines with a delay; without
    `late_lines` once.
    """
    watch, pace = AsyncWatch(job, clock, on_progress), Pace(poll)
    outage = OutageBudget(clock, f"following the log of job {job.key}")
    logs: Sequence[AsyncLogReader] = ()
    ended_at, last_reads = math.inf, 0
    while True:
        began, phase = clock.now(), watch.phase
        try:
            if not last_reads and (await watch.poll(outage.call_limit_s())).is_ended:
                ended_at = clock.now()
            logs = await source.open(outage.call_limit_s())
            for log in logs:
                may_come = follow and clock.now() - ended_at < FILE_WAIT_S
                async for lines in log.read(outage.call_limit_s(), may_come=may_come):
                    outage.record_success()  # taking these lines may take long
                    yield lines
        except TRANSIENT as error:
            watch.report(error)
            outage.record_failure(error)
        else:
            outage.record_success()
            last_reads += ended_at < math.inf or not follow
            if last_reads and _is_settled(logs, last_reads, may_grow=follow and late_lines):
                break
        took = clock.now() - began  # pause for as long as a preview of 5 MB took over a slow line
        is_news = watch.phase != phase or any(log.has_new for log in logs)
        await clock.sleep(max(pace.after(news=is_news), took))
    for log in logs:
        yield log.rest()


def _is_settled(logs: Sequence[AsyncLogReader], reads: int, *, may_grow: bool) -> bool:
    """Whether nothing is left to read in the logs of a job that has ended, or that is not followed."""
    if any(log.is_behind for log in logs):
        return False
    if may_grow:
        return reads >= READS_AFTER_END and not any(log.has_new for log in logs)
    return all(log.is_read for log in logs)
