"""The flavors, engines and search algorithms on offer: read from `catalogue.toml` and from a file of the user's.

An engine of the service has an image; here a pattern of `--engine`, or the member `python` of the catalogue's engine,
names a Python of this machine. Without either it is the emulator's default.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.settings.chosen_python import named_python
from modelarts_emulator.settings.files import read_toml

log = logging.getLogger(__name__)

Entry = Mapping[str, Any]
FindPython = Callable[[Mapping[str, str] | None], str]
"""Gives the Python for the engine of a job: its name, version and id, or the address of its image."""

STANDARD = Path(__file__).with_name("catalogue.toml")
SCHEMA = Path(__file__).with_name("catalogue.schema.json")
# By kind of table, the member that names an entry.
KINDS = {
    "flavor": "flavor_id",
    "engine": "engine_id",
    "search_algorithm": "name",
    "v1_engine": "engine_id",
    "v1_spec": "spec_id",
}
ENGINE = ("engine_id", "engine_name", "engine_version")
NODE: Entry = {"cpu": {"arch": "x86", "core_num": 1}, "memory": {"size": 1, "unit": "GB"}}  # every flavor states both


@dataclass(frozen=True, slots=True)
class Limits:
    """What is rejected (code) or dropped (log) beyond these numbers.

    The documents give four different sets of limits for code; these are the page "Creating a Training Job"'s.
    The log's is the one at which the service's `modelarts-pipe` goes silent.
    """

    code_files: int = 1000
    code_depth: int = 32
    code_bytes: int = 5 * 1024**3
    log_bytes: int = 1024**3


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Flavors and engines by id, search algorithms by name, as the service prints them.

    `pythons` are, by engine id, the interpreters that the catalogue's file names; `limits` those of code and log.
    `v1_engines` and `v1_specs` are for version 1 of the API, whose ids are numbers; a specification has
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
        wanted = {name: engine[name] for name in ENGINE if engine.get(name)}
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
    return min(most, *(int(flavor.get(name, most)) for name in ("capacity", "accelerated_nodes")))


def too_many_nodes(flavor: Entry, node_count: int, most: int) -> str:
    """Why a job cannot have more nodes of this flavor than `most`, and what to do if accelerators are the reason."""
    reason = f"{node_count} nodes of flavor {flavor['flavor_id']} are more than its {most}"
    if most != flavor.get("accelerated_nodes"):
        return reason
    return (
        f"{reason}, for which this machine has accelerators: take a flavor with fewer of them (modelarts flavor list),"
        " or start the emulator with --share-devices, or with --devices none, where accelerators are names only"
    )


def node_info(flavor: Entry) -> dict[str, Any]:
    """What a node of the flavor has, as responses show it, also where the catalogue does not say it."""
    stated = flavor.get("flavor_info", {})
    return {**stated, **{part: {**least, **stated.get(part, {})} for part, least in NODE.items()}}


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
    entries = _sections(read_toml(STANDARD, "catalogue"))
    changed = {} if path is None else read_toml(path, "catalogue", json.loads(SCHEMA.read_text("utf-8")))
    for kind, more in _sections(changed).items():
        entries[kind] |= more
    for flavor_id, flavor in entries["flavor"].items():  # every flavor of the service has both
        flavor.setdefault("flavor_name", flavor_id)
        flavor.setdefault("billing", {"code": flavor_id, "unit_num": 1})
    for spec in entries["v1_spec"].values():
        if spec["flavor_id"] not in entries["flavor"]:
            raise EmulatorError(f"the catalogue {path}: v1_spec {spec['spec_id']} names no flavor of the catalogue")
    folder = (path or STANDARD).absolute().parent
    engines = [*entries["engine"].values(), *entries["v1_engine"].values()]
    pythons = {str(engine["engine_id"]): engine.pop("python") for engine in engines if "python" in engine}
    return Catalogue(
        flavors=entries["flavor"],
        engines=entries["engine"],
        search_algorithms=entries["search_algorithm"],
        pythons={engine_id: folder / Path(python).expanduser() for engine_id, python in pythons.items()},
        limits=replace(Limits(), **changed.get("limits", {})),
        v1_engines=entries["v1_engine"],
        v1_specs=entries["v1_spec"],
    )


def _sections(document: Entry) -> dict[str, dict[Any, dict[str, Any]]]:
    """The tables of each kind, by what names them."""
    return {kind: {table[key]: table for table in document.get(kind, [])} for kind, key in KINDS.items()}


def find_python(patterns: Mapping[str, Path], catalogue: Catalogue, default: str = sys.executable) -> FindPython:
    """The Python of every engine: of the first pattern that fits, of the engine's entry, or the default.

    Raises EmulatorError for one that is no Python. Paths are relative to the working folder, those of a catalogue
    to its file; `~` is the user's home, and the name of a command is looked up on PATH.
    """
    engines = [*catalogue.engines.values(), *catalogue.v1_engines.values()]
    for pattern in patterns:
        if not any(_fits(pattern, engine) for engine in engines):
            log.warning("--engine %s fits no engine of the catalogue: only images whose address it fits", pattern)
    chosen = {pattern: named_python(path, f"--engine {pattern}") for pattern, path in patterns.items()}
    entries = {name: named_python(path, f"python of engine {name}") for name, path in catalogue.pythons.items()}

    def find(engine: Mapping[str, str] | None) -> str:
        engine = engine or {}
        fitting = (python for pattern, python in chosen.items() if _fits(pattern, engine))
        return str(next(fitting, entries.get(engine.get("engine_id", ""), default)))

    return find


def _fits(pattern: str, engine: Mapping[str, Any]) -> bool:
    return any(
        fnmatchcase(str(engine[name]).lower(), pattern.lower()) for name in (*ENGINE, "image_url") if engine.get(name)
    )
