"""Views: what is stored, in the form of the service's answers. Reading changes nothing, not even a duration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from modelarts_emulator.execution.protocol import task_names
from modelarts_emulator.http.json import Encoded, array, compose, members
from modelarts_emulator.jobs.events import Event
from modelarts_emulator.jobs.store import Job

__all__ = ["METRICS", "events_view", "flavor_view", "job_view", "metrics_view", "page_view", "status_view"]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LAST_SECOND = int((datetime.max.replace(tzinfo=UTC) - EPOCH).total_seconds()) - 1
METRICS = ("cpuUsage", "memUsage", "npuUtil", "npuMemUsage", "gpuUtil", "gpuMemUsage")


def job_view(job: Job, now: int) -> Encoded:
    """The job as create, show, stop and search answer it; `now` in milliseconds."""
    return compose(job.head, members({"status": status_view(job, now)}), job.tail)


def page_view(total: int, jobs: Sequence[Job], page: Mapping[str, Any], now: int) -> Encoded:
    """A page of a search: how many jobs match, the page's own description, and its jobs."""
    common = {"workspace_id": "0", "ai_project": "default-ai-project"}
    items = array(job_view(job, now) for job in jobs)
    return compose(members({"total": total, "count": len(jobs), **page, **common}), f'"items":{items}')


def status_view(job: Job, now: int) -> dict[str, Any]:
    """The job's status; `duration` in milliseconds, up to now while it runs.

    `running_records` has seconds where everything else has milliseconds: so the page "Querying the Details About a
    Training Job" prints it.
    """
    running = bool(job.attempt_start)
    counts = [*job.node_counts, [now, job.node_counts[-1][1]]] if running and job.node_counts else job.node_counts
    status: dict[str, Any] = {
        "phase": job.phase,
        "secondary_phase": job.secondary_phase,
        "duration": job.worked + (max(now - job.attempt_start, 0) if running else 0),
        "start_time": job.start_time,
        "node_count_metrics": counts or None,
        "tasks": task_names(job.node_count),
    }
    if job.task_statuses:
        status["task_statuses"] = job.task_statuses
    if job.running_records:
        status["running_records"] = job.running_records
    return status


def flavor_view(flavor: Mapping[str, Any]) -> dict[str, Any]:
    """A flavor without the catalogue's own members."""
    return {name: value for name, value in flavor.items() if name not in ("pool_only", "capacity")}


def metrics_view(values: Mapping[str, Iterable[float]]) -> dict[str, Any]:
    """The metrics of a task, in the order in which the service prints them."""
    return {"metrics": [{"metric": name, "value": list(values[name])} for name in METRICS if name in values]}


def events_view(total: int, found: Iterable[Event], page: Mapping[str, Any]) -> dict[str, Any]:
    """A page of a job's events; times are text here, in seconds, where everything else has milliseconds."""
    span = {name: _timestamp(page[name]) for name in ("start_time", "end_time")}
    items = [
        {"time": _timestamp(event.time), "level": event.level, "message": event.message, "source": event.source}
        for event in found
    ]
    return {"total": total, **page, **span, "events": items}


def _timestamp(milliseconds: int) -> str:
    """The time as RFC 3339 writes it, in UTC; the last one there is for what lies beyond."""
    seconds = min(milliseconds // 1000, LAST_SECOND)
    return (EPOCH + timedelta(seconds=seconds)).isoformat()
