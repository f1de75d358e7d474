"""Seeds: a folder of what exists after a start without state, and after every reset.

objects/<bucket>/<key>      copied into the object store
<kind>/<name>.json          bodies of an operation, created in the order of their names; API families name the kinds

All is done by the first identity, through the handlers.
What another file created is named by that file: `"@<name>"`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.http.app import BoundFamily
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.http.family import ApiFamily, Call, FixtureKind
from modelarts_emulator.settings.accounts import Identity
from modelarts_emulator.storage import sync
from modelarts_emulator.storage.errors import StoreError
from modelarts_emulator.storage.protocol import Store


class Fixtures:
    """The fixtures in a folder, in the order in which `families` name their kinds.

    Raises EmulatorError if it is not a folder, or has other files than fixtures.
    """

    def __init__(self, folder: Path, families: Iterable[ApiFamily]) -> None:
        self._folder = folder
        known = [kind.folder for family in families for kind in family.fixtures]
        try:
            unknown = sorted(path.name for path in _visible(folder) if path.name not in {"objects", *known})
        except OSError as error:
            raise EmulatorError(
                f"the seeds in {folder} cannot be read ({error.strerror}): name a folder with --seeds"
            ) from error
        if unknown:
            raise EmulatorError(f"the seed {folder / unknown[0]} is not known: use objects/, {'/, '.join(known)}/")

    async def load(self, families: Iterable[BoundFamily], store: Store, identity: Identity) -> None:
        """Make everything that the folder describes, as `identity`.

        Raises EmulatorError, naming the file, if something cannot be made.
        """
        for bucket in self._entries("objects"):
            try:
                await asyncio.to_thread(_copy, store, bucket)
            except (OSError, StoreError) as error:
                raise _bad(bucket, str(error)) from error
        ids: dict[str, str] = {}
        for kind, bound in [(kind, family) for family in families for kind in family.family.fixtures]:
            for path in self._entries(kind.folder):
                try:
                    ids[f"@{path.stem}"] = await asyncio.to_thread(_create, kind, bound, path, ids, identity)
                except (OSError, ServiceError) as error:
                    raise _bad(path, error.message if isinstance(error, ServiceError) else str(error)) from error

    def _entries(self, kind: str) -> list[Path]:
        folder = self._folder / kind
        if not folder.exists():
            return []
        try:
            return sorted(_visible(folder))
        except NotADirectoryError as error:
            raise _bad(folder, "it is not a folder") from error


def _visible(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if not path.name.startswith(".")]


def _create(kind: FixtureKind, bound: BoundFamily, path: Path, ids: dict[str, str], identity: Identity) -> str:
    """The id of what the handler makes of the file's content."""
    operation = next(entry for entry in bound.contract.operations if entry.operation_id == kind.operation_id)
    body = operation.read_body(path.read_bytes(), "")
    kind.complete(body, ids)
    call = Call({"project_id": identity.project_id}, {}, {}, body, (identity,))
    return kind.read_id(bound.handlers[kind.operation_id](call).body)


def _copy(store: Store, bucket: Path) -> None:
    store.create_bucket(bucket.name)
    if not bucket.is_dir():
        raise NotADirectoryError("it is not a folder: objects lie in the folder of their bucket")
    sync.upload(store, bucket, bucket.name, "")


def _bad(path: Path, reason: str) -> EmulatorError:
    return EmulatorError(f"the seed {path} cannot be used ({reason.rstrip('.')}): correct it, or take it away")
