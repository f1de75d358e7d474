"""Moments in examples have the unit that the documents say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.openapi.conftest import each_operation

# A moment of this century, in each unit; a value between them has another unit.
MOMENTS = {"s": (1e9, 5e9), "ms": (1e12, 5e12)}
TOO_SHORT = 15099239923  # a page prints a moment without its last two digits


@each_operation()
def test_the_moments_in_examples_have_the_documented_unit(operation: Any) -> None:
    """A moment that is said to be in milliseconds is one of this century in milliseconds, not in seconds."""
    wrong = []
    for example, payload, schema in operation.examples:
        for field, value in fields(operation, schema, payload):
            unit = field.get("x-time-unit")
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
