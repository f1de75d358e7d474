"""Clocks of nodes that differ from the emulator's: found by what a node says of its time, and corrected in reports."""

from __future__ import annotations

from dataclasses import replace

from modelarts_emulator.execution.protocol import TaskReport

__all__ = ["TOLERANCE_S", "clock_error_s", "corrected"]

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
