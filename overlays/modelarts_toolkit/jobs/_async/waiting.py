"""Poll a job: whether it is as far as it was waited for, and the error if it has not completed."""

import math
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import TYPE_CHECKING

from modelarts_toolkit.errors import JobFailed, JobStopped, ToolkitError, WaitTimeout
from modelarts_toolkit.http.deadlines import call_within_async
from modelarts_toolkit.jobs.explain import DEVICE_MEMORY, Verdict, explain
from modelarts_toolkit.jobs.info import JobInfo
from modelarts_toolkit.jobs.polling import TRANSIENT, AsyncClock, OnProgress, Progress, TimeLimit
from modelarts_toolkit.jobs.state import COMPLETED, PASSED, RUNNING, STAGES, TERMINAL_PHASES, TERMINATED, JobState

if TYPE_CHECKING:
    from modelarts_api.v2.models import Stage

LOG_LINES = 20
LOG_LIMIT_S = 30.0  # for the log of a failed job
STAGE_AFTER_S = 2.0  # of a wait: before that, the reason why a job does not run yet is not interesting


class AsyncPolledJob(JobInfo, ABC):
    """A job that can be polled; it keeps the newest response."""

    @property
    @abstractmethod
    def key(self) -> str:
        """The job's id, which is known before the first response."""

    @abstractmethod
    async def poll(self, limit_s: float = math.inf) -> None:
        """Request the job, for `limit_s` seconds at most."""

    async def stage(self) -> "Stage | None":
        """Return the stage that the job is in, such as preparing, with its times; None if the service has none."""
        return None

    @abstractmethod
    async def last_lines(self, limit_s: float) -> list[str]:
        """Read the end of the log that explains a failure; none if it cannot be read."""

    @abstractmethod
    async def explain(self) -> Verdict:
        """Explain the job's state and, if it failed, why and what to do, from its events and the end of its log."""


class AsyncWatch:
    """Polls a job, and reports each poll to `on_progress`."""

    def __init__(self, job: AsyncPolledJob, clock: AsyncClock, on_progress: OnProgress | None) -> None:
        self.state: JobState | None = None  # of the last successful poll
        self._stage: Stage | None = None  # of a job that does not run yet
        self._job = job
        self._clock = clock
        self._began = clock.now()
        self._on_progress = on_progress

    @property
    def phase(self) -> str | None:
        """The phase that the last poll found."""
        return None if self.state is None else self.state.phase

    async def poll(self, limit_s: float) -> JobState:
        """Request the job, and its stage if there is an `on_progress` and the job does not run yet."""
        began = self._clock.now()
        await self._job.poll(limit_s)
        self.state = state = self._job.state
        self._stage = None
        is_waiting = not state.is_ended and state.phase != RUNNING
        if is_waiting and self._on_progress is not None and began - self._began >= STAGE_AFTER_S:
            with suppress(ToolkitError):  # the wait continues without it
                self._stage = await call_within_async(limit_s - (self._clock.now() - began), self._job.stage)
        self.report()
        return state

    def report(self, error: ToolkitError | None = None) -> None:
        """Report the result of a poll, or its failure."""
        if self._on_progress is not None:
            job, secondary_phase = None, None
            if self.state is not None:
                job, secondary_phase = self._job, self.state.secondary_phase
            elapsed = self._clock.now() - self._began
            self._on_progress(Progress(self.phase, secondary_phase, elapsed, job, error, self._stage))


async def has_reached(job: AsyncPolledJob, state: JobState, until: str, limit: TimeLimit) -> bool:
    """Whether the job is in this phase or stage or has passed it; raises WaitTimeout if it never will be in it.

    A job that runs has passed the stages before; where the service has no stages, this alone counts.
    """
    if state.phase == until or until in PASSED.get(str(state.phase), ()):
        return True
    if state.phase == COMPLETED and until in TERMINAL_PHASES:
        raise WaitTimeout(f"{state} has completed: it will not be {until}", job)
    if until in STAGES and not state.is_ended:
        with suppress(*TRANSIENT):  # the next poll asks again
            stage = await call_within_async(limit.call_limit_s(), job.stage)
            return stage is not None and stage.name in STAGES[STAGES.index(until) :]
    return False


async def judge(job: AsyncPolledJob, state: JobState, limit: TimeLimit) -> None:
    """Raise the error for a job that has not completed."""
    if state.phase == COMPLETED:
        return
    if state.phase == TERMINATED:
        raise JobStopped(f"{state} was stopped{state.explanation and f': {state.explanation}'}", job)
    lines = await job.last_lines(min(limit.call_limit_s(), LOG_LIMIT_S))
    verdict = explain(state, lines)
    if verdict is not None and verdict.cause == DEVICE_MEMORY:
        with suppress(ToolkitError):  # an event may say who else held the memory
            found = await call_within_async(min(limit.call_limit_s(), LOG_LIMIT_S), job.explain)
            verdict = found if found.cause == DEVICE_MEMORY else verdict
    text = f"{state} failed" + (f" ({state.failure_kind})" if state.failure_kind else "")
    text += f": {state.explanation}" if state.explanation else ""
    if verdict is not None and (verdict.cause != "exit-code" or not state.explanation):
        text += f"\n{verdict}"
    shown = lines[-LOG_LINES:]
    text += "".join(f"\n  | {line}" for line in shown)
    raise JobFailed(text, job, state.exit_codes, shown, verdict)
