"""Clocks of nodes that differ from the emulator's: found by what a node says of its time, and corrected in reports."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from modelarts_emulator.execution.local import records
from modelarts_emulator.execution.local.json_files import write_once
from modelarts_emulator.execution.local.records import TaskPlace
from modelarts_emulator.execution.protocol import TaskEvent, TaskReport
from modelarts_emulator.execution.slurm import places

__all__ = ["TOLERANCE_S", "NodeClocks", "clock_error_s", "corrected"]

TOLERANCE_S = 5.0
"""By how much times may differ because things take their time."""


def clock_error_s(claimed_at: float, allocated_at: float | None, now: float) -> float:
    """By how much the clock of a node is fast (or, below 0, slow) that says when its controller began.

    That was after Slurm allocated the node, and before `now`; a difference that can have other causes is none.
    """
    if claimed_at > now + TOLERANCE_S:
        return claimed_at - now
    if allocated_at is not None and claimed_at < allocated_at - TOLERANCE_S:
        return claimed_at - allocated_at
    return 0.0


def corrected(report: TaskReport, error_s: float) -> TaskReport:
    """The report of a task on a node whose clock is so much fast, with times as the emulator's clock shows them."""
    if not error_s:
        return report
    return replace(
        report,
        started_at=None if report.started_at is None else report.started_at - error_s,
        ended_at=None if report.ended_at is None else report.ended_at - error_s,
        events=tuple(
            replace(event, time=event.time - error_s) if event.source == "Task" else event for event in report.events
        ),
    )


class NodeClocks:
    """The errors of the clocks of tasks' nodes, which are in the records of the tasks."""

    def __init__(self) -> None:
        self._errors_s: dict[TaskPlace, float] = {}

    def check(self, found: Sequence[TaskPlace], allocated_at: float | None) -> bool:
        """Record the errors of those tasks of an attempt that have begun; whether all have."""
        claims = [(place, claim) for place in found if (claim := places.read_claim(place)) is not None]
        for place, claim in claims:
            error_s = clock_error_s(claim.time, allocated_at, time.time())
            if error_s and write_once(places.clock(place), {"error_s": error_s}):
                self._errors_s[place] = error_s
                text = (
                    f"The clock of node {claim.node} is wrong by {error_s:+.0f} s: set it by NTP. Times are corrected."
                )
                records.add_event(place, TaskEvent(time.time(), f"[{place.task}] {text}", "K8S", "Warning"))
        return len(claims) == len(found)

    def error_s(self, place: TaskPlace) -> float:
        """The error of the task's clock; 0 as long as none is known."""
        if place not in self._errors_s and place.claim.exists():
            error_s = places.read_record(places.clock(place)).get("error_s")
            self._errors_s[place] = float(error_s) if isinstance(error_s, int | float) else 0.0
        return self._errors_s.get(place, 0.0)

    def discard(self, place: TaskPlace) -> None:
        """Forget the task."""
        self._errors_s.pop(place, None)

    def clear(self) -> None:
        """Forget all tasks."""
        self._errors_s.clear()
