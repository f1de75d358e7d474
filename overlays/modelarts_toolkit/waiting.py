"""Waiting for a job's end."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .errors import ApiError, ConnectionFailed, JobFailed, JobStopped, WaitTimeout
from .flows import TRANSIENT, Clock, Flow, Pace, Patience
from .jobs import COMPLETED, TERMINATED, Job, JobState, job_id

if TYPE_CHECKING:
    from modelarts_api.v2.models import TrainingJob

POLL = (0.5, 10.0)
LOG_LINES = 20


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a job stands; `elapsed` counts the seconds since we began to watch."""

    phase: str | None
    secondary_phase: str | None
    elapsed: float
    job: "TrainingJob" = field(repr=False)


OnProgress = Callable[[Progress], object]


def waiting(
    api: Any,
    job: Job,
    clock: Clock,
    *,
    timeout: float | None = None,
    poll: tuple[float, float] = POLL,
    on_progress: OnProgress | None = None,
) -> "Flow[TrainingJob]":
    """Ask for the job until it has ended: the completed job, or JobFailed, JobStopped, WaitTimeout.

    Abnormal counts as failed; a phase that nobody has heard of is waited on.
    A timeout before the first answer raises why there was none.
    """
    wanted, pace, patience = job_id(job), Pace(poll), Patience(clock)
    began, phase = clock.now(), None
    current: TrainingJob | None = None
    while True:
        try:
            current = yield api.training_jobs.show_training_job_details(wanted)
        except TRANSIENT as error:
            patience.excuse(error)
            if current is None and _remaining(clock, began, timeout) <= 0:
                raise
            news = False
        else:
            patience.restore()
            state = JobState.of(current)
            news, phase = state.phase != phase, state.phase
            if on_progress is not None:
                on_progress(Progress(state.phase, state.secondary_phase, clock.now() - began, current))
            if state.is_ended:
                return (yield from _outcome(api, current, state))
        remaining = _remaining(clock, began, timeout)
        if remaining <= 0 and current is not None:
            raise WaitTimeout(f"{JobState.of(current)} is still {phase} after {timeout:g} s; it goes on", current)
        pause = pace.after(news=news)
        yield clock.sleep(min(pause, remaining) if remaining > 0 else pause)


def _remaining(clock: Clock, began: float, timeout: float | None) -> float:
    return float("inf") if timeout is None else began + timeout - clock.now()


def _outcome(api: Any, job: "TrainingJob", state: JobState) -> "Flow[TrainingJob]":
    if state.phase == COMPLETED:
        return job
    if state.phase == TERMINATED:
        raise JobStopped(f"{state} was stopped", job)
    lines = yield from _last_lines(api, state)
    reasons = [f"{task} ended with exit code {code}" for task, code in state.exit_codes.items() if code]
    reasons += [f"{task}: {message}" for task, message in state.messages.items()]
    text = f"{state} ended as {state.phase}"
    text += f" ({'; '.join(reasons)})" if reasons else ""
    text += "".join(f"\n  | {line}" for line in lines)
    raise JobFailed(text, job, exit_codes=state.exit_codes, log_lines=lines)


def _last_lines(api: Any, state: JobState) -> Flow[list[str]]:
    """The end of the failed task's log; a log that cannot be read must not hide why the job failed."""
    try:
        preview = yield api.logs.show_training_job_logs_preview(state.id, state.failed_task)
    except (ApiError, ConnectionFailed):
        return []
    content = None if preview is None else preview.to_dict().get("content")
    return content.splitlines()[-LOG_LINES:] if isinstance(content, str) else []
