"""Views of visualization jobs, in the form of the responses of version 1."""

from __future__ import annotations

from typing import Any

from modelarts_emulator.v1.statuses import STATUSES
from modelarts_emulator.visualization.jobs import VisualizationJob

__all__ = ["created_view", "job_view"]


def created_view(job: VisualizationJob, url: str) -> dict[str, Any]:
    """The response to a new job; page "Creating a Visualization Job"."""
    shown = job_view(job, url, 0)
    return {"is_success": True} | {
        name: shown[name] for name in ("job_id", "job_name", "status", "create_time", "service_url")
    }


def job_view(job: VisualizationJob, url: str, now: int) -> dict[str, Any]:
    """A job as it is shown and listed; `now` in milliseconds, `url` is where its tool serves, empty if it does not.

    A job that has failed says why, which the service does not.
    """
    return {
        "job_id": job.id,
        "job_name": job.name,
        "job_desc": job.description,
        "status": STATUSES[job.phase],
        "create_time": job.create_time,
        "duration": job.duration(now),
        "service_url": url,
        "train_url": job.train_url,
        "resource_id": job.resource_id,
    } | ({"error_message": job.error} if job.error else {})
