# Derived from _async/waiting.py by scripts/derive_sync.py; do not edit.
"""Wait for a job's end."""

import math
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import TYPE_CHECKING

from modelarts_toolkit.errors import JobFailed, JobStopped, ToolkitError, WaitTimeout
from modelarts_toolkit.http.deadlines import call_within
from modelarts_toolkit.jobs.explain import explain
from modelarts_toolkit.jobs.info import JobInfo
from modelarts_toolkit.jobs.polling import (
    TRANSIENT,
    Clock,
    OnProgress,
    OutageBudget,
    Pace,
    Progress,
    TimeLimit,
)
from modelarts_toolkit.jobs.state import (
    COMPLETED,
    MOMENTS,
    PASSED,
    RUNNING,
    STAGES,
    TERMINAL_PHASES,
    TERMINATED,
    JobState,
)

if TYPE_CHECKING:
    from modelarts_api.v2.models import Stage

POLL = (0.5, 10.0)
LOG_LINES = 20
LOG_LIMIT_S = 30.0  # for the log of a failed job
STAGE_AFTER_S = 2.0  # of a wait: before that, the reason why a job does not run yet is not interesting


class PolledJob(JobInfo, ABC):
    """A job that can be polled; it keeps the newest response."""

    @property
    @abstractmethod
    def key(self) -> str:
        """The job's id, which is known before the first response."""

    @abstractmethod
    def poll(self, limit_s: float = math.inf) -> None:
        """Request the job, for `limit_s` seconds at most."""

    def stage(self) -> "Stage | None":
        """Return the stage that the job is in, such as preparing, with its times; None if the service has none."""
        return None

    @abstractmethod
    def last_lines(self, limit_s: float) -> list[str]:
        """Read the end of the log that explains a failure; none if it cannot be read."""


class Watch:
    """Polls a job, and reports each poll to `on_progress`."""

    def __init__(self, job: PolledJob, clock: Clock, on_progress: OnProgress | None) -> None:
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

    def poll(self, limit_s: float) -> JobState:
        """Request the job, and its stage if there is an `on_progress` and the job does not run yet."""
        began = self._clock.now()
        self._job.poll(limit_s)
        self.state = state = self._job.state
        self._stage = None
        is_waiting = not state.is_ended and state.phase != RUNNING
        if is_waiting and self._on_progress is not None and began - self._began >= STAGE_AFTER_S:
            with suppress(ToolkitError):  # the wait continues without it
                self._stage = call_within(limit_s - (self._clock.now() - began), self._job.stage)
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


def wait_for(
    job: PolledJob,
    clock: Clock,
    limit: TimeLimit,
    *,
    poll: tuple[float, float],
    on_progress: OnProgress | None,
    until: str | None = None,
) -> None:
    """Poll the job until it has completed, or has reached `until`; raises JobFailed, JobStopped or WaitTimeout.

    Abnormal counts as failed; an unknown phase is waited on.
    A timeout before the first response raises the error of the last call.
    """
    if until is not None and until not in MOMENTS:
        raise ValueError(f"a job has no phase or stage {until!r}: use {', '.join(MOMENTS)}")
    watch, pace = Watch(job, clock, on_progress), Pace(poll)
    outage = OutageBudget(clock, f"waiting for job {job.key}")
    while True:
        phase_before = watch.phase
        try:
            state = watch.poll(min(limit.call_limit_s(), outage.call_limit_s()))
        except TRANSIENT as error:
            watch.report(error)
            if not limit.is_over:
                outage.record_failure(error)
            elif watch.state is None:
                raise
        else:
            outage.record_success()
            if until is not None and _has_reached(job, state, until, limit):
                return None
            if state.is_ended:
                return _judge(job, state, limit)
        if limit.is_over and watch.state is not None:
            text = f"timed out after {limit.timeout_s:g} s: {watch.state} is still {watch.phase} (it was not stopped)"
            raise WaitTimeout(text, job)
        clock.sleep(limit.pause_s(pace.after(news=watch.phase != phase_before)))


def _has_reached(job: PolledJob, state: JobState, until: str, limit: TimeLimit) -> bool:
    """Whether the job is in this phase or stage or has passed it; raises WaitTimeout if it never will be in it.

    A job that runs has passed the stages before; where the service has no stages, this alone counts.
    """
    if state.phase == until or until in PASSED.get(str(state.phase), ()):
        return True
    if state.phase == COMPLETED and until in TERMINAL_PHASES:
        raise WaitTimeout(f"{state} has completed: it will not be {until}", job)
    if until in STAGES and not state.is_ended:
        with suppress(*TRANSIENT):  # the next poll asks again
            stage = call_within(limit.call_limit_s(), job.stage)
            return stage is not None and stage.name in STAGES[STAGES.index(until) :]
    return False


def _judge(job: PolledJob, state: JobState, limit: TimeLimit) -> None:
    """Raise the error for a job that has not completed."""
    if state.phase == COMPLETED:
        return
    if state.phase == TERMINATED:
        raise JobStopped(f"{state} was stopped{state.explanation and f': {state.explanation}'}", job)
    lines = job.last_lines(min(limit.call_limit_s(), LOG_LIMIT_S))
    verdict = explain(state, lines)
    text = f"{state} failed" + (f" ({state.failure_kind})" if state.failure_kind else "")
    text += f": {state.explanation}" if state.explanation else ""
    if verdict is not None and (verdict.cause != "exit-code" or not state.explanation):
        text += f"\n{verdict}"
    shown = lines[-LOG_LINES:]
    text += "".join(f"\n  | {line}" for line in shown)
    raise JobFailed(text, job, state.exit_codes, shown, verdict)
