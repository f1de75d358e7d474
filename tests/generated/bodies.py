"""Strategies for JSON bodies, made from the schemas that the models were made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

__all__ = ["JSON", "Bodies"]

Strategy = st.SearchStrategy[Any]
DEEPEST = 6  # levels below which optional members and items are left out
INTEGERS = st.integers(-(2**53), 2**53)
JSON: Strategy = st.recursive(
    st.none() | st.booleans() | INTEGERS | st.floats(allow_nan=False, width=32) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=6), inner, max_size=2),
    max_leaves=4,
)


class Bodies:
    """Strategies for the bodies of one document's schemas: as documented, or as a service may send them tomorrow."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.schemas = document["components"]["schemas"]
        self._made: dict[tuple[str, bool, int], Strategy] = {}  # each takes long to validate

    def of(self, schema: Mapping[str, Any], *, perturbed: bool, depth: int = 0) -> Strategy:
        """Values of the schema; perturbed: with any member null, missing, unknown or of another kind."""
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            key = (name, perturbed, depth)
            if key not in self._made:
                self._made[key] = st.deferred(lambda: self.of(self.schemas[name], perturbed=perturbed, depth=depth + 1))
            found = self._made[key]
            unwanted = set(schema.get("not", {}).get("required", ()))
            return found.filter(lambda value: not unwanted & value.keys()) if unwanted else found
        choices = [
            self.of(part, perturbed=perturbed, depth=depth)
            for key in ("anyOf", "oneOf")
            for part in schema.get(key, [])
        ]
        if choices:
            return st.one_of(choices)
        if "enum" in schema:
            return st.sampled_from(schema["enum"]) | (st.text(max_size=8) if perturbed else st.nothing())
        types = schema.get("type", [])
        choices = [
            self.of_type(name, schema, perturbed, depth) for name in ([types] if isinstance(types, str) else types)
        ]
        return st.one_of(choices) if choices else JSON

    def of_type(self, name: str, schema: Mapping[str, Any], perturbed: bool, depth: int) -> Strategy:
        if name == "array":
            items = self.of(schema.get("items", {}), perturbed=perturbed, depth=depth + 1)
            least = 0 if perturbed else schema.get("minItems", 0)
            most = least if depth > DEEPEST else max(least, min(2, schema.get("maxItems", 2)))
            return st.lists(items | (JSON if perturbed else st.nothing()), min_size=least, max_size=most)
        if name == "object":
            return self.of_object(schema, perturbed, depth)
        return SCALARS[name](schema)

    def of_object(self, schema: Mapping[str, Any], perturbed: bool, depth: int) -> Strategy:
        if "else" in schema and "if" in schema["else"] and not perturbed:
            schema = without_conditions(schema)
        elif schema.get("if") == {"minProperties": 1} and not perturbed:
            schema = {**schema, "required": schema["then"]["required"]}
        members = {
            key: self.of(member, perturbed=perturbed, depth=depth + 1)
            for key, member in schema.get("properties", {}).items()
        }
        required = set() if perturbed else set(schema.get("required", []))
        if perturbed:
            members = {key: value | st.none() | JSON for key, value in members.items()}
        fixed = {key: value for key, value in members.items() if key in required}
        free = {} if depth > DEEPEST else {key: value for key, value in members.items() if key not in required}
        least = 0 if perturbed else schema.get("minProperties", 0)
        known = st.fixed_dictionaries(fixed, optional=free).filter(lambda value: len(value) >= least)
        others = schema.get("additionalProperties", True)
        extra = JSON if others in (True, {}) or (perturbed and not others) else st.nothing()
        if isinstance(others, dict) and others:
            extra = self.of(others, perturbed=perturbed, depth=depth + 1)
        if extra.is_empty or not (perturbed or isinstance(others, dict)):
            return known
        names = text(schema.get("propertyNames", {"maxLength": 6}))
        unknown = st.dictionaries(names.filter(lambda key: key not in members), extra, max_size=2)
        return st.builds(lambda first, second: first | second, known, unknown)


def without_conditions(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of those values for which no condition holds, without members that conditions ask for."""
    otherwise = schema["else"]
    asked = {*schema["if"]["required"], *otherwise["if"]["required"]}
    members = {name: member for name, member in schema["properties"].items() if name not in asked}
    stricter = {name: {**members[name], **more} for name, more in otherwise["properties"].items()}
    required = [*schema.get("required", ()), *otherwise["required"]]
    return {**schema, "properties": {**members, **stricter}, "required": required}


def text(schema: Mapping[str, Any]) -> Strategy:
    """Texts of a schema; one with a pattern has its length from that."""
    if "pattern" in schema:
        least, most = schema.get("minLength", 0), schema.get("maxLength", 1 << 20)
        return st.from_regex(schema["pattern"], fullmatch=True).filter(lambda value: least <= len(value) <= most)
    return st.text(min_size=schema.get("minLength", 0), max_size=min(12, schema.get("maxLength", 12)))


def integer(schema: Mapping[str, Any]) -> Strategy:
    return st.integers(schema.get("minimum", -(2**53)), schema.get("maximum", 2**53))


SCALARS = {
    "string": text,
    "integer": integer,
    "number": lambda schema: st.floats(
        min_value=schema.get("minimum"),
        max_value=schema.get("maximum"),
        allow_nan=False,
        allow_infinity=False,
        width=32,
    ),
    "boolean": lambda _: st.booleans(),
    "null": lambda _: st.none(),
}
