"""Views: what is stored, in the form of the service's responses. Reading changes nothing, not even a duration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from modelarts_emulator.engine.events import Event
from modelarts_emulator.engine.runs import Run
from modelarts_emulator.execution.protocol import task_names
from modelarts_emulator.v2.jobs import Job

__all__ = ["METRICS", "events_view", "flavor_view", "job_view", "metrics_view", "page_view", "status_view"]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LAST_SECOND = int((datetime.max.replace(tzinfo=UTC) - EPOCH).total_seconds()) - 1
METADATA = ("id", "name", "description")  # in this order before the rest
METRICS = ("cpuUsage", "memUsage", "npuUtil", "npuMemUsage", "gpuUtil", "gpuMemUsage")


def job_view(job: Job, now: int) -> dict[str, Any]:
    """The job as create, show, stop and search send it; `now` in milliseconds."""
    document = job.document
    metadata = {**document["metadata"], "description": job.description}
    return {
        "kind": job.kind,
        "metadata": {name: metadata[name] for name in METADATA if name in metadata} | metadata,
        "status": status_view(job.run, now),
        "algorithm": document["algorithm"],
        "spec": document["spec"],
    }


def page_view(total: int, jobs: Sequence[Job], page: Mapping[str, Any], now: int) -> dict[str, Any]:
    """A page of a search: how many jobs match, the page's own description, and its jobs."""
    common = {"workspace_id": "0", "ai_project": "default-ai-project"}
    return {"total": total, "count": len(jobs), **page, **common, "items": [job_view(job, now) for job in jobs]}


def status_view(run: Run, now: int) -> dict[str, Any]:
    """The status of a job with this run; `duration` in milliseconds, up to now while it runs.

    `running_records` has seconds where everything else has milliseconds: so the page "Querying the Details About a
    Training Job" prints it.
    """
    running = bool(run.attempt_start)
    counts = [*run.node_counts, [now, run.node_counts[-1][1]]] if running and run.node_counts else run.node_counts
    status: dict[str, Any] = {
        "phase": run.phase,
        "secondary_phase": run.secondary_phase,
        "duration": run.past_duration + (max(now - run.attempt_start, 0) if running else 0),
        "start_time": run.start_time,
        "node_count_metrics": counts or None,
        "tasks": task_names(run.node_count),
    }
    if run.task_statuses:
        status["task_statuses"] = run.task_statuses
    if run.running_records:
        status["running_records"] = run.running_records
    return status


CATALOGUE_MEMBERS = ("pool_only", "capacity", "slurm")


def flavor_view(flavor: Mapping[str, Any]) -> dict[str, Any]:
    """A flavor without the catalogue's own members."""
    return {name: value for name, value in flavor.items() if name not in CATALOGUE_MEMBERS}


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
