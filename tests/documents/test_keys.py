"""What stands behind the keys of a document."""

from __future__ import annotations

from typing import Any

from modelarts_documents.keys import copied, misfits, objects, without_client_keys


def test_published_documents_have_no_keys_of_the_client() -> None:
    """A property, component or payload of such a name stays, at any depth."""
    document: dict[str, Any] = {
        "components": {
            "schemas": {
                "x-view": {"x-view": "JobView", "properties": {"x-facts": {"x-facts": "phases", "type": "string"}}},
                "A": {"items": {"allOf": [{"x-usual-type": "string", "example": {"x-view": 1}}]}},
            }
        }
    }
    before = copied(document)

    assert without_client_keys(document)["components"]["schemas"] == {
        "x-view": {"properties": {"x-facts": {"type": "string"}}},
        "A": {"items": {"allOf": [{"example": {"x-view": 1}}]}},
    }
    assert document == before


def test_objects_come_with_their_kind() -> None:
    document: dict[str, Any] = {
        "paths": {"/a": {"get": {"responses": {"200": {"links": {"L": {}}}, "x-a": {}}}}, "x-b": {"get": {}}},
        "components": {"schemas": {"x-c": {"properties": {"get": {}}, "default": {"properties": {"d": {}}}}}},
    }

    assert [("/".join(pointer), kind) for pointer, kind, _ in objects(document)] == [
        ("", "document"),
        ("paths", "paths"),
        ("paths//a", "pathItems"),
        ("paths//a/get", "operation"),
        ("paths//a/get/responses", "responses by status"),
        ("paths//a/get/responses/200", "responses"),
        ("paths//a/get/responses/200/links/L", "links"),
        ("components", "components"),
        ("components/schemas/x-c", "schemas"),
        ("components/schemas/x-c/properties/get", "schemas"),
    ]


def test_a_copy_shares_nothing() -> None:
    inner: Any = []
    for _ in range(5000):
        inner = [{"a": inner}]
    document = {"top": inner}

    found = copied(document)

    assert found["top"] is not inner
    assert found["top"][0]["a"] is not inner[0]["a"]


def test_what_stands_at_the_wrong_place_is_named() -> None:
    """Where a program would stumble over it; payloads, extensions and boolean schemas are what they are."""
    document: dict[str, Any] = {
        "paths": {"/a": {"get": {"tags": "a", "responses": None}, "x-b": 1}},
        "components": {
            "schemas": {
                "A": {"type": 7, "required": ["a", 1], "allOf": {}, "properties": {"type": True, "b": "c"}},
                "B": {"default": 1, "enum": [1], "items": False, "exclusiveMinimum": True},
            },
            "parameters": {"P": {"required": True, "examples": [1]}},
        },
    }

    assert {"/".join(pointer): fact.split(" ")[0] for pointer, fact in misfits(document)} == {
        "paths//a/get/tags": "`tags`",
        "paths//a/get/responses": "`responses`",
        "components/schemas/A/type": "`type`",
        "components/schemas/A/required": "`required`",
        "components/schemas/A/allOf": "`allOf`",
        "components/schemas/A/properties/b": "`b`",
    }
