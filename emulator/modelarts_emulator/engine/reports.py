"""Reports of tasks, made such that they can be stored: tasks run code of users, who can make them say anything."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar, get_args

from modelarts_emulator.execution.protocol import FailureKind, TaskEvent, TaskReport, TaskState

__all__ = ["clean_reports", "clean_text"]

MAX_TEXT = 65_536  # characters of a message that are kept
MIN_TIME_S = 1.0  # 0 milliseconds stand for "not yet" in the tables
MAX_TIME_S = 253_402_300_799.0  # 9999-12-31, the last day that the service's responses can name
MAX_EXIT_CODE = 2**31 - 1

STATES, FAILURE_KINDS = get_args(TaskState), get_args(FailureKind)
SOURCES, LEVELS = ("K8S", "Task"), ("Info", "Warning", "Error")

Item = TypeVar("Item")


def clean_text(text: object) -> str:
    """The text without what UTF-8 cannot encode (it becomes an escape sequence), cut to 65,536 characters."""
    whole = str(text)
    cut = whole if len(whole) <= MAX_TEXT else f"{whole[:MAX_TEXT]}... ({len(whole):,} characters)"
    return cut.encode("utf-8", "backslashreplace").decode("utf-8")


def clean_reports(reports: Any, tasks: Sequence[str]) -> list[TaskReport]:
    """The reports with texts, times and numbers that every database holds.

    Values out of range become the nearest that is possible. Raises ValueError for anything but a list of reports of
    these tasks, at most one of each.
    """
    if not isinstance(reports, list | tuple):
        raise ValueError(f"the executor reported {clean_text(repr(reports))[:200]} instead of a list of task reports")
    cleaned = [_clean_report(report, tasks) for report in reports]
    for task, count in Counter(report.task for report in cleaned).items():
        if count > 1:
            raise ValueError(f"the executor reported {task} {count} times at once")
    return cleaned


def _clean_report(report: Any, tasks: Sequence[str]) -> TaskReport:
    if not isinstance(report, TaskReport):
        raise ValueError(f"the executor reported {clean_text(repr(report))[:200]} instead of a task report")
    task = _one_of(report.task, tasks, "task")
    _one_of(report.state, STATES, "state")
    if not isinstance(report.attempt, int):
        raise ValueError(f"{task} reports the attempt {clean_text(repr(report.attempt))[:200]}, which is not a number")
    started_at, ended_at = _clean_time(report.started_at), _clean_time(report.ended_at)
    exit_code = _clean_exit_code(report.exit_code)
    message = None if report.message is None else clean_text(report.message)
    failure = None if report.failure is None else _one_of(report.failure, FAILURE_KINDS, "failure")
    events = tuple(map(_clean_event, report.events))
    return replace(
        report,
        started_at=started_at,
        ended_at=ended_at,
        exit_code=exit_code,
        message=message,
        failure=failure,
        events=events,
    )


def _clean_event(event: Any) -> TaskEvent:
    if not isinstance(event, TaskEvent):
        raise ValueError(f"a task reported {clean_text(repr(event))[:200]} instead of an event")
    source = _one_of(event.source, SOURCES, "source of an event")
    level = _one_of(event.level, LEVELS, "level of an event")
    return TaskEvent(_clean_time(event.time) or MIN_TIME_S, clean_text(event.message), source, level)  # type: ignore[arg-type]


def _clean_time(seconds: Any) -> float | None:
    if seconds is None:
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or math.isnan(seconds):
        return MIN_TIME_S
    return seconds if MIN_TIME_S <= seconds <= MAX_TIME_S else min(max(seconds, MIN_TIME_S), MAX_TIME_S)


def _clean_exit_code(code: Any) -> int | None:
    """The exit code; None for what is none, so that the task has not ended well."""
    if isinstance(code, bool) or not isinstance(code, int):
        return None
    return min(max(code, -MAX_EXIT_CODE), MAX_EXIT_CODE)


def _one_of(value: Any, known: Sequence[Item], what: str) -> Item:
    for item in known:
        if type(value) is type(item) and value == item:
            return item
    raise ValueError(f"a task reports the {what} {clean_text(repr(value))[:200]}: known are {known}")
