"""Resource specifications and engines of version 1, in the form in which its lists and versions have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from modelarts_emulator.settings.catalogue import Catalogue, node_resources

__all__ = ["engine_view", "fits", "is_gpu", "spec_view", "specs_of_code"]

GIGABYTE = 1 << 30  # bytes
ENGINE = ("engine_type", "engine_name", "engine_id", "engine_version")


def spec_view(catalogue: Catalogue, spec: Mapping[str, Any]) -> dict[str, Any]:
    """A specification as the page "Querying Job Resource Specifications" prints it."""
    flavor = catalogue.flavors[spec["flavor_id"]]
    info = flavor.get("flavor_info", {})
    node = node_resources(spec["flavor_id"], info)
    return {
        "spec_id": spec["spec_id"],
        "core": f"{node.cpu_cores or ''}",
        "cpu": f"{(node.memory_bytes or 0) // GIGABYTE or ''}",
        "gpu_num": node.gpu_count,
        # The second version calls a product "GP-Vnt1" that the first calls "Vnt1".
        "gpu_type": info.get("gpu", {}).get("product_name", "").removeprefix("GP-"),
        "spec_code": spec["flavor_id"],
        "unit_num": flavor.get("billing", {}).get("unit_num", 1),
        "max_num": min(spec["max_num"], flavor.get("capacity", spec["max_num"])),
        "storage": "",
        "interface_type": 1,
        "no_resource": False,
    }


def engine_view(engine: Mapping[str, Any]) -> dict[str, Any]:
    """An engine as the page "Querying Job Engine Specifications" prints it."""
    return {name: engine[name] for name in ENGINE}


def specs_of_code(catalogue: Catalogue, code: str) -> list[Mapping[str, Any]]:
    """The specifications with this `spec_code`; the one that allows the most nodes is the last."""
    found = [spec for spec in catalogue.v1_specs.values() if spec["flavor_id"] == code]
    return sorted(found, key=lambda spec: (spec["max_num"], spec["spec_id"]))


def is_gpu(catalogue: Catalogue, spec: Mapping[str, Any]) -> bool:
    """Whether nodes of the specification have GPUs."""
    return bool(catalogue.flavors[spec["flavor_id"]].get("flavor_type") == "GPU")


def fits(catalogue: Catalogue, engine: Mapping[str, Any], spec: Mapping[str, Any]) -> bool:
    """Whether the engine runs on nodes of the specification."""
    return not (engine.get("cpu_only") and is_gpu(catalogue, spec))
