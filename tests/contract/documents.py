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

__all__ = ["LINKS", "TRIED", "load"]

LINKS = Path(__file__).with_name("links.yaml")
TRIED = tuple(name for name in SERVED if name != "v1")
"""The documents whose operations are tried; those of v1 need jobs, data and results of their own first."""


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


def each(document: dict[str, Any]) -> list[dict[str, Any]]:
    paths = document["paths"].values()
    return [operation for path in paths for operation in path.values() if isinstance(operation, dict)]
