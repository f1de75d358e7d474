"""The documents as the emulator applies them, on a document of a few lines."""

from __future__ import annotations

import copy
import functools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.generated.bodies import Bodies

import modelarts_openapi
from modelarts_documents.messages import pairs
from modelarts_documents.schema import Part, members, walk
from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.http.contract import Contract, Operation, bind, decode
from modelarts_emulator.http.errors import Problem, ServiceError

DOCUMENT: dict[str, Any] = {
    "security": [{"token": []}],
    "paths": {
        "/things/{id}": {
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
            "post": {
                "operationId": "changeThing",
                "parameters": [
                    {"$ref": "#/components/parameters/Count"},
                    {"name": "kinds", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}},
                    {"$ref": "#/components/parameters/Sizes"},
                    {"name": "at", "in": "query", "schema": {"$ref": "#/components/schemas/Point"}},
                    {"name": "sort", "in": "query", "x-aliases": ["order"], "schema": {"type": "boolean"}},
                ],
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}},
                },
                "responses": {
                    "200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}},
                    "202": {"description": "Nothing."},
                    "2XX": {"content": {"application/json": {"schema": {"type": "array"}}}},
                    "5XX": {"content": {"application/json": {"schema": {"type": "string"}}}},
                    "400": {"x-error-codes": ["A.1"], "content": {"application/json": {"schema": {}}}},
                },
            },
        }
    },
    "components": {
        "parameters": {
            "Count": {"name": "count", "in": "query", "schema": {"type": "integer", "maximum": 9}},
            "Sizes": {
                "name": "sizes", "in": "query", "explode": False, "schema": {"$ref": "#/components/schemas/Sizes"}
            },
        },
        "schemas": {
            "Thing": {
                "type": "object",
                "required": ["name"],
                "additionalProperties": False,
                "properties": {
                    "name": {"type": "string"},
                    "parts": {"type": "array", "items": {"$ref": "#/components/schemas/Slot"}},
                    "more": {"$ref": "#/components/schemas/Thing"},
                },
            },
            "Point": {"type": "object", "properties": {"x": {"type": "number"}}},
            "Sizes": {"type": "array", "items": {"type": "integer"}, "x-error-code": "ModelArts.2812"},
            "Slot": {"anyOf": [{"$ref": "#/components/schemas/Part"}, {"type": "null"}]},
            "Part": {"type": "object", "properties": {"kind": {"$ref": "#/components/schemas/Kind"}}},
            "Kind": {"enum": ["a", "b", "d", "e"], "x-error-code": "ModelArts.2812"},
        },
    },
}  # fmt: skip


@pytest.fixture
def operation() -> Operation:
    return Contract.of("test", DOCUMENT).operations[0]


def test_every_operation_has_a_handler_or_is_not_emulated_and_no_other_has_one() -> None:
    """A difference names the operations."""
    contract = Contract.of("test", DOCUMENT)

    assert bind(contract, {}, ["changeThing"]) == {}
    for handlers, not_emulated, said in (
        ({}, [], "test and the emulator differ: no handler for changeThing"),
        ({"changeThing": 1, "killThing": 2}, [], "handlers for unknown operations killThing"),
        ({"changeThing": 1}, ["changeThing"], "not emulated, and with handlers: changeThing"),
        ({"changeThing": 1}, ["killThing"], "not emulated, and unknown: killThing"),
    ):
        with pytest.raises(EmulatorError, match=f"{said}$"):
            bind(contract, handlers, not_emulated)


def test_a_body_that_does_not_fit_is_rejected_naming_the_member_and_what_was_expected(operation: Operation) -> None:
    """It does not repeat the value, which may be a secret."""
    for body, code, words in (
        (b'{"name": ["hunter2"]}', Problem.INVALID_PARAMETER, ["name", '"string"']),
        (b"{}", Problem.INVALID_PARAMETER, ["name", "required"]),
        (b'{"name": null}', Problem.INVALID_PARAMETER, ["name", '"string"']),
        (b"[]", Problem.INVALID_PARAMETER, ["request body", '"object"']),
        (b'{"name": "x", "colour": 1}', Problem.INVALID_PARAMETER, ["colour", "unexpected"]),
        (b'{"name": "x", "more": {"name": 2}}', Problem.INVALID_PARAMETER, ["more.name"]),
        (b'{"name": "x", "more": {"name": "y", "parts": [3]}}', Problem.INVALID_PARAMETER, ["more.parts.0", "null"]),
        (b'{"name": "x", "parts": [{"kind": "c"}]}', "ModelArts.2812", ["parts.0.kind", '"a", "b", "d", "e"']),
        (b'{"name":' * 400 + b"1" + b"}" * 400, Problem.INVALID_JSON, ["nested too deeply"]),
    ):
        with pytest.raises(ServiceError) as caught:
            operation.read_body(body, "application/json")

        assert caught.value.code == code, body[:80]
        assert [word for word in words if word not in caught.value.message] == [], body[:80]
        assert "hunter2" not in caught.value.message, body[:80]


def lists_and_objects(document: Any, schema: Any, body: Any) -> list[tuple[dict[str, Any], str]]:
    """Every member of a list or object type that a body has or could have, with the object that it is in."""
    return [
        (place.value, name)
        for place in walk(document, schema, body)
        if isinstance(place.value, dict)
        for name in {name: None for part in place.parts for name in part.schema.get("properties", ())}
        if {"array", "object"} & (found := types(members(document, place.parts, name))) and "null" not in found
    ]


def types(schemas: list[Part]) -> set[str]:
    named = [part.schema.get("type", []) for part in schemas]
    return {name for each in named for name in ([each] if isinstance(each, str) else each)}


def outcome(operation: Operation, body: Any) -> Any:
    try:
        return operation.read_body(json.dumps(body).encode(), "application/json")
    except ServiceError as error:
        return error.code, error.message


def changed(properties: dict[str, Any], response: Any = True) -> Operation:
    """The operation with these members in its request, and with this response."""
    document = copy.deepcopy(DOCUMENT)
    document["components"]["schemas"]["Thing"] |= {"properties": properties, "required": []}
    content = {"application/json": {"schema": response}}
    document["paths"]["/things/{id}"]["post"]["responses"]["200"] = {"content": content}
    return Contract.of("test", document).operations[0]


@pytest.mark.parametrize(
    ("member", "least", "most"),
    [
        ({"type": "integer", "format": "int64"}, -(2**63), 2**63 - 1),
        ({"type": "integer", "format": "int64", "maximum": 5, "minimum": -5}, -5, 5),
    ],
    ids=["without bounds", "with bounds"],
)
def test_an_integer_of_64_bits_is_one(member: dict[str, Any], least: int, most: int) -> None:
    operation = changed({"more": {"anyOf": [member, {"type": "null"}]}})

    for value in (least, most):
        assert outcome(operation, {"more": value}) == {"more": value}, value
    for value in (least - 1, most + 1):
        assert outcome(operation, {"more": value})[0] == Problem.INVALID_PARAMETER, value


@pytest.mark.parametrize(
    ("shown", "is_ignored"),
    [({"name": {}, "state": {}}, True), ({"state": {}, "of": {}}, False), ({"name": {}}, False)],
    ids=["the same thing", "another thing", "without the member"],
)
def test_a_member_that_only_the_response_has_is_ignored(shown: dict[str, Any], is_ignored: bool) -> None:
    """The service takes back what it shows; a response about something else says nothing."""
    operation = changed({"name": {"type": "string"}}, {"properties": shown})

    found = outcome(operation, {"name": "x", "state": 1})

    assert found == {"name": "x"} if is_ignored else found[0] == Problem.INVALID_PARAMETER


@functools.cache
def requests(name: str) -> tuple[list[tuple[Operation, Any]], Any, Bodies]:
    """The operations of a document that have a body, each with its schema; the document; and what makes bodies."""
    document = modelarts_openapi.load(name)
    found = [each for each in Contract.of(name, document).operations if each.body]
    sources = [document["paths"][each.path][each.method.lower()]["requestBody"]["content"] for each in found]
    with_schemas = [(each, body["application/json"]["schema"]) for each, body in zip(found, sources, strict=True)]
    return with_schemas, document, Bodies(document)


@pytest.mark.parametrize("name", modelarts_openapi.NAMES)
@given(data=st.data())
def test_null_for_a_list_or_an_object_is_as_if_it_were_left_out(name: str, data: st.DataObject) -> None:
    """Clients in Go send it for an empty one; a required one is missing then."""
    operations, document, bodies = requests(name)
    operation, schema = data.draw(st.sampled_from(operations))
    body = data.draw(bodies.of(schema, perturbed=False))
    members = sorted({member for _, member in lists_and_objects(document, schema, body)})
    chosen = data.draw(st.sets(st.sampled_from(members))) if members else set()
    without = copy.deepcopy(body)
    for holder, member in lists_and_objects(document, schema, body):
        holder |= dict.fromkeys({member} & chosen)
    for holder, member in lists_and_objects(document, schema, without):
        if member in chosen:
            holder.pop(member, None)

    assert outcome(operation, body) == outcome(operation, without)


def test_a_body_that_is_not_json_is_rejected() -> None:
    for content, content_type in (
        (b"", "application/json"),
        (b"{", "application/json"),
        (b"\xff", "application/json"),
        (b"NaN", "application/json"),
        (b'"\\ud800"', "application/json"),
        (b'"\xed\xa0\x80"', "application/json"),
        (b'{"a": "\xc0\x80"}', "application/json"),
        ('"\\ud800"'.encode("utf-16-le"), "application/json"),
        ('"\ud800"'.encode("utf-16-le", "surrogatepass"), "application/json"),
        (b"[" * 100_000, "application/json"),
        (b"{}", "text/plain"),
        (b"{}", "application/x-www-form-urlencoded"),
    ):
        with pytest.raises(ServiceError) as caught:
            decode(content, content_type)
        assert caught.value.code == Problem.INVALID_JSON, (content[:40], content_type)


def test_a_whole_number_is_an_integer_however_it_is_written() -> None:
    """As for the schemas that bodies are checked against."""
    body = decode(b'{"a": 1.0, "b": 2e3, "c": 0.5, "d": 1e300}', "")

    assert {name: (value, type(value)) for name, value in body.items()} == {
        "a": (1, int),
        "b": (2000, int),
        "c": (0.5, float),
        "d": (1e300, float),
    }


def test_an_unknown_query_parameter_is_rejected_by_name(operation: Operation) -> None:
    operation.reject_unknown_query(["count"])
    with pytest.raises(ServiceError, match="unknown name colour, size") as caught:
        operation.reject_unknown_query(["size", "count", "colour"])

    assert caught.value.code == Problem.INVALID_QUERY


@pytest.mark.parametrize(
    ("query", "values"),
    [
        ("", {}),
        ("count=5", {"count": 5}),
        ("kinds=a", {"kinds": ["a"]}),
        ("kinds=a&count=1&kinds=b%2Cc", {"count": 1, "kinds": ["a", "b,c"]}),
        ("sizes=1,2", {"sizes": [1, 2]}),
        ("sizes=1%2C2", {"sizes": [1, 2]}),
        ("x=1.5", {"at": {"x": 1.5}}),
        ("order=true", {"sort": True}),
    ],
)
def test_a_query_has_the_values_that_its_document_says(
    operation: Operation, query: str, values: dict[str, Any]
) -> None:
    given = pairs(query)
    operation.reject_unknown_query(name for name, _ in given)

    assert operation.read_parameters("query", given) == values


@pytest.mark.parametrize(
    ("query", "code", "said"),
    [
        ("count=1&count=2", Problem.INVALID_QUERY, "count is given 2 times."),
        ("count=10", Problem.INVALID_QUERY, "count: the value is greater than the maximum of 9."),
        ("sort=yes", Problem.INVALID_QUERY, 'sort: the value is not of type "boolean".'),
        ("sizes=1,a", "ModelArts.2812", 'sizes: the value is not of type "integer".'),
        ("x=wide", Problem.INVALID_QUERY, 'at: the value is not of type "number".'),
    ],
)
def test_a_parameter_that_does_not_fit_is_rejected_by_name(
    operation: Operation, query: str, code: str, said: str
) -> None:
    with pytest.raises(ServiceError) as caught:
        operation.read_parameters("query", pairs(query))

    assert (caught.value.code, caught.value.message) == (code, f"Invalid query parameter: {said}")


def test_a_response_is_checked_against_its_document(operation: Operation) -> None:
    cases: list[tuple[int, Any, str]] = [
        (200, {"name": "x"}, "None"),
        (202, None, "None"),
        (400, {"error_code": "A.1"}, "None"),
        (200, {"name": 1}, "name"),
        (200, None, "without a body"),
        (202, {}, "with a body"),
        (201, [], "None"),
        (201, {}, "array"),
        (503, {}, "string"),
        (404, {}, "must not respond with 404"),
        (400, {"error_code": "A.2"}, "must not respond with 400 with A.2"),
    ]
    for status, body, problem in cases:
        assert problem in str(operation.check_response(status, body)), (status, body)


def test_an_operation_is_public_only_if_its_document_says_so(operation: Operation) -> None:
    """By an empty list of requirements; a forgotten one is an error, and opens nothing."""
    document = copy.deepcopy(DOCUMENT)
    del document["security"]

    assert not operation.public
    with pytest.raises(EmulatorError, match=r"test does not say who may call changeThing: .*`security: \[\]`"):
        Contract.of("test", document)
    document["paths"]["/things/{id}"]["post"]["security"] = []
    assert Contract.of("test", document).operations[0].public
