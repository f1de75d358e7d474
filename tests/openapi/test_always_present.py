"""What a document says is always present is in every example of a response, and not as null."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.openapi.conftest import METHODS

import modelarts_openapi


def objects(document: dict[str, Any], schema: dict[str, Any], value: Any) -> Iterator[tuple[str, Any]]:
    """The objects in the value, with the names of their components."""
    name = ""
    while "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        schema = document["components"]["schemas"][name]
    for branch in schema.get("anyOf", ()):
        yield from objects(document, branch, value)
    if isinstance(value, dict):
        yield name, value
        for field, content in value.items():
            yield from objects(document, schema.get("properties", {}).get(field, {}), content)
    elif isinstance(value, list):
        for content in value:
            yield from objects(document, schema.get("items", {}), content)


@pytest.mark.parametrize("bundled", modelarts_openapi.NAMES)
def test_no_example_is_without_what_is_always_present(bundled: str) -> None:
    document = modelarts_openapi.load(bundled)
    components = document["components"]
    seen, lacking = set(), set()
    for item in document["paths"].values():
        for operation in (item[method] for method in METHODS if method in item):
            for status, response in operation["responses"].items():
                if "$ref" in response or status[0] != "2":
                    continue
                for media in response.get("content", {}).values():
                    for example in media.get("examples", {}).values():
                        for schema, value in objects(document, media["schema"], example["value"]):
                            seen.add(schema)
                            for field, written in components["schemas"].get(schema, {}).get("properties", {}).items():
                                if "x-always-present" in written and value.get(field) is None:
                                    lacking.add(f"{schema}.{field}")

    assert lacking == set()
    claimed = {n for n, s in components["schemas"].items() if "x-always-present" in str(s.get("properties", {}))}
    assert {schema for schema in claimed if not schema.endswith("Request")} <= seen
