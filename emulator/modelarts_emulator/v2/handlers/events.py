"""Events of a job: page "Obtaining the Events of a Training Job"."""

from __future__ import annotations

from modelarts_emulator.engine import events
from modelarts_emulator.engine.events import EventQueryError
from modelarts_emulator.http.call import Call, Response
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.v2 import jobs
from modelarts_emulator.v2.context import V2
from modelarts_emulator.v2.views import events_view

__all__ = ["list_training_job_events"]


def list_training_job_events(v2: V2, call: Call) -> Response:
    """One page of what happened to the job; without a time, from its creation until now."""
    with v2.database.reading() as connection:
        job = jobs.find(connection, call.project_id, call.path["training_job_id"])
        span = (job.create_time, v2.now())
        try:
            total, found, page = events.list_page(connection, job.run.id, call.query, span)
        except EventQueryError as error:
            raise _rejection(error) from None
    return Response(200, events_view(total, found, page))


def _rejection(error: EventQueryError) -> ServiceError:
    if error.parameter == "order":
        return ServiceError("ModelArts.2764", f"Invalid query parameter: {error}.")
    return ServiceError("ModelArts.50004000", f"Bad request: {error}.")
