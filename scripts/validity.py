"""Whether a bundled document is valid OpenAPI 3.1: as a whole, and in each of its schemas."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
from openapi_spec_validator import OpenAPIV31SpecValidator

OPERATION = re.compile(r"'(\w+)' operation in '([^']+)'")
"""How the validator names the place of what is wrong with an operation's parameters."""


def faults(document: dict[str, Any]) -> Iterator[tuple[list[str], str]]:
    """Everything that is wrong with the document: the keys that lead to the place, and the fact."""
    schemas = document.get("components", {}).get("schemas", {})
    found = False
    for name, schema in schemas.items():
        try:
            jsonschema_rs.meta.validate(schema)
        except jsonschema_rs.ValidationError as error:
            found = True
            path = ["components", "schemas", name, *map(str, error.instance_path)]
            yield path, f"{name} is no JSON Schema: {error.message.splitlines()[0]}"
    if not found:  # what is no schema would be told again, less clearly
        for fault in OpenAPIV31SpecValidator(document).iter_errors():
            fact = str(getattr(fault, "message", fault)).splitlines()[0]
            operation = OPERATION.search(fact)
            path = ["paths", operation[2], operation[1]] if operation else [*map(str, fault.absolute_path)]
            yield path, f"this is not OpenAPI 3.1: {fact}"
