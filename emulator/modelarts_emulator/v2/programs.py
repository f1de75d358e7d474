"""Programs: what a job starts. Either a boot file on a preset engine, or a command in an image of the user's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from modelarts_emulator.engine.obs_paths import Code, inspect_code
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.http.family import Call, Response
from modelarts_emulator.service import ModelArts
from modelarts_emulator.settings.catalogue import Catalogue
from modelarts_emulator.storage.protocol import Store


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


def resolve(catalogue: Catalogue, store: Store, account_id: str, given: Mapping[str, Any]) -> Program:
    """The program that `code_dir`, `boot_file`, `command` and `engine` describe.

    Raises ServiceError if it cannot start.
    """
    engine = given.get("engine") or {}
    code_dir, boot_file, command = (given.get(name) or None for name in ("code_dir", "boot_file", "command"))
    image_url = engine.get("image_url") or None
    if image_url is None and command is None:
        return _preset(catalogue, store, account_id, code_dir, boot_file, engine)
    if image_url is None or command is None:
        missing = "engine.image_url" if image_url is None else "command"
        raise ServiceError(
            "ModelArts.2806", f"A job on a custom image needs a command and an image: {missing} is missing."
        )
    if boot_file is not None:
        raise ServiceError(
            "ModelArts.2788", "Invalid parameter (boot_file): a custom image starts its command instead."
        )
    if any(character in command for character in "\n\r\0"):
        raise ServiceError("ModelArts.2788", "Invalid parameter (command): it must be one line.")
    code = inspect_code(store, account_id, code_dir, None, catalogue.limits) if code_dir else None
    return Program(code_dir, None, command, {"image_url": image_url}, code)


def engine_of_job(program: Program) -> dict[str, Any]:
    """The engine as the service shows it with a job: what it is for instead of what its image is."""
    if program.is_custom_image:
        return dict(program.engine)
    shown = {name: value for name, value in program.engine.items() if name != "image_info"}
    return shown | {"usage": "training", "support_groups": "public"}


def show_training_job_engines(service: ModelArts, _call: Call) -> Response:
    """All preset engines; page "Obtaining the Preset AI Frameworks Supported by a Training Job"."""
    items = [dict(engine) for engine in service.catalogue.engines.values()]
    return Response(200, {"total": len(items), "items": items})


def _preset(
    catalogue: Catalogue,
    store: Store,
    account_id: str,
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
    code = inspect_code(store, account_id, code_dir, boot_file, catalogue.limits)
    return Program(code_dir, boot_file, None, found, code)
