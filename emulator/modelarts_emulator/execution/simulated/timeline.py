"""When each task of a simulated job starts, fails and ends, computed from its plan and what happened to it.

Pure: the same plan and the same incidents give the same timelines, whoever computes them and whenever.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Literal

from modelarts_emulator.execution.protocol import KILLED, STOPPED, FailureKind, task_names
from modelarts_emulator.execution.simulated.plan import TaskPlan

__all__ = ["Incident", "TaskTimeline", "simulate"]

FAILED = 1


@dataclass(frozen=True, slots=True)
class Incident:
    """Something that happened to a job from outside, at a moment in Unix seconds; a stop concerns all tasks."""

    at: float
    kind: FailureKind | Literal["stopped"]
    task: str = ""


@dataclass(slots=True)
class TaskTimeline:
    """One task in one attempt, times in Unix seconds: what is later than now is foreseen.

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
    hung_at: float = inf

    def ask_to_end(self, at: float, message: str, failure: FailureKind | None = None) -> None:
        """SIGTERM: the task ends as soon as its plan says, unless it ends earlier by itself."""
        if failure is None and self.hung_at <= at:
            failure = "hung"
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
        elif incident.kind == "node_lost":
            self._end(at, KILLED, "the node was lost", "node_lost")
        elif incident.kind == "disk_full":
            self._end(at, FAILED, "No space left on device", "disk_full")
        elif incident.kind == "out_of_memory":
            self._end(at, KILLED, "killed, out of memory", "out_of_memory")
        else:
            self.hung_at = min(self.hung_at, max(at, self.started_at))
            self.ended_at, self.failure = inf, "hung"

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
        Incident(
            timeline.started_at + timeline.plan.planned_failure[0], timeline.plan.planned_failure[1], timeline.task
        )
        for timeline in timelines
        if timeline.plan.planned_failure is not None
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
    failed = [
        timeline
        for timeline in timelines
        if timeline.exit_code and timeline.ended_at <= until and timeline.ended_at < inf
    ]
    if failed:
        first = min(failed, key=lambda timeline: timeline.ended_at)
        for timeline in timelines:
            if timeline.ended_at > first.ended_at:
                message = f"stopped because {first.task} ended with exit code {first.exit_code}"
                timeline.ask_to_end(first.ended_at, message)
