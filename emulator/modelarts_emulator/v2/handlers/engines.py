"""Engines: page "Obtaining the Preset AI Frameworks Supported by a Training Job"."""

from __future__ import annotations

from modelarts_emulator.http.call import Answer, Call

__all__ = ["show_training_job_engines"]


def show_training_job_engines(call: Call) -> Answer:
    """All preset engines."""
    items = [dict(engine) for engine in call.services.catalogue.engines.values()]
    return Answer(200, {"total": len(items), "items": items})
