"""Progress: what becomes of a job by what its tasks report and by the time that passes, and the events that tell it.

Pure: every function changes the job that it is given and returns the events, oldest first; times in milliseconds.
The wording of events is our own; sources and levels are those of the page "Obtaining the Events of a Training Job".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from modelarts_emulator.execution.protocol import TaskReport
from modelarts_emulator.jobs.events import Event
from modelarts_emulator.jobs.phases import is_terminal, observe
from modelarts_emulator.jobs.reports import clean_text
from modelarts_emulator.jobs.restart_policy import PATIENCE, Recovery, culprit, recover
from modelarts_emulator.jobs.runs import Run

__all__ = ["arrive", "deadline", "expire", "fail_to_start", "follow", "give_up", "stop", "vanish"]

MILLISECONDS_PER_HOUR = 3_600_000
REASONS = {"preempted": "preempted", "node_lost": "node lost", "hung": "hung"}


def arrive(job: Run, now: int) -> list[Event]:
    """From Creating into the queue."""
    job.move("Pending")
    job.queue_time = now
    job.node_counts = [[now, 0]]
    return [Event(job.id, job.create_time, "The job has been created.")]


def stop(job: Run, now: int) -> list[Event]:
    """Begin to stop the job; raises ValueError if its phase does not allow it."""
    job.move("Terminating")
    return [Event(job.id, now, "The job is being stopped.")]


def deadline(job: Run) -> int | None:
    """When something happens to the job although nobody reports anything; None if nothing will."""
    if job.phase == "Pending" and job.attempt and not job.launched:
        return job.queue_time + PATIENCE
    limit = job.max_duration if job.phase == "Running" and job.attempt_start else 0
    return job.attempt_start + limit - job.worked if limit else None


def expire(job: Run, now: int) -> list[Event]:
    """What happens at the deadline."""
    if job.phase == "Pending":
        job.move("Failed")
        job.end_time = now
        reason = f"there was no room for its restart within {PATIENCE // 60_000} minutes"
        return [Event(job.id, now, f"The job failed: {reason}.", level="Error")]
    job.move("Terminating")
    limit = job.max_duration // MILLISECONDS_PER_HOUR
    duration = f"maximum running duration of {limit} hour{'s' if limit > 1 else ''}"
    return [Event(job.id, now, f"The job is being stopped: it has reached its {duration}.")]


def vanish(job: Run, now: int) -> list[Event]:
    """The executor knows nothing of the job."""
    if job.phase == "Terminating":
        _close(job, now, "job terminated")
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


def follow(job: Run, now: int, reports: Sequence[TaskReport]) -> list[Event]:
    """Take over what the tasks of the newest attempt report, through as many phases as it takes."""
    told = _notes(job, reports)
    if not job.attempt_start:
        _open(job, reports)
    if hung := [report.task for report in reports if report.failure == "hung" and report.state == "running"]:
        told += _hang(job, hung[0], now)
    while (phase := observe(job.phase, reports)) != job.phase:
        if is_terminal(phase):
            return told + _end(job, phase == "Failed", reports, now)
        job.move(phase)
        # It ran before its tasks told of it, and before anybody looked.
        start = max(job.queue_time, min(job.attempt_start, now))
        which = f", attempt {job.attempt + 1}" if job.attempt else ""
        told.insert(0, Event(job.id, start, f"The job is running{which}."))
    return told


def _notes(job: Run, reports: Sequence[TaskReport]) -> list[Event]:
    told = []
    for report in reports:
        known = job.noted.get(report.task, 0)
        if len(report.events) > known:
            job.noted = job.noted | {report.task: len(report.events)}
            told += [
                Event(job.id, int(note.time * 1000), note.message, note.source, note.level)
                for note in report.events[known:]
            ]
    return told


def _open(job: Run, reports: Sequence[TaskReport]) -> None:
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


def _close(job: Run, end: int, reason: str, task: str = "", recovery: Recovery | None = None) -> None:
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
    job.worked += end - job.attempt_start
    job.attempt_start = 0
    job.node_counts = [*job.node_counts, [end, job.node_count], [end, 0]]


def _hang(job: Run, task: str, now: int) -> list[Event]:
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
    told = _misfortunes(job, reports, now)
    recovery = recover(job, reports)
    if recovery is not None:
        return told + _restart(job, reports, end, now, *recovery)
    is_lost = any(report.failure == "node_lost" for report in reports)
    failure = Event(job.id, now, f"The job failed: {_describe(reports)}.", level="Error")
    return _finish(job, "Abnormal" if is_lost else "Failed", end, reports, [*told, failure])


def _finish(job: Run, phase: Any, end: int, reports: Sequence[TaskReport], told: list[Event]) -> list[Event]:
    if phase == "Completed":
        _close(job, end, "job completed")
    else:
        _close(job, end, _reason(reports), culprit(reports).task)
    job.move(phase)
    job.end_time = max(end, job.start_time)
    return told


def _restart(
    job: Run, reports: Sequence[TaskReport], end: int, now: int, recovery: Recovery, which: str
) -> list[Event]:
    reason = "hung" if recovery == "proc_restart" else _reason(reports)
    task = job.hung_task if recovery == "proc_restart" else culprit(reports).task
    _close(job, end, reason, task, recovery)
    job.attempt += 1
    job.noted, job.hung_task = {}, ""
    if recovery != "proc_restart":
        job.retries += 1
        job.launched = False
        job.queue_time = now
        if job.phase == "Running":
            job.move("Pending")
    text = f"The job is being restarted ({which}): {f'{task} hung' if reason == 'hung' else _describe(reports)}."
    return [Event(job.id, now, text, level="Warning")]


def _misfortunes(job: Run, reports: Sequence[TaskReport], now: int) -> list[Event]:
    told = []
    for report in reports:
        if report.failure == "preempted":
            told.append(Event(job.id, now, f"[{report.task}] The task was preempted.", "Task", "Warning"))
        elif report.failure == "node_lost":
            told.append(Event(job.id, now, f"NodeLost: The node of {report.task} is gone", "K8S", "Warning"))
    return told


def _reason(reports: Sequence[TaskReport]) -> str:
    first = culprit(reports)
    return REASONS.get(first.failure or "", f"exit with {first.exit_code}")


def _describe(reports: Sequence[TaskReport]) -> str:
    first = culprit(reports)
    if first.failure in REASONS:
        return f"{first.task}: {REASONS[first.failure]}"
    why = (first.message or "").partition("\n")[0]
    return f"{first.task} ended with exit code {first.exit_code}{f': {why}' if why else ''}"


def _give_up(job: Run, now: int, secondary_phase: str, reason: str) -> list[Event]:
    _close(job, now, reason)
    job.move("Abnormal", secondary_phase)
    job.end_time = now
    job.task_statuses = [{"task": "worker-0", "exit_code": None, "message": reason}]
    return [Event(job.id, now, f"The job failed: {reason}.", level="Error")]
