"""Bodies for the generated models, made from the schemas that the models were made from."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

import modelarts_openapi

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, width=32)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=6), inner, max_size=2),
    max_leaves=4,
)
SCALARS = {
    "string": st.text(max_size=12),
    "integer": st.integers(-(2**53), 2**53),
    "number": st.floats(allow_nan=False, width=32),
    "boolean": st.booleans(),
    "null": st.none(),
}


class Bodies:
    """Strategies for the bodies of one document's schemas: as documented, or as a service may send them tomorrow."""

    def __init__(self, document):
        self.schemas = document["components"]["schemas"]

    def of(self, schema, *, perturbed, depth=0):
        """Values of the schema; perturbed: with any member null, missing, unknown or of another kind."""
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            return st.deferred(lambda: self.of(self.schemas[name], perturbed=perturbed, depth=depth + 1))
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

    def of_type(self, name, schema, perturbed, depth):
        if name == "array":
            items = self.of(schema.get("items", {}), perturbed=perturbed, depth=depth + 1)
            return st.lists(items | (JSON if perturbed else st.nothing()), max_size=0 if depth > 6 else 2)
        if name == "object":
            return self.of_object(schema, perturbed, depth)
        return SCALARS[name]

    def of_object(self, schema, perturbed, depth):
        members = {
            key: self.of(member, perturbed=perturbed, depth=depth + 1)
            for key, member in schema.get("properties", {}).items()
        }
        required = set() if perturbed else set(schema.get("required", []))
        if perturbed:
            members = {key: value | st.none() | JSON for key, value in members.items()}
        fixed = {key: value for key, value in members.items() if key in required}
        free = {} if depth > 6 else {key: value for key, value in members.items() if key not in required}
        known = st.fixed_dictionaries(fixed, optional=free)
        others = schema.get("additionalProperties", True)
        extra = JSON if others in (True, {}) or (perturbed and not others) else st.nothing()
        if isinstance(others, dict) and others:
            extra = self.of(others, perturbed=perturbed, depth=depth + 1)
        if extra.is_empty or not (perturbed or isinstance(others, dict)):
            return known
        unknown = st.dictionaries(st.text(max_size=6).filter(lambda key: key not in members), extra, max_size=2)
        return st.builds(lambda first, second: first | second, known, unknown)


@pytest.fixture(scope="session")
def bodies():
    """The strategies of a document, by its name."""
    return {name: Bodies(modelarts_openapi.load(name)) for name in modelarts_openapi.NAMES}
