"""Metrics of tasks: page "Querying the Running Metrics of a Specified Task in a Training Job"."""

from __future__ import annotations

from modelarts_emulator.http.call import Call, Response
from modelarts_emulator.v2.context import V2
from modelarts_emulator.v2.handlers.logs import find_task
from modelarts_emulator.v2.views import metrics_view

__all__ = ["show_training_job_metrics"]


def show_training_job_metrics(v2: V2, call: Call) -> Response:
    """One average per minute and metric; 204 until there is a first one (ModelArts.2777 in the table of errors)."""
    job, task = find_task(v2, call)
    if not job.run.was_launched:
        return Response(204)
    try:
        values = v2.executor.usage(job.run.id, task)
    except KeyError:
        return Response(204)
    return Response(200, metrics_view(values)) if values else Response(204)
