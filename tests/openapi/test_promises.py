"""What the documents promise without an example that could contradict it: tags, required members, units of times."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import modelarts_openapi

PROMISES = tomllib.loads((Path(__file__).parents[1] / "data" / "openapi" / "promises.toml").read_text("utf-8"))
# A moment of this century, in each unit; a value between them has another unit.
MOMENTS = {"s": (1e9, 5e9), "ms": (1e12, 5e12)}
TOO_SHORT = 15099239923  # a page prints a moment without its last two digits


def test_tags_and_required_members_are_the_recorded_ones(name: str) -> None:
    """A tag names an operation's class in the client; no request or response shows that a member is required."""
    document = modelarts_openapi.load(name)
    tags: dict[str, list[str]] = {}
    for item in document["paths"].values():
        for operation in (each for each in item.values() if isinstance(each, dict) and "operationId" in each):
            tags.setdefault(operation["tags"][0], []).append(operation["operationId"])
    schemas = document["components"]["schemas"]
    required = {name: sorted(schema["required"]) for name, schema in schemas.items() if schema.get("required")}

    assert {tag: sorted(operations) for tag, operations in tags.items()} == PROMISES[name]["tags"]
    assert required == PROMISES[name]["required"]


def test_the_moments_in_examples_have_the_documented_unit(operation: Any) -> None:
    """A moment that is said to be in milliseconds is one of this century in milliseconds, not in seconds."""
    wrong = []
    for example, payload, schema in operation.examples:
        for field, value in fields(operation, schema, payload):
            unit = field.get("x-time-unit") if "x-time-name" in field else None
            if unit is not None and isinstance(value, int) and value not in {0, TOO_SHORT}:
                low, high = MOMENTS[unit]
                wrong += [] if low < value < high else [f"{example}: {value} is not a moment in {unit}"]

    assert wrong == []


def fields(operation: Any, schema: dict[str, Any], value: Any) -> Iterator[tuple[dict[str, Any], Any]]:
    """Every value in the payload with its schema."""
    schema = operation.resolve(schema)
    yield schema, value
    for branch in schema.get("anyOf", ()):
        yield from fields(operation, branch, value)
    if isinstance(value, dict):
        for name, child in value.items():
            yield from fields(operation, schema.get("properties", {}).get(name, {}), child)
    elif isinstance(value, list):
        for child in value:
            yield from fields(operation, schema.get("items", {}), child)
