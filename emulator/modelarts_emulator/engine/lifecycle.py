"""The state machine of jobs: their phases, and what reports of tasks, stops and deadlines make of them.

    Creating ──► Pending ◄─► Running ──► Completed
        │           │  └───────┼───────► Failed
        │           │          │
        ├───────────┴──────────┼───────► Abnormal
        └────────► Terminating ◄┘
                       └───────────────► Terminated, Abnormal

Pure: every function but `reconcile` changes the job that it is given, and all return the events of the change, oldest
first. Times are in milliseconds.
Sources: pages "Creating a Training Job" (phases) and "Obtaining the Events of a Training Job" (sources and levels of
events; their wording is our own); user manual, on automatic restarts (unless it is always retried, only what is
wrong with the environment restarts a job; at most three times).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from modelarts_emulator.engine.events import Event, clean_text
from modelarts_emulator.engine.runs import REQUEUE_TIMEOUT_MS, Run, is_terminal
from modelarts_emulator.execution.protocol import STOPPED, TaskReport
from modelarts_openapi.phases import SECONDARY_PHASES, Phase

Recovery = Literal["job_reschedule", "job_reschedule_with_taint"]

MILLISECONDS_PER_HOUR = 3_600_000
REASONS = {"preempted": "preempted", "node_lost": "node lost"}


def reconcile(
    run: Run, reports: Sequence[TaskReport] | None, now: int, error: Exception | None = None
) -> tuple[Run, list[Event]]:
    """The run as it becomes, and the events of that.

    `reports` are empty if the executor does not know the run, None if it was not asked. With an `error`, which
    prevents reading the reports of its tasks, the run is given up.
    """
    after = replace(run)
    if error is not None:
        return after, give_up(after, now, error)
    events: list[Event] = []
    if run.phase == "Creating":
        events += _enqueue(after, now)
    elif not run.launched and run.phase != "Pending":
        events += mark_lost(after, now)
    elif run.launched and reports is not None:
        if _is_current(run, reports):
            events += apply_reports(after, now, reports)
        elif not is_unsubmitted(run, reports):
            events += mark_lost(after, now)
    if after.deadline is not None and after.deadline <= now:
        events += time_out(after, now)
    return after, events


def _is_current(run: Run, reports: Sequence[TaskReport]) -> bool:
    """Whether the reports are about the newest attempt."""
    return bool(reports) and all(report.attempt >= run.attempt for report in reports)


def is_unsubmitted(run: Run, reports: Sequence[TaskReport]) -> bool:
    """Whether the emulator died before it could submit the newest attempt of a launched run."""
    return not _is_current(run, reports) and (run.phase == "Pending" or (bool(reports) and run.phase == "Running"))


def observe(current: Phase, reports: Sequence[TaskReport]) -> Phase:
    """The next phase of a started job, one step at most, as its tasks report; the same phase if nothing changes.

    The tasks' exit codes decide between Completed and Failed.
    A job with a started task passes through Running, even if it ended before the next poll.
    """
    if is_terminal(current) or current == "Creating" or not reports:
        return current
    ended = all(report.state == "ended" for report in reports)
    if current == "Terminating":
        return "Terminated" if ended else current
    if current == "Pending" and any(report.started_at is not None for report in reports):
        return "Running"
    if not ended:
        return current
    # A task that was interrupted did not do its work, even if it then exited with 0.
    is_done = all(report.exit_code == 0 and report.failure not in REASONS for report in reports)
    return "Completed" if current == "Running" and is_done else "Failed"


def _enqueue(job: Run, now: int) -> list[Event]:
    """From Creating into the queue."""
    job.move("Pending")
    job.queue_time = now
    job.node_counts = [*job.node_counts, [now, 0]]
    return [] if job.attempt else [Event(job.id, job.create_time, "The job has been created.")]


def stop(job: Run, now: int) -> list[Event]:
    """Begin to stop the job; raises ValueError if its phase does not allow it."""
    job.move("Terminating")
    return [Event(job.id, now, "The job is being stopped.")]


def restart(job: Run, now: int) -> list[Event]:
    """Queue a job again that has ended, with the same id and logs of its own; raises ValueError if it has not ended.

    Times and exit codes are those of the new run; `running_records` has all runs. Which phases allow a restart is not
    documented: one that is still active does not, as in version 1.
    """
    if not is_terminal(job.phase):
        raise ValueError(f"a job cannot be restarted while it is {job.phase}")
    job.phase, job.secondary_phase = "Creating", SECONDARY_PHASES["Creating"]  # as a new job
    job.attempt += int(job.was_launched)
    job.launched = job.cancelled = False
    job.retries = job.start_time = job.end_time = job.past_duration = 0
    job.event_counts, job.task_statuses = {}, []
    job.node_counts = [*job.node_counts, [now, 0]]
    return [Event(job.id, now, "The job is being restarted, as requested.")]


def time_out(job: Run, now: int) -> list[Event]:
    """What happens at the deadline."""
    if job.phase == "Pending":
        job.move("Failed")
        job.end_time = now
        reason = f"there was no room for its restart within {REQUEUE_TIMEOUT_MS // 60_000} minutes"
        return [Event(job.id, now, f"The job failed: {reason}.", level="Error")]
    job.move("Terminating")
    limit = job.max_duration // MILLISECONDS_PER_HOUR
    duration = f"maximum running duration of {limit} hour{'s' if limit > 1 else ''}"
    return [Event(job.id, now, f"The job is being stopped: it has reached its {duration}.")]


def mark_lost(job: Run, now: int) -> list[Event]:
    """The executor knows nothing of the job."""
    if job.phase == "Terminating":
        _end_attempt(job, now, "job terminated")
        job.move("Terminated")
        job.end_time = now
        return [Event(job.id, now, "The job has been stopped.")]
    return _abort(job, now, "Lost", "the executor does not know the job any more")


def fail_to_start(job: Run, now: int, error: Exception) -> list[Event]:
    """The executor cannot run the job at all."""
    return _abort(job, now, "CreateFailed", f"the job cannot be started: {clean_text(error)}")


def give_up(job: Run, now: int, error: Exception) -> list[Event]:
    """End the job, because what its tasks report cannot be read or stored."""
    return _abort(job, now, "Lost", f"what its tasks report cannot be taken over: {clean_text(error)}")


def _abort(job: Run, now: int, secondary_phase: str, reason: str) -> list[Event]:
    _end_attempt(job, now, reason)
    job.move("Abnormal", secondary_phase)
    job.end_time = now
    job.task_statuses = [{"task": "worker-0", "exit_code": None, "message": reason}]
    return [Event(job.id, now, f"The job failed: {reason}.", level="Error")]


def apply_reports(job: Run, now: int, reports: Sequence[TaskReport]) -> list[Event]:
    """Take over what the tasks of the newest attempt report, through as many phases as it takes."""
    new = _task_events(job, reports)
    if not job.attempt_start:
        _begin_attempt(job, reports)
    while (phase := observe(job.phase, reports)) != job.phase:
        if is_terminal(phase):
            return new + _end(job, phase == "Failed", reports, now)
        job.move(phase)
        # The job started before this poll: date the event by the start of its processes.
        start = max(job.queue_time, min(job.attempt_start, now))
        which = f", attempt {job.attempt + 1}" if job.attempt else ""
        new.insert(0, Event(job.id, start, f"The job is running{which}."))
    return new


def _task_events(job: Run, reports: Sequence[TaskReport]) -> list[Event]:
    """The tasks' events that are not stored yet."""
    new = []
    for report in reports:
        known = job.event_counts.get(report.task, 0)
        if len(report.events) > known:
            job.event_counts = job.event_counts | {report.task: len(report.events)}
            new += [
                Event(job.id, round(note.time * 1000), clean_text(note.message), note.source, note.level)
                for note in report.events[known:]
            ]
    return new


def _begin_attempt(job: Run, reports: Sequence[TaskReport]) -> None:
    """A task of the attempt has started, unless none has."""
    started = [report.started_at for report in reports if report.started_at is not None]
    if not started:
        return
    job.attempt_start = round(min(started) * 1000)
    job.start_time = job.start_time or job.attempt_start
    job.node_counts = [*job.node_counts, [job.attempt_start, job.node_count]]
    record = {"start_at": int(min(started)), "start_type": "init_or_rescheduled"}
    job.running_records = [*job.running_records, record]
    job.task_statuses = []


def _end_attempt(job: Run, end: int, reason: str, task: str = "", recovery: Recovery | None = None) -> None:
    """The attempt has ended, if it ever began."""
    if not job.attempt_start:
        return
    end = max(end, job.attempt_start)
    record: dict[str, Any] = job.running_records[-1] | {"end_at": end // 1000, "end_reason": reason}
    if task:
        record["end_related_task"] = task
    if recovery:
        record["end_recover"] = recovery
    job.running_records = [*job.running_records[:-1], record]
    job.past_duration += end - job.attempt_start
    job.attempt_start = 0
    job.node_counts = [*job.node_counts, [end, job.node_count], [end, 0]]


def _end(job: Run, has_failed: bool, reports: Sequence[TaskReport], now: int) -> list[Event]:
    end = round(max((report.ended_at for report in reports if report.ended_at is not None), default=now / 1000) * 1000)
    job.task_statuses = [
        {"task": report.task, "exit_code": report.exit_code, "message": clean_text(report.message or "")}
        for report in reports
    ]
    if job.phase == "Terminating":
        return _finish(job, "Terminated", end, reports, Event(job.id, now, "The job has been stopped."))
    if not has_failed:
        return _finish(job, "Completed", end, reports, Event(job.id, now, "The job is complete."))
    new = _failure_events(job, reports, now)
    if (recovery := _recovery(job, reports)) is not None:
        return [*new, _restart(job, reports, end, now, *recovery)]
    is_lost = any(report.failure == "node_lost" for report in reports)
    failure = Event(job.id, now, f"The job failed: {_describe(reports)}.", level="Error")
    return new + _finish(job, "Abnormal" if is_lost else "Failed", end, reports, failure)


def _finish(job: Run, phase: Phase, end: int, reports: Sequence[TaskReport], event: Event) -> list[Event]:
    if phase == "Completed":
        _end_attempt(job, end, "job completed")
    else:
        _end_attempt(job, end, _reason(reports), root_cause(reports).task)
    job.move(phase)
    job.end_time = max(end, job.start_time)
    return [event]


def _recovery(job: Run, reports: Sequence[TaskReport]) -> tuple[Recovery, str] | None:
    """How the attempt that failed is to be made good, and which restart that is; None if it is not."""
    most = 0 if job.is_search else job.max_retries  # its trials are restarted, each on its own
    failures = {report.failure for report in reports}
    if job.retries >= most or not (job.is_always_retried or failures & {"node_lost", "preempted"}):
        return None
    count = f"{job.retries + 1} of {most}"
    return "job_reschedule_with_taint" if "node_lost" in failures else "job_reschedule", count


def _restart(job: Run, reports: Sequence[TaskReport], end: int, now: int, recovery: Recovery, which: str) -> Event:
    _end_attempt(job, end, _reason(reports), root_cause(reports).task, recovery)
    job.attempt += 1
    job.event_counts = {}
    job.retries += 1
    job.launched = False
    job.queue_time = now
    if job.phase == "Running":
        job.move("Pending")
    return Event(job.id, now, f"The job is being restarted ({which}): {_describe(reports)}.", level="Warning")


def _failure_events(job: Run, reports: Sequence[TaskReport], now: int) -> list[Event]:
    new = []
    for report in reports:
        if report.failure == "preempted":
            new.append(Event(job.id, now, f"[{report.task}] The task was preempted.", "Task", "Warning"))
        elif report.failure == "node_lost":
            new.append(Event(job.id, now, f"NodeLost: The node of {report.task} is gone", "K8S", "Warning"))
    return new


def root_cause(reports: Sequence[TaskReport]) -> TaskReport:
    """The task that did not end well before any other did; of those at one moment, not one that was only stopped."""
    bad = [report for report in reports if report.failure or report.exit_code] or list(reports)
    return min(bad, key=lambda report: (not report.failure, report.ended_at or 0, report.exit_code == STOPPED))


def _reason(reports: Sequence[TaskReport]) -> str:
    first = root_cause(reports)
    return REASONS.get(first.failure or "", f"exit with {first.exit_code}")


def _describe(reports: Sequence[TaskReport]) -> str:
    first = root_cause(reports)
    if first.failure in REASONS:
        return f"{first.task}: {REASONS[first.failure]}"
    why = clean_text(first.message or "").partition("\n")[0]
    return f"{first.task} ended with exit code {first.exit_code}{f': {why}' if why else ''}"
