"""Resources: the flavors on offer, and the one that a job asks for, checked against engine and algorithm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.http.family import Call, Response
from modelarts_emulator.service import ModelArts
from modelarts_emulator.settings.catalogue import Catalogue, max_nodes

CATALOGUE_MEMBERS = ("pool_only", "capacity", "slurm", "executor")  # which responses do not have


def resolve(
    catalogue: Catalogue,
    given: Mapping[str, Any],
    engine: Mapping[str, Any],
    requirements: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """The job's resource as the service shows it; raises ServiceError if the flavor is unknown or does not fit."""
    if given.get("pool_id"):
        raise ServiceError("ModelArts.2890", f"Pool {given['pool_id']} not found: the emulator has no resource pools.")
    flavor_id = given.get("flavor_id") or ""
    flavor = catalogue.flavors.get(flavor_id)
    if flavor is None:
        raise ServiceError(
            "ModelArts.2781", f"Flavor ({flavor_id}) not found." if flavor_id else "Flavor not found: none given."
        )
    if flavor.get("pool_only"):
        raise ServiceError("ModelArts.2763", f"Flavor {flavor_id} exists in dedicated resource pools only.")
    _check_fit(flavor, engine, requirements)
    node_count = int(given.get("node_count") or 1)
    if node_count > (most := max_nodes(flavor)):
        raise ServiceError("ModelArts.2793", f"Flavor {flavor_id}: {node_count} nodes are more than its {most}.")
    info = {name: value for name, value in flavor.get("flavor_info", {}).items() if name != "max_num"}
    detail = {"flavor_type": flavor["flavor_type"], "billing": flavor.get("billing"), "flavor_info": info}
    shown = {
        "flavor_id": flavor_id,
        "flavor_name": flavor.get("flavor_name"),
        "node_count": node_count,
        "flavor_detail": {name: value for name, value in detail.items() if value is not None},
    }
    return {name: value for name, value in shown.items() if value is not None}


def show_training_job_flavors(service: ModelArts, call: Call) -> Response:
    """All public flavors, or those of one type; page "Querying Training Job Flavors"."""
    groups = call.query.get("support_groups", "public")
    if call.query.get("pool_id") or call.query.get("support_engines") or groups not in ("", "public"):
        lacking = "resource pools, and its flavors are for all engines and users"
        raise ServiceError("ModelArts.2858", f"Operation not supported: the emulator has no {lacking}.")
    wanted = call.query.get("flavor_type")
    shown = [
        {name: value for name, value in flavor.items() if name not in CATALOGUE_MEMBERS}
        for flavor in service.catalogue.flavors.values()
        if not flavor.get("pool_only") and wanted in (None, flavor["flavor_type"])
    ]
    return Response(200, {"total_count": len(shown), "flavors": shown})


def _check_fit(flavor: Mapping[str, Any], engine: Mapping[str, Any], requirements: Sequence[Mapping[str, Any]]) -> None:
    kind = flavor["flavor_type"]
    # An engine without an image for a kind of flavor cannot run there.
    if engine.get("image_info", {}).get(f"{kind.lower()}_image_url") == "":
        raise ServiceError("ModelArts.2840", f"Engine {engine['engine_id']} has no image for {kind} flavors.")
    for requirement in requirements:
        wanted = requirement.get("value") or []
        if requirement.get("key") == "flavor_type" and wanted and kind not in wanted:
            raise ServiceError(
                "ModelArts.2763", f"The algorithm asks for flavors of type {', '.join(wanted)}, not {kind}."
            )
