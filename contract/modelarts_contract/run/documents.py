"""The documents as runs read them: as published, with what the overlays (`overlays/`, a file each) add.

An overlay gives operations, by their ids, further links and `x-contract`, what a run must know of them. Its links may
have bodies of any form, with runtime expressions at any depth, which many tools reject in a published document.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

import modelarts_openapi

__all__ = ["OVERLAYS", "TRIED", "add", "each", "link", "load", "overlay", "shares", "signatures"]

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
OVERLAYS = Path(__file__).parents[1] / "overlays"
TRIED = modelarts_openapi.NAMES
"""The documents whose operations are tried."""
REPLACES_THE_BODY = {"x-schemathesis": {"merge_body": False}}
FURTHER: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}


def add(name: str, document: dict[str, Any], contract: dict[str, Any]) -> None:
    """Let `load` and `overlay` know one more document, with its overlay, in this process."""
    FURTHER[name] = document, contract


@functools.cache
def overlay(name: str) -> dict[str, Any]:
    """Return the overlay of the document of that name; an empty one if it has none."""
    if name in FURTHER:
        return {**EMPTY, **FURTHER[name][1]}
    file = OVERLAYS / f"{name}.yaml"
    found: dict[str, Any] = yaml.load(file.read_text("utf-8"), LOADER) if file.exists() else {}  # noqa: S506
    return {**EMPTY, **found}


EMPTY: Mapping[str, Any] = {"operations": {}, "setup": {}}


@functools.cache
def load(name: str) -> dict[str, Any]:
    """Return the document of that name with its overlay, which all callers share and none changes.

    What the overlay says of the whole document is its `x-contract`. Raises LookupError if the overlay is about an
    unknown operation.
    """
    document = FURTHER[name][0] if name in FURTHER else modelarts_openapi.load(name)
    operations = {operation["operationId"]: operation for operation in each(document)}
    for operation_id, further in overlay(name)["operations"].items():
        operation = operations[operation_id]
        operation["x-contract"] = further.get("x-contract", {})
        for status, links in further.get("links", {}).items():
            found = operation["responses"][status].setdefault("links", {})
            found.update({name: {**link, **REPLACES_THE_BODY} for name, link in links.items()})
    document["x-contract"] = {key: value for key, value in overlay(name).items() if key not in EMPTY}
    return document


def shares(name: str) -> dict[str, float]:
    """How many of the valid requests must succeed, for operations of the document that may reject more than others."""
    operations = overlay(name)["operations"].items()
    return {
        id_: further["x-contract"]["share"] for id_, further in operations if "share" in further.get("x-contract", {})
    }


def signatures(name: str) -> list[str]:
    """The forms in which requests of the document may be signed: `scoped`, `unscoped`."""
    found: list[str] = overlay(name).get("signatures", [])
    return found


def link(name: str, entry: dict[str, Any]) -> dict[str, Any]:
    """Return a link of the document of that name, which may refer to one of its components."""
    reference = entry.get("$ref")
    return entry if reference is None else load(name)["components"]["links"][reference.rpartition("/")[2]]


def each(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The operations of a document."""
    paths = document["paths"].values()
    return [operation for path in paths for operation in path.values() if isinstance(operation, dict)]
