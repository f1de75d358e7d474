"""One simulated job: its timelines, attempt after attempt, as reports, log files and metrics of a given moment."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from math import inf
from pathlib import Path
from typing import Any

from modelarts_emulator.execution.protocol import TaskEvent, TaskReport, TaskState, task_names
from modelarts_emulator.execution.simulated.plan import METRICS, NOT_MEASURED, render
from modelarts_emulator.execution.simulated.timeline import Incident, TaskTimeline, simulate

__all__ = ["Simulation"]

_USAGE = {"cpuUsage": 50.0, "memUsage": 20.0}
_GPU_USAGE = {"gpuUtil": 80.0, "gpuMemUsage": 40.0}


@dataclass(slots=True)
class Attempt:
    """One attempt: the entry of the journal that began it, what happened to it, and the timelines that follow."""

    entry: Mapping[str, Any]
    incidents: list[Incident] = field(default_factory=list)
    timelines: list[TaskTimeline] = field(default_factory=list)

    def simulate(self) -> None:
        entry = self.entry
        self.timelines = simulate(entry["plan"], entry["node_count"], entry["attempt"], entry["at"], self.incidents)


class Simulation:
    """A job that was started at least once; `next_change` is the first moment at which `reach` has something to do.

    It gets the entries of its journal in their order.
    """

    def __init__(self, job_id: str, folder: Path) -> None:
        self.id = job_id
        self._now = -inf
        self.next_change = -inf
        self._folder = folder
        self._attempts: list[Attempt] = []
        self._written: dict[str, int] = {}
        self._logs: dict[str, deque[tuple[float, bytes]]] | None = None
        self._is_resumed = False

    @property
    def attempt(self) -> int:
        return int(self._newest.entry["attempt"])

    @property
    def plan(self) -> dict[str, Any]:
        return dict(self._newest.entry["plan"])

    @property
    def node_count(self) -> int:
        return int(self._newest.entry["node_count"])

    @property
    def has_ended(self) -> bool:
        """Whether all tasks have ended, as far as the job was brought to the present moment."""
        return all(timeline.ended_at <= self._now for timeline in self._newest.timelines)

    @property
    def _newest(self) -> Attempt:
        return self._attempts[-1]

    def resume(self) -> None:
        """Go on behind what an executor before this one has written."""
        self._is_resumed = True

    def apply_entry(self, entry: Mapping[str, Any]) -> None:
        """Begin an attempt, or apply what the entry says to the newest one."""
        if entry["kind"] == "started":
            self._attempts.append(Attempt(entry))
        else:
            self._newest.incidents.append(Incident(entry["at"], entry["kind"], entry["task"]))
        self._newest.simulate()
        self._logs = None
        self.next_change = -inf

    def advance_to(self, now: float) -> None:
        """Bring reports and log files to this moment."""
        if self._logs is None:
            self._logs = {task: self._unwritten(task) for task in task_names(self.node_count)}
        self._now = now
        for task, lines in self._logs.items():
            self._write(task, lines, now)
        moments = (at for timeline in self._newest.timelines for at in self._moments(timeline))
        self.next_change = min((at for at in moments if at > now), default=inf)

    def reports_at(self, now: float) -> list[TaskReport]:
        """What the tasks report at this moment."""
        return [self._report(timeline, now) for timeline in self._newest.timelines]

    def log_path(self, task: str) -> Path:
        return self._folder / f"{task}.log"

    def metrics(self, task: str, now: float, period: float) -> dict[str, list[float]] | None:
        """One value per full period of each attempt; an ended attempt that was shorter has one."""
        index = task_names(self.node_count).index(task)
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
        hangs = timeline.hung_at <= now < timeline.ended_at
        return TaskReport(
            timeline.task,
            state,
            timeline.started_at if has_started else None,
            timeline.ended_at if has_ended else None,
            timeline.exit_code if has_ended else None,
            timeline.message if has_ended else None,
            self.attempt,
            timeline.failure if has_ended else "hung" if hangs else None,
            tuple(event for event in self._events(timeline) if event.time <= now),
        )

    def _moments(self, timeline: TaskTimeline) -> Iterator[float]:
        """When the task has something new to report or to write next; none of it is infinite."""
        yield from (at for at in (timeline.started_at, timeline.hung_at, timeline.ended_at) if at < inf)
        lines = (self._logs or {}).get(timeline.task)
        if lines:
            yield lines[0][0]

    def _events(self, timeline: TaskTimeline) -> Iterator[TaskEvent]:
        """In the words of tasks that really run; a lost node has no more events."""
        entry = self._newest.entry
        for channel in entry["inputs"]:
            yield _event(timeline, timeline.begun_at, f" Training input(parameter name: {channel}) Downloading.")
            finished = f"[time used: 0.000s] Download training input(parameter name: {channel}) finished."
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
        until = min(timeline.ended_at, timeline.hung_at)
        for after, text in timeline.plan.log:
            if timeline.started_at + after > until:
                return
            if timeline.started_at < inf:
                yield timeline.started_at + after, text

    def _lines(self, attempt: Attempt, timeline: TaskTimeline) -> Iterator[tuple[float, str]]:
        """The whole log of an attempt, as far as it can be foreseen."""
        yield timeline.begun_at, _service(timeline.begun_at, f"{timeline.task} is fetching code and inputs")
        if timeline.started_at < inf:
            yield (
                timeline.started_at,
                _service(timeline.started_at, f"{timeline.task} is starting {attempt.entry['program']}"),
            )
        values = {"task": timeline.task, "attempt": str(attempt.entry["attempt"])}
        yield from ((at, render(text, values)) for at, text in self._user_lines(timeline))
        if timeline.ended_at < inf and timeline.failure != "node_lost":
            if timeline.failure == "disk_full":
                yield timeline.ended_at, f"OSError: [Errno 28] {timeline.message}"
            yield timeline.ended_at, _service(timeline.ended_at, f"{timeline.task} exit with {timeline.exit_code}")

    def _unwritten(self, task: str) -> deque[tuple[float, bytes]]:
        """The lines that are to be written yet, each with its moment, in their order."""
        if task not in self._written:
            path = self.log_path(task)
            self._written[task] = path.stat().st_size if self._is_resumed and path.exists() else 0
        index, written = task_names(self.node_count).index(task), self._written[task]
        lines: deque[tuple[float, bytes]] = deque()
        for attempt in self._attempts:
            for at, text in self._lines(attempt, attempt.timelines[index]):
                line = f"{text}\n".encode(errors="backslashreplace")
                if len(line) > written:
                    lines.append((at, line[written:]))
                written = max(written - len(line), 0)
        return lines

    def _write(self, task: str, lines: deque[tuple[float, bytes]], now: float) -> None:
        """Append the lines whose time has come."""
        due = []
        while lines and lines[0][0] <= now:
            due.append(lines.popleft()[1])
        if due:
            content = b"".join(due)
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self.log_path(task).open("ab") as stream:
                stream.write(content)
            self._written[task] += len(content)


def _event(timeline: TaskTimeline, at: float, sentence: str) -> TaskEvent:
    return TaskEvent(at, f"[{timeline.task}]{sentence}")


def _service(at: float, message: str) -> str:
    moment = datetime.fromtimestamp(at).astimezone()
    return f"[ModelArts Service Log][INFO][{moment:%Y/%m/%d %H:%M:%S},{moment.microsecond // 1000:03d}]: {message}"
