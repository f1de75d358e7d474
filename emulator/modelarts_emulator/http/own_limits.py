"""What the emulator asks of requests beyond the documents: `own_limits.toml`.

A document holds only what a page, a payload or an observation states, so that no guess rejects a caller of the service.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.settings.files import own_table

SENTENCE = "this limit is the emulator's own"


@functools.cache
def limits() -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """Every limit: what it is of, with the document's name before it, and a JSON Schema."""
    entries = own_table(__file__, "own_limits.toml")["limit"]
    return tuple((name, entry["rule"]) for entry in entries for name in entry["of"])


def applied(name: str, document: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of the bundled document whose requests have the limits; raises EmulatorError if one is of nothing."""
    components = {kind: dict(entries) for kind, entries in document.get("components", {}).items()}
    for limited, rule in limits():
        owner, _, place = limited.partition(" ")
        if owner != name:
            continue
        component, _, member = place.partition(".")
        kind, inner = ("schemas", ["properties", member]) if member else ("schemas", [])
        if component in components.get("parameters", {}):
            kind, inner = "parameters", ["schema"]
        try:
            components[kind][component] = _narrowed(components[kind][component], inner, rule)
        except KeyError:
            raise EmulatorError(f"own_limits.toml: the document {name} has no {place}") from None
    return {**document, "components": components}


def is_own(error: Any) -> bool:
    """Whether a validation error comes from one of these limits: only they are written as `allOf`."""
    return "allOf" in error.schema_path


def _narrowed(schema: Mapping[str, Any], inner: list[str], rule: Mapping[str, Any]) -> dict[str, Any]:
    if inner:
        return {**schema, inner[0]: _narrowed(schema[inner[0]], inner[1:], rule)}
    return {**schema, "allOf": [*schema.get("allOf", ()), rule]}
