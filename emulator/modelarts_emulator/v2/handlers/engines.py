"""Engines: page "Obtaining the Preset AI Frameworks Supported by a Training Job"."""

from __future__ import annotations

from modelarts_emulator.http.call import Call, Response
from modelarts_emulator.v2.context import V2

__all__ = ["show_training_job_engines"]


def show_training_job_engines(v2: V2, _call: Call) -> Response:
    """All preset engines."""
    items = [dict(engine) for engine in v2.catalogue.engines.values()]
    return Response(200, {"total": len(items), "items": items})
