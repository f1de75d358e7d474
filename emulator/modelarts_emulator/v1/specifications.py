"""Specifications of resources, engines and built-in algorithms of version 1.

Pages "Querying Job Resource Specifications", "Querying Job Engine Specifications" and "Querying a Built-in Algorithm".
The last one prints two algorithms, whose code is not published: they are listed, and jobs cannot run them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from modelarts_emulator.engine.runs import node_resources
from modelarts_emulator.http.family import Call, Response
from modelarts_emulator.service import ModelArts
from modelarts_emulator.settings.catalogue import Catalogue, max_nodes
from modelarts_emulator.v1.conventions import done, page_of

BUILT_IN_ALGORITHMS = Path(__file__).with_name("built_in_algorithms.json")
GIGABYTE = 1 << 30  # bytes
ENGINE = ("engine_type", "engine_name", "engine_id", "engine_version")
WHERE_SPECS = "GET /v1/{project_id}/job/resource-specs lists them"
ANY_ENGINE = 0
USUAL_PROJECT = 0  # other types of projects are not documented


def list_job_resource_specs(service: ModelArts, call: Call) -> Response:
    """The specifications that the engine runs on, all of them for training; none for an unknown engine."""
    query, catalogue = call.query, service.catalogue
    is_training = query.get("job_type", "train") == "train"
    specs = list(catalogue.v1_specs.values())
    if not is_training or query.get("project_type", USUAL_PROJECT) != USUAL_PROJECT:
        specs = []
    if (engine_id := query.get("engine_id", ANY_ENGINE)) != ANY_ENGINE:
        engine = catalogue.v1_engines.get(engine_id)
        specs = [spec for spec in specs if engine is not None and fits(catalogue, engine, spec)]
    found = [spec_view(catalogue, spec) for spec in specs]
    return Response(200, done(specs=found, spec_total_count=len(found)))


def list_job_engines(service: ModelArts, call: Call) -> Response:
    """The engines of the catalogue, which are all for training: none is for inference."""
    is_training = call.query.get("job_type", "train") == "train"
    engines = service.catalogue.v1_engines.values() if is_training else ()
    return Response(200, done(engines=[engine_view(engine) for engine in engines]))


def list_built_in_algorithms(_service: ModelArts, call: Call) -> Response:
    """One page of the documented algorithms whose names contain the text; their hyperparameters are JSON as text."""
    text = call.query.get("search_content", "").lower()
    known = [each for each in json.loads(BUILT_IN_ALGORITHMS.read_bytes()) if text in each["model_name"].lower()]
    found = [each | {"parameter": json.dumps(each["parameter"])} for each in known]
    page = page_of(call.query, "engine", "desc")
    member = {"engine": "engine_id"}.get(page.sort_by, page.sort_by)
    found.sort(key=lambda each: each[member], reverse=not page.is_ascending)
    return Response(200, done(model_total_count=len(found), models=found[page.start : page.start + page.limit]))


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
        "max_num": max_nodes(flavor, spec["max_num"]),
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


def fits(catalogue: Catalogue, engine: Mapping[str, Any], spec: Mapping[str, Any]) -> bool:
    """Whether the engine runs on nodes of the specification."""
    has_gpus = catalogue.flavors[spec["flavor_id"]].get("flavor_type") == "GPU"
    return not (engine.get("cpu_only") and has_gpus)
