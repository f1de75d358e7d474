"""The flavors, engines and search algorithms on offer: read from `catalogue.toml` and from a file of the user's."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from modelarts_emulator.execution.protocol import Resources
from modelarts_emulator.execution.slurm.request import SlurmFlavor
from modelarts_emulator.http.errors import EmulatorError, ServiceError
from modelarts_emulator.settings import limits
from modelarts_emulator.settings.limits import Limits
from modelarts_emulator.tuning.settings import read_settings

__all__ = ["Catalogue", "capacities", "load", "max_nodes", "node_resources", "with_capacities"]

Entry = Mapping[str, Any]

STANDARD = Path(__file__).with_name("catalogue.toml")
MEMORY_UNITS = {"MB": 1 << 20, "GB": 1 << 30}  # in bytes
KINDS = {
    "flavor": "flavor_id",
    "engine": "engine_id",
    "search_algorithm": "name",
    "v1_engine": "engine_id",
    "v1_spec": "spec_id",
}
TYPES: dict[str, type] = {
    "flavor_id": str,
    "flavor_name": str,
    "flavor_type": str,
    "billing": dict,
    "flavor_info": dict,
    "attributes": dict,
    "pool_only": bool,
    "capacity": int,
    "slurm": dict,
    "engine_id": str,
    "engine_name": str,
    "engine_version": str,
    "python": str,
    "tags": list,
    "v1_compatible": bool,
    "run_user": str,
    "image_info": dict,
    "name": str,
    "params": list,
    "description": str,
}
V1_TYPES: dict[str, type] = {
    "engine_id": int,
    "engine_type": int,
    "engine_name": str,
    "engine_version": str,
    "pod_version": str,
    "python": str,
    "cpu_only": bool,
    "spec_id": int,
    "flavor_id": str,
    "max_num": int,
}
NEEDED = {
    "flavor": ("flavor_id",),
    "engine": ("engine_id", "engine_name", "engine_version"),
    "search_algorithm": ("name",),
    "v1_engine": ("engine_id", "engine_type", "engine_name", "engine_version"),
    "v1_spec": ("spec_id", "flavor_id", "max_num"),
}


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Flavors and engines by id, search algorithms by name, as the service prints them.

    `pythons` are, by engine id, the interpreters that the catalogue's file names; `limits` those of code and log.
    `v1_engines` and `v1_specs` are those of the first version of the API, whose ids are numbers; a specification has
    the id of its flavor.
    """

    flavors: Mapping[str, Entry]
    engines: Mapping[str, Entry]
    search_algorithms: Mapping[str, Entry]
    pythons: Mapping[str, Path] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    v1_engines: Mapping[int, Entry] = field(default_factory=dict)
    v1_specs: Mapping[int, Entry] = field(default_factory=dict)

    def find_engine(self, engine: Entry) -> Entry | None:
        """The engine with this id, or with this name and version; None if the members given fit no engine."""
        wanted = {name: engine[name] for name in NEEDED["engine"] if engine.get(name)}
        if "engine_id" in wanted:
            found = self.engines.get(wanted["engine_id"])
            return found if found is not None and wanted.items() <= found.items() else None
        if not {"engine_name", "engine_version"} <= set(wanted):
            return None
        return next((found for found in self.engines.values() if wanted.items() <= found.items()), None)


def max_nodes(flavor: Entry, limit: int | None = None) -> int:
    """How many nodes a job may have on this flavor: its maximum, or as many as there are here if these are fewer.

    `limit` replaces the flavor's maximum, which is one node if the flavor does not state it.
    """
    most = int(flavor.get("flavor_info", {}).get("max_num", 1)) if limit is None else limit
    return min(most, int(flavor.get("capacity", most)))


def node_resources(flavor_id: str, flavor_info: Entry) -> Resources:
    """What a node of the flavor has."""
    memory = flavor_info.get("memory", {})
    return Resources(
        flavor_id=flavor_id,
        cpu_cores=flavor_info.get("cpu", {}).get("core_num"),
        memory_bytes=memory.get("size", 0) * MEMORY_UNITS.get(memory.get("unit", ""), 0) or None,
        gpu_count=flavor_info.get("gpu", {}).get("unit_num", 0),
    )


def capacities(catalogue: Catalogue) -> dict[str, int]:
    """How many nodes there are of each flavor whose number is limited."""
    return {flavor_id: flavor["capacity"] for flavor_id, flavor in catalogue.flavors.items() if "capacity" in flavor}


def with_capacities(catalogue: Catalogue, nodes: Mapping[str, int]) -> Catalogue:
    """The catalogue with other numbers of nodes; raises EmulatorError for a flavor that it does not have."""
    flavors = dict(catalogue.flavors)
    for flavor_id, number in nodes.items():
        if flavor_id not in flavors:
            raise EmulatorError(f"flavor {flavor_id} does not exist: give a capacity to {', '.join(flavors)}")
        if number < 1:
            raise EmulatorError(f"the capacity of flavor {flavor_id} must be at least 1 node, not {number}")
        flavors[flavor_id] = {**flavors[flavor_id], "capacity": number}
    return replace(catalogue, flavors=flavors)


def load(path: Path | None = None) -> Catalogue:
    """The standard catalogue, changed by the entries in `path`; raises EmulatorError if that file is not one."""
    entries = _sections(_document(STANDARD), STANDARD)
    changed = {} if path is None else _document(path)
    if path is not None:
        sections = _sections(changed, path)
        for number, algorithm in enumerate(changed.get("search_algorithm", []), 1):
            where = f"search_algorithm {number} in the catalogue {path}"
            _check_algorithm(where, algorithm, entries["search_algorithm"])
        for kind, more in sections.items():
            entries[kind] |= more
    for spec in entries["v1_spec"].values():
        if spec["flavor_id"] not in entries["flavor"]:
            raise EmulatorError(f"v1_spec {spec['spec_id']} in the catalogue {path} names no flavor of the catalogue")
    engines = {engine_id: dict(engine) for engine_id, engine in entries["engine"].items()}
    v1_engines = {engine_id: dict(engine) for engine_id, engine in entries["v1_engine"].items()}
    named = {
        str(engine_id): engine.pop("python")
        for engine_id, engine in [*engines.items(), *v1_engines.items()]
        if "python" in engine
    }
    folder = (path or STANDARD).absolute().parent
    return Catalogue(
        entries["flavor"],
        engines,
        entries["search_algorithm"],
        {engine_id: folder / Path(python).expanduser() for engine_id, python in named.items()},
        limits.read(changed.get("limits", {}), f"the catalogue {path}"),
        v1_engines,
        entries["v1_spec"],
    )


def _document(path: Path) -> dict[str, Any]:
    try:
        document = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise EmulatorError(f"cannot read the catalogue {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise EmulatorError(f"the catalogue {path} is not valid TOML: {error}") from None
    unknown = sorted(set(document) - set(KINDS) - {"limits"})
    if unknown:
        known = ", ".join(f"[[{kind}]]" for kind in KINDS)
        raise EmulatorError(f"the catalogue {path} has unknown tables: {', '.join(unknown)}; use {known}, [limits]")
    return document


def _sections(document: dict[str, Any], path: Path) -> dict[str, dict[Any, Entry]]:
    return {
        kind: {entry[key]: entry for entry in _entries(kind, document.get(kind, []), path)}
        for kind, key in KINDS.items()
    }


def _entries(kind: str, tables: Any, path: Path) -> list[dict[str, Any]]:
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise EmulatorError(f"the catalogue {path} must give each {kind} as a [[{kind}]] table")
    types = V1_TYPES if kind.startswith("v1_") else TYPES
    for number, table in enumerate(tables, 1):
        where = f"{kind} {number} in the catalogue {path}"
        for name in NEEDED[kind]:
            if not table.get(name):
                raise EmulatorError(f"{where} has no {name}")
        for name, value in table.items():
            if name not in types:
                raise EmulatorError(f"{where} has the unknown member {name}; known are: {', '.join(types)}")
            if not isinstance(value, types[name]):
                raise EmulatorError(f"{where}: {name} must be of type {types[name].__name__}")
        if kind == "flavor" and not table.get("pool_only") and table.get("flavor_type") not in ("CPU", "GPU"):
            raise EmulatorError(f'{where}: flavor_type must be "CPU" or "GPU"')
        if "slurm" in table:
            SlurmFlavor.read(where, table["slurm"])
        if table.get("capacity", 1) < 1:
            raise EmulatorError(f"{where}: capacity must be at least 1 node")
        if kind == "v1_spec" and table["max_num"] < 1:
            raise EmulatorError(f"{where}: max_num must be an integer of at least 1")
        most = table.get("flavor_info", {}).get("max_num", 1)
        if not isinstance(most, int) or most < 1:
            raise EmulatorError(f"{where}: flavor_info.max_num must be an integer of at least 1")
    return tables


def _check_algorithm(where: str, algorithm: Entry, standard: Mapping[str, Entry]) -> None:
    """Raise EmulatorError unless it is one that the emulator has, with every setting of it and no other."""
    name, params = algorithm["name"], algorithm.get("params", [])
    if name not in standard:
        raise EmulatorError(f"{where}: the emulator cannot search with {name}: use {', '.join(standard)}")
    for param in params:
        texts = param.values() if isinstance(param, dict) and set(param) == {"key", "value", "type"} else [None]
        if not all(isinstance(text, str) for text in texts):
            raise EmulatorError(f'{where}: write each of params as {{ key = "seed", value = "1", type = "Integer" }}')
    wanted = [(param["key"], param["type"]) for param in standard[name]["params"]]
    if sorted((param["key"], param["type"]) for param in params) != sorted(wanted):
        settings = ", ".join(f"{key} ({kind})" for key, kind in wanted)
        raise EmulatorError(f"{where}: params must be all settings of {name}, once and of their types: {settings}")
    try:
        read_settings([{"name": name}], {name: algorithm})
    except ServiceError as rejection:
        raise EmulatorError(f"{where}: {rejection.message}") from None
