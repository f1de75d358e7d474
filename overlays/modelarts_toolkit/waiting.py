"""Waiting for a job's end."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .errors import JobFailed, JobStopped, ToolkitError, WaitTimeout
from .explain import explain
from .flows import TRANSIENT, Call, Clock, Flow, OutageBudget, Pace
from .job_readers import JobReader, TrainingJobReader
from .job_state import COMPLETED, TERMINATED, AnyJob, JobState, job_id

if TYPE_CHECKING:
    from modelarts_api.v2.models import TrainingJob

POLL = (0.5, 10.0)
LOG_LINES = 20
LOG_LIMIT_S = 30.0  # for the log of a failed job
RESERVE_S = 1.0  # of a timeout, for the last call; of short ones RESERVE_SHARE
RESERVE_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class Progress:
    """What a poll found out.

    `elapsed` counts seconds since the begin of the wait.
    If the poll failed, `error` says why, and the rest is what the last successful one found; `job` is None before that.
    """

    phase: str | None
    secondary_phase: str | None
    elapsed: float
    job: "TrainingJob | None" = field(repr=False)
    error: ToolkitError | None = None


OnProgress = Callable[[Progress], object]


class TimeLimit:
    """What remains of a timeout in seconds; None means without limit, and 0 or less means one call without a limit."""

    def __init__(self, clock: Clock, timeout_s: float | None) -> None:
        """Raise TypeError for anything but a number or None."""
        if timeout_s is not None and not isinstance(timeout_s, int | float):
            raise TypeError(f"timeout must be a number of seconds or None, not {type(timeout_s).__name__}")
        self._clock = clock
        self._is_single = timeout_s is not None and timeout_s <= 0
        self._end = math.inf if timeout_s is None else clock.now() + timeout_s
        self._last_call = self._end - (0 if timeout_s is None else min(RESERVE_S, RESERVE_SHARE * timeout_s))

    def call_limit_s(self) -> float:
        """How long the next call may take."""
        return math.inf if self._is_single else max(self._end - self._clock.now(), 0.001)

    @property
    def is_over(self) -> bool:
        """Whether it is too late for another call."""
        return self.pause_s(math.inf) < 0.001

    def pause_s(self, wanted_s: float) -> float:
        """The pause before the next call, shortened so that the last call comes in time."""
        return min(wanted_s, self._last_call - self._clock.now())


class Watch:
    """The newest known state of a job; reports each poll to `on_progress`."""

    def __init__(self, reader: JobReader, clock: Clock, on_progress: OnProgress | None) -> None:
        self.job: Any = None
        self.phase: str | None = None
        self._reader = reader
        self._clock = clock
        self._began = clock.now()
        self._on_progress = on_progress

    def poll(self, limit_s: float) -> Flow[Any]:
        """Ask for the job."""
        job = yield Call(self._reader.show, limit_s)
        self.job, state = job, JobState.of(job)
        self.phase = state.phase
        self._tell(state, None)
        return job

    def report(self, error: ToolkitError) -> None:
        """Tell that a poll failed."""
        self._tell(None if self.job is None else JobState.of(self.job), error)

    def _tell(self, state: JobState | None, error: ToolkitError | None) -> None:
        if self._on_progress is not None:
            phases = (None, None) if state is None else (state.phase, state.secondary_phase)
            self._on_progress(Progress(*phases, self._clock.now() - self._began, self.job, error))


def waiting(
    connect: Callable[[], Any],
    job: AnyJob,
    clock: Clock,
    *,
    timeout: float | None = None,
    poll: tuple[float, float] = POLL,
    on_progress: OnProgress | None = None,
) -> "Flow[TrainingJob]":
    """Ask for the job until it has ended: the completed job, or JobFailed, JobStopped, WaitTimeout.

    Abnormal counts as failed; an unknown phase is waited on.
    A timeout before the first response raises the error of the last call.
    """
    reader = TrainingJobReader(connect, job_id(job))
    done: TrainingJob = yield from waiting_on(reader, clock, timeout=timeout, poll=poll, on_progress=on_progress)
    return done


def waiting_on(
    reader: JobReader,
    clock: Clock,
    *,
    timeout: float | None = None,
    poll: tuple[float, float] = POLL,
    on_progress: OnProgress | None = None,
) -> Flow[Any]:
    """As `waiting`, for whatever job the reader reads."""
    watch, pace = Watch(reader, clock, on_progress), Pace(poll)
    limit, outage = TimeLimit(clock, timeout), OutageBudget(clock, f"waiting for job {reader.id}")
    while True:
        phase_before = watch.phase
        try:
            current = yield from watch.poll(min(limit.call_limit_s(), outage.call_limit_s()))
        except TRANSIENT as error:
            watch.report(error)
            if not limit.is_over:
                outage.record_failure(error)
            elif watch.job is None:
                raise
        else:
            outage.record_success()
            state = JobState.of(current)
            if state.is_ended:
                return (yield from _outcome(reader, current, state, limit))
        if limit.is_over and watch.job is not None:
            known = JobState.of(watch.job)
            text = f"timed out after {timeout:g} s: {known} is still {known.phase} (it was not stopped)"
            raise WaitTimeout(text, watch.job)
        yield clock.sleep(limit.pause_s(pace.after(news=watch.phase != phase_before)))


def _outcome(reader: JobReader, job: Any, state: JobState, limit: TimeLimit) -> Flow[Any]:
    if state.phase == COMPLETED:
        return job
    if state.phase == TERMINATED:
        raise JobStopped(f"{state} was stopped{state.explanation and f': {state.explanation}'}", job)
    lines = yield from reader.last_lines(state, min(limit.call_limit_s(), LOG_LIMIT_S))
    verdict = explain(job, lines)
    text = f"{state} failed" + (f" ({state.failure_kind})" if state.failure_kind else "")
    text += f": {state.explanation}" if state.explanation else ""
    if verdict is not None and (verdict.cause != "exit-code" or not state.explanation):
        text += f"\n{verdict}"
    shown = lines[-LOG_LINES:]
    text += "".join(f"\n  | {line}" for line in shown)
    raise JobFailed(text, job, state.exit_codes, shown, verdict)
