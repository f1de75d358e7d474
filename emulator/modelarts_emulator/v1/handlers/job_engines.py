"""Engines: page "Querying Job Engine Specifications"."""

from __future__ import annotations

from modelarts_emulator.http.call import Call, Response
from modelarts_emulator.v1.context import V1
from modelarts_emulator.v1.specs import engine_view
from modelarts_emulator.v1.views import done

__all__ = ["list_job_engines"]


def list_job_engines(v1: V1, call: Call) -> Response:
    """The engines of the catalogue, which are all for training: none is for inference."""
    is_training = call.query.get("job_type", "train") == "train"
    engines = v1.catalogue.v1_engines.values() if is_training else ()
    return Response(200, done(engines=[engine_view(engine) for engine in engines]))
