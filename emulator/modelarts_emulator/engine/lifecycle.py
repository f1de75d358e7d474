"""The state machine of jobs: applies reports of tasks and deadlines, and returns the events that tell of it.

Pure: every function changes the job that it is given and returns the events, oldest first; times in milliseconds.
The wording of events is our own; sources and levels are those of the page "Obtaining the Events of a Training Job".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from modelarts_emulator.engine.events import Event
from modelarts_emulator.engine.phases import is_terminal, observe
from modelarts_emulator.engine.reports import clean_text
from modelarts_emulator.engine.restart_policy import Recovery, recover, root_cause
from modelarts_emulator.engine.runs import REQUEUE_TIMEOUT_MS, Run
from modelarts_emulator.execution.protocol import TaskReport

__all__ = [
    "Changes",
    "apply_reports",
    "change",
    "enqueue",
    "fail_to_start",
    "give_up",
    "mark_lost",
    "reconcile",
    "stop",
    "time_out",
]

MILLISECONDS_PER_HOUR = 3_600_000
REASONS = {"preempted": "preempted", "node_lost": "node lost", "hung": "hung"}


@dataclass(slots=True)
class Changes:
    """Runs as they become, in `runs` by id, and what that entails.

    `events` are in the order in which they are stored. The attempts of `submissions` are given to the executor once
    the changes are stored. `enqueued` are the runs that came into the queue. `failures` are the errors of runs that
    could not be reconciled, which stay as they are.
    """

    runs: dict[str, Run] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    submissions: dict[str, Run] = field(default_factory=dict)
    enqueued: dict[str, Run] = field(default_factory=dict)
    failures: dict[str, Exception] = field(default_factory=dict)


def reconcile(
    runs: Iterable[Run],
    reports: Mapping[str, Sequence[TaskReport]],
    now: int,
    unreadable: Mapping[str, Exception] | None = None,
) -> Changes:
    """The changes of these runs; `now` in milliseconds since 1970.

    `reports` are those of the runs whose tasks were looked at, empty if the executor does not know the run;
    `unreadable` says why runs whose tasks cannot be read are given up.
    A run of which there is nothing new does not change, so it does no harm to give all runs.
    """
    changes = Changes()
    for run in runs:
        if (error := (unreadable or {}).get(run.id)) is not None:
            change(changes, run, lambda after, error=error: give_up(after, now, error))  # type: ignore[misc]
        else:
            change(changes, run, lambda after: _reconcile(after, reports.get(after.id), now))
        after = changes.runs.get(run.id, run)
        if run.id not in changes.failures and _is_to_be_submitted(run, after, reports.get(run.id)):
            changes.submissions[run.id] = after
    return changes


def change(changes: Changes, run: Run, function: Callable[[Run], list[Event]]) -> None:
    """Add what the function makes of the run, and its events; an error of the function is the run's failure."""
    before = changes.runs.get(run.id, run)
    after = replace(before)
    try:
        events = function(after)
    except Exception as error:
        changes.failures[run.id] = error
        return
    changes.events += events
    if after == before:
        return
    changes.runs[run.id] = after
    is_queued = after.phase == "Pending" and not after.launched
    if is_queued and (before.phase, before.attempt) != ("Pending", after.attempt):
        changes.enqueued[run.id] = after


def _reconcile(run: Run, reports: Sequence[TaskReport] | None, now: int) -> list[Event]:
    events: list[Event] = []
    if run.phase == "Creating":
        events += enqueue(run, now)
    elif not run.launched and run.phase != "Pending":
        events += mark_lost(run, now)
    elif run.launched and reports is not None:
        if _is_current(run, reports):
            events += apply_reports(run, now, reports)
        elif not _is_unsubmitted(run, reports):
            events += mark_lost(run, now)
    if run.deadline is not None and run.deadline <= now:
        events += time_out(run, now)
    return events


def _is_current(run: Run, reports: Sequence[TaskReport]) -> bool:
    """Whether the reports are about the newest attempt."""
    return bool(reports) and all(report.attempt >= run.attempt for report in reports)


def _is_unsubmitted(run: Run, reports: Sequence[TaskReport]) -> bool:
    """Whether the emulator died before it could submit the newest attempt."""
    return not _is_current(run, reports) and (run.phase == "Pending" or (bool(reports) and run.phase == "Running"))


def _is_to_be_submitted(before: Run, after: Run, reports: Sequence[TaskReport] | None) -> bool:
    if reports is None or not before.launched or not after.launched or is_terminal(after.phase):
        return False
    # An attempt that is restarted in place, without waiting for room, or one that the executor has never seen.
    return after.attempt > before.attempt or _is_unsubmitted(before, reports)


def enqueue(job: Run, now: int) -> list[Event]:
    """From Creating into the queue."""
    job.move("Pending")
    job.queue_time = now
    job.node_counts = [[now, 0]]
    return [Event(job.id, job.create_time, "The job has been created.")]


def stop(job: Run, now: int) -> list[Event]:
    """Begin to stop the job; raises ValueError if its phase does not allow it."""
    job.move("Terminating")
    return [Event(job.id, now, "The job is being stopped.")]


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
    return _give_up(job, now, "Lost", "the executor does not know the job any more")


def fail_to_start(job: Run, now: int, error: Exception) -> list[Event]:
    """The executor cannot run the job at all."""
    return _give_up(job, now, "CreateFailed", f"the job cannot be started: {clean_text(error)}")


def give_up(job: Run, now: int, error: Exception) -> list[Event]:
    """End the job, because what its tasks report cannot be read or stored."""
    reason = f"what its tasks report cannot be taken over: {clean_text(error)}"
    return _give_up(job, now, "Lost", reason)


def apply_reports(job: Run, now: int, reports: Sequence[TaskReport]) -> list[Event]:
    """Take over what the tasks of the newest attempt report, through as many phases as it takes."""
    new = _task_events(job, reports)
    if not job.attempt_start:
        _begin_attempt(job, reports)
    if hung := [report.task for report in reports if report.failure == "hung" and report.state == "running"]:
        new += _mark_hung(job, hung[0], now)
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
    new = []
    for report in reports:
        known = job.event_counts.get(report.task, 0)
        if len(report.events) > known:
            job.event_counts = job.event_counts | {report.task: len(report.events)}
            new += [
                Event(job.id, int(note.time * 1000), note.message, note.source, note.level)
                for note in report.events[known:]
            ]
    return new


def _begin_attempt(job: Run, reports: Sequence[TaskReport]) -> None:
    """A task of the attempt has started."""
    started = [report.started_at for report in reports if report.started_at is not None]
    if not started:
        return
    job.attempt_start = int(min(started) * 1000)
    job.start_time = job.start_time or job.attempt_start
    job.node_counts = [*job.node_counts, [job.attempt_start, job.node_count]]
    was_in_place = bool(job.running_records) and job.running_records[-1].get("end_recover") == "proc_restart"
    start_type = "restarted" if was_in_place else "init_or_rescheduled"
    job.running_records = [*job.running_records, {"start_at": int(min(started)), "start_type": start_type}]
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


def _mark_hung(job: Run, task: str, now: int) -> list[Event]:
    if job.hung_task:
        return []
    job.hung_task = task
    return [Event(job.id, now, f"The job may hang: {task} makes no progress.", level="Warning")]


def _end(job: Run, has_failed: bool, reports: Sequence[TaskReport], now: int) -> list[Event]:
    end = int(max((report.ended_at for report in reports if report.ended_at is not None), default=now / 1000) * 1000)
    job.task_statuses = [
        {"task": report.task, "exit_code": report.exit_code, "message": report.message or ""} for report in reports
    ]
    if job.phase == "Terminating":
        return _finish(job, "Terminated", end, reports, [Event(job.id, now, "The job has been stopped.")])
    if not has_failed:
        return _finish(job, "Completed", end, reports, [Event(job.id, now, "The job is complete.")])
    new = _failure_events(job, reports, now)
    recovery = recover(job, reports)
    if recovery is not None:
        return new + _restart(job, reports, end, now, *recovery)
    is_lost = any(report.failure == "node_lost" for report in reports)
    failure = Event(job.id, now, f"The job failed: {_describe(reports)}.", level="Error")
    return _finish(job, "Abnormal" if is_lost else "Failed", end, reports, [*new, failure])


def _finish(job: Run, phase: Any, end: int, reports: Sequence[TaskReport], new: list[Event]) -> list[Event]:
    if phase == "Completed":
        _end_attempt(job, end, "job completed")
    else:
        _end_attempt(job, end, _reason(reports), root_cause(reports).task)
    job.move(phase)
    job.end_time = max(end, job.start_time)
    return new


def _restart(
    job: Run, reports: Sequence[TaskReport], end: int, now: int, recovery: Recovery, which: str
) -> list[Event]:
    reason = "hung" if recovery == "proc_restart" else _reason(reports)
    task = job.hung_task if recovery == "proc_restart" else root_cause(reports).task
    _end_attempt(job, end, reason, task, recovery)
    job.attempt += 1
    job.event_counts, job.hung_task, job.cancelled = {}, "", False
    if recovery != "proc_restart":
        job.retries += 1
        job.launched = False
        job.queue_time = now
        if job.phase == "Running":
            job.move("Pending")
    text = f"The job is being restarted ({which}): {f'{task} hung' if reason == 'hung' else _describe(reports)}."
    return [Event(job.id, now, text, level="Warning")]


def _failure_events(job: Run, reports: Sequence[TaskReport], now: int) -> list[Event]:
    new = []
    for report in reports:
        if report.failure == "preempted":
            new.append(Event(job.id, now, f"[{report.task}] The task was preempted.", "Task", "Warning"))
        elif report.failure == "node_lost":
            new.append(Event(job.id, now, f"NodeLost: The node of {report.task} is gone", "K8S", "Warning"))
    return new


def _reason(reports: Sequence[TaskReport]) -> str:
    first = root_cause(reports)
    return REASONS.get(first.failure or "", f"exit with {first.exit_code}")


def _describe(reports: Sequence[TaskReport]) -> str:
    first = root_cause(reports)
    if first.failure in REASONS:
        return f"{first.task}: {REASONS[first.failure]}"
    why = (first.message or "").partition("\n")[0]
    return f"{first.task} ended with exit code {first.exit_code}{f': {why}' if why else ''}"


def _give_up(job: Run, now: int, secondary_phase: str, reason: str) -> list[Event]:
    _end_attempt(job, now, reason)
    job.move("Abnormal", secondary_phase)
    job.end_time = now
    job.task_statuses = [{"task": "worker-0", "exit_code": None, "message": reason}]
    return [Event(job.id, now, f"The job failed: {reason}.", level="Error")]
