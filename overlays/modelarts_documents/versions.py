"""Documents of OpenAPI 3.0 in the words of 3.1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from modelarts_documents.keys import copied, objects

BOUNDS = (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum"))
TEXTS = frozenset({"description", "summary"})


def as_3_1(document: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of the document in the words of OpenAPI 3.1."""
    found = copied(document)
    make_3_1(found)
    return found


def make_3_1(document: dict[str, Any]) -> None:
    """Rewrite a document of OpenAPI 3.0; its mappings stay the same objects."""
    if str(document.get("openapi", "")).startswith("3.0"):
        document["openapi"] = "3.1.0"
        for _, kind, schema in objects(document):
            if kind == "schemas":
                _rewrite(schema)


def _rewrite(schema: dict[str, Any]) -> None:
    if "$ref" in schema:  # 3.0 ignores what stands beside it
        for key in [key for key in schema if key != "$ref" and key not in TEXTS and not key.startswith("x-")]:
            del schema[key]
        return
    if schema.pop("nullable", False) is True and isinstance(schema.get("type"), str):  # without a type it says nothing
        schema["type"] = [schema["type"], "null"]
    for bound, exclusive in BOUNDS:
        if isinstance(schema.get(exclusive), bool) and schema.pop(exclusive) and bound in schema:
            schema[exclusive] = schema.pop(bound)
    if "example" in schema:
        schema["examples"] = [schema.pop("example")]
