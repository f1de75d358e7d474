"""Specifications: the engines and flavors on offer, and what a job takes of them.

A job starts a program, either a boot file on a preset engine or a command in an image of the user's, on nodes of a
flavor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.http.family import Call, Response
from modelarts_emulator.obs_paths import Code, inspect_code
from modelarts_emulator.service import ModelArts
from modelarts_emulator.settings.catalogue import Catalogue, max_nodes, node_info, too_many_nodes
from modelarts_emulator.storage.protocol import AccountStore
from modelarts_emulator.v2.conventions import invalid, unsupported

CATALOGUE_MEMBERS = ("pool_only", "capacity", "accelerated_nodes", "slurm", "executor")  # which responses do not have


@dataclass(frozen=True, slots=True)
class Program:
    """A program that can be started; `engine` is the catalogue's entry, or the image's address alone."""

    code_dir: str | None
    boot_file: str | None
    command: str | None
    engine: Mapping[str, Any]
    code: Code | None

    @property
    def is_custom_image(self) -> bool:
        return "image_url" in self.engine


def resolve_program(catalogue: Catalogue, store: AccountStore, given: Mapping[str, Any]) -> Program:
    """The program that `code_dir`, `boot_file`, `command` and `engine` describe.

    Raises ServiceError if it cannot start.
    """
    engine = given.get("engine") or {}
    code_dir, boot_file, command = (given.get(name) or None for name in ("code_dir", "boot_file", "command"))
    image_url = engine.get("image_url") or None
    if image_url is None and command is None:
        return _preset(catalogue, store, code_dir, boot_file, engine)
    if image_url is None or command is None:
        missing = "engine.image_url" if image_url is None else "command"
        raise ServiceError(
            "ModelArts.2806", f"A job on a custom image needs a command and an image: {missing} is missing."
        )
    if boot_file is not None:
        raise invalid("boot_file", "a custom image starts its command instead")
    if any(character in command.strip() for character in "\n\r\0"):
        raise invalid("command", "it must be one line")
    code = inspect_code(store, code_dir, None, catalogue.limits) if code_dir else None
    return Program(code_dir, None, command, {"image_url": image_url}, code)


def engine_of_job(program: Program) -> dict[str, Any]:
    """The engine as the service shows it with a job: what it is for instead of what its image is."""
    if program.is_custom_image:
        return dict(program.engine)
    shown = {name: value for name, value in program.engine.items() if name != "image_info"}
    return shown | {"usage": "training", "support_groups": "public"}


def show_training_job_engines(service: ModelArts, _call: Call) -> Response:
    """All preset engines; page "Obtaining the Preset AI Frameworks Supported by a Training Job"."""
    items = [_complete(engine) for engine in service.catalogue.engines.values()]
    return Response(200, {"total": len(items), "items": items})


def _complete(engine: Mapping[str, Any]) -> dict[str, Any]:
    """An engine with all members of the service's engines; no page says them of every engine in the catalogue."""
    image = f"emulator/{engine['engine_id']}"
    images = {"cpu_image_url": image, "gpu_image_url": image, "image_version": ""}
    return {"v1_compatible": False, "run_user": "", "image_info": images, **engine}


def show_training_job_flavors(service: ModelArts, call: Call) -> Response:
    """All public flavors, or those of one type; page "Querying Training Job Flavors"."""
    groups = call.query.get("support_groups", "public")
    if call.query.get("pool_id") or call.query.get("support_engines") or groups not in ("", "public"):
        raise unsupported("the emulator has no resource pools, and its flavors are for all engines and users")
    wanted = call.query.get("flavor_type")
    shown = [
        {name: value for name, value in flavor.items() if name not in CATALOGUE_MEMBERS}
        | {
            "flavor_info": node_info(flavor),
            "support_engines": [
                name for name, engine in service.catalogue.engines.items() if _has_image(engine, flavor)
            ],
        }
        for flavor in service.catalogue.flavors.values()
        if not flavor.get("pool_only") and wanted in (None, flavor["flavor_type"])
    ]
    return Response(200, {"total_count": len(shown), "flavors": shown})


def resolve_resource(
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
        raise ServiceError("ModelArts.2793", f"{too_many_nodes(flavor, node_count, most)}.")
    info = {name: value for name, value in node_info(flavor).items() if name != "max_num"}
    detail = {"flavor_type": flavor["flavor_type"], "billing": flavor.get("billing"), "flavor_info": info}
    shown = {
        "flavor_id": flavor_id,
        "flavor_name": flavor.get("flavor_name"),
        "node_count": node_count,
        "flavor_detail": {name: value for name, value in detail.items() if value is not None},
    }
    return {name: value for name, value in shown.items() if value is not None}


def _preset(
    catalogue: Catalogue,
    store: AccountStore,
    code_dir: str | None,
    boot_file: str | None,
    engine: Mapping[str, Any],
) -> Program:
    if code_dir is None:
        raise ServiceError("ModelArts.2757", "Code directory not found: code_dir is missing.")
    if boot_file is None:
        raise ServiceError("ModelArts.2758", "Boot file not found: boot_file is missing.")
    found = catalogue.find_engine(engine)
    if found is None:
        named = engine.get("engine_id") or " ".join(
            filter(None, (engine.get("engine_name"), engine.get("engine_version")))
        )
        raise ServiceError(
            "ModelArts.2780", f"Engine ({named}) not found." if named else "Engine not found: none is given."
        )
    code = inspect_code(store, code_dir, boot_file, catalogue.limits)
    return Program(code_dir, boot_file, None, found, code)


def _check_fit(flavor: Mapping[str, Any], engine: Mapping[str, Any], requirements: Sequence[Mapping[str, Any]]) -> None:
    kind = flavor["flavor_type"]
    if not _has_image(engine, flavor):
        raise ServiceError("ModelArts.2840", f"Engine {engine['engine_id']} has no image for {kind} flavors.")
    for requirement in requirements:
        wanted = requirement.get("value") or []
        if requirement.get("key") == "flavor_type" and wanted and kind not in wanted:
            raise ServiceError(
                "ModelArts.2763", f"The algorithm asks for flavors of type {', '.join(wanted)}, not {kind}."
            )


def _has_image(engine: Mapping[str, Any], flavor: Mapping[str, Any]) -> bool:
    """Whether the engine has an image for this kind of flavor; without one it cannot run there."""
    return bool(engine.get("image_info", {}).get(f"{flavor['flavor_type'].lower()}_image_url") != "")
