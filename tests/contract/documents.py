"""The documents as these tests read them: as published, with the links of links.yaml.

The body of a link in a published document may only be a text, for many tools reject any other.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import yaml

import modelarts_openapi
from modelarts_emulator.families import SERVED

__all__ = ["AT_REAL_SERVICES", "LINKS", "TRIED", "link", "load"]

LINKS = Path(__file__).with_name("links.yaml")
TRIED = SERVED
"""The documents whose operations are tried."""
AT_REAL_SERVICES = ("iam", "v2")
"""Those of them that a real service is tried with: the guard (guard.py) knows what to let through of these."""


@functools.cache
def links() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(LINKS.read_text())
    return found


def load(name: str) -> dict[str, Any]:
    """Return the document of that name as the tests read it; raise LookupError if a link starts from nowhere."""
    document = modelarts_openapi.load(name)
    operations = {operation["operationId"]: operation for operation in each(document)}
    for operation_id, responses in links().get(name, {}).items():
        for status, further in responses.items():
            operations[operation_id]["responses"][status].setdefault("links", {}).update(further)
    return document


def link(name: str, entry: dict[str, Any]) -> dict[str, Any]:
    """Return a link of the document of that name, which may refer to one of its components."""
    reference = entry.get("$ref")
    return entry if reference is None else load(name)["components"]["links"][reference.rpartition("/")[2]]


def each(document: dict[str, Any]) -> list[dict[str, Any]]:
    paths = document["paths"].values()
    return [operation for path in paths for operation in path.values() if isinstance(operation, dict)]
