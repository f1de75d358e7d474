"""Seeds: a folder of what exists after a start without state, and after every reset.

objects/<bucket>/<key>      copied into the object store
algorithms/<name>.json      bodies of createAlgorithm, created in the order of their names
training-jobs/<name>.json   bodies of createTrainingJob, likewise, after the algorithms

All is done by the first identity, through the handlers.
A job names an algorithm of the seeds by its file: `{"algorithm": {"id": "@<name>"}}`.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import modelarts_openapi
from modelarts_emulator.http.contract import Contract, Operation, decode
from modelarts_emulator.http.errors import EmulatorError, Refusal
from modelarts_emulator.storage import sync
from modelarts_emulator.storage.errors import StoreError

if TYPE_CHECKING:
    from modelarts_emulator.http.call import Services

__all__ = ["Seeds"]

OPERATIONS = {"algorithms": "createAlgorithm", "training-jobs": "createTrainingJob"}


class Seeds:
    """The seeds in a folder; raises EmulatorError if it is none, or has what is no seed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            unknown = sorted(path.name for path in _visible(folder) if path.name not in {"objects", *OPERATIONS})
        except OSError as error:
            raise EmulatorError(
                f"the seeds in {folder} cannot be read ({error.strerror}): name a folder with --seeds"
            ) from error
        if unknown:
            raise EmulatorError(f"the seed {folder / unknown[0]} is none: use objects/, {'/, '.join(OPERATIONS)}/")

    async def sow(self, services: Services) -> None:
        """Make everything that the folder describes; raises EmulatorError, naming the file, if it cannot be made."""
        for bucket in self._entries("objects"):
            try:
                await asyncio.to_thread(_copy, services, bucket)
            except (OSError, StoreError) as error:
                raise _bad(bucket, str(error)) from error
        operations = {entry.operation_id: entry for entry in Contract.of("v2", modelarts_openapi.load("v2")).operations}
        ids: dict[str, str] = {}
        for kind, operation_id in OPERATIONS.items():
            for path in self._entries(kind):
                try:
                    created = _create(services, operations[operation_id], path, ids)
                except (OSError, Refusal) as error:
                    raise _bad(path, error.message if isinstance(error, Refusal) else str(error)) from error
                if kind == "algorithms":
                    ids[f"@{path.stem}"] = created

    def _entries(self, kind: str) -> list[Path]:
        folder = self._folder / kind
        if not folder.exists():
            return []
        try:
            return sorted(_visible(folder))
        except NotADirectoryError as error:
            raise _bad(folder, "it is no folder") from error


def _visible(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if not path.name.startswith(".")]


def _copy(services: Services, bucket: Path) -> None:
    services.store.create_bucket(bucket.name)
    if not bucket.is_dir():
        raise NotADirectoryError("it is no folder: objects lie in the folder of their bucket")
    sync.upload(services.store, bucket, bucket.name, "")


def _create(services: Services, operation: Operation, path: Path, ids: dict[str, str]) -> str:
    """The id of what the handler makes of the file's content."""
    from modelarts_emulator.http.call import Call
    from modelarts_emulator.v2.handlers import HANDLERS

    body = operation.read_body(path.read_bytes(), "")
    algorithm = body.get("algorithm") or {}
    reference = algorithm.get("id") or ""
    if reference.startswith("@"):
        if reference not in ids:
            known = ", ".join(ids) or "none"
            raise Refusal("ModelArts.2755", f"{reference} is no algorithm of the seeds, which are: {known}")
        algorithm["id"] = ids[reference]
    identity = services.identities[0]
    call = Call(services, {"project_id": identity.project_id}, {}, {}, body, (identity,))
    answer: Any = HANDLERS["v2"][operation.operation_id](call).body
    document = decode(answer.encode(), "") if isinstance(answer, str) else answer
    return str(document["metadata"]["id"])


def _bad(path: Path, reason: str) -> EmulatorError:
    return EmulatorError(f"the seed {path} cannot be used ({reason.rstrip('.')}): correct it, or take it away")
