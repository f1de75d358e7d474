"""Channels: what a job reads from object storage before it starts, and what it writes there."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.obs_paths import require_bucket, require_content
from modelarts_emulator.storage.errors import InvalidKey
from modelarts_emulator.storage.names import check_path
from modelarts_emulator.storage.protocol import AccountStore

Channel = Mapping[str, Any]

SYSTEM = {"bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "run", "sbin", "sys", "usr", "var"}
"""Directories of the root that programs need, so that nothing else can be shown in their place."""
PERIOD = 30  # seconds between two uploads of an output (page "Using PyTorch to Create a Training Job")


def is_directory(path: str) -> bool:
    """Whether a task can have a directory of its own at the path: an absolute one, and as long as a key may be."""
    with contextlib.suppress(InvalidKey):
        check_path(str(PurePosixPath(path)).strip("/"))
        return path.startswith("/")
    return False


def check_declared(member: str, channels: Sequence[Channel]) -> None:
    """Raise ServiceError (2753) unless channels have distinct names."""
    names = [channel["name"] for channel in channels]
    if repeated := [name for name in names if names.count(name) > 1]:
        raise ServiceError("ModelArts.2753", f"{member}: channel {repeated[0]} is given more than once.")


def resolve_inputs(
    store: AccountStore, given: Sequence[Channel], declared: Sequence[Channel] | None
) -> list[dict[str, Any]]:
    """The job's inputs with their local directories; raises ServiceError if one is not there or not as declared."""
    for channel in given:
        if dataset := channel["remote"].get("dataset"):
            named = dataset.get("id") or "none given"
            raise ServiceError("ModelArts.2783", f"Input {channel['name']}: dataset ({named}) not found.")
    resolved = _resolve("inputs", given, declared)
    for channel in resolved:
        require_content(store, f"inputs.{channel['name']}", channel["remote"]["obs"]["obs_url"])
    return resolved


def resolve_outputs(
    store: AccountStore, given: Sequence[Channel], declared: Sequence[Channel] | None
) -> list[dict[str, Any]]:
    """The job's outputs with their local directories.

    Raises ServiceError if one has no bucket or is not as declared.
    """
    resolved = _resolve("outputs", given, declared)
    for channel in resolved:
        require_bucket(store, f"outputs.{channel['name']}", channel["remote"]["obs"]["obs_url"])
    return [channel | {"mode": "upload_periodically", "period": PERIOD} for channel in resolved]


def _resolve(member: str, given: Sequence[Channel], declared: Sequence[Channel] | None) -> list[dict[str, Any]]:
    check_declared(member, given)
    declarations = {channel["name"]: channel for channel in declared or ()}
    names = [channel["name"] for channel in given]
    if declared is not None and set(names) != set(declarations):
        wanted = ", ".join(declarations) or "none"
        raise ServiceError(
            "ModelArts.2753", f"{member}: the algorithm declares {wanted}, the job gives {', '.join(names) or 'none'}."
        )
    resolved = [
        _channel(member, index, channel, declarations.get(channel["name"], {})) for index, channel in enumerate(given)
    ]
    folders = [PurePosixPath(channel["local_dir"]) for channel in resolved]
    if len(set(folders)) < len(folders):
        raise ServiceError("ModelArts.2753", f"{member}: two channels have the same local_dir.")
    return resolved


def _channel(member: str, index: int, given: Channel, declared: Channel) -> dict[str, Any]:
    name = given["name"]
    obs = given["remote"].get("obs")
    if not obs:
        raise ServiceError("ModelArts.2753", f"{member}: channel {name} has no remote.obs.obs_url.")
    # Only index 0 of the default directories is documented.
    local_dir = given.get("local_dir") or f"/home/ma-user/modelarts/{member}/{name}_{index}"
    if not is_directory(local_dir) or local_dir.strip("/") == "home" or PurePosixPath(local_dir).parts[1] in SYSTEM:
        raise ServiceError(
            "ModelArts.2753",
            f"{member}: local_dir of channel {name} must be an absolute directory, and none of the system's:"
            " use one in the home of ma-user, or in the cache.",
        )
    shown = {
        "name": name,
        "description": given.get("description") or declared.get("description"),
        "local_dir": local_dir,
        "access_method": given.get("access_method") or declared.get("access_method"),
        "remote": {"obs": {"obs_url": obs["obs_url"]}},
        "prefetch_to_local": given.get("prefetch_to_local", declared.get("prefetch_to_local")),
        "remote_constraint": given.get("remote_constraint") or None,
    }
    return {member: value for member, value in shown.items() if value is not None}
