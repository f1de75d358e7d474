"""References, and the two walks of schemas."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import modelarts_openapi
from modelarts_documents.schema import (
    at,
    find,
    graph,
    json_schema,
    members,
    operations,
    parts,
    resolve,
    self_contained,
    starts,
    walk,
)

NAMES = st.text(st.sampled_from("ab/~%# é"), min_size=1, max_size=4)
TEXT = {"type": "string"}
ITEMS = ("properties", "jobs", "items")


def with_schemas(**schemas: Any) -> dict[str, Any]:
    return {"openapi": "3.1.0", "components": {"schemas": schemas}}


def reference_to(*keys: str) -> str:
    return "#" + "".join("/" + key.replace("~", "~0").replace("/", "~1").replace("%", "%25") for key in keys)


@given(st.lists(NAMES, min_size=1, max_size=4))
def test_a_reference_leads_to_its_place(keys: list[str]) -> None:
    """Whatever characters the keys have."""
    document: Any = TEXT
    for key in reversed(keys):
        document = {key: document}

    assert find(document, reference_to(*keys)) is TEXT
    with pytest.raises(LookupError, match="nothing"):
        find(document, reference_to(*keys) + "/nothing")


@pytest.mark.parametrize("reference", ["file.yaml", "#anchor", "#/components/schemas/None", "#/a/2", "#/a/x"])
def test_a_reference_to_nothing_is_named(reference: str) -> None:
    with pytest.raises(LookupError, match=reference.replace("#", "[#]")):
        find({"a": [1, 2]}, reference)


def test_keys_beside_a_reference_go_before() -> None:
    document = {"parameters": {"One": {"name": "one", "description": "of all"}, "Two": {"$ref": "#/parameters/One"}}}

    assert resolve(document, {"$ref": "#/parameters/Two", "description": "mine"}) == {
        "name": "one",
        "description": "mine",
    }


def test_a_reference_to_itself_ends() -> None:
    document = {"a": {"$ref": "#/b"}, "b": {"$ref": "#/a"}}

    with pytest.raises(LookupError, match="#/b"):
        resolve(document, document["a"])
    assert list(parts(document, document["a"])) == []
    assert len(list(graph(document, ((), document["a"])))) == 2


def test_what_stands_beside_a_reference_describes_the_value_too() -> None:
    document = with_schemas(A={"properties": {"a": TEXT}}, B={"$ref": "#/components/schemas/A", "required": ["a"]})

    found = list(parts(document, {"$ref": "#/components/schemas/B"}, ("here",)))

    assert [part.pointer for part in found] == [("components", "schemas", "B"), ("components", "schemas", "A")]
    assert [part.schema for part in found] == [{"required": ["a"]}, {"properties": {"a": TEXT}}]


@pytest.mark.parametrize(
    ("schema", "step", "expected"),
    [
        ({"properties": {"a": TEXT}, "additionalProperties": {}}, "a", ["properties a"]),
        ({"properties": {"a": TEXT}, "additionalProperties": {}}, "b", ["additionalProperties"]),
        ({"patternProperties": {"^a": TEXT}, "additionalProperties": {}}, "ab", ["patternProperties ^a"]),
        ({"patternProperties": {r"^\p{L}": TEXT}}, "ab", []),
        ({"items": TEXT, "prefixItems": [{}]}, 0, ["prefixItems 0"]),
        ({"items": TEXT, "prefixItems": [{}]}, 1, ["items"]),
        ({"anyOf": [{"items": TEXT}, {"properties": {"a": TEXT}}]}, "a", ["anyOf 1 properties a"]),
        ({"if": {"properties": {"a": TEXT}}, "then": {"properties": {"b": TEXT}}}, "b", ["then properties b"]),
        ({"anyOf": [{"additionalProperties": {}}, {"properties": {"a": TEXT}}]}, "a", ["anyOf 1 properties a"]),
        ({"additionalProperties": False}, "b", []),
    ],
)  # fmt: skip
def test_a_member_has_the_schemas_that_name_it(schema: Any, step: str | int, expected: list[str]) -> None:
    found = members({}, parts({}, schema), step)

    assert [" ".join(part.pointer) for part in found] == expected


VALUES = st.recursive(
    st.integers() | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


def schema_of(value: Any, named: dict[str, Any]) -> dict[str, Any]:
    """A schema that describes all of the value, objects in components."""
    if isinstance(value, dict):
        name = f"T{len(named)}"
        named[name] = {}
        named[name].update(type="object", properties={key: schema_of(each, named) for key, each in value.items()})
        return {"$ref": f"#/components/schemas/{name}"}
    if isinstance(value, list):
        return {"type": "array", **({"prefixItems": [schema_of(each, named) for each in value]} if value else {})}
    return {"const": value}


def places(value: Any) -> int:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(places, inside))


@given(VALUES)
def test_the_walk_meets_every_place_with_its_schema(value: Any) -> None:
    """Once, and each schema is the part of the document to which its pointer leads."""
    named: dict[str, Any] = {}
    schema = schema_of(value, named)
    document = {**with_schemas(**named), "top": schema}

    found = list(walk(document, schema, value, ("top",)))

    assert len({place.where for place in found}) == len(found) == places(value)
    for place in found:
        [part] = place.parts
        assert find(document, reference_to(*part.pointer)) is part.schema, place
        assert jsonschema_rs.is_valid(self_contained(document, part.schema), place.value), place


def test_the_walk_stops_where_nothing_describes_a_value() -> None:
    found = [place.where for place in walk({}, {"properties": {"a": {}}}, {"a": {"b": {"c": 1}}, "d": {"e": 1}})]

    assert found == [(), ("a",), ("a", "b"), ("d",)]


def test_a_walk_of_a_recursive_schema_ends_with_the_value() -> None:
    document = with_schemas(Tree={"properties": {"below": {"items": {"$ref": "#/components/schemas/Tree"}}}})
    value: Any = {}
    for _ in range(2000):
        value = {"below": [value]}

    found = list(walk(document, {"$ref": "#/components/schemas/Tree"}, value))

    assert len(found) == 4001
    assert found[-1].parts[0].pointer == ("components", "schemas", "Tree")


def test_the_graph_has_each_schema_once() -> None:
    """However many components refer to each other."""
    names = [f"C{number}" for number in range(30)]
    every = {name: {"$ref": f"#/components/schemas/{name}"} for name in names}
    document = with_schemas(**{name: {"properties": dict(every)} for name in names})

    found = list(graph(document, ((), every["C0"])))

    assert len({id(node.schema) for node in found}) == len(found) == 30 + 30
    assert {node.members for node in found if len(node.pointer) == 3} == {(), *((name,) for name in names[1:])}
    assert len([*graph(document, ((), every["C0"]), follow=False)]) == 1


def test_what_a_schema_needs_goes_with_it() -> None:
    """And nothing else of the document."""
    document = with_schemas(
        A={"properties": {"b": {"$ref": "#/components/schemas/B/properties/inner"}}},
        B={"properties": {"inner": {"$ref": "#/components/schemas/C"}}},
        C={"minimum": 5},
        D={},
    )

    found = self_contained(document, {"$ref": "#/components/schemas/A"})

    assert set(found["components"]["schemas"]) == {"A", "B", "C"}
    assert not jsonschema_rs.is_valid(found, {"b": 4})
    assert jsonschema_rs.is_valid(found, {"b": 5})


@pytest.mark.parametrize("name", modelarts_openapi.NAMES)
def test_every_schema_of_a_document_is_met(name: str) -> None:
    """Each that has a type, wherever it stands."""
    document = modelarts_openapi.load(name)
    met = {id(node.schema) for node in graph(document, *starts(document))}

    ahead: list[Any] = [document]
    for node in ahead:
        if isinstance(node, dict):
            assert id(node) in met or not isinstance(node.get("type"), str) or node["type"] in ("http", "apiKey"), node
            ahead += (each for key, each in node.items() if key not in ("example", "examples"))
        elif isinstance(node, list):
            ahead += node


def test_schemas_stand_in_every_part_of_a_document() -> None:
    """A part named `schema` or `schemas` is none because of its name."""
    media = {"content": {"application/json": {"schema": TEXT, "example": {"schema": {}}}}}
    operation = {
        "parameters": [{"name": "schema", "in": "query", "schema": TEXT}, {"name": "b", "in": "query", **media}],
        "requestBody": media,
        "responses": {"200": {**media, "headers": {"schema": {"schema": TEXT}}}, "x-note": media},
        "callbacks": {"schema": {"{$request.body#/url}": {"post": {"responses": {"200": media}}}}},
    }
    document = {
        "paths": {"/a": {"parameters": [{"schema": TEXT}], "post": operation}},
        "webhooks": {"schema": {"post": {"requestBody": media}}},
        "components": {
            "schemas": {"schemas": {"properties": {"schema": TEXT}}},
            "pathItems": {"P": {"get": {"responses": {"2XX": media}}}},
        },
        "x-schemas": {"schema": TEXT},
    }

    found = list(starts(document))

    assert len(found) == 10
    assert all(schema is TEXT or pointer[:2] == ("components", "schemas") for pointer, schema in found)


@pytest.mark.parametrize(
    ("media", "is_json"),
    [
        ("application/json", True),
        ("Application/JSON; charset=utf-8", True),
        ("application/merge-patch+json", True),
        ("text/json-lines", False),
        ("application/x-ndjson", False),
    ],
)
def test_json_is_known_by_its_media_type(media: str, is_json: bool) -> None:
    assert (json_schema({"content": {"text/plain": {}, media: {"schema": TEXT}}}) is TEXT) is is_json


def test_operations_are_those_of_paths() -> None:
    """Also of a path that is a reference; extensions are none."""
    item = {"get": {"operationId": "a"}, "summary": "s", "x-get": {}}
    document = {
        "paths": {"/a": {"$ref": "#/components/pathItems/A"}, "x-b": item},
        "components": {"pathItems": {"A": item}},
    }

    assert [(path, method, each) for path, method, _, each in operations(document)] == [("/a", "get", item["get"])]
    assert list(operations({"webhooks": {"w": item}})) == []


@pytest.mark.parametrize(
    ("steps", "pointers"),
    [
        ([], [("properties", "jobs")]),
        ([2, "name"], [("components", "schemas", "Job", "properties", "name")]),
        (["2", "name"], [("components", "schemas", "Job", "properties", "name")]),
        (["first", "tags", "any"], [("components", "schemas", "Job", "properties", "tags", "additionalProperties")]),
        ([0, "name", "deeper"], []),
        (["x"], [ITEMS, (*ITEMS, "anyOf", "0"), ("components", "schemas", "Job")]),
    ],
    ids=str,
)
def test_steps_lead_to_the_schemas_of_a_value(steps: list[str | int], pointers: list[tuple[str, ...]]) -> None:
    """An entry of a list may have its index as text, or a name."""
    job = {"properties": {"name": TEXT, "tags": {"additionalProperties": TEXT}}}
    document = with_schemas(Job=job)
    schema = {"properties": {"jobs": {"items": {"anyOf": [{"$ref": "#/components/schemas/Job", "title": "One"}]}}}}

    assert [pointer for _, pointer in at(document, schema, ["jobs", *steps])] == pointers
