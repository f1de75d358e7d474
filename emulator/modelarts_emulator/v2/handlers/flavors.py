"""Flavors: page "Querying Training Job Flavors"."""

from __future__ import annotations

from modelarts_emulator.http.call import Call, Response
from modelarts_emulator.v2.context import V2
from modelarts_emulator.v2.views import flavor_view

__all__ = ["show_training_job_flavors"]


def show_training_job_flavors(v2: V2, call: Call) -> Response:
    """All public flavors, or those of one type."""
    wanted = call.query.get("flavor_type")
    shown = [
        flavor_view(flavor)
        for flavor in v2.catalogue.flavors.values()
        if not flavor.get("pool_only") and wanted in (None, flavor["flavor_type"])
    ]
    return Response(200, {"total_count": len(shown), "flavors": shown})
