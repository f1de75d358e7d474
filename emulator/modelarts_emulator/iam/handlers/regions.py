"""Regions: pages "Querying a Region List" and "Querying Region Details"."""

from __future__ import annotations

from typing import Any

from modelarts_emulator.http.call import Call, Response
from modelarts_emulator.iam.context import Iam
from modelarts_emulator.iam.errors import NotFound
from modelarts_emulator.iam.views import links

__all__ = ["list_regions", "show_region"]


def list_regions(iam: Iam, call: Call) -> Response:
    """The one region that the emulator stands for."""
    return Response(200, {"regions": [_region(call, iam.accounts.region)], "links": links(call, "/v3/regions")})


def show_region(iam: Iam, call: Call) -> Response:
    """The region, if it is the one that there is."""
    region = call.path["region_id"]
    if region != iam.accounts.region:
        raise NotFound(f"There is no region {region}: the emulator stands for {iam.accounts.region}.")
    return Response(200, {"region": _region(call, region)})


def _region(call: Call, region: str) -> dict[str, Any]:
    return {
        "id": region,
        "type": "public",
        "description": "",
        "parent_region_id": None,
        "locales": {"en-us": region},
        "links": {"self": f"{call.endpoint}/v3/regions/{region}"},
    }
