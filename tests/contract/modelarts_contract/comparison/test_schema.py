"""A request breaks a client where less is accepted, a response where more is; how it is written does not matter."""

from typing import Any, cast

import pytest

from modelarts_contract.comparison.document import compare as compare_documents


def document(direction, schema, components):
    """A document whose one operation sends or shows what the schema says."""
    content = {"content": {"application/json": {"schema": schema}}}
    operation = {"operationId": "op", "requestBody": content} if direction == "request" else {}
    operation["responses"] = {"200": content if direction == "response" else {}}
    return {"paths": {"/": {"post": operation}}, "components": {"schemas": components or {}}}


def compare(direction, old, new, components=None, components_now=None):
    """(place, what, breaking) for each difference."""
    states = document(direction, old, components), document(direction, new, components_now)
    return [
        (found.place.removeprefix("request").removeprefix("response 200").strip(), found.what, found.breaking)
        for found in compare_documents("one", *states)
        if found.reach == "wire"
    ]


def an_object(**keywords):
    return {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False, **keywords}


NARROWER = [
    ({"type": "string"}, {"type": "string", "maxLength": 8}, "", "maxLength none -> 8"),
    ({"maxLength": 64}, {"maxLength": 32}, "", "maxLength 64 -> 32"),
    ({"type": "string"}, {"type": "string", "minLength": 1}, "", "minLength none -> 1"),
    ({"type": "string"}, {"type": "string", "pattern": "^a"}, "", "pattern none -> ^a"),
    ({"type": "string"}, {"type": "string", "format": "uuid"}, "", "format none -> uuid"),
    ({"type": "integer"}, {"type": "integer", "minimum": 0}, "", "minimum none -> 0"),
    ({"type": "number"}, {"type": "number", "exclusiveMinimum": 0}, "", "exclusiveMinimum none -> 0"),
    ({"type": "number", "maximum": 9}, {"type": "number", "maximum": 8}, "", "maximum 9 -> 8"),
    ({"type": "integer"}, {"type": "integer", "multipleOf": 2}, "", "multipleOf none -> 2"),
    ({"type": "array"}, {"type": "array", "maxItems": 3}, "", "maxItems none -> 3"),
    ({"type": "array"}, {"type": "array", "minItems": 1}, "", "minItems none -> 1"),
    ({"type": "array"}, {"type": "array", "uniqueItems": True}, "", "uniqueItems none -> True"),
    ({"type": "array"}, {"type": "array", "items": {"type": "string"}}, "[]", "type any -> string"),
    (an_object(), an_object(minProperties=1), "", "minProperties none -> 1"),
    (an_object(), an_object(maxProperties=1), "", "maxProperties none -> 1"),
    (an_object(), an_object(required=["a"]), "a", "mandatory now"),
    (
        {"type": "object", "additionalProperties": {"type": ["string", "integer"]}},
        {"type": "object", "additionalProperties": {"type": "string"}},
        "*",
        "type integer|string -> string",
    ),
    ({"type": "object"}, {"type": "object", "propertyNames": {"pattern": "^A"}}, "", "a rule is new: `propertyNames`"),
    ({}, {"if": {"required": ["a"]}, "then": {"required": ["b"]}}, "", "a rule is new: `if`"),
    (
        {"type": "string", "contentSchema": {"type": ["string", "null"]}},
        {"type": "string", "contentSchema": {"type": "string"}},
        "(its content)",
        "type string|null -> string",
    ),
    ({"type": "string"}, {"type": "string", "contentMediaType": "text/csv"}, "", "contentMediaType none -> text/csv"),
    ({"type": "number"}, {"type": "integer"}, "", "type number -> integer"),
    ({"type": ["string", "null"]}, {"type": "string"}, "", "type string|null -> string"),
    ({}, {"type": "string"}, "", "type any -> string"),
    ({"enum": ["a", "b"]}, {"enum": ["a"]}, "", 'enum removes "b"'),
    ({"type": "string"}, {"enum": ["a"]}, "", 'enum any -> "a"'),
    ({"enum": ["a", None]}, {"enum": ["a"]}, "", "type string|null -> string"),
    ({"enum": ["a", "b"]}, {"const": "a"}, "", 'enum removes "b"'),
    (
        {"anyOf": [{"required": ["a"]}, {"required": ["b"]}, {"required": ["c"]}]},
        {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        "",
        "1 alternatives removed",
    ),
    (
        {"allOf": [{"minLength": 1}, {"minLength": 2}]},
        {"allOf": [{"minLength": 1}, {"minLength": 3}]},
        "",
        "minLength 2 -> 3",
    ),
    (
        {"oneOf": [{"minLength": 1}, {"maxLength": 9}]},
        {"oneOf": [{"minLength": 1}, {"maxLength": 8}]},
        "",
        "maxLength 9 -> 8",
    ),
    (
        {"anyOf": [{"minLength": 1}, {"maxLength": 9}, {}]},
        {"anyOf": [{"minLength": 1}, {"maxLength": 9}]},
        "",
        "a rule is new: `anyOf`",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("wide", "narrow", "place", "what"), NARROWER)
def test_a_request_breaks_where_it_accepts_less_and_a_response_where_it_says_more(wide, narrow, place, what):
    assert compare("request", wide, narrow) == [(place, what, True)]
    assert compare("response", wide, narrow) == [(place, what, False)]
    assert [breaking for _, _, breaking in compare("request", narrow, wide)] == [False]
    assert [breaking for _, _, breaking in compare("response", narrow, wide)] == [True]


def test_other_members_break_only_a_request_that_rejects_them_now():
    open_, closed = an_object(additionalProperties=True), an_object()

    assert compare("request", open_, closed) == [("*", "other members are rejected now", True)]
    assert compare("request", closed, open_) == [("*", "other members are accepted now", False)]
    assert compare("response", open_, closed) == [("*", "other members are rejected now", False)]
    assert compare("response", closed, open_) == [("*", "other members are accepted now", False)]


def test_a_name_that_a_map_had_room_for_keeps_the_type_of_the_map():
    old = {"type": "object", "additionalProperties": {"type": "string"}}
    new = {**old, "properties": {"a": {"type": "integer"}}}

    assert compare("request", old, new) == [("a", "new", False), ("a", "type string -> integer", True)]


@pytest.mark.parametrize("direction", ["request", "response"])
def test_another_rule_that_cannot_be_ranked_breaks_in_both_directions(direction):
    assert compare(direction, {"pattern": "^a"}, {"pattern": "^b"}) == [("", "pattern ^a -> ^b", True)]
    assert compare(direction, {"enum": ["a"]}, {"enum": ["b"]}) == [("", 'enum removes "a" and adds "b"', True)]
    assert compare(direction, {"type": "string"}, {"type": "array"}) == [("", "type string -> array", True)]


@pytest.mark.parametrize("direction", ["request", "response"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"not": {"type": "string"}}, {"not": {"type": "integer"}}),
        ({"prefixItems": [{"type": "string"}, {}]}, {"prefixItems": [{}, {"type": "string"}]}),
        ({}, {"patternProperties": {"^b": {}}}),
    ],
)
def test_what_cannot_be_compared_breaks_and_names_the_keyword(direction, old, new):
    [(place, what, breaking)] = compare(direction, old, new)

    assert (place, breaking) == ("", True)
    assert what.startswith("changed beyond comparison: `")


def test_a_field_that_is_new_in_one_of_several_forms_breaks_nobody():
    """Forms of the same type are compared one by one if as many change as there were."""
    forms = {"A": {"type": "object", "properties": {"a": {}}}, "B": {"type": "object", "properties": {"b": {}}}}
    more = {**forms, "B": {"type": "object", "properties": {"b": {}, "c": {}}}}
    schema = {"anyOf": [{"$ref": "#/components/schemas/A"}, {"$ref": "#/components/schemas/B"}]}

    assert compare("response", schema, schema, forms, more) == [("c", "new", False)]
    assert compare("response", schema, schema, more, forms) == [("c", "removed", True)]


def test_a_component_behind_an_incomparable_keyword_is_looked_at():
    schema = {"not": {"$ref": "#/components/schemas/A"}}
    old, new = {"A": {"type": "string"}}, {"A": {"type": "integer"}}

    assert compare("request", schema, schema, old, old) == []
    assert [breaking for _, _, breaking in compare("request", schema, schema, old, new)] == [True]


SAME = [
    ({"type": ["string", "null"]}, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
    ({"type": ["string", "null"]}, {"oneOf": [{"type": "null"}, {"type": "string"}]}),
    ({"type": ["integer", "number"]}, {"type": "number"}),
    ({"enum": ["a", "b", None]}, {"type": ["null", "string"], "enum": [None, "b", "a"]}),
    ({"enum": ["a"]}, {"const": "a"}),
    ({"type": "string", "minLength": 0}, {"type": "string"}),
    ({}, True),
    ({"type": "object"}, {"type": "object", "additionalProperties": True}),
    ({"type": "object", "required": ["a", "b"]}, {"type": "object", "required": ["b", "a"]}),
    ({"$ref": "#/components/schemas/Text"}, {"type": "string", "maxLength": 9}),
    ({"$ref": "#/components/schemas/Text", "minLength": 1}, {"type": "string", "minLength": 1, "maxLength": 9}),
    ({"description": "a", "examples": ["a"], "x-source": "a", "title": "a"}, {"description": "b"}),
    (
        {"anyOf": [{"minLength": 1}, {"$ref": "#/components/schemas/Text"}]},
        {"anyOf": [{"maxLength": 9, "type": "string", "description": "Text."}, {"minLength": 1}]},
    ),
]  # fmt: skip


@pytest.mark.parametrize("direction", ["request", "response"])
@pytest.mark.parametrize(("one", "other"), SAME)
def test_two_ways_to_write_the_same_are_not_a_change(direction, one, other):
    components = {"Text": {"type": "string", "maxLength": 9}}

    assert compare(direction, one, other, components, components) == []
    assert compare(direction, other, one, components, components) == []


TREE = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "children": {"anyOf": [{"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}, {"type": "null"}]},
    },
}


def test_a_schema_that_contains_itself_is_compared_once():
    reference = {"$ref": "#/components/schemas/Tree"}
    changed = {
        **TREE,
        "properties": {**cast("dict[str, Any]", TREE["properties"]), "name": {"type": "string", "maxLength": 9}},
    }

    assert compare("request", reference, reference, {"Tree": TREE}, {"Tree": TREE}) == []
    assert compare("request", reference, reference, {"Tree": TREE}, {"Tree": changed}) == [
        ("name", "maxLength none -> 9", True)
    ]


def test_a_change_is_found_although_the_new_schema_contains_itself_and_the_old_one_does_not():
    flat = {"type": "object", "properties": {"name": {"type": "string"}, "children": {"type": ["array", "null"]}}}
    reference = {"$ref": "#/components/schemas/Tree"}

    assert compare("request", reference, reference, {"Tree": flat}, {"Tree": TREE}) == [
        ("children[]", "type any -> object", True),
        ("children[].children", "new", False),
        ("children[].name", "new", False),
    ]


@pytest.mark.parametrize(
    "loop",
    [
        {"$ref": "#/components/schemas/A"},
        {"anyOf": [{"$ref": "#/components/schemas/A"}, {"type": "null"}]},
        {"allOf": [{"$ref": "#/components/schemas/A"}, {"type": "string"}]},
    ],
)
def test_a_schema_that_consists_of_itself_ends(loop):
    assert compare("request", {"$ref": "#/components/schemas/A"}, loop, {"A": loop}, {"A": loop}) == []
