"""Documents of OpenAPI 3.0 in the words of 3.1."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from modelarts_documents.versions import as_3_1


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "nullable": False}, {"type": "string"}),
        ({"nullable": True}, {}),
        ({"minimum": 0, "exclusiveMinimum": True}, {"exclusiveMinimum": 0}),
        ({"minimum": 0, "exclusiveMinimum": False}, {"minimum": 0}),
        ({"maximum": 9, "exclusiveMaximum": True}, {"exclusiveMaximum": 9}),
        ({"example": 1}, {"examples": [1]}),
        ({"$ref": "#/x", "nullable": True, "description": "d"}, {"$ref": "#/x", "description": "d"}),
        ({"properties": {"nullable": {"type": "boolean", "nullable": True}}},
         {"properties": {"nullable": {"type": ["boolean", "null"]}}}),
        ({"properties": {"$ref": {"example": 1}}}, {"properties": {"$ref": {"examples": [1]}}}),
        ({"const": {"nullable": True}}, {"const": {"nullable": True}}),
    ],
)  # fmt: skip
def test_a_schema_says_the_same_in_the_words_of_3_1(written: Any, expected: Any) -> None:
    """Wherever it stands; the document that was read stays as it is."""
    document = {
        "openapi": "3.0.3",
        "paths": {"/a": {"get": {"responses": {"200": {"content": {"a/b": {"schema": written}}}}}}},
        "components": {"schemas": {"A": {"items": written}}},
    }
    before = copy.deepcopy(document)

    found = as_3_1(document)

    assert found["openapi"] == "3.1.0"
    assert found["components"]["schemas"]["A"]["items"] == expected
    assert found["paths"]["/a"]["get"]["responses"]["200"]["content"]["a/b"]["schema"] == expected
    assert document == before


def test_a_document_of_3_1_stays_as_it_is() -> None:
    document = {"openapi": "3.1.0", "components": {"schemas": {"A": {"example": 1, "nullable": True}}}}

    assert as_3_1(document) == document
