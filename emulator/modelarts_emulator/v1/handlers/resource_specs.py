"""Resource specifications: page "Querying Job Resource Specifications"."""

from __future__ import annotations

from modelarts_emulator.http.call import Call, Response
from modelarts_emulator.v1.context import V1
from modelarts_emulator.v1.specs import fits, spec_view
from modelarts_emulator.v1.views import done

__all__ = ["list_job_resource_specs"]

ANY_ENGINE = 0
USUAL_PROJECT = 0  # other types of projects are not documented


def list_job_resource_specs(v1: V1, call: Call) -> Response:
    """The specifications that the engine runs on, all of them for training; none for an unknown engine."""
    query, catalogue = call.query, v1.catalogue
    is_training = query.get("job_type", "train") == "train"
    specs = list(catalogue.v1_specs.values())
    if not is_training or query.get("project_type", USUAL_PROJECT) != USUAL_PROJECT:
        specs = []
    if (engine_id := query.get("engine_id", ANY_ENGINE)) != ANY_ENGINE:
        engine = catalogue.v1_engines.get(engine_id)
        specs = [spec for spec in specs if engine is not None and fits(catalogue, engine, spec)]
    found = [spec_view(catalogue, spec) for spec in specs]
    return Response(200, done(specs=found, spec_total_count=len(found)))
