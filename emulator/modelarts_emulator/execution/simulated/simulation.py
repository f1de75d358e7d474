"""One simulated job: when its tasks start, fail and end, as reports, logs and metrics of a given moment.

Pure: the same entries of the journal give the same timelines, at any time and in any process.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Literal

from modelarts_emulator.execution.protocol import (
    KILLED,
    METRICS,
    NOT_MEASURED,
    STOPPED,
    FailureKind,
    TaskEvent,
    TaskReport,
    TaskState,
    service_line,
    task_names,
)
from modelarts_emulator.execution.simulated.plan import TaskPlan, render

_USAGE = {"cpuUsage": 50.0, "memUsage": 20.0}
_GPU_USAGE = {"gpuUtil": 80.0, "gpuMemUsage": 40.0}
_ENDS: Mapping[str, tuple[int, str]] = {
    "node_lost": (KILLED, "the node was lost"),
    "out_of_memory": (KILLED, "killed, out of memory"),
}


@dataclass(frozen=True, slots=True)
class Incident:
    """Something that happened to a job from outside, at a moment in Unix seconds; a stop concerns all tasks."""

    at: float
    kind: FailureKind | Literal["stopped"]
    task: str = ""


@dataclass(slots=True)
class TaskTimeline:
    """One task in one attempt, times in Unix seconds; a time later than now is a forecast, which a fault can change.

    `started_at` is infinite if the process never starts, `ended_at` if the task does not end by itself.
    """

    task: str
    plan: TaskPlan
    begun_at: float
    started_at: float
    ended_at: float
    exit_code: int
    message: str | None = None
    failure: FailureKind | None = None

    def ask_to_end(self, at: float, message: str, failure: FailureKind | None = None) -> None:
        """SIGTERM: the task ends as soon as its plan says, unless it ends earlier by itself."""
        if at < self.started_at:
            self._end(at, STOPPED, f"{message} before it started", failure)
        else:
            self._end(at + self.plan.stop_duration, STOPPED, message, failure)

    def apply(self, incident: Incident) -> None:
        """Apply the incident to the task; nothing happens if it has ended."""
        at = incident.at
        if at >= self.ended_at:
            return
        if incident.kind == "stopped":
            self.ask_to_end(at, "stopped")
        elif incident.kind == "preempted":
            self.ask_to_end(at, "preempted", "preempted")
        else:
            self._end(at, *_ENDS[incident.kind], incident.kind)

    def _end(self, at: float, exit_code: int, message: str, failure: FailureKind | None) -> None:
        if at < self.ended_at:
            self.ended_at, self.exit_code, self.message = at, exit_code, message
            self.failure = failure
            if at < self.started_at:
                self.started_at = inf


def simulate(
    plan: Mapping[str, Any], node_count: int, attempt: int, begun_at: float, incidents: Sequence[Incident]
) -> list[TaskTimeline]:
    """The timelines of all tasks; the first task that fails ends the others."""
    timelines = [_without_failures(TaskPlan.of(plan, task, attempt), task, begun_at) for task in task_names(node_count)]
    planned = [
        Incident(timeline.started_at + failure[0], failure[1], timeline.task)
        for timeline in timelines
        if (failure := timeline.plan.planned_failure) is not None
    ]
    for incident in sorted([*planned, *incidents], key=lambda incident: incident.at):
        _fail_together(timelines, incident.at)
        for timeline in timelines:
            if incident.task in ("", timeline.task):
                timeline.apply(incident)
    _fail_together(timelines, inf)
    return timelines


def _without_failures(plan: TaskPlan, task: str, begun_at: float) -> TaskTimeline:
    started_at = begun_at + plan.preparation
    return TaskTimeline(task, plan, begun_at, started_at, started_at + plan.duration, plan.exit_code)


def _fail_together(timelines: Sequence[TaskTimeline], until: float) -> None:
    """A job fails as a whole: what has not ended when a task fails is stopped."""
    failed = [line for line in timelines if line.exit_code and line.ended_at <= until and line.ended_at < inf]
    if failed:
        first = min(failed, key=lambda timeline: timeline.ended_at)
        for timeline in timelines:
            if timeline.ended_at > first.ended_at:
                message = f"stopped because {first.task} ended with exit code {first.exit_code}"
                timeline.ask_to_end(first.ended_at, message)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt: the entry of the journal that began it, what happened to it, and the timelines that follow."""

    entry: Mapping[str, Any]
    incidents: list[Incident]
    timelines: list[TaskTimeline]


class Simulation:
    """A job that was started at least once; it gets the entries of its journal in their order."""

    def __init__(self, job_id: str) -> None:
        self.id = job_id
        self._attempts: list[Attempt] = []
        self._moments: list[float] = []

    @property
    def entry(self) -> Mapping[str, Any]:
        """The entry that has begun the newest attempt."""
        return self._newest.entry

    @property
    def _newest(self) -> Attempt:
        return self._attempts[-1]

    @property
    def has_begun(self) -> bool:
        """Whether an entry has begun an attempt."""
        return bool(self._attempts)

    def apply_entry(self, entry: Mapping[str, Any]) -> None:
        """Begin an attempt, or apply what the entry says to the newest one; nothing changes if that raises."""
        before, began, incidents = self._attempts, entry, list[Incident]()
        if entry["kind"] != "started":
            before, began = self._attempts[:-1], self.entry
            incidents = [*self._newest.incidents, Incident(entry["at"], entry["kind"], entry["task"])]
        timelines = simulate(began["plan"], began["node_count"], began["attempt"], began["at"], incidents)
        self._attempts = [*before, Attempt(began, incidents, timelines)]
        self._moments = sorted({at for timeline in self._newest.timelines for at in self._changes(timeline)})

    def has_ended(self, now: float) -> bool:
        """Whether all tasks have ended at this moment."""
        return all(timeline.ended_at <= now for timeline in self._newest.timelines)

    def next_change(self, now: float) -> float:
        """The first later moment at which a task reports something new or prints a line; infinite if there is none."""
        index = bisect_right(self._moments, now)
        return self._moments[index] if index < len(self._moments) else inf

    def log(self, task: str, now: float) -> bytes:
        """What the task has printed up to this moment, in all attempts."""
        index = task_names(self.entry["node_count"]).index(task)
        lines = (line for attempt in self._attempts for line in self._lines(attempt, attempt.timelines[index]))
        return b"".join(f"{text}\n".encode(errors="backslashreplace") for at, text in lines if at <= now)

    def reports_at(self, now: float) -> list[TaskReport]:
        """What the tasks report at this moment."""
        return [self._report(timeline, now) for timeline in self._newest.timelines]

    def metrics(self, task: str, now: float, period: float) -> dict[str, list[float]] | None:
        """One value per full period of each attempt; an ended attempt that was shorter has one."""
        index = task_names(self.entry["node_count"]).index(task)
        values: dict[str, list[float]] = {name: [] for name in METRICS}
        for attempt in self._attempts:
            timeline = attempt.timelines[index]
            if timeline.started_at > now:
                continue
            usage = _USAGE | (_GPU_USAGE if attempt.entry["has_gpus"] else {})
            count = math.floor((min(now, timeline.ended_at) - timeline.started_at) / period)
            for number in range(count or int(timeline.ended_at <= now)):
                for name in METRICS:
                    planned = timeline.plan.metrics.get(name) or (usage.get(name, NOT_MEASURED),)
                    values[name].append(planned[min(number, len(planned) - 1)])
        return values if values["cpuUsage"] else None

    def _report(self, timeline: TaskTimeline, now: float) -> TaskReport:
        has_started, has_ended = timeline.started_at <= now, timeline.ended_at <= now
        state: TaskState = "ended" if has_ended else "running" if has_started else "preparing"
        return TaskReport(
            timeline.task,
            state,
            timeline.started_at if has_started else None,
            timeline.ended_at if has_ended else None,
            timeline.exit_code if has_ended else None,
            timeline.message if has_ended else None,
            self.entry["attempt"],
            timeline.failure if has_ended else None,
            tuple(event for event in self._events(timeline) if event.time <= now),
        )

    def _changes(self, timeline: TaskTimeline) -> Iterator[float]:
        """When the task has something new to report or to print; none of it is infinite."""
        yield from (at for at in (timeline.started_at, timeline.ended_at) if at < inf)
        yield from (at for at, _ in self._user_lines(timeline))

    def _events(self, timeline: TaskTimeline) -> Iterator[TaskEvent]:
        """In the words of tasks that really run; a lost node has no more events."""
        entry = self.entry
        inputs = [f"input(parameter name: {channel})" for channel in entry["inputs"]]
        for what in inputs + [f"output(parameter name: {channel})" for channel in entry.get("restored", ())]:
            yield _event(timeline, timeline.begun_at, f" Training {what} Downloading.")
            finished = f"[time used: 0.000s] Download training {what} finished."
            yield _event(timeline, min(timeline.started_at, timeline.ended_at), finished)
        if timeline.started_at < inf:
            yield _event(timeline, timeline.started_at, " training started.")
        if timeline.started_at < inf and timeline.ended_at < inf and timeline.failure != "node_lost":
            yield _event(timeline, timeline.ended_at, f" Training finished. Exit code {timeline.exit_code}.")
            for channel in entry["outputs"]:
                yield _event(timeline, timeline.ended_at, f" Training output(parameter name: {channel}) Uploading.")
                finished = f"[time used: 0.000s] Upload training output(parameter name: {channel}) finished."
                yield _event(timeline, timeline.ended_at, finished)

    def _user_lines(self, timeline: TaskTimeline) -> Iterator[tuple[float, str]]:
        """What the user's process prints, as long as it runs."""
        for after, text in timeline.plan.log:
            if timeline.started_at + after > timeline.ended_at:
                return
            if timeline.started_at < inf:
                yield timeline.started_at + after, text

    def _lines(self, attempt: Attempt, timeline: TaskTimeline) -> Iterator[tuple[float, str]]:
        """The whole log of an attempt, as far as it can be foreseen."""
        task, begun_at, started_at, ended_at = timeline.task, timeline.begun_at, timeline.started_at, timeline.ended_at
        yield begun_at, service_line(f"{task} is fetching code and inputs", begun_at)
        if started_at < inf:
            yield started_at, service_line(f"{task} is starting {attempt.entry['program']}", started_at)
        values = {"task": task, "attempt": str(attempt.entry["attempt"])}
        yield from ((at, render(text, values)) for at, text in self._user_lines(timeline))
        if ended_at < inf and timeline.failure != "node_lost":
            yield ended_at, service_line(f"{task} exit with {timeline.exit_code}", ended_at)


def _event(timeline: TaskTimeline, at: float, sentence: str) -> TaskEvent:
    return TaskEvent(at, f"[{timeline.task}]{sentence}")
